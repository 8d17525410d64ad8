"""C^m as R^{2m}, real parts first, and what fields that know no isotropy have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.errors import InvalidArgument
from rqf.fields.base import Field, Kernels, Pair

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]


def to_complex(x: Array) -> ComplexArray:
    """Points (..., 2m) as complex vectors (..., m)."""
    m = x.shape[-1] // 2
    return np.asarray(x[..., :m] + 1j * x[..., m:])


def to_real(z: ComplexArray) -> Array:
    """Complex vectors (..., m) as points (..., 2m)."""
    return np.concatenate([z.real, z.imag], axis=-1)


class UnitaryField(Field):
    """A field on S^{2m-1} ⊂ C^m whose law is invariant under unitary maps, not under rotations.

    It has no kernels of the overlap; its realisations are all that is known of it in general.
    """

    maps = "unitary"

    def a(self, z: ArrayLike) -> Array:
        raise InvalidArgument(self._no_kernel())

    def b(self, z: ArrayLike) -> Array:
        raise InvalidArgument(self._no_kernel())

    def a_prime(self, z: ArrayLike) -> Array:
        raise InvalidArgument(self._no_kernel())

    def kernels(self, gram: Array) -> Kernels:
        raise InvalidArgument(self._no_kernel())

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        raise InvalidArgument(self._no_kernel())

    def _no_kernel(self) -> str:
        return (
            f"field: {type(self).__name__} is invariant under {self.maps} maps only, its law is not"
            " a function of overlaps; follow a realisation"
        )
