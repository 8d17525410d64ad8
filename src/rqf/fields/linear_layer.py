"""A linear layer with independent Gaussian entries: dX = P_X ∘dW X, W an n×n Brownian matrix.

Ginibre noise is a random quadratic form plus an independent random rotation; rotations leave
angles unchanged, so pairs of tokens have the same law as under the quadratic form alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from rqf import checks
from rqf.fields.base import MOST, LinearField


@dataclass(frozen=True)
class LinearLayer(LinearField):
    """W with n² independent entries of variance sigma² per unit time: a(z) = sigma² z, b = 0.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    sigma : float >= 0
        Standard deviation of an entry per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2 or sigma is negative or beyond 1e100.

    Examples
    --------
    >>> import rqf
    >>> layer = rqf.LinearLayer(n=4, sigma=0.5)
    >>> float(layer.a(1.0)), float(layer.b(1.0))
    (0.25, 0.0)
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
        return self.sigma**2

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    def in_dimension(self, n: int) -> Self:
        return replace(self, n=n)
