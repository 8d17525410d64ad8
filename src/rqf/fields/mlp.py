"""A random layer with an activation: dX = P_X ∘dW₂ φ(W₁ X + b), fresh W₁ and b at every instant.

The noise of the blocks of Agazzi et al. (arXiv:2604.26898), their convention. Tokens meet in two
poles if φ is odd, in one if it is not, or do not meet at all if φ is steep (λ_1 > 0).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.fields.activations import Activation, Part, activation
from rqf.fields.base import MOST, Field, Frozen, Pair, Parity

Array = NDArray[np.float64]
LARGEST = 1e50  # gain and bias: a variance and its square stay finite
BATCH = 2**21  # hidden values that are held at a time


@dataclass(frozen=True)
class MLP(Field):
    """A random hidden layer: a(z) = strength · (E[φ(U) φ(V)] + sigma_w²), b = 0.

    U, V are Gaussian with variance q = gain²/n + sigma_u² and covariance gain² z/n + sigma_u²: what
    the hidden layer gain W₁x/√n + b of standard normal W₁ and one bias b of variance sigma_u² makes
    of tokens x, y.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    activation : str, Activation or callable
        φ: "relu", "leaky_relu:0.1", "gelu" (the exact one), "silu", "tanh", "erf", "sigmoid",
        "sin", "quadratic" (x²), "identity" or "linear"; an object of `rqf.fields.activations`; or
        any continuous Python function of arrays, smooth but for a few kinks.
    width : int >= 1, optional
        Number of hidden units of one realisation. Without it the field is known in law only.
        Its kernels are those of every width; it is Gaussian as the width goes to infinity.
    sigma_u, sigma_w : float >= 0
        Standard deviations of the hidden bias b and of a bias after the layer.
    gain : float in [1e-50, 1e50]
        Multiplies W₁ and not b. 1 is the convention of Agazzi et al., hidden values of variance
        1/n; √n gives hidden values of variance 1, the usual arc-cosine and arcsine kernels.
    strength : float >= 0
        Multiplies a: time runs faster by it.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of range, or the activation is unknown, not continuous or not finite.

    Notes
    -----
    Kernels are in closed form for all names but silu, tanh and sigmoid; these, and functions of the
    user's, go through Hermite series or Gauss-Legendre panels, once per field, and then through a
    Chebyshev interpolant in the angle (relative error 1e-12 or so if smooth, 1e-10 with kinks).
    One realisation is a layer of fresh W₁, b at every step, and W₂ (n × width) and the last bias
    are Brownian increments: F dt = √strength (dW₂ φ(gain W₁x/√n + b)/√width + sigma_w dB).

    Examples
    --------
    >>> import rqf
    >>> field = rqf.MLP(n=5, activation="relu", sigma_u=0.1, sigma_w=0.1)
    >>> round(float(field.a(1.0)), 12), round(float(field.a_prime(1.0)), 12), field.parity
    (0.115, 0.1, 'mixed')
    """

    n: int
    activation: Any = "relu"
    width: int | None = None
    sigma_u: float = 0.0
    sigma_w: float = 0.0
    gain: float = 1.0
    strength: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "n", checks.integer("n", self.n, 2))
        put(self, "width", None if self.width is None else checks.integer("width", self.width, 1))
        put(self, "sigma_u", checks.real("sigma_u", self.sigma_u, 0.0, LARGEST))
        put(self, "sigma_w", checks.real("sigma_w", self.sigma_w, 0.0, LARGEST))
        put(self, "gain", checks.real("gain", self.gain, 1.0 / LARGEST, LARGEST))
        put(self, "strength", checks.real("strength", self.strength, 0.0, MOST))
        put(self, "_phi", activation(self.activation))
        self.phi(math.sqrt(self._weight + self.sigma_u**2) * np.linspace(-8.0, 8.0, 65))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_parts"}

    @property
    def phi(self) -> Activation:
        """φ as an object: callable, with `derivative`."""
        return self._phi  # type: ignore[attr-defined]

    @property
    def _weight(self) -> float:
        """Variance gain²/n of a hidden value without its bias."""
        return self.gain**2 / self.n

    @cached_property
    def _parts(self) -> tuple[Part | None, Part | None]:
        return self.phi.parts(self._weight + self.sigma_u**2)

    # Law

    def a(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        return self.pair(1.0 - z, 1.0 + z).cross

    def b(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    def a_prime(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        least, positive = self._least(1.0 - z, 1.0 + z)
        odd, even = self._parts
        slope = np.zeros_like(z)
        if odd is not None:
            slope = slope + odd.slope(least)
        if even is not None:
            slope = slope + np.where(positive, 1.0, -1.0) * even.slope(least)
        return np.asarray(self.strength * self._weight * slope)

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        e, f = np.broadcast_arrays(np.asarray(e, np.float64), np.asarray(f, np.float64))
        least, positive = self._least(e, f)
        odd, even = self._parts
        bias = self.sigma_w**2
        own, cross, gap, total = bias, bias + 0.0 * least, 0.0 * least, 2.0 * bias + 0.0 * least
        if odd is not None:
            small = odd.gap(least)
            large = 2.0 * odd.own - small
            own += odd.own
            cross = cross + np.where(positive, odd.own - small, small - odd.own)
            gap = gap + np.where(positive, small, large)
            total = total + np.where(positive, large, small)
        if even is not None:
            small = even.gap(least)
            own += even.own
            large = 2.0 * even.own - small
            cross, gap, total = cross + (even.own - small), gap + small, total + large
        s, zero = self.strength, np.zeros_like(e)
        return Pair(np.full_like(e, s * own), s * cross, s * gap, s * total, zero, zero)

    def _least(self, e: Array, f: Array) -> tuple[Array, Array]:
        """q - |c| for hidden values of covariance c, and whether c >= 0."""
        d, s = self._weight * e, self._weight * f + 2.0 * self.sigma_u**2
        most = self._weight + self.sigma_u**2
        return np.clip(np.minimum(d, s), 0.0, most), np.asarray(d <= s)

    @property
    def parity(self) -> Parity:
        odd, even = self._parts
        if even is None and self.sigma_u == 0.0 and self.sigma_w == 0.0:
            return "odd"
        return "even" if odd is None and self.sigma_u == 0.0 else "mixed"

    def scaled(self, factor: float) -> Self:
        return replace(self, strength=self.strength * factor)

    # One realisation

    @property
    def increments(self) -> int:
        if self.width is None:
            return 0
        return self.n * self.width + (self.n if self.sigma_w > 0.0 else 0)

    @property
    def fresh(self) -> int:
        if self.width is None:
            return 0
        return self.n * self.width + (self.width if self.sigma_u > 0.0 else 0)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Frozen:
        if self.width is None:
            return super().frozen(dw, fresh, dt)
        size, shape = self.n * self.width, (-1, self.n, self.width)
        root = math.sqrt(self.strength)
        return Layer(
            self.phi,
            self.gain / math.sqrt(self.n) * fresh[:, :size].reshape(shape),
            self.sigma_u * fresh[:, None, size:] if self.sigma_u > 0.0 else None,
            root / math.sqrt(self.width) * dw[:, :size].reshape(shape).transpose(0, 2, 1),
            root * self.sigma_w * dw[:, None, size:] if self.sigma_w > 0.0 else None,
        )


@dataclass(frozen=True, eq=False)
class Layer(Frozen):
    """x -> φ(x inner + inner_bias) outer + outer_bias; inner (R, n, width), outer (R, width, n)."""

    phi: Activation
    inner: Array
    inner_bias: Array | None
    outer: Array
    outer_bias: Array | None

    def __call__(self, x: Array) -> Array:
        out = np.empty_like(x)
        for block in self._blocks(x):
            out[block] = self.phi(self._hidden(block, x)) @ self.outer[block]
        return out if self.outer_bias is None else out + self.outer_bias

    def push(self, x: Array, v: Array) -> Array:
        out = np.empty_like(v)
        for block in self._blocks(x):
            slope = self.phi.derivative(self._hidden(block, x))
            out[block] = (slope * (v[block] @ self.inner[block])) @ self.outer[block]
        return out

    def _hidden(self, block: slice, x: Array) -> Array:
        hidden = x[block] @ self.inner[block]
        return hidden if self.inner_bias is None else hidden + self.inner_bias[block]

    def _blocks(self, x: Array) -> Iterator[slice]:
        """Realisations in blocks of at most BATCH hidden values, one at least."""
        step = max(1, BATCH // max(1, x.shape[1] * self.inner.shape[2]))
        return (slice(i, i + step) for i in range(0, x.shape[0], step))
