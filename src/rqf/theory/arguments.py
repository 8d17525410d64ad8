"""Arguments that several closed forms share: overlaps, times, fields that are isotropic noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField

ROUNDING = 1e-12


def overlaps(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as an array of overlaps in [-1, 1]; what rounding (1e-12) put outside is put back."""
    z = checks.finite_array(name, value)
    worst = float(np.max(np.abs(z), initial=0.0))
    if worst > 1.0 + ROUNDING:
        raise InvalidArgument(f"{name}: has |{name}| = {worst:.17g}; must be in [-1, 1]")
    return np.clip(z, -1.0, 1.0)


def times(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as an array of times >= 0."""
    t = checks.finite_array(name, value)
    earliest = float(np.min(t, initial=0.0))
    if earliest < 0.0:
        raise InvalidArgument(f"{name} = {earliest:.17g}: must be >= 0")
    return t


def isotropic(field: Field) -> Field:
    """`field` if every summand is isotropic: overlaps are then an autonomous diffusion."""
    if not isinstance(field, Field):
        raise InvalidArgument(f"field = {field!r}: must be a field, e.g. RandomQuadraticForm(n=3)")
    if any(isinstance(part, LinearField) and part.drift is not None for part in field.summands):
        raise InvalidArgument(
            f"field: {type(field).__name__} has a deterministic drift, which is not isotropic;"
            " closed laws exist for noise alone"
        )
    return field


def artanh(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """The hyperbolic coordinate u with z = tanh u; ±inf at the poles z = ±1."""
    with np.errstate(divide="ignore"):
        return np.arctanh(z)
