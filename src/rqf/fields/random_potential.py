"""Gradient noise of a random potential with covariance C(x·y): mixed p-spin fields.

A centred Gaussian function H with `E[H(x) H(y)] = C(x·y)`, `C(z) = Σ c_p² z^p`, has the gradient F
with `E[F(x) F(y)ᵀ] = ∂_x ∂_y C(x·y) = C'(z) I + C''(z) y xᵀ`. A homogeneous part of degree p is

    H_p(x) = c_p Σ_α √(p!/α!) g_α x^α,   |α| = p,   g_α independent and standard,

since (x·y)^p is the sum of (p!/α!) x^α y^α. Spheres of such polynomials are the spherical p-spin
models of statistical physics (Crisanti and Sommers, 1992).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Pair, Parity

Array = NDArray[np.float64]
HIGHEST = 10**6  # degree
PATHWISE = 3  # highest degree of which realisations are followed


@dataclass(frozen=True)
class RandomPotential(Field):
    """dX = P_X ∘∇H(X) dt, H white in time with covariance C(z) = Σ c_p² z^p: a = C', b = C''.

    p = 1 is `Bias`, and p = 2 with c_2² = ¼ is `RandomQuadraticForm`. Degrees up to 3 have
    realisations; with any higher one the field is known in law only.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    coefficients : mapping from int to float
        c_p >= 0 by degree p, 1 <= p <= 10^6. Per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2, there is no coefficient, a degree is no integer from 1 to 10^6, or a coefficient
        is negative or beyond 1e100; by `frozen` if a degree above 3 takes part.

    Notes
    -----
    The increments of one step are the g_α, degree by degree in ascending order, within a degree in
    the lexicographic order of sorted index tuples: (n + p - 1 choose p) of them.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.RandomPotential(n=12, coefficients={3: 1.0})
    >>> float(field.a(1.0)), float(field.b(1.0)), field.parity
    (3.0, 6.0, 'even')
    >>> rqf.theory.phase(rqf.RandomPotential(n=8)), rqf.theory.phase(field)
    ('monopolar', 'chaotic')
    """

    n: int
    coefficients: Mapping[int, float] = field(default_factory=lambda: {3: 1.0}, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", checks.integer("n", self.n, 2))
        object.__setattr__(self, "coefficients", _checked(self.coefficients))

    def a(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        return sum((p * s * z ** (p - 1) for p, s in self._terms()), np.zeros_like(z))

    def b(self, z: ArrayLike) -> Array:
        z = np.asarray(z, np.float64)
        terms = ((p * (p - 1) * s, p - 2) for p, s in self._terms() if p > 1)
        return sum((s * z**q for s, q in terms), np.zeros_like(z))

    def a_prime(self, z: ArrayLike) -> Array:
        return self.b(z)

    @property
    def parity(self) -> Parity:
        odd = {p % 2 for p, _ in self._terms()}
        return "mixed" if len(odd) == 2 else "even" if odd == {1} else "odd"

    def scaled(self, factor: float) -> Self:
        root = math.sqrt(factor)
        return replace(self, coefficients={p: root * c for p, c in self.coefficients.items()})

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        e, f = np.broadcast_arrays(np.asarray(e, np.float64), np.asarray(f, np.float64))
        z = np.where(e < f, 1.0 - e, f - 1.0)
        near = np.minimum(np.minimum(e, f), 1.0)
        gap, total = np.zeros_like(z), np.zeros_like(z)
        for p, s in self._terms():
            lost = power_lost(near, p - 1)
            same = (e < f) | (p % 2 == 1)
            gap += p * s * np.where(same, lost, 2.0 - lost)
            total += p * s * np.where(same, 2.0 - lost, lost)
        own = np.full_like(z, float(self.a(1.0)))
        return Pair(own, self.a(z), gap, total, self.b(z), np.zeros_like(z))

    @property
    def increments(self) -> int:
        return sum(math.comb(self.n + p - 1, p) for p, _ in self._terms() if p <= PATHWISE)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Forms:
        high = [p for p, _ in self._terms() if p > PATHWISE]
        if high:
            raise InvalidArgument(
                f"coefficients: degree p = {high[0]} is known in law only, realisations are"
                f" followed up to p = {PATHWISE}; rqf.simulate(…, law=True) takes any degree"
            )
        parts, start = [], 0
        for p, s in self._terms():
            stop = start + math.comb(self.n + p - 1, p)
            parts.append((p, math.sqrt(s) * dw[:, start:stop]))
            start = stop
        return Forms(self.n, tuple(parts))

    def _terms(self) -> Iterator[tuple[int, float]]:
        """Degrees that take part and their c_p²."""
        return ((p, c * c) for p, c in self.coefficients.items() if c > 0.0)


@dataclass(frozen=True, eq=False)
class Forms(Frozen):
    """The gradient of a sum of forms S_p(x, …, x), each given by its degree and components."""

    n: int
    parts: tuple[tuple[int, Array], ...]

    @cached_property
    def tensors(self) -> tuple[Array, ...]:
        """The symmetric tensors, of shapes (R, n), (R, n, n), … ."""
        tables = ((components, *symmetric(self.n, p)) for p, components in self.parts)
        return tuple((weights * components)[:, place] for components, place, weights in tables)

    def __call__(self, x: Array) -> Array:
        total = np.zeros_like(x)
        for form in self.tensors:
            total += (form.ndim - 1) * _contract(form, *[x] * (form.ndim - 2))
        return total

    def push(self, x: Array, v: Array) -> Array:
        total = np.zeros_like(v)
        for form in self.tensors:
            p = form.ndim - 1
            if p > 1:
                total += p * (p - 1) * _contract(form, *[x] * (p - 2), v)
        return total


def power_lost(e: Array, q: int) -> Array:
    """1 - (1 - e)^q for e in [0, 1], to full relative precision where e is small."""
    if q == 0:
        return np.zeros_like(e)
    with np.errstate(divide="ignore"):
        return -np.expm1(q * np.log1p(-e))


@lru_cache(maxsize=32)
def symmetric(n: int, p: int) -> tuple[NDArray[np.intp], Array]:
    """The symmetric tensors of degree p: where each entry has its component, and their weights.

    Component α stands for g_α; all entries of the tensor at permutations of α are √(α!/p!) g_α, so
    that their sum is √(p!/α!) g_α.
    """
    index = np.sort(np.indices((n,) * p).reshape(p, -1), axis=0)
    key = np.ravel_multi_index(tuple(index), (n,) * p)
    _, place, entries = np.unique(key, return_inverse=True, return_counts=True)
    return place.reshape((n,) * p), 1.0 / np.sqrt(entries)


def _contract(form: Array, *vectors: Array) -> Array:
    """form(v_1, …, v_k, ·) for tokens: form (R, n, …, n), v_i (R, N, n); shape (R, N, n)."""
    if not vectors:
        return form[:, None]
    n = form.shape[-1]
    first, *rest = vectors
    value = first @ form.reshape(len(form), n, -1)
    for vector in rest:
        value = np.squeeze(vector[:, :, None] @ value.reshape(*vector.shape, -1), 2)
    return value


def _checked(coefficients: Mapping[int, float]) -> dict[int, float]:
    """Coefficients by ascending degree."""
    if not isinstance(coefficients, Mapping) or not coefficients:
        raise InvalidArgument(
            f"coefficients = {checks.shown(coefficients)}: must give a number c_p >= 0 to at least"
            " one degree p, e.g. {3: 1.0}"
        )
    found = {
        checks.integer("degree p", p, 1, HIGHEST): checks.real(f"coefficients[{p}]", c, 0.0, MOST)
        for p, c in coefficients.items()
    }
    return dict(sorted(found.items()))
