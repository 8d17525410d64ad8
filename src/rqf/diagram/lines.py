"""Critical lines: where a rate changes sign, solved for along the edges of a grid.

The grid tells how the line runs; every point of it is the root of the rate between two neighbours
on the grid, to rounding. Edges along an axis of whole numbers carry no root and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rqf.diagram.axes import Axis

Array = NDArray[np.float64]
Rate = Callable[[float, float], float]


def critical_lines(rate: Rate, values: Array, x: Axis, y: Axis) -> list[Array]:
    """The curves rate(x, y) = 0, each an array of vertices (m, 2).

    `values` (y, x) is the rate on the grid; nan where there is none.
    """
    from contourpy import LineType, contour_generator

    paths = contour_generator(
        z=np.ma.masked_invalid(values), line_type=LineType.Separate
    ).lines(0.0)
    found = []
    for path in paths:
        vertices = [_solved(rate, vertex, x, y) for vertex in np.asarray(path)]
        kept = [vertex for vertex in vertices if vertex is not None]
        if len(kept) > 1:
            found.append(np.array(kept))
    return found


def _solved(rate: Rate, vertex: Array, x: Axis, y: Axis) -> tuple[float, float] | None:
    """The root on the edge of the grid on which a vertex, in units of its cells, lies."""
    column, row = float(vertex[0]), float(vertex[1])
    across = abs(row - round(row)) <= abs(column - round(column))
    axis, place = (x, column) if across else (y, row)
    other = float(y.values[round(row)]) if across else float(x.values[round(column)])
    if abs(place - round(place)) < 1e-12:
        return float(x.values[round(column)]), float(y.values[round(row)])
    if axis.whole:
        return None
    low, high = axis.values[math.floor(place)], axis.values[math.ceil(place)]
    root = _root(lambda s: rate(s, other) if across else rate(other, s), low, high, axis.log)
    return (root, other) if across else (other, root)


def _root(function: Callable[[float], float], low: float, high: float, log: bool) -> float:
    from scipy.optimize import brentq

    if not log:
        return float(brentq(function, low, high, xtol=1e-13 * max(abs(low), abs(high))))
    return math.exp(brentq(lambda s: function(math.exp(s)), math.log(low), math.log(high)))
