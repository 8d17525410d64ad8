"""The derivative of the one-step maps of tokens, exact: how a frame of tangent vectors is carried.

The tangent step y = x + P_x F(x) has the derivative v + P_x DF v - (x·F) v - (v·F) x, and N(y) =
y/|y| the derivative w - (ŷ·w) ŷ over |y|. Nothing is differenced.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.fields import Frozen
from rqf.flow.tokens import TokenStepper, added, tangent, unit

Array = NDArray[np.float64]


def step(
    machine: TokenStepper, frozen: tuple[Frozen, ...], x: Array, frames: Array
) -> tuple[Array, Array, Array]:
    """One step of points x (R, n) and of the k tangent vectors of each, frames (R, k, n).

    Besides the two, how much each vector grows along itself to first order in F, (R, k): of an
    orthonormal frame the stretch under noise, of mean zero.
    """
    one = x[:, None]
    move, carried = _tangent_step(frozen, one, frames)
    first = np.sum(frames * carried, axis=-1)
    if machine.scheme == "euler":
        return *_to_unit(one + move, frames + carried), first
    middle, halfway = _to_unit(one + 0.5 * move, frames + 0.5 * carried)
    move, carried = _tangent_step(frozen, middle[:, None], halfway)
    return *_to_unit(one + move, frames + carried), first


def _tangent_step(frozen: tuple[Frozen, ...], x: Array, v: Array) -> tuple[Array, Array]:
    """P_x F(x) and its derivative in the directions v: x (R, 1, n), v (R, k, n)."""
    force = added([part(x) for part in frozen])
    points = np.broadcast_to(x, v.shape)
    pushed = tangent(x, added([part.push(points, v) for part in frozen]))
    along = np.sum(x * force, axis=-1, keepdims=True)
    return tangent(x, force), pushed - along * v - np.sum(v * force, axis=-1, keepdims=True) * x


def _to_unit(y: Array, w: Array) -> tuple[Array, Array]:
    """N(y) as (R, n), and the derivative of N in the directions w."""
    length = np.sqrt(np.sum(y * y, axis=-1, keepdims=True))
    point = unit(y)
    return point[:, 0], tangent(point, w) / length
