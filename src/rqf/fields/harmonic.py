"""The k-th harmonic on the circle: noise whose attractor is k equidistant points.

The random potential `H(φ) = σ (B_1 cos kφ + B_2 sin kφ)` has the covariance σ² cos(k(φ - φ')),
which in the overlap z = cos(φ - φ') is Chebyshev's σ² T_k(z). A token at the angle φ moves by

    dφ = σ k (-sin kφ ∘dB_1 + cos kφ ∘dB_2),

a Brownian motion of variance (σ k)² per unit time. Turning the circle by 2π/k leaves the field as
it is, so that tokens stay at the corners of a regular k-gon, and kφ moves as under k = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Pair, Parity

Array = NDArray[np.float64]
HIGHEST = 10**6


@dataclass(frozen=True)
class Harmonic(Field):
    """dX = P_X ∘∇H(X) dt on the circle, H white in time with covariance σ² cos(k(φ - φ')).

    The strength sigma belongs to the potential; a token has the variance (sigma k)² per unit time,
    so that `Harmonic(k, 1/k)` moves it as Brownian motion at unit speed, the units of Shalova.
    `Harmonic(1)` is `Bias(2)` and `Harmonic(2, sigma/√8)` is `RandomQuadraticForm(2, sigma)` in
    law. Sums are cascades: k_1 points first, which weaker harmonics then merge.

    Parameters
    ----------
    k : int from 1 to 10^6
        Number of points of the attractor.
    sigma : float >= 0
        Standard deviation of the potential per square root of unit time.
    n : 2
        Harmonics live on the circle.

    Raises
    ------
    rqf.errors.InvalidArgument
        If k is no integer from 1 to 10^6, sigma is negative or beyond 1e100, or n is not 2.

    Notes
    -----
    On the circle only the tangential part `a z - b (1 - z²) = (σ k)² T_k(z)` of the kernels
    counts. The kernels here are those of the tangential field itself, a = (σ k)² z T_k(z) and
    b = -(σ k)² T_k(z). The derivatives C' and C'' of C = σ² T_k have the same tangential part, but
    for k >= 3 they are the covariance of no field on the plane. λ_1 = -σ² k⁴/2.

    A. Shalova, arXiv:2608.16664, section 4; k = 2: M. Engel and A. Shalova, arXiv:2603.06187.

    Examples
    --------
    >>> import rqf
    >>> cascade = rqf.Harmonic(7) + 0.1 * rqf.Harmonic(3) + 0.01 * rqf.Harmonic(1)
    >>> rqf.theory.lyapunov_spectrum(rqf.Harmonic(3))
    array([-40.5])
    """

    k: int
    sigma: float = 1.0
    n: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.integer("k", self.k, 1, HIGHEST))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))
        if isinstance(self.n, bool) or self.n != 2:
            raise InvalidArgument(
                f"n = {checks.shown(self.n)}: harmonics live on the circle, n must be 2"
            )
        object.__setattr__(self, "n", 2)

    @property
    def speed(self) -> float:
        """The variance (sigma k)² of a token per unit time."""
        return (self.sigma * self.k) ** 2

    def a(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        return self.speed * z * self._chebyshev(z)

    def b(self, z: ArrayLike) -> Array:
        return -self.speed * self._chebyshev(np.asarray(z, np.float64))

    def a_prime(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        angle = near_angle(1.0 - np.abs(z))
        sine = np.sin(angle)
        at_end = sine == 0.0
        ratio = np.where(at_end, self.k, np.sin(self.k * angle) / np.where(at_end, 1.0, sine))
        slope = self.k * ratio * np.where((z < 0.0) & (self.k % 2 == 0), -1.0, 1.0)
        return self.speed * (self._chebyshev(z) + z * slope)

    @property
    def parity(self) -> Parity:
        return "even" if self.k % 2 and self.sigma > 0.0 else "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        e, f = np.broadcast_arrays(np.asarray(e, np.float64), np.asarray(f, np.float64))
        z = np.where(e < f, 1.0 - e, f - 1.0)
        near = np.minimum(e, f)
        half = np.sin(0.5 * self.k * near_angle(near))
        lost = near + (1.0 - near) * 2.0 * half**2
        same = (e < f) | (self.k % 2 == 1)
        gap, total = np.where(same, lost, 2.0 - lost), np.where(same, 2.0 - lost, lost)
        own = np.full_like(z, self.speed)
        s = self.speed
        return Pair(own, self.a(z), s * gap, s * total, self.b(z), np.zeros_like(z))

    @property
    def increments(self) -> int:
        return 2

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Turning:
        return Turning(self.sigma * to_plane(dw).conj(), self.k)

    def _chebyshev(self, z: Array) -> Array:
        """T_k(z) = cos(k arccos z); arguments off [-1, 1] by rounding are put back."""
        even = np.cos(self.k * near_angle(1.0 - np.abs(z)))
        return np.where((z < 0.0) & (self.k % 2 == 1), -even, even)


@dataclass(frozen=True, eq=False)
class Turning(Frozen):
    """The tangential field i w Re(i k ḡ w^k) in the complex coordinate w of the plane."""

    amplitude: NDArray[np.complex128]
    k: int

    def __call__(self, x: Array) -> Array:
        w = to_plane(x)
        return from_plane(1j * w * self._turn(w**self.k))

    def push(self, x: Array, v: Array) -> Array:
        w, direction = to_plane(x), to_plane(v)
        power = w ** (self.k - 1)
        turn, change = self._turn(power * w), self._turn(self.k * power * direction)
        return from_plane(1j * (direction * turn + w * change))

    def _turn(self, value: NDArray[np.complex128]) -> Array:
        return np.real(1j * self.k * self.amplitude[:, None] * value)


def to_plane(x: Array) -> NDArray[np.complex128]:
    """Points (…, 2) as complex numbers."""
    return np.asarray(x[..., 0] + 1j * x[..., 1])


def from_plane(w: NDArray[np.complex128]) -> Array:
    """Complex numbers as points (…, 2)."""
    return np.stack([w.real, w.imag], axis=-1)


def near_angle(e: Array) -> Array:
    """The angle whose cosine is 1 - e, to full relative precision where e is small."""
    return 2.0 * np.arcsin(np.sqrt(0.5 * np.clip(e, 0.0, 2.0)))
