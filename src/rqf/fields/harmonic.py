"""Harmonic noise on the circle: the gradient of a random wave cos(k φ + phase)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Parity

Array = NDArray[np.float64]
HIGHEST = 1000


@dataclass(frozen=True)
class Harmonic(Field):
    """dφ = k sigma (cos kφ dB² - sin kφ dB¹), a potential of covariance sigma² cos k(φ - φ').

    One token is a Brownian motion of variance k² sigma² per unit time: sigma = 1/k is unit speed,
    the convention of Shalova. Under it all tokens end in k equidistant points; the angle k φ moves
    as under a bias of k times the strength. Sums with other harmonics make cascades.

    Parameters
    ----------
    k : int from 1 to 1000
    sigma : float >= 0
        Strength of the potential.
    n : 2
        The circle lies in the plane.

    Raises
    ------
    rqf.errors.InvalidArgument
        If k or sigma is out of range, or n is not 2.

    Notes
    -----
    As an isotropic field of the plane it has C(z) = sigma² T_k(z), T_k the Chebyshev polynomial,
    a = C' and b = C''; λ_1 = -k⁴ sigma²/2. Shalova, arXiv:2608.16664, section 4.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.Harmonic(k=3, sigma=1 / 3)
    >>> field.parity, rqf.theory.lyapunov_spectrum(field).round(9)
    ('even', array([-4.5]))
    """

    k: int
    sigma: float = 1.0
    n: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.integer("k", self.k, 1, HIGHEST))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))
        if self.n != 2:
            raise InvalidArgument(f"n = {self.n!r}: harmonics live on the circle, n = 2")

    def a(self, z: ArrayLike) -> Array:
        return self._derivative(z, 1)

    def b(self, z: ArrayLike) -> Array:
        return self._derivative(z, 2)

    def a_prime(self, z: ArrayLike) -> Array:
        return self._derivative(z, 2)

    def _derivative(self, z: ArrayLike, order: int) -> Array:
        from numpy.polynomial import Chebyshev

        series = Chebyshev.basis(self.k).deriv(order)
        return np.asarray(self.sigma**2 * series(np.asarray(z, np.float64)))

    @property
    def parity(self) -> Parity:
        return "odd" if self.k % 2 == 0 or self.sigma == 0.0 else "even"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return 2

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Wave:
        return Wave(self.k, self.k * self.sigma * dw)


@dataclass(frozen=True, eq=False)
class Wave(Frozen):
    """The displacement along the circle (w_2 cos kφ - w_1 sin kφ) (-sin φ, cos φ), w (R, 2)."""

    k: int
    amplitudes: Array

    def __call__(self, x: Array) -> Array:
        return self._speed(x)[0][..., None] * _turned(x)

    def push(self, x: Array, v: Array) -> Array:
        speed, slope = self._speed(x)
        along = np.sum(_turned(x) * v, axis=-1)
        return (slope * along)[..., None] * _turned(x) + speed[..., None] * _turned(v)

    def _speed(self, x: Array) -> tuple[Array, Array]:
        """The speed at every token and its derivative in φ."""
        angle = self.k * np.arctan2(x[..., 1], x[..., 0])
        sine, cosine = np.sin(angle), np.cos(angle)
        first, second = self.amplitudes[:, None, 0], self.amplitudes[:, None, 1]
        return second * cosine - first * sine, -self.k * (second * sine + first * cosine)


def _turned(x: Array) -> Array:
    """x turned by a right angle."""
    return np.stack([-x[..., 1], x[..., 0]], axis=-1)
