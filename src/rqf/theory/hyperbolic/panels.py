"""Gauss–Legendre quadrature on many panels at once; a row of breakpoints is one integral."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NODES = 16
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(NODES)


def composite(
    breaks: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of the rule with 16 nodes on every panel.

    Parameters
    ----------
    breaks : array of shape (..., P + 1), ascending along the last axis; empty panels are allowed

    Returns
    -------
    nodes, weights : arrays of shape (..., 16 P)
    """
    half = 0.5 * np.diff(breaks, axis=-1)[..., None]
    nodes = breaks[..., :-1, None] + half * (1.0 + POINTS)
    shape = (*breaks.shape[:-1], NODES * (breaks.shape[-1] - 1))
    return nodes.reshape(shape), (half * WEIGHTS).reshape(shape)
