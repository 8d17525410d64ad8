"""A kernel known at some angles, made fast for arrays: a Chebyshev interpolant, checked.

With r = sin ψ, d = 2q r², the ratio h = gap / r² is smooth on 0 <= r² <= 1/2 for every continuous
activation, kinks included, but changes fast at r < ρ, say, if the activation is steep. The
interpolant is one in y with r = ρ sinh y.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields.activations.base import Part

Array = NDArray[np.float64]
END = np.sqrt(0.5)  # largest r
RESOLVED = 1e-13  # size of the last coefficients in units of the largest
FEWEST, MOST_NODES = 32, 512
STEPS = 24


def interpolated(own: float, q: float, ratio: Callable[[Array], Array]) -> Part:
    """The part with gap(2q r²) = r² ratio(r); nodes are doubled until they resolve it."""
    layer = _layer(ratio)
    end = float(np.arcsinh(END / layer))
    nodes = FEWEST
    while True:
        h = _coefficients(lambda y: ratio(layer * np.sinh(y)), end, nodes)
        size = np.abs(h)
        if np.max(size[-nodes // 8 :]) <= RESOLVED * np.max(size):
            break
        nodes *= 2
        if nodes > MOST_NODES:
            raise InvalidArgument(
                "activation: its kernel is not resolved; take a smoother function or a smaller gain"
            )
    kept = np.flatnonzero(size > 1e-17 * np.max(size))[-1] + 1
    return _part(own, q, layer, end, h[:kept])


def _layer(ratio: Callable[[Array], Array]) -> float:
    """ρ: where the ratio has fallen to half of its value at 0, or 1 if it does not fall so far."""
    last = ratio(np.array([END * 2.0**-STEPS]))[0]
    for step in range(STEPS - 1, 0, -1):
        r = END * 2.0**-step
        if ratio(np.array([r]))[0] < 0.5 * last:
            return r
    return 1.0


def _part(own: float, q: float, layer: float, end: float, h: Array) -> Part:
    slope_of_h = chebder(h) * (2.0 / end)

    def square(d: Array) -> Array:
        return np.minimum(0.5 * d / q, 0.5)

    def gap(d: Array) -> Array:
        r2 = square(d)
        return r2 * chebval(np.arcsinh(np.sqrt(r2) / layer) * (2.0 / end) - 1.0, h)

    def slope(d: Array) -> Array:
        y = np.arcsinh(np.sqrt(square(d)) / layer)
        x = y * (2.0 / end) - 1.0
        return 0.5 * (chebval(x, h) + 0.5 * np.tanh(y) * chebval(x, slope_of_h)) / q

    return Part(own, gap, slope)


def _coefficients(h: Callable[[Array], Array], end: float, nodes: int) -> Array:
    """Chebyshev coefficients on [0, end] from the values at Chebyshev's inner nodes."""
    angles = np.pi * (np.arange(nodes) + 0.5) / nodes
    values = h(0.5 * end * (1.0 + np.cos(angles)))
    coefficients = 2.0 / nodes * np.cos(np.outer(np.arange(nodes), angles)) @ values
    coefficients[0] *= 0.5
    return np.asarray(coefficients)
