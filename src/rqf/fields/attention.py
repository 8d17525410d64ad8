"""Attention as a deterministic drift: every token is pulled towards those it resembles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Kernels, Pair, Parity
from rqf.fields.softmax import inner, softmax, softmax_rate, visible

Array = NDArray[np.float64]
KINDS = ("softmax", "unnormalised")
STEEPEST = 600.0  # inverse temperature up to which exp(beta) stays finite with its products


@dataclass(frozen=True, eq=False)
class Attention(Field):
    """dX_i = gamma P_{X_i} Σ_j w_ij V X_j dt, w_ij = softmax_j(beta X_i·X_j): no noise, a = b = 0.

    With kind = "unnormalised" the weights are exp(beta X_i·X_j)/N. These are the models SA and USA
    of Geshkovski et al., arXiv:2312.10794, without the value matrix.

    The field depends on all tokens together, so its law is in `kernels` and `pair`, not in a(z)
    and b(z). The drift of the overlap of two tokens alone is 2 gamma w(Z) (1 - Z²),
    w = 1/(1 + e^{beta (1-Z)}) or e^{beta Z}/2. An antipodal pair rests, whence the parity "odd",
    but it may rest in unstable balance: whether it attracts is read from the two-point diffusion,
    not from the parity.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    beta : float
        Inverse temperature; at most 600 in size if the weights are not normalised.
    gamma : float, at most 1e100 in size
        Strength, per unit time; negative tokens repel each other.
    kind : "softmax" or "unnormalised"
        The weights.
    value : (n, n) array or None
        V, None for the identity. Unless it is a multiple of the identity, overlaps alone do not
        tell how tokens move: `kernels` and `pair` refuse it, realisations do not.
    causal : bool
        Token i attends to the tokens j <= i only, in the order of the token axis.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range or not finite.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.LinearLayer(n=3, sigma=0.5) + rqf.Attention(n=3, beta=1.0)
    >>> float(field.pair(1.0, 1.0).pull.round(6))  # two tokens at right angles
    0.268941
    """

    n: int
    beta: float
    gamma: float = 1.0
    kind: Literal["softmax", "unnormalised"] = "softmax"
    value: Array | None = None
    causal: bool = False

    def __post_init__(self) -> None:
        n = checks.integer("n", self.n, 2)
        kind = checks.choice("kind", self.kind, KINDS)
        most = MOST if kind == "softmax" else STEEPEST
        if not isinstance(self.causal, (bool, np.bool_)):
            raise InvalidArgument(f"causal = {checks.shown(self.causal)}: must be True or False")
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "beta", checks.real("beta", self.beta, -most, most))
        object.__setattr__(self, "gamma", checks.real("gamma", self.gamma, -MOST, MOST))
        object.__setattr__(self, "causal", bool(self.causal))
        if self.value is not None:
            object.__setattr__(self, "value", _value(self.value, n))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attention) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        value = None if self.value is None else self.value.tobytes()
        return self.n, self.beta, self.gamma, self.kind, value, self.causal

    # Law

    def a(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    def b(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    def a_prime(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    @property
    def interacting(self) -> bool:
        return True

    @property
    def parity(self) -> Parity:
        turns = self.gamma != 0.0 and self.causal and not _is_scalar(self.value)
        return "mixed" if turns else "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, gamma=self.gamma * factor)

    def kernels(self, gram: Array) -> Kernels:
        return Kernels(np.zeros_like(gram), None, self._strength() * self.weights(gram))

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        """The kernels of two tokens with 1 - z = e and 1 + z = f, both in [0, 2].

        If attention is causal only the second token is pulled; `pull` is then the mean of pull_12
        and pull_21, which is what moves the overlap.
        """
        e, f = np.asarray(e, np.float64), np.asarray(f, np.float64)
        nil = np.zeros(np.broadcast_shapes(e.shape, f.shape))
        if self.kind == "softmax":
            weight = np.exp(-np.logaddexp(0.0, self.beta * e))
        else:
            weight = 0.5 * np.exp(self.beta * np.where(e < f, 1.0 - e, f - 1.0))
        pull = self._strength() * weight * (0.5 if self.causal else 1.0)
        return Pair(nil, nil, nil, nil, nil, nil + pull)

    def _strength(self) -> float:
        """gamma times the number that the value matrix is."""
        if not _is_scalar(self.value):
            raise InvalidArgument(
                "value: is not a multiple of the identity, so overlaps alone do not tell how"
                " tokens move; follow the tokens of a realisation, or leave value = None"
            )
        return self.gamma * (1.0 if self.value is None else float(self.value[0, 0]))

    def weights(self, gram: Array) -> Array:
        """The weights w_ij of tokens with Gram matrices `gram`, both of shape (..., N, N)."""
        if self.kind == "softmax":
            return softmax(self.beta * gram, causal=self.causal)
        tokens = gram.shape[-1]
        weights = np.exp(self.beta * gram) / tokens
        return np.where(visible(tokens), weights, 0.0) if self.causal else weights

    # One realisation

    def frozen(self, dw: Array, fresh: Array, dt: float) -> AttentionStep:
        return AttentionStep(self, dt)


@dataclass(frozen=True, eq=False)
class AttentionStep(Frozen):
    """The displacement dt gamma Σ_j w_ij V x_j of all tokens."""

    field: Attention
    dt: float

    def __call__(self, x: Array) -> Array:
        return self._of_values(self.field.weights(inner(x, x)) @ x)

    def push(self, x: Array, v: Array) -> Array:
        field = self.field
        weights = field.weights(inner(x, x))
        cross = inner(v, x)
        rate = field.beta * (cross + np.swapaxes(cross, -1, -2))
        change = softmax_rate(weights, rate) if field.kind == "softmax" else weights * rate
        return self._of_values(change @ x + weights @ v)

    def _of_values(self, mean: Array) -> Array:
        value = self.field.value
        return self.dt * self.field.gamma * (mean if value is None else mean @ value.T)


def _value(value: ArrayLike, n: int) -> Array:
    matrix = checks.square_matrix("value", value).copy()
    if len(matrix) != n:
        raise InvalidArgument(f"value has shape {matrix.shape}: must be ({n}, {n}), n = {n}")
    matrix.flags.writeable = False
    return matrix


def _is_scalar(value: Array | None) -> bool:
    return value is None or np.array_equal(value, value[0, 0] * np.eye(len(value)))
