"""A random Hermitian form on C^m: it collapses all tokens to one circle {e^{iφ} a}."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.fields.base import MOST, Frozen, Parity
from rqf.fields.complex_space import UnitaryField, to_complex, to_real

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HermitianForm(UnitaryField):
    """dX = -P_X ∘dH X on S^{2m-1}, H a Hermitian matrix of Brownian motions, E|dH_ij|² = sigma² dt.

    It commutes with the phases e^{iφ}, so that a token and its phases stay on one circle; a token
    moves in the 2m - 2 real directions across its circle, each with variance sigma²/2, and not
    along it. One exponent is 0, that of the circle.

    Parameters
    ----------
    m : int >= 2
        Complex dimension; n = 2m, coordinates (Re z_1, …, Re z_m, Im z_1, …, Im z_m).
    sigma : float >= 0

    Raises
    ------
    rqf.errors.InvalidArgument
        If m < 2 or sigma is negative or beyond 1e100; later if its kernels are asked for.

    Examples
    --------
    >>> import rqf
    >>> rqf.HermitianForm(m=2).n
    4
    """

    m: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.integer("m", self.m, 2))
        object.__setattr__(self, "sigma", checks.real("sigma", self.sigma, 0.0, MOST))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Real dimension 2m of the ambient space."""
        return 2 * self.m

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, sigma=self.sigma * math.sqrt(factor))

    @property
    def increments(self) -> int:
        return self.m**2

    def frozen(self, dw: Array, fresh: Array, dt: float) -> ComplexMatrix:
        m = self.m
        matrix = np.zeros((len(dw), m, m), np.complex128)
        upper = np.triu_indices(m, 1)
        pairs = upper[0].size
        entries = dw[:, m : m + pairs] + 1j * dw[:, m + pairs :]
        matrix[:, upper[0], upper[1]] = math.sqrt(0.5) * entries
        matrix += np.conj(np.swapaxes(matrix, 1, 2))
        matrix[:, np.arange(m), np.arange(m)] = dw[:, :m]
        return ComplexMatrix(-self.sigma * matrix)


@dataclass(frozen=True, eq=False)
class ComplexMatrix(Frozen):
    """Displacements M z by matrices (R, m, m)."""

    matrix: NDArray[np.complex128]

    def __call__(self, x: Array) -> Array:
        return to_real(to_complex(x) @ np.swapaxes(self.matrix, 1, 2))

    def push(self, x: Array, v: Array) -> Array:
        return self(v)
