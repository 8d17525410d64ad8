"""Kernels of activations with kinks: Gauss-Legendre panels between the kinks.

With s, t independent of variances q (1 - r²), q r²: K(1) - K(ρ) = ½ E[(φ(s+t) - φ(s-t))²] for
ρ = 1 - 2r², a mean of squares. For fixed t the integrand in s has kinks where s ± t is a kink of φ,
and the inner integral has kinks in t at half the distances of kinks; panels end at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.polynomial.chebyshev import chebfit, chebpts1, chebval
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from rqf.errors import InvalidArgument

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
REACH = 9.0  # standard deviations
NARROW = 1e-7  # width in standard deviations of what is called a kink
TOLERANCE = 1e-12
STEEPEST = 1e-2  # rise over a kink, in units of the size of p, above which it is a jump
NODES, WEIGHTS = leggauss(16)
TRIAL = chebpts1(17)
CHECKS = np.array([-0.97, -0.31, 0.47, 0.93])


def pieces(p: Function, scale: float) -> tuple[list[float], list[float]]:
    """Kinks of p and edges of panels on which it is smooth, within 2 REACH standard deviations.

    `scale` is the size of p at one standard deviation. A kink is what remains of a bisection when
    it is narrower than 1e-7.
    """
    rough: list[tuple[float, float]] = []
    edges: list[float] = []
    end = 2.0 * REACH
    _bisect(p, -end, end, scale, edges, rough)
    kinks: list[float] = []
    for left, right in sorted(rough):
        if not kinks or left > kinks[-1] + 4.0 * NARROW:
            kinks.append(0.5 * (left + right))
    suspects = np.array([*kinks, *edges])
    jumps = np.abs(p(suspects + 4.0 * NARROW) - p(suspects - 4.0 * NARROW))
    if suspects.size and np.max(jumps) > STEEPEST * scale:
        raise InvalidArgument(
            f"activation: jumps near {suspects[np.argmax(jumps)]:.6g} standard deviations of its"
            " argument, or nearly; it must be continuous, and a smaller gain makes it less steep"
        )
    if len(kinks) > 16:
        raise InvalidArgument("activation: must be smooth but for at most 16 kinks")
    edges = [-end, end, *kinks]
    stops = [-end, *kinks, end]
    for left, right in pairwise(stops):
        _bisect(p, left + 4.0 * NARROW, right - 4.0 * NARROW, scale, edges, [])
    return kinks, edges


def _bisect(
    p: Function, left: float, right: float, scale: float,
    edges: list[float], rough: list[tuple[float, float]],
) -> None:  # fmt: skip
    """Add to `edges` the inner edges of panels on which a polynomial of degree 16 is p."""
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    values = p(middle + half * TRIAL)
    guess = chebval(CHECKS, chebfit(TRIAL, values, 16))
    missed = np.max(np.abs(guess - p(middle + half * CHECKS)))
    if missed <= TOLERANCE * max(scale, float(np.max(np.abs(values)))):
        return
    if right - left < NARROW:
        rough.append((left, right))
        return
    _bisect(p, left, middle, scale, edges, rough)
    edges.append(middle)
    _bisect(p, middle, right, scale, edges, rough)


def mean_square(p: Function, edges: list[float]) -> float:
    """E[p(x)²], x standard normal."""
    x, w = _panels(np.unique([*edges, *np.arange(-2.0 * REACH, 2.0 * REACH + 1.0)]))
    return float(w @ (p(x) ** 2 * np.exp(-0.5 * x * x))) / np.sqrt(2.0 * np.pi)


def ratio(p: Function, kinks: list[float], edges: list[float]) -> Callable[[Array], Array]:
    """r -> (K(1) - K(1 - 2r²)) / r², for p in units of standard deviations."""
    distances = [0.5 * abs(i - j) for i in kinks for j in kinks if i != j]

    def at(t_size: float) -> float:
        s_size = np.sqrt(1.0 - t_size**2)
        reach = REACH * t_size
        stops = np.array([*distances, *np.abs(edges)])
        steps = np.linspace(0.0, reach, 7)
        t, wt = _panels(np.unique(np.concatenate([steps, stops[stops < reach]])))
        moved = np.concatenate([np.add.outer(t, edges), np.add.outer(-t, edges)], axis=1)
        grid = s_size * np.linspace(-REACH, REACH, 10)
        breaks = np.concatenate([moved, np.broadcast_to(grid, (t.size, grid.size))], axis=1)
        breaks = np.sort(np.clip(breaks, grid[0], grid[-1]), axis=1)
        s, ws = _panels(breaks)
        rise = (p(s + t[:, None]) - p(s - t[:, None])) ** 2
        inner = np.sum(ws * rise * np.exp(-0.5 * (s / s_size) ** 2), axis=1)
        outer = wt @ (inner * np.exp(-0.5 * (t / t_size) ** 2))
        return float(outer / (2.0 * np.pi * s_size * t_size) / t_size**2)

    return lambda r: np.array([at(float(size)) for size in r])


def _panels(breaks: Array) -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights on the panels between breaks, along the last axis."""
    half = 0.5 * np.diff(breaks, axis=-1)[..., None]
    nodes = breaks[..., :-1, None] + half * (1.0 + NODES)
    shape = (*breaks.shape[:-1], -1)
    return nodes.reshape(shape), (half * WEIGHTS).reshape(shape)
