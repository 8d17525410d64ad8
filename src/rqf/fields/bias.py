"""A random bias: one random vector at a time, the same for all tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.fields.base import MOST, Field, Frozen, Parity

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bias(Field):
    """dX = P_X dB, B a Brownian vector of variance sigma² per unit time: a(z) = sigma², b = 0.

    The even part of a layer. It moves antipodal pairs, so that however small it is all tokens end
    in one cluster. Shalova's bias γ is sigma = γ beside a quadratic form of sigma = √2.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    sigma : float >= 0
        Standard deviation of a component per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2 or sigma is negative or beyond 1e100.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.RandomQuadraticForm(n=3) + rqf.Bias(n=3, sigma=0.1)
    >>> field.parity, round(float(field.a(0.0)), 6)
    ('mixed', 0.01)
    """

    n: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, 2))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    def a(self, z: ArrayLike) -> Array:
        return np.full_like(np.asarray(z, np.float64), self.sigma**2)

    def b(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    def a_prime(self, z: ArrayLike) -> Array:
        return np.zeros_like(np.asarray(z, np.float64))

    @property
    def parity(self) -> Parity:
        return "even" if self.sigma > 0.0 else "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return self.n

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Constant:
        return Constant(self.sigma * dw)


@dataclass(frozen=True, eq=False)
class Constant(Frozen):
    """A displacement (R, n) that is the same at every point."""

    vector: Array

    def __call__(self, x: Array) -> Array:
        return np.broadcast_to(self.vector[:, None, :], x.shape)

    def push(self, x: Array, v: Array) -> Array:
        return np.zeros_like(v)
