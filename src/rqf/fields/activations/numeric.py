"""Kernels of any continuous activation: Mehler's series if it is smooth, panels if it has kinks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rqf.fields.activations import closed, panels, series
from rqf.fields.activations.base import Part
from rqf.fields.activations.interpolant import interpolated

Array = NDArray[np.float64]
Side = Callable[[Array], Array]


def parts(odd: Side | None, even: Side | None, q: float) -> tuple[Part | None, Part | None]:
    """Kernels at variance q of an odd and an even function; None for None."""
    return _part(odd, q, 1), _part(even, q, 0)


def _part(side: Side | None, q: float, odd: int) -> Part | None:
    if side is None:
        return None
    root = float(np.sqrt(q))

    def p(x: Array) -> Array:
        return side(root * x)

    values = p(series.grid())
    c = series.coefficients(values, None) if odd else series.coefficients(None, values)
    if c is not None and series.is_constant(c):
        return closed.constant(float(c[0]))
    if c is not None:
        return interpolated(float(c @ c), q, series.ratio(c))
    kinks, edges = panels.pieces(p, float(np.max(np.abs(values[series.grid() <= 1.0]))))
    return interpolated(panels.mean_square(p, edges), q, panels.ratio(p, kinks, edges))
