"""Attention inside the noise: random value matrices act on what each token attends to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.attended import Attended
from rqf.fields.base import MOST, Field, Frozen, Kernels, Pair, Parity
from rqf.fields.softmax import softmax

Array = NDArray[np.float64]
QUERY_KEYS = ("identity", "random")


@dataclass(frozen=True)
class AttentionNoise(Field):
    """dX_i = P_{X_i} dV m_i (Itô, kept on the sphere), m_i = Σ_j softmax_j(beta X_i·X_j) X_j.

    V is an n×n matrix of independent Brownian motions of variance sigma² per unit time: the limit
    of deep residual attention with random value matrices, Fedorov et al., arXiv:2601.21942. The
    noise of N tokens has the covariance sigma² (m_i·m_j) I, a function of their Gram matrix. For
    two tokens alone, with p = 1/(1 + e^{-beta (1-z)}), R = 2p(1-p) and S = 1 - R,

        dZ = sigma² (1 - Z²) [(n-2) R - S Z] dt + sigma √(2S) (1 - Z²) dW,

    and a(z) is the covariance R + S z of these two, b = 0. The variance of one token, 1 - R (1-z),
    depends on the other, so formulas in a and b alone (those of Lyapunov exponents among them) do
    not hold; those in `pair` and `kernels` do. As beta → ∞ the field becomes a linear layer.

    Several heads: `F = Σ_h dV_h m_i^h / √heads`. With query_key = "identity" all attend alike and
    have the law of one. With "random" head h scores `beta x_i·M_h x_j`, the entries of M_h
    independent standard normals drawn afresh at every step (Koubbi, Geshkovski, Rigollet,
    arXiv:2604.01978); scores have the size of beta, and covariance beta² (x_i·x_k)(x_j·x_l). Such
    heads are followed by realisations only.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    beta : float in [0, 1e100]
        Inverse temperature.
    heads : int >= 1
        Number of heads.
    sigma : float >= 0
        Standard deviation of an entry of V per square root of unit time.
    query_key : "identity" or "random"
        The matrix between queries and keys.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range; later if a law is asked of random heads.

    Notes
    -----
    A realisation is a Stratonovich vector field. Since m_i moves with the tokens the two integrals
    differ: the displacement carries the drift that makes its Stratonovich integral the Itô one
    above, and a plain layer `x + dV m` is `frozen(...).layer(x)`.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.AttentionNoise(n=3, beta=1.0)
    >>> pair = field.pair(1.0, 1.0)  # two tokens at right angles
    >>> float(pair.own.round(6)), float(pair.cross.round(6))
    (0.606776, 0.393224)
    """

    n: int
    beta: float
    heads: int = 1
    sigma: float = 1.0
    query_key: Literal["identity", "random"] = "identity"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, 2))
        object.__setattr__(self, "beta", checks.real("beta", self.beta, 0.0, MOST))
        object.__setattr__(self, "heads", checks.integer("heads", self.heads, 1))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))
        checks.choice("query_key", self.query_key, QUERY_KEYS)

    # Law

    def a(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        return self.pair(1.0 - z, 1.0 + z).cross

    def b(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    def a_prime(self, z: ArrayLike) -> Array:
        self._known()
        steepness = self.beta * (1.0 - np.asarray(z, np.float64))
        half = np.tanh(0.5 * steepness)  # 2p - 1
        return 0.5 * self.sigma**2 * (1.0 + half**2 + steepness * half * (1.0 - half**2))

    @property
    def interacting(self) -> bool:
        return True

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    def kernels(self, gram: Array) -> Kernels:
        self._known()
        weights = softmax(self.beta * gram)
        return Kernels(self.sigma**2 * (weights @ gram @ np.swapaxes(weights, -1, -2)))

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        self._known()
        e, f = np.broadcast_arrays(np.asarray(e, np.float64), np.asarray(f, np.float64))
        gap = self.sigma**2 * e * np.tanh(0.5 * self.beta * e) ** 2
        total = self.sigma**2 * f
        nil = np.zeros_like(e)
        return Pair(0.5 * (total + gap), 0.5 * (total - gap), gap, total, nil, nil)

    def _known(self) -> None:
        if self.query_key == "random":
            raise InvalidArgument(
                "query_key = 'random': its kernels are means over query-key matrices, not known in"
                " closed form; follow a realisation, or take query_key = 'identity'"
            )

    # One realisation

    @property
    def increments(self) -> int:
        return self.heads * self.n**2

    @property
    def fresh(self) -> int:
        return self.increments if self.query_key == "random" else 0

    def frozen(self, dw: Array, fresh: Array, dt: float) -> AttentionNoiseStep:
        shape = (-1, self.heads, self.n, self.n)
        values = self.sigma / math.sqrt(self.heads) * np.moveaxis(dw.reshape(shape), 1, 0)
        variance = self.sigma**2 * dt
        if self.query_key == "identity":
            one = Attended(self.beta, None)
            return AttentionNoiseStep(((values.sum(axis=0), one),), variance)
        query_keys = np.moveaxis(fresh.reshape(shape), 1, 0)
        heads = [(v, Attended(self.beta, m)) for v, m in zip(values, query_keys, strict=True)]
        return AttentionNoiseStep(tuple(heads), variance / self.heads)


@dataclass(frozen=True, eq=False)
class AttentionNoiseStep(Frozen):
    """The displacement Σ_h dV_h m_i^h less the Stratonovich drift of each head."""

    heads: tuple[tuple[Array, Attended], ...]
    variance: float

    def layer(self, x: Array) -> Array:
        """Σ_h dV_h m_i^h alone, what one layer of a residual network adds; shape of x."""
        return sum(
            (head.mean(x) @ np.swapaxes(values, -1, -2) for values, head in self.heads),
            np.zeros_like(x),
        )

    def __call__(self, x: Array) -> Array:
        drift = sum((head.drift(x) for _, head in self.heads), np.zeros_like(x))
        return self.layer(x) - self.variance * drift

    def push(self, x: Array, v: Array) -> Array:
        result = np.zeros_like(x)
        for values, head in self.heads:
            mean, drift = head.push(x, v)
            result += mean @ np.swapaxes(values, -1, -2) - self.variance * drift
        return result
