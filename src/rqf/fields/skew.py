"""A random rotation: dX = ∘dA X with A a skew matrix of Brownian motions.

It turns the whole frame and leaves every angle between tokens unchanged: a flow with common noise
that does not synchronize anything, the control experiment of the family.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from rqf import checks
from rqf.fields.base import MOST, LinearField


@dataclass(frozen=True)
class Skew(LinearField):
    """A = sigma (B - Bᵀ)/2: a(z) = sigma² z/2, b = -sigma²/2.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    sigma : float >= 0
        Strength; Var(dA_ij) = sigma² dt / 2 for i ≠ j.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2 or sigma is negative or beyond 1e100.

    Examples
    --------
    >>> import rqf
    >>> both = rqf.RandomQuadraticForm(5) + rqf.Skew(5)
    >>> bool(both.a(0.5) == rqf.LinearLayer(5).a(0.5))
    True
    """

    n: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, 2))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    @property
    def symmetric_strength(self) -> float:
        return 0.0

    @property
    def skew_strength(self) -> float:
        return self.sigma**2

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    def in_dimension(self, n: int) -> Self:
        return replace(self, n=n)
