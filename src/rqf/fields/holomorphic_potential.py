"""The gradient of a random homogeneous polynomial of degree k on C^m: it tells k phases apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.fields.base import MOST, Frozen, Parity
from rqf.fields.complex_space import ComplexArray, UnitaryField, to_complex, to_real

Array = NDArray[np.float64]
HIGHEST = 64


@dataclass(frozen=True)
class HolomorphicPotential(UnitaryField):
    """dX = P_X ∇Re f(dt, X), f a Gaussian polynomial of degree k, E f(z) f(w)* = strength (z·w*)^k.

    The force, the vector of conj ∂_j f, commutes with the phase e^{2πi/k} and no smaller one.
    Beside a `HermitianForm`, which gathers all tokens on one circle, it leaves k points on it. It
    moves a token by k strength/2 in each direction across its circle, by k² strength/2 along it;
    steps with k⁴ strength dt below ½ keep k times the angle of a step small.

    Parameters
    ----------
    m : int >= 2
        Complex dimension; n = 2m, coordinates (Re z_1, …, Re z_m, Im z_1, …, Im z_m).
    k : int from 1 to 64
        Degree.
    strength : float >= 0
        Variance of f per unit time at unit vectors.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of range; later if its kernels are asked for.

    Notes
    -----
    f(z) = Σ_α a_α √(k!/α!) z^α over the C(m+k-1, k) exponents α of degree k, a_α independent
    complex Gaussians: the invariant law on such polynomials (Kostlan).

    Examples
    --------
    >>> import rqf
    >>> field = rqf.HermitianForm(m=2, sigma=6**0.5) + rqf.HolomorphicPotential(m=2, k=3)
    >>> flow = rqf.Flow(field, dt=1 / 256)
    >>> points, error = rqf.pullback_attractor(flow, rqf.Wiener(1), t=8.0, tokens=20)
    >>> len(points)
    3
    """

    m: int
    k: int
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 2))
        object.__setattr__(self, "k", checks.integer("k", self.k, 1, HIGHEST))
        object.__setattr__(self, "strength", checks.real("strength", self.strength, 0.0, MOST))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Real dimension 2m of the ambient space."""
        return 2 * self.m

    @property
    def parity(self) -> Parity:
        return "odd" if self.k % 2 == 0 or self.strength == 0.0 else "even"

    def scaled(self, factor: float) -> Self:
        return replace(self, strength=self.strength * factor)

    @property
    def increments(self) -> int:
        return 2 * math.comb(self.m + self.k - 1, self.k)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Holomorphic:
        weights = _weights(self.m, self.k)
        half = len(weights)
        normals = math.sqrt(0.5 * self.strength) * (dw[:, :half] + 1j * dw[:, half:])
        return Holomorphic(self.m, self.k, np.asarray(weights * normals, np.complex128))


@dataclass(frozen=True, eq=False)
class Holomorphic(Frozen):
    """∇ Re f for f(z) = Σ_α c_α z^α over the exponents of degree k, coefficients (R, A)."""

    m: int
    k: int
    coefficients: ComplexArray

    def __call__(self, x: Array) -> Array:
        where, factors = _raised(self.m, self.k, 1)
        gradient = self.coefficients[:, where] * factors  # (R, B, m)
        return to_real(np.conj(_monomials(to_complex(x), self.k - 1) @ gradient))

    def push(self, x: Array, v: Array) -> Array:
        if self.k == 1:
            return np.zeros_like(v)
        where, factors = _raised(self.m, self.k, 2)
        hessian = self.coefficients[:, where] * factors  # (R, C, m, m)
        seen = np.einsum("rnc,rcij->rnij", _monomials(to_complex(x), self.k - 2), hessian)
        return to_real(np.conj(np.einsum("rnij,rnj->rni", seen, to_complex(v))))


def _monomials(z: ComplexArray, degree: int) -> ComplexArray:
    """All z^β of a degree: shape (R, N, number of exponents)."""
    exponents = _exponents(z.shape[-1], degree)
    ones = np.ones((*z.shape, 1))
    powers = np.cumprod(np.concatenate([ones, np.repeat(z[..., None], degree, -1)], -1), -1)
    result = powers[:, :, 0, exponents[:, 0]]
    for i in range(1, z.shape[-1]):
        result = result * powers[:, :, i, exponents[:, i]]
    return np.asarray(result)


@lru_cache
def _exponents(m: int, degree: int) -> NDArray[np.int64]:
    """The exponents of a degree in m variables, shape (A, m)."""
    chosen = combinations_with_replacement(range(m), degree)
    rows = [np.bincount(np.array(which, np.int64), minlength=m) for which in chosen]
    return np.array(rows, dtype=np.int64)


@lru_cache
def _weights(m: int, k: int) -> Array:
    """√(k!/α!) of every exponent of degree k."""
    logs = [math.lgamma(k + 1) - sum(math.lgamma(p + 1) for p in row) for row in _exponents(m, k)]
    return np.exp(0.5 * np.array(logs))


@lru_cache
def _raised(m: int, k: int, order: int) -> tuple[NDArray[np.int64], Array]:
    """For every exponent β of degree k - order and every ∂_i…: which α = β + e_i + … it comes
    from, and the factor that the derivatives bring down; shapes (B, m) or (C, m, m)."""
    places = {tuple(row): at for at, row in enumerate(_exponents(m, k).tolist())}
    shape = (len(_exponents(m, k - order)), *([m] * order))
    where, factors = np.empty(shape, np.int64), np.ones(shape)
    for index in np.ndindex(shape):
        alpha = _exponents(m, k - order)[index[0]].copy()
        for i in index[1:]:
            alpha[i] += 1
            factors[index] *= alpha[i]
        where[index] = places[tuple(alpha.tolist())]
    return where, factors
