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
        exponents, weights = _monomials(self.m, self.k)
        half = len(weights)
        normals = math.sqrt(0.5 * self.strength) * (dw[:, :half] + 1j * dw[:, half:])
        return Holomorphic(exponents, np.asarray(weights * normals, np.complex128))


@dataclass(frozen=True, eq=False)
class Holomorphic(Frozen):
    """∇ Re f for f(z) = Σ_α c_α z^α: exponents (A, m), coefficients (R, A)."""

    exponents: NDArray[np.int64]
    coefficients: ComplexArray

    def __call__(self, x: Array) -> Array:
        powers = self._powers(x)
        m = self.exponents.shape[1]
        return to_real(
            np.conj(np.stack([self._derivative(powers, (j,)) for j in range(m)], axis=-1))
        )

    def push(self, x: Array, v: Array) -> Array:
        powers, direction = self._powers(x), to_complex(v)
        m = self.exponents.shape[1]
        rows = [
            sum(self._derivative(powers, (j, i)) * direction[..., i] for i in range(m))
            for j in range(m)
        ]
        return to_real(np.conj(np.stack(rows, axis=-1)))

    def _powers(self, x: Array) -> ComplexArray:
        """z^0, …, z^k of every coordinate: shape (R, N, m, k + 1)."""
        z = to_complex(x)[..., None]
        degree = int(self.exponents[0].sum())
        factors = np.concatenate([np.ones_like(z), np.repeat(z, degree, axis=-1)], axis=-1)
        return np.asarray(np.cumprod(factors, axis=-1))

    def _derivative(self, powers: ComplexArray, order: tuple[int, ...]) -> ComplexArray:
        """A partial derivative of f at tokens: shape (R, N)."""
        exponents, factor = self.exponents.copy(), np.ones(len(self.exponents))
        for j in order:
            factor *= exponents[:, j]
            exponents[:, j] -= 1
        kept = factor > 0.0
        values = np.prod(
            [powers[:, :, i, exponents[kept, i]] for i in range(exponents.shape[1])], axis=0
        )
        coefficients = factor[kept] * self.coefficients[:, kept]
        return np.asarray(np.einsum("rna,ra->rn", values, coefficients))


@lru_cache
def _monomials(m: int, k: int) -> tuple[NDArray[np.int64], Array]:
    """The exponents of degree k in m variables (A, m), and √(k!/α!) of each."""
    chosen = combinations_with_replacement(range(m), k)
    exponents = np.array([np.bincount(which, minlength=m) for which in chosen], dtype=np.int64)
    logs = [math.lgamma(k + 1) - sum(math.lgamma(p + 1) for p in row) for row in exponents]
    return exponents, np.exp(0.5 * np.array(logs))
