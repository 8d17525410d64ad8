"""The gradient of a random Hermitian form on S^{2m-1}: noise that collapses tokens to a circle.

`dX = -P_X ∘dH X` with a Hermitian matrix H commutes with the turns e^{iφ}: it moves Hopf fibres
to fibres, and the fibres come together. The attractor is one fibre {e^{iφ} a}, along which nothing
moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.fields.base import MOST, Frozen, Parity
from rqf.fields.unitary import Complex, UnitaryField, to_complex, to_real

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HermitianForm(UnitaryField):
    """dX = -P_X ∘dH X on S^{2m-1} ⊂ C^m, H = sigma (B + B*)/2, B a complex Brownian matrix.

    Real and imaginary parts of all entries of B are independent standard Brownian motions. Every
    horizontal direction of a token has the variance sigma²/2 per unit time, that of the tangent
    directions under `RandomQuadraticForm(n, sigma)`; the Hopf direction i x has none. Coordinates
    are (Re z_1, …, Re z_m, Im z_1, …, Im z_m).

    Parameters
    ----------
    m : int >= 1
        Complex dimension; n = 2m. For m = 1 nothing moves.
    sigma : float >= 0
        Strength per square root of unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If m < 1 or sigma is negative or beyond 1e100; by everything that needs a kernel a or b.

    Notes
    -----
    Increments of a step: m for the diagonal of H, then (m choose 2) for the real parts above it
    row by row, then as many for the imaginary parts; the latter two have weight 1/√2.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.unitary_exponents(rqf.HermitianForm(m=3)).bottom
    -4.0
    """

    m: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 1))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return self.m * self.m

    def frozen(self, dw: Array, fresh: Array, dt: float) -> ComplexMatrix:
        m, above = self.m, self.m * (self.m - 1) // 2
        rows, columns = np.triu_indices(m, 1)
        matrix = np.zeros((len(dw), m, m), dtype=np.complex128)
        off = math.sqrt(0.5) * (dw[:, m : m + above] + 1j * dw[:, m + above :])
        matrix[:, rows, columns], matrix[:, columns, rows] = off, off.conj()
        matrix[:, np.arange(m), np.arange(m)] = dw[:, :m]
        return ComplexMatrix(-self.sigma * matrix)


@dataclass(frozen=True, eq=False)
class ComplexMatrix(Frozen):
    """Displacements M z by complex matrices (R, m, m)."""

    matrix: Complex

    def __call__(self, x: Array) -> Array:
        return to_real(to_complex(x) @ np.swapaxes(self.matrix, -1, -2))

    def push(self, x: Array, v: Array) -> Array:
        return self(v)
