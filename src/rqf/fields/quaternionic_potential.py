"""A potential on S^{4m-1} ⊂ H^m that knows a finite group of quaternions: 8, 24, 48, 120 points.

With u in C^{2m} as in `quaternionic_form` and v = J ū let w be a homogeneous polynomial of degree d
in two variables that a finite group of unit quaternions leaves as it is, and p a Gaussian
polynomial of degree d on C^{2m}. Then

    f = Σ_i w_i / (d choose i) · [λ^i μ^{d-i}] p(λ u + μ v)

does not change as x becomes x g, g in the group, and its law not under Sp(m). The polynomials w are
Klein's invariants of lowest degree (F. Klein, Vorlesungen über das Ikosaeder, 1884).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Frozen, Parity
from rqf.fields.complex_space import ComplexArray, UnitaryField, to_complex, to_real
from rqf.fields.holomorphic_potential import Holomorphic, HolomorphicPotential
from rqf.fields.quaternionic_form import partner

Array = NDArray[np.float64]

# By the order of the group: the degree, and coefficients of the invariants by the power of u.
INVARIANTS: dict[int, tuple[int, tuple[dict[int, float], ...]]] = {
    8: (4, ({2: 1.0}, {4: 1.0, 0: 1.0})),
    24: (6, ({5: 1.0, 1: -1.0},)),
    48: (8, ({8: 1.0, 4: 14.0, 0: 1.0},)),
    120: (12, ({11: 1.0, 6: 11.0, 1: -1.0},)),
}


@dataclass(frozen=True)
class QuaternionicPotential(UnitaryField):
    """dX = P_X ∘∇H(X) dt on S^{4m-1}, H a random potential invariant under a finite group.

    The flow commutes with right multiplication by the 8, 24, 48 or 120 unit quaternions of the
    quaternion, binary tetrahedral, octahedral or icosahedral group. On S³ (m = 1) a token is a
    Brownian motion of variance sigma² d (d+2)/3 in every direction, d = 4, 6, 8, 12 the degree. In
    more dimensions this is its variance along the fibre {x q}, and sigma² d that across it, to
    which `QuaternionicForm` adds.

    Parameters
    ----------
    m : int >= 1
        Quaternionic dimension; n = 4m, coordinates as in `QuaternionicForm`.
    order : 8, 24, 48 or 120
        Order of the group.
    sigma : float >= 0
        Standard deviation of H at a point, per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range; later if its kernels are asked for.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.fields.QuaternionicPotential(m=1, order=8, sigma=0.5)
    >>> flow = rqf.Flow(field, dt=1 / 128)
    >>> len(rqf.pullback_attractor(flow, rqf.Wiener(1), t=8.0, tokens=60).points)
    8
    """

    m: int
    order: int
    sigma: float = 1.0
    maps = "symplectic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 1))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))
        if isinstance(self.order, bool) or self.order not in INVARIANTS:
            raise InvalidArgument(
                f"order = {checks.shown(self.order)}: must be 8, 24, 48 or 120, the order of the"
                " quaternion, binary tetrahedral, octahedral or icosahedral group"
            )

    @property
    def n(self) -> int:  # type: ignore[override]
        """Real dimension 4m of the ambient space."""
        return 4 * self.m

    @property
    def degree(self) -> int:
        """The degree d of the potential."""
        return INVARIANTS[self.order][0]

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return len(INVARIANTS[self.order][1]) * self._polynomial().increments

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Invariant:
        nodes, weights = _nodes(self.order)
        polynomial, count = self._polynomial(), len(weights)
        size = polynomial.increments
        parts = (dw[:, i * size : (i + 1) * size] for i in range(count))
        return Invariant(
            tuple(polynomial.frozen(part, fresh, dt) for part in parts), nodes, weights
        )

    def _polynomial(self) -> HolomorphicPotential:
        """The law of p, such that the potential Re Σ f has the variance sigma²."""
        strength = 2.0 * self.sigma**2 / len(INVARIANTS[self.order][1])
        return HolomorphicPotential(2 * self.m, self.degree, strength)


@dataclass(frozen=True, eq=False)
class Invariant(Frozen):
    """The gradient of Re Σ_r Σ_j W_rj p_r(u + t_j J ū), t_j the roots of unity `nodes`."""

    polynomials: tuple[Holomorphic, ...]
    nodes: ComplexArray
    weights: ComplexArray

    def __call__(self, x: Array) -> Array:
        points = self._points(x)
        return self._gradient([p(points) for p in self.polynomials], x.shape)

    def push(self, x: Array, v: Array) -> Array:
        points, directions = self._points(x), self._points(v)
        return self._gradient([p.push(points, directions) for p in self.polynomials], x.shape)

    def _points(self, x: Array) -> Array:
        """u + t_j J ū for all j: shape (R, N·(d+1), n)."""
        u = to_complex(x)
        points = u[:, :, None] + self.nodes[:, None] * partner(u)[:, :, None]
        return to_real(points.reshape(len(x), -1, u.shape[-1]))

    def _gradient(self, conjugates: list[Array], shape: tuple[int, ...]) -> Array:
        """From conj p_r' at the points: conj Σ W p' for u, and ∂f/∂ū through J ū."""
        size = (*shape[:2], len(self.nodes), shape[2] // 2)
        slopes = sum(
            (
                to_complex(c).reshape(size).conj() * w[:, None]
                for c, w in zip(conjugates, self.weights, strict=True)
            ),
            np.zeros(size, np.complex128),
        )
        turned = np.sum(slopes * self.nodes[:, None], axis=2)
        return to_real(np.sum(slopes, axis=2).conj() - partner(turned).conj())


@lru_cache
def _nodes(order: int) -> tuple[ComplexArray, ComplexArray]:
    """Roots of unity t_j and the weights W_rj that read w_i / (d choose i) [λ^i μ^{d-i}] off them.

    Invariants are normalised to Σ |w_i|² / (d choose i) = 1: those of one order are orthogonal.
    """
    degree, invariants = INVARIANTS[order]
    nodes = np.exp(2j * np.pi * np.arange(degree + 1) / (degree + 1))
    weights = np.zeros((len(invariants), degree + 1), np.complex128)
    for row, w in zip(weights, invariants, strict=True):
        norm = math.sqrt(sum(c * c / math.comb(degree, i) for i, c in w.items()))
        for i, c in w.items():
            row += c / (norm * math.comb(degree, i) * (degree + 1)) * nodes ** (i - degree)
    return nodes, weights
