"""The gradient of Re f on S^{2m-1} ⊂ C^m, f a random homogeneous polynomial of degree k.

    f(z) = Σ_α √(c k!/α!) g_α z^α,   |α| = k,   E f(z) conj f(w) = c (z·w̄)^k,

g_α independent complex Gaussian, E|g_α|² = 1. The field conj f'(z) commutes with the turn by
e^{2πi/k} and, if k > 2, with no other: beside Hermitian noise, which brings all fibres together, it
leaves k equidistant points of the last fibre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Parity
from rqf.fields.hermitian_form import HermitianForm
from rqf.fields.unitary import Complex, UnitaryField, to_complex, to_real

Array = NDArray[np.float64]
LARGEST = 10**6  # number of coefficients


@dataclass(frozen=True)
class HolomorphicPotential(UnitaryField):
    """dX = P_X ∘∇Re f(X) dt on S^{2m-1}, f white in time with covariance strength (z·w̄)^k.

    A token has the variance strength k/2 per unit time in each horizontal direction and strength
    k²/2 along the Hopf fibre; `round_pair` adds the Hermitian noise that makes them equal. For
    m = 1 it is `Harmonic(k, √(strength/2))` in law, for k = 1 `Bias(2m, √(strength/2))`.
    Coordinates are (Re z_1, …, Re z_m, Im z_1, …, Im z_m).

    Parameters
    ----------
    m : int >= 1
        Complex dimension; n = 2m.
    k : int >= 1
        Degree, the number of points of the attractor.
    strength : float >= 0
        E|f(z)|² per unit time at |z| = 1.

    Raises
    ------
    rqf.errors.InvalidArgument
        If m or k is below 1, there are more than 10^6 coefficients, or the strength is negative or
        beyond 1e200; by everything that needs a kernel a or b.

    Notes
    -----
    Increments of a step: √2 Re g_α for all α, then √2 Im g_α, α in the lexicographic order of
    sorted index tuples. The derivative of f is a vector of polynomials of degree k - 1, whose
    coefficients are set up once for a step.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.fields.round_pair(m=2, k=3)
    >>> rqf.theory.one_point_variances(field)
    OnePoint(horizontal=4.5, hopf=4.5)
    """

    m: int
    k: int
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 1))
        object.__setattr__(self, "k", checks.integer("k", self.k, 1))
        strength = checks.real("strength", self.strength, 0.0, MOST**2)
        object.__setattr__(self, "strength", strength)
        if self.m > LARGEST or math.comb(self.m + self.k - 1, self.k) > LARGEST:
            raise InvalidArgument(
                f"k = {self.k}: a polynomial of degree {self.k} in m = {self.m} variables has more"
                f" than {LARGEST} coefficients; take a smaller k or m"
            )

    @property
    def parity(self) -> Parity:
        return "even" if self.k % 2 and self.strength > 0.0 else "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, strength=self.strength * factor)

    @property
    def increments(self) -> int:
        return 2 * math.comb(self.m + self.k - 1, self.k)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> ConjugateGradient:
        return ConjugateGradient(self.m, self.k, math.sqrt(0.5 * self.strength) * to_complex(dw))


def round_pair(m: int, k: int, strength: float = 1.0) -> Field:
    """`HolomorphicPotential` with the Hermitian noise that makes one token a Brownian motion.

    The potential gives strength k/2 to horizontal directions and strength k²/2 to the Hopf
    direction; `HermitianForm(m, sigma)` adds sigma²/2 to the former, so sigma² = strength k (k-1).
    The generator of a token is then (strength k²/4) Δ, Δ that of the round sphere S^{2m-1}.

    Parameters
    ----------
    m, k, strength
        As for `HolomorphicPotential`.

    Returns
    -------
    Field

    Raises
    ------
    rqf.errors.InvalidArgument
        As `HolomorphicPotential`.

    Examples
    --------
    >>> import rqf
    >>> rqf.fields.round_pair(m=2, k=2, strength=0.5).summands[0]
    HermitianForm(m=2, sigma=1.0)
    """
    potential = HolomorphicPotential(m, k, strength)
    sigma = math.sqrt(potential.strength * potential.k * (potential.k - 1))
    return HermitianForm(potential.m, sigma) + potential


@dataclass(frozen=True, eq=False)
class ConjugateGradient(Frozen):
    """Displacements conj f'(z), f with the Gaussian coefficients g (R, number of monomials)."""

    m: int
    k: int
    g: Complex

    def __call__(self, x: Array) -> Array:
        table = derivatives(self.m, self.k)
        value = monomials(to_complex(x), table.lower) @ self._first
        return to_real(value.conj())

    def push(self, x: Array, v: Array) -> Array:
        if self.k == 1:
            return np.zeros_like(v)
        second = derivatives(self.m, self.k - 1)
        z, direction = to_complex(x), to_complex(v)
        coefficients = (second.factor[..., None] * self._first[:, second.place]).reshape(
            len(self.g), len(second.lower), -1
        )
        hessian = (monomials(z, second.lower) @ coefficients).reshape(*z.shape, self.m)
        value = np.squeeze(direction[:, :, None] @ hessian, 2)
        return to_real(value.conj())

    @cached_property
    def _first(self) -> Complex:
        """Coefficients of the m partial derivatives: (R, number of monomials of degree k-1, m)."""
        table = derivatives(self.m, self.k)
        return np.asarray(table.factor * (self.g * table.weight)[:, table.place])


class Derivatives(NamedTuple):
    """∂_i Σ_α c_α z^α = Σ_β factor[β, i] c_{place[β, i]} z^β over the monomials `lower` β.

    `weight` holds √(k!/α!) for the monomials α of degree k.
    """

    lower: NDArray[np.intp]
    place: NDArray[np.intp]
    factor: Array
    weight: Array


@lru_cache(maxsize=64)
def derivatives(m: int, k: int) -> Derivatives:
    """The table of first derivatives of homogeneous polynomials of degree k in m variables."""
    upper, lower = exponents(m, k), exponents(m, k - 1)
    where = {tuple(alpha): i for i, alpha in enumerate(upper.tolist())}
    raised = lower[:, None] + np.eye(m, dtype=np.intp)
    place = np.array([[where[tuple(alpha)] for alpha in row] for row in raised.tolist()])
    weight = [
        math.exp(0.5 * (math.lgamma(k + 1) - sum(math.lgamma(j + 1) for j in alpha)))
        for alpha in upper.tolist()
    ]
    factor = lower.astype(np.float64) + 1.0
    return Derivatives(lower, place, factor, np.array(weight, dtype=np.float64))


def exponents(m: int, k: int) -> NDArray[np.intp]:
    """The exponents α of all monomials of degree k in m variables: shape (count, m)."""
    found = np.zeros((math.comb(m + k - 1, k), m), dtype=np.intp)
    for row, index in enumerate(combinations_with_replacement(range(m), k)):
        np.add.at(found[row], list(index), 1)
    return found


def monomials(z: Complex, powers: NDArray[np.intp]) -> Complex:
    """z^β for tokens z (R, N, m) and exponents (count, m): shape (R, N, count)."""
    top = int(powers.max(initial=0))
    ladder = np.ones((top + 1, *z.shape), dtype=np.complex128)
    for j in range(top):
        ladder[j + 1] = ladder[j] * z
    value = np.ones((*z.shape[:-1], len(powers)), dtype=np.complex128)
    for i in range(z.shape[-1]):
        value *= np.moveaxis(ladder[powers[:, i], ..., i], 0, -1)
    return value
