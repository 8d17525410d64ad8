"""What claims about one and two tokens share: units, schemes, where tokens start, distances."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import sphere
from rqf.claims.base import Level

Array = NDArray[np.float64]

UNIT_SPEED = math.sqrt(2.0)  # sigma of Engel–Shalova and of Shalova
SCHEME = "ninomiya-victoir"  # second order for positions and overlaps, with a small constant
INVARIANT = "exponential"  # the law of a step does not change under rotations
MODEL = "docs/model.md"


def listed(values: Iterable[float]) -> str:
    """Settings of several cases, in words."""
    return ", ".join(f"{value:g}" for value in values)


def step(level: Level, quick: float) -> float:
    """The step at a level: half as long at "full", for a quarter of the bias."""
    return quick if level == "quick" else quick / 2.0


def at_overlaps(n: int, overlaps: ArrayLike) -> Array:
    """A token at e_1, then one in the plane of e_1, e_2 for each overlap that it has with e_1.

    Shape (1 + len(overlaps), n).
    """
    z = np.asarray(overlaps, dtype=np.float64)
    x = np.zeros((1 + z.size, n))
    x[0, 0] = 1.0
    x[1:, 0] = z
    x[1:, 1] = np.sqrt((1.0 - z) * (1.0 + z))
    return x


def overlap(x: Array, y: Array) -> Array:
    """x·y over the last axis, within [-1, 1]."""
    return np.clip(np.sum(x * y, axis=-1), -1.0, 1.0)


def to_poles(x: Array, y: Array) -> Array:
    """dist(x, ±y), the angle to the nearer of y and -y."""
    return np.minimum(sphere.between(x, y), sphere.between(x, -y))
