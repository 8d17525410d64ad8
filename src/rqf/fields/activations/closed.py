"""Kernels in closed form, as functions of d = q - c for c >= 0, free of cancellation at d = 0.

|x|: the arc-cosine kernel of Cho and Saul (2009). erf: Williams (1997). x erf(x/√2), the even part
of twice the GELU: by two integrations by parts, as in the text of `times_erf`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rqf.fields.activations.base import Part

Array = NDArray[np.float64]
TWO_OVER_PI = 2.0 / math.pi
SERIES = [2.0 * k * (-1.0) ** (k + 1) / math.factorial(2 * k + 1) for k in range(1, 13)]


def constant(height: float) -> Part:
    """φ = height."""
    return Part(height**2, np.zeros_like, np.zeros_like)


def linear(q: float, gain: float = 1.0) -> Part:
    """φ(x) = gain x: K = gain² c."""
    g = gain**2
    return Part(g * q, lambda d: g * d, lambda d: np.full_like(d, g))


def square(q: float) -> Part:
    """φ(x) = x²: K = q² + 2c²."""
    return Part(3.0 * q * q, lambda d: 2.0 * d * (2.0 * q - d), lambda d: 4.0 * (q - d))


def sine(q: float) -> Part:
    """φ(x) = sin x: K = e^{-q} sinh c."""

    def gap(d: Array) -> Array:
        return -0.5 * (1.0 + np.exp(d - 2.0 * q)) * np.expm1(-d)

    def slope(d: Array) -> Array:
        return 0.5 * (np.exp(-d) + np.exp(d - 2.0 * q))

    return Part(-0.5 * math.expm1(-2.0 * q), gap, slope)


def absolute(q: float, gain: float = 1.0) -> Part:
    """φ(x) = gain |x|: K = gain² q (2/π) (sin θ + (π/2 - θ) cos θ), c = q cos θ."""
    g = gain**2

    def angle(d: Array) -> Array:
        return 2.0 * np.arcsin(np.sqrt(np.minimum(0.5 * d / q, 1.0)))

    def gap(d: Array) -> Array:
        return g * (d - q * TWO_OVER_PI * _sine_less_cosine(angle(d)))

    def slope(d: Array) -> Array:
        return g * (1.0 - TWO_OVER_PI * angle(d))

    return Part(g * q, gap, slope)


def error_function(q: float) -> Part:
    """φ = erf: K = (2/π) arcsin(2c / (1 + 2q))."""

    def slope(d: Array) -> Array:
        return 2.0 * TWO_OVER_PI / np.sqrt((1.0 + 2.0 * d) * (1.0 + 4.0 * q - 2.0 * d))

    own = TWO_OVER_PI * math.atan2(2.0 * q, math.sqrt(1.0 + 4.0 * q))
    return Part(own, lambda d: TWO_OVER_PI * _arc(2.0 * q, 2.0 * d), slope)


def times_erf(q: float, gain: float = 1.0) -> Part:
    """φ(x) = gain x erf(x/√2).

    With g = erf(·/√2), E[g(U) g(V)] = G = (2/π) arcsin(c / (1+q)) and D = (1+q)² - c², integrating
    E[U g(U) V g(V)] by parts gives K = cG + (2/π) (D^{-1/2} + (q-1)/(q+1) D^{1/2}) and
    K' = G + (2/π) c D^{-1/2} (2/(1+q) + 1/D), in units of gain². The gap loses √q ulp.
    """
    g, tilt = gain**2, (q - 1.0) / (q + 1.0)
    outer = math.sqrt(1.0 + 2.0 * q)  # √D at c = q
    most = TWO_OVER_PI * math.atan2(q, outer)  # G at c = q

    def root(d: Array) -> Array:
        return np.sqrt((1.0 + d) * (1.0 + 2.0 * q - d))

    def gap(d: Array) -> Array:
        here = root(d)
        fall = d * (2.0 * q - d) / (here + outer)  # √D at q - d less √D at q
        turn = TWO_OVER_PI * _arc(q, d)
        return g * (d * most + (q - d) * turn + TWO_OVER_PI * fall * (1.0 / (here * outer) - tilt))

    def slope(d: Array) -> Array:
        here, c = root(d), q - d
        bend = TWO_OVER_PI * c / here * (2.0 / (1.0 + q) + 1.0 / here**2)
        return g * (TWO_OVER_PI * np.arctan2(c, here) + bend)

    own = q * most + 2.0 * TWO_OVER_PI * q * q / ((1.0 + q) * outer)
    return Part(g * own, gap, slope)


def _sine_less_cosine(theta: Array) -> Array:
    """sin θ - θ cos θ on [0, π/2]: a power series there, all of whose terms count."""
    square = theta * theta
    total = np.zeros_like(theta)
    for coefficient in reversed(SERIES):
        total = total * square + coefficient
    return total * square * theta


def _arc(q: float, d: Array) -> Array:
    """arcsin(q / (1+q)) - arcsin((q-d) / (1+q)) for 0 <= d <= q, without cancellation."""
    c = q - d
    inner, outer = np.sqrt((1.0 + d) * (1.0 + 2.0 * q - d)), math.sqrt(1.0 + 2.0 * q)
    sine = d * (2.0 * q - d) / (q * inner + c * outer) * (1.0 + q) ** 2
    return np.arctan2(sine, q * c + inner * outer)
