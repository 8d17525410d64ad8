"""The random quadratic form: dX = -P_X ∘dQ X with Q a symmetric matrix of Brownian motions.

The model of Engel and Shalova (arXiv:2603.06187): the gradient flow of a quadratic form that is
white noise in time. All tokens feel the same Q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from rqf import checks
from rqf.fields.base import MOST, LinearField


@dataclass(frozen=True)
class RandomQuadraticForm(LinearField):
    """Q = sigma (B + Bᵀ)/2 with B an n×n matrix of independent standard Brownian motions.

    Var(dQ_ii) = sigma² dt, Var(dQ_ij) = sigma² dt / 2. Kernels: a(z) = sigma² z/2,
    b = sigma²/2. The one-point motion has generator (sigma²/4) Δ.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space; tokens live on S^{n-1}.
    sigma : float >= 0
        Strength. This package's default is 1; Engel–Shalova and Shalova use √2, for which one
        token performs Brownian motion at unit speed.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2 or sigma is negative or beyond 1e100.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.RandomQuadraticForm(n=3)
    >>> float(field.a(1.0)), float(field.b(1.0))
    (0.5, 0.5)
    >>> (2.0 * field).sigma == 2.0 ** 0.5
    True
    """

    n: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, 2))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    @property
    def symmetric_strength(self) -> float:
        return self.sigma**2

    @property
    def skew_strength(self) -> float:
        return 0.0

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    def in_dimension(self, n: int) -> Self:
        return replace(self, n=n)
