"""Kernels of smooth activations from Mehler's formula: K(ρ) = Σ c_k² ρ^k.

c_k are the coefficients of φ(√q x) in the orthonormal Hermite polynomials He_k / √k!. In
K(1) - K(ρ) = Σ c_k² (1 - ρ^k) every term counts, so nothing cancels at ρ = 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
REACH = 13.0  # standard deviations; the Gaussian weight is 1e-37 there
POINTS = 2048  # of the trapezoidal rule on [0, REACH]: wavenumbers up to 990, √k is 362 at most
BLOCK, CHECK, LAST = 128, 8192, 2**17
ALGEBRAIC = 2.0**-5  # kinks make powers: a block that shrinks no faster than this per octave
CONVERGED = 1e-18  # share of the last block in Σ k c_k², the slope at ρ = 1
ROUNDING = 1e-27  # of the slope, in units of E φ²: below it φ is constant in floating point


def coefficients(odd: Array | None, even: Array | None) -> Array | None:
    """c_k of odd + even, both given at `grid()`; None if they do not fall off."""
    x, weights = grid(), _weights()
    sides = [None if side is None else weights * side for side in (even, odd)]
    before, now = np.zeros_like(x), np.ones_like(x)
    found: list[float] = []
    slope = early = square = 0.0
    while len(found) < LAST:
        for k in range(len(found), len(found) + BLOCK):
            side = sides[k % 2]
            found.append(0.0 if side is None else float(side @ now))
            before, now = now, (x * now - np.sqrt(k) * before) / np.sqrt(k + 1.0)
        block = np.arange(len(found) - BLOCK, len(found))
        squares = np.square(found[-BLOCK:])
        step = float(block @ squares)
        square += float(np.sum(squares))
        slope += step
        if step <= CONVERGED * slope + ROUNDING * square and len(found) > BLOCK:
            return np.array(found)
        if len(found) == CHECK:
            early = step
        if len(found) == 2 * CHECK and step > ALGEBRAIC * early:
            return None
    return None


def grid() -> Array:
    """Where the two sides are wanted, in standard deviations; the first point is 0."""
    return np.linspace(0.0, REACH, POINTS)


def _weights() -> Array:
    """Weights of E over the whole line for an even integrand given on `grid()`."""
    x = grid()
    weights = 2.0 * (x[1] - x[0]) * np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    weights[0] *= 0.5
    return weights


def is_constant(c: Array) -> bool:
    """Whether coefficients c are those of a constant, to rounding."""
    return bool(np.square(c) @ np.arange(c.size) <= ROUNDING * (c @ c))


def ratio(c: Array) -> Callable[[Array], Array]:
    """r -> (K(1) - K(1 - 2r²)) / r², for coefficients c."""
    square = c * c
    slopes = square * np.arange(c.size)
    k = np.flatnonzero(slopes > 1e-20 * np.sum(slopes))

    def h(r: Array) -> Array:
        logs = np.log1p(-np.minimum(2.0 * r * r, 1.0))
        return np.array([-np.expm1(k * log) @ square[k] for log in logs]) / (r * r)

    return h
