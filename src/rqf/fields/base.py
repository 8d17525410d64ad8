"""What every field has: a dimension, the kernels a and b, a parity, and an algebra.

A field F is Gaussian, white in time and isotropic, with covariance
`E[F(x) F(y)ᵀ] = a(x·y) I + b(x·y) y xᵀ`; tokens move by `dX = P_X ∘F(X) dt`. Independent fields
add, and so do their kernels; a factor multiplies the variance (and the drift of a deterministic
field), which is the same as running time faster by that factor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument

Parity = Literal["odd", "even", "mixed"]
MOST = 1e100  # strength of a field: its powers stay finite
NEAR = 0.05  # 1 - z below which differences of kernels are integrals of the slope
NODES, WEIGHTS = (0.5 * (1.0 + x) if i == 0 else 0.5 * x for i, x in enumerate(leggauss(24)))


class Kernels(NamedTuple):
    """The noise and the drift of N tokens as functions of their Gram matrix.

    `E[F_i F_jᵀ] = a_ij I + b_ij x_j x_iᵀ` per unit time, and a drift `Σ_j pull_ij x_j`, before the
    projection on the tangent spaces. `b` and `pull` are None where they vanish.
    """

    a: NDArray[np.float64]
    b: NDArray[np.float64] | None = None
    pull: NDArray[np.float64] | None = None


class Pair(NamedTuple):
    """The kernels of two tokens alone, without cancellation near z = ±1.

    With `Kernels` at the Gram matrix of overlap z: own = a_11 = a_22, cross = a_12, gap = own -
    cross and total = own + cross to full relative precision, b = b_12, pull = pull_12 = pull_21.
    """

    own: NDArray[np.float64]
    cross: NDArray[np.float64]
    gap: NDArray[np.float64]
    total: NDArray[np.float64]
    b: NDArray[np.float64]
    pull: NDArray[np.float64]


class Frozen(Protocol):
    """One realisation of a field over one step: displacements, before projection, in batches.

    Arrays have a first axis of realisations; every realisation has a noise of its own.
    """

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """F(x) for tokens x of shape (R, N, n); same shape."""

    def push(self, x: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
        """The derivative DF(x) v for tokens x (R, N, n) and directions v (R, N, n), exact."""

    def layer(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a layer of a network adds, in Itô's sense; F(x) unless the two senses differ."""
        return self(x)


class Field(ABC):
    """A field on the sphere S^{n-1} that moves every token by the same realisation.

    A field tells what it knows. Its law: `kernels` and `pair`. One realisation, if it has any:
    `increments` and `fresh`, the numbers of normals that a step takes, and `frozen`, which turns
    them into a vector field.
    """

    n: int

    @abstractmethod
    def a(self, z: ArrayLike) -> NDArray[np.float64]:
        """The kernel a(z), z = x·y in [-1, 1]; same shape as z."""

    @abstractmethod
    def b(self, z: ArrayLike) -> NDArray[np.float64]:
        """The kernel b(z), z = x·y in [-1, 1]; same shape as z."""

    @abstractmethod
    def a_prime(self, z: ArrayLike) -> NDArray[np.float64]:
        """The slope a'(z), z in [-1, 1]; same shape as z."""

    @property
    @abstractmethod
    def parity(self) -> Parity:
        """Whether F(-x) = -F(x) ("odd": antipodal pairs stay so), F(-x) = F(x), or neither."""

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """The field with a and b (and any drift) multiplied by `factor` >= 0."""

    @property
    def interacting(self) -> bool:
        """Whether the force on a token depends on the other tokens."""
        return False

    @property
    def summands(self) -> tuple[Field, ...]:
        """The independent fields that add up to this one, in the order of their streams."""
        return (self,)

    # Law

    def kernels(self, gram: NDArray[np.float64]) -> Kernels:
        """Covariances and drift of N tokens with Gram matrices `gram` (..., N, N), diagonal 1."""
        b = self.b(gram)
        return Kernels(self.a(gram), b if np.any(b) else None)

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        """The kernels of two tokens with 1 - z = e and 1 + z = f, both in [0, 2]."""
        e, f = np.asarray(e, np.float64), np.asarray(f, np.float64)
        z = np.where(e < f, 1.0 - e, f - 1.0)
        own, cross = np.broadcast_to(self.a(1.0), z.shape), self.a(z)
        total = own + cross
        if self.parity == "odd":
            total = self._rise(f)
        return Pair(own, cross, self._rise(e), total, self.b(z), np.zeros_like(z))

    def _rise(self, e: NDArray[np.float64]) -> NDArray[np.float64]:
        """a(1) - a(1 - e), near 0 as e ∫_0^1 a'(1 - e r²) 2r dr: a' may be a root at 1."""
        near = e < NEAR
        small = np.where(near, e, 0.0)[..., None]
        mean = np.sum(self.a_prime(1.0 - small * NODES**2) * 2.0 * NODES * WEIGHTS, axis=-1)
        return np.where(near, e * mean, self.a(1.0) - self.a(1.0 - e))

    # One realisation

    @property
    def increments(self) -> int:
        """Number of Brownian components of a realisation: their increments refine and add up."""
        return 0

    @property
    def fresh(self) -> int:
        """Number of normals that a step draws besides, its own and no other step's."""
        return 0

    def frozen(
        self, dw: NDArray[np.float64], fresh: NDArray[np.float64], dt: float
    ) -> Frozen:
        """The realisation over one step dt, from increments dw (R, increments) of variance dt and
        standard normals (R, fresh).

        Raises
        ------
        rqf.errors.InvalidArgument
            If the field is known in law only.
        """
        raise InvalidArgument(
            f"field = {self!r}: is known in law only, it has no realisation to follow;"
            " rqf.simulate moves tokens in law"
        )

    # Algebra

    def __add__(self, other: Field) -> Field:
        from rqf.fields.sum import add

        if not isinstance(other, Field):
            return NotImplemented
        return add(self, other)

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
        """The independent noises among the summands, without those that have a drift only."""
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

    def a_prime(self, z: ArrayLike) -> NDArray[np.float64]:
        return np.full_like(np.asarray(z, np.float64), float(self.a(1.0)))

    @property
    def parity(self) -> Parity:
        return "odd"
