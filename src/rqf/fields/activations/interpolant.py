"""A kernel known at some angles, made fast for arrays: a Chebyshev interpolant, checked.

With d = 2q sin² ψ, 0 <= ψ <= π/4, the ratio h = gap / sin² ψ is smooth for every continuous
activation: kinks make powers of the angle, which sit well with Chebyshev's nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields.activations.base import Part

Array = NDArray[np.float64]
RANGE = np.pi / 4
RESOLVED = 1e-13  # size of the last coefficients in units of the largest
FEWEST, MOST_NODES = 32, 512


def interpolated(own: float, q: float, ratio: Callable[[Array], Array]) -> Part:
    """The part with gap(2q sin² ψ) = sin² ψ ratio(ψ); nodes are doubled until they resolve it."""
    nodes = FEWEST
    while True:
        coefficients = _coefficients(ratio, nodes)
        size = np.abs(coefficients)
        if np.max(size[-nodes // 8 :]) <= RESOLVED * np.max(size):
            break
        nodes *= 2
        if nodes > MOST_NODES:
            raise InvalidArgument(
                "activation: its kernel is not resolved; take a smoother function or a smaller gain"
            )
    kept = np.flatnonzero(size > 1e-17 * np.max(size))[-1] + 1
    return _part(own, q, coefficients[:kept])


def _part(own: float, q: float, h: Array) -> Part:
    h_prime = chebder(h) * (2.0 / RANGE)

    def sine(d: Array) -> Array:
        return np.sqrt(np.minimum(0.5 * d / q, 0.5))

    def gap(d: Array) -> Array:
        s = sine(d)
        return s * s * chebval(np.arcsin(s) * (2.0 / RANGE) - 1.0, h)

    def slope(d: Array) -> Array:
        psi = np.arcsin(sine(d))
        x = psi * (2.0 / RANGE) - 1.0
        return (0.5 * chebval(x, h) + 0.25 * np.tan(psi) * chebval(x, h_prime)) / q

    return Part(own, gap, slope)


def _coefficients(ratio: Callable[[Array], Array], nodes: int) -> Array:
    """Chebyshev coefficients on [0, π/4] from the values at Chebyshev's inner nodes."""
    angles = np.pi * (np.arange(nodes) + 0.5) / nodes
    values = ratio(0.5 * RANGE * (1.0 + np.cos(angles)))
    coefficients = 2.0 / nodes * np.cos(np.outer(np.arange(nodes), angles)) @ values
    coefficients[0] *= 0.5
    return np.asarray(coefficients)
