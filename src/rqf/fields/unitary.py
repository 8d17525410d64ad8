"""Fields on the unit sphere of C^m whose law is invariant under U(m), not under all rotations.

Points of S^{2m-1} are real rows of n = 2m coordinates (Re z_1, …, Re z_m, Im z_1, …, Im z_m). The
tangent space at z is the Hopf direction i z, along the fibre {e^{iφ} z}, and the horizontal
directions, orthogonal to z and i z. The overlap of two tokens is a complex number, so that there
are no kernels a and b of a real one; what is known of such fields is in `rqf.theory.hopf`.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.errors import InvalidArgument
from rqf.fields.base import Field

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


class UnitaryField(Field):
    """A field on S^{2m-1} of law invariant under U(m): realisations, but no isotropic kernels."""

    m: int

    @property
    def n(self) -> int:  # type: ignore[override]
        """Dimension 2m of the ambient space, in real coordinates."""
        return 2 * self.m

    def a(self, z: ArrayLike) -> Array:
        self._refuse()

    def b(self, z: ArrayLike) -> Array:
        self._refuse()

    def a_prime(self, z: ArrayLike) -> Array:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise InvalidArgument(
            f"field: {type(self).__name__} has no isotropic kernels, its law depends on complex"
            " overlaps; it is pathwise only, and rqf.theory has its exponents (unitary_exponents)"
        )


def to_complex(x: Array) -> Complex:
    """Real rows (…, 2m) as complex rows (…, m)."""
    m = x.shape[-1] // 2
    return np.asarray(x[..., :m] + 1j * x[..., m:])


def to_real(z: Complex) -> Array:
    """Complex rows (…, m) as real rows (…, 2m)."""
    return np.concatenate([z.real, z.imag], axis=-1)
