"""A random quaternionic Hermitian form on H^m: it collapses all tokens to one fibre {a q}, q in S³.

A vector of H^m, quaternions multiplying from the right, is kept as the first column u in C^{2m} of
the 2m × 2 matrix (u, J ū), J(a, b) = (-b, a); a unit quaternion q = (p, r) takes it to
u q = p u - r̄ J ū. Matrices that commute with u ↦ J ū are those of quaternions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.fields.base import MOST, Parity
from rqf.fields.complex_space import ComplexArray, UnitaryField, to_complex, to_real
from rqf.fields.hermitian_form import ComplexMatrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QuaternionicForm(UnitaryField):
    """dX = -P_X ∘dH X on S^{4m-1} ⊂ H^m, H a quaternionic Hermitian matrix of Brownian motions.

    It commutes with all right multiplications by unit quaternions. A token moves in the 4m - 4
    directions across its fibre {x q}, each with variance sigma²/2, and not along it.

    Parameters
    ----------
    m : int >= 2
        Quaternionic dimension; n = 4m, coordinates (Re u_1, …, Re u_{2m}, Im u_1, …, Im u_{2m}).
    sigma : float >= 0
        Strength per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If m < 2 or sigma is negative or beyond 1e100; later if its kernels are asked for.

    Examples
    --------
    >>> import rqf
    >>> rqf.fields.QuaternionicForm(m=2).n
    8
    """

    m: int
    sigma: float = 1.0
    maps = "symplectic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 2))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Real dimension 4m of the ambient space."""
        return 4 * self.m

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return self.m * (2 * self.m - 1)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> ComplexMatrix:
        m = self.m
        rows, columns = np.triu_indices(m, 1)
        quarters = math.sqrt(0.5) * dw[:, m:].reshape(-1, 4, len(rows))
        upper, across = quarters[:, 0] + 1j * quarters[:, 1], quarters[:, 2] + 1j * quarters[:, 3]
        a, b = np.zeros((2, len(dw), m, m), np.complex128)
        a[:, rows, columns], a[:, columns, rows] = upper, upper.conj()
        a[:, np.arange(m), np.arange(m)] = dw[:, :m]
        b[:, rows, columns], b[:, columns, rows] = across, -across
        whole = np.asarray(np.block([[a, b], [-b.conj(), a.conj()]]), np.complex128)
        return ComplexMatrix(-self.sigma * whole)


def partner(u: ComplexArray) -> ComplexArray:
    """J ū for complex vectors (…, 2m)."""
    m = u.shape[-1] // 2
    return np.concatenate([-u[..., m:], u[..., :m]], axis=-1).conj()


def right_multiplied(x: Array, q: Array) -> Array:
    """x q for points (…, 4m) and unit quaternions (…, 4), q = q_0 + q_1 i + q_2 j + q_3 k."""
    u = to_complex(x)
    p, r = q[..., :1] + 1j * q[..., 1:2], q[..., 2:3] + 1j * q[..., 3:]
    return to_real(p * u - r.conj() * partner(u))
