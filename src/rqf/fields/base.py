"""What every field has: a dimension, the kernels a and b, a parity, and an algebra.

A field F is Gaussian, white in time and isotropic, with covariance
`E[F(x) F(y)ᵀ] = a(x·y) I + b(x·y) y xᵀ`; tokens move by `dX = P_X ∘F(X) dt`. Independent fields
add, and so do their kernels; a factor multiplies the variance (and the drift of a deterministic
field), which is the same as running time faster by that factor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument

Parity = Literal["odd", "even", "mixed"]
MOST = 1e100  # strength of a field: its powers stay finite


class Field(ABC):
    """A field on the sphere S^{n-1} that moves every token by the same realisation."""

    n: int

    @abstractmethod
    def a(self, z: ArrayLike) -> NDArray[np.float64]:
        """The kernel a(z), z = x·y in [-1, 1]; same shape as z."""

    @abstractmethod
    def b(self, z: ArrayLike) -> NDArray[np.float64]:
        """The kernel b(z), z = x·y in [-1, 1]; same shape as z."""

    @property
    @abstractmethod
    def parity(self) -> Parity:
        """Whether F(-x) = -F(x) ("odd": antipodal pairs stay so), F(-x) = F(x), or neither."""

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """The field with a and b (and any drift) multiplied by `factor` >= 0."""

    @abstractmethod
    def __add__(self, other: Field) -> Field: ...

    def __mul__(self, factor: float) -> Self:
        if not isinstance(factor, (int, float, np.integer, np.floating)):
            return NotImplemented
        return self.scaled(checks.real("factor", factor, 0.0))

    __rmul__ = __mul__


class LinearField(Field):
    """A field that is linear in x: F(x) dt = M(dt) x, so that a matrix G moves all tokens.

    `M(dt)` is the sum of a deterministic `drift · dt` and of the increments of `terms`, each of
    them an isotropic Gaussian matrix noise. Writing s for the variance per unit time of the
    symmetric part (that of Q in units of (B + Bᵀ)/2) and k for that of the skew part,
    `a(z) = (s + k) z / 2` and `b(z) = (s - k) / 2`.
    """

    @property
    @abstractmethod
    def symmetric_strength(self) -> float:
        """s: the symmetric part of M is √s (B + Bᵀ)/2 in law."""

    @property
    @abstractmethod
    def skew_strength(self) -> float:
        """k: the skew part of M is √k (B - Bᵀ)/2 in law."""

    @property
    def terms(self) -> tuple[LinearField, ...]:
        """The independent noises that add up to this field, in the order of their streams."""
        return (self,)

    @property
    def drift(self) -> NDArray[np.float64] | None:
        """The deterministic part of M per unit time, shape (n, n), or None."""
        return None

    @abstractmethod
    def in_dimension(self, n: int) -> Self:
        """The field of the same name and strength on S^{n-1}."""

    def a(self, z: ArrayLike) -> NDArray[np.float64]:
        return 0.5 * (self.symmetric_strength + self.skew_strength) * np.asarray(z, np.float64)

    def b(self, z: ArrayLike) -> NDArray[np.float64]:
        half = 0.5 * (self.symmetric_strength - self.skew_strength)
        return np.full_like(np.asarray(z, np.float64), half)

    @property
    def parity(self) -> Parity:
        return "odd"

    def __add__(self, other: Field) -> Field:
        from rqf.fields.sum import LinearSum

        if not isinstance(other, LinearField):
            return NotImplemented
        if other.n != self.n:
            raise InvalidArgument(
                f"n = {other.n}: a sum needs fields of one dimension, the other has n = {self.n}"
            )
        return LinearSum((*_summands(self), *_summands(other)))


def _summands(field: LinearField) -> tuple[LinearField, ...]:
    from rqf.fields.sum import LinearSum

    return field.summands if isinstance(field, LinearSum) else (field,)
