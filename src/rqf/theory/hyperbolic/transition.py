"""The law of u_t from one start, held as a piecewise polynomial: distribution function and means.

The density is expanded in Legendre polynomials on panels that are halved until the last
coefficients are negligible; the primitive of the expansion is the distribution function, and the
nodes carry the weights of expectations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike, NDArray

from rqf.theory.hyperbolic.density import log_density
from rqf.theory.hyperbolic.panels import NODES, POINTS, WEIGHTS

SPREAD = 9.0
EQUATOR = np.array([0.0, 1.0, 2.5, 6.0, 15.0, 40.0])
"""Panels end at these |u|: functions of the overlap vary there on the scale of 1."""

LONGEST = 1e6
"""Beyond this time u_t has too few digits left for the width √(2t) of its law."""

TOLERANCE = 1e-11
"""What the last coefficients may contribute; coefficients fall fast enough to leave 1e-13."""

TO_COEFFICIENTS = (
    (np.arange(NODES) + 0.5)[:, None] * legendre.legvander(POINTS, NODES - 1).T * WEIGHTS
)


class Transition:
    """The law of u_t given u_0, for one start and one time.

    Since |tanh| <= 1, u_t - u_0 lies within t + 9 √(2t) of 0 up to a probability of 1e-18.

    Parameters
    ----------
    start : float
        u_0, finite.
    time : float in (0, 1e6]
        t.
    breaks : array of shape (k,)
        Values of u at which a function whose mean is wanted has a kink or a jump.
    """

    def __init__(self, start: float, time: float, breaks: ArrayLike = ()) -> None:
        self.start = start
        width = SPREAD * np.sqrt(2.0 * time)
        self.reach = time + width
        marks = np.concatenate([-EQUATOR, EQUATOR, np.asarray(breaks, np.float64)]) - start
        inner = marks[np.abs(marks) < self.reach]
        ends = [width - time, time - width]  # beyond them u_t has gone all the way to a pole
        span = np.linspace(-self.reach, self.reach, 9)
        edges = np.unique(np.concatenate([span, ends, inner]))
        left, half, values = _resolve(edges, start, time)

        self.left, self.half = left, half
        primitive = half[:, None] * legendre.legint(values @ TO_COEFFICIENTS.T, lbnd=-1, axis=1)
        self.primitive = primitive.T
        self.below = np.concatenate([[0.0], np.cumsum(half * (values @ WEIGHTS))])
        self.nodes = (left[:, None] + half[:, None] * (1.0 + POINTS)).reshape(-1)
        self.weights = (half[:, None] * WEIGHTS * values).reshape(-1)

    def cdf(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(u_t <= u), to an absolute error of 1e-13; u of any shape, ±inf allowed."""
        displacement = u - self.start
        y = np.clip(displacement, -self.reach, self.reach)
        panel = np.searchsorted(self.left[1:], y, side="right")
        x = (y - self.left[panel]) / self.half[panel] - 1.0
        inside = legendre.legval(x, self.primitive[:, panel], tensor=False)
        within = np.clip(self.below[panel] + inside, 0.0, 1.0)
        return np.where(np.abs(displacement) < self.reach, within, displacement > 0.0)

    def expectation(
        self, f: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """E f(u_t) for f that maps (m,) to (..., m), smooth between the breaks."""
        return np.asarray(f(self.start + self.nodes) @ self.weights)


def _resolve(
    edges: NDArray[np.float64], start: float, time: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Panels (left end and half length, in u - u_0) and the density at their nodes, (P, 16)."""
    left, half = edges[:-1], 0.5 * np.diff(edges)
    done = []
    while left.size:
        y = left[:, None] + half[:, None] * (1.0 + POINTS)
        values = np.exp(log_density(y, np.asarray(start), np.asarray(time)))
        last = np.max(np.abs(values @ TO_COEFFICIENTS[-3:].T), axis=1)
        fine = last * half <= TOLERANCE
        done.append((left[fine], half[fine], values[fine]))
        left, half = left[~fine], 0.5 * half[~fine]
        left = np.concatenate([left, left + 2.0 * half])
        half = np.concatenate([half, half])
    lefts, halves, densities = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(lefts)
    return lefts[order], halves[order], densities[order]
