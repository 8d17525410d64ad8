"""Brownian increments on dyadic ticks of a cell, by Lévy's midpoint construction.

In units of its own standard deviation an increment D over an interval splits into the increments
`(D + ξ)/√2` and `(D - ξ)/√2` of the two halves, ξ a fresh normal. The nodes of this binary tree
carry the normals: node 0 the increment over the whole cell, node 2^(j-1) + p the midpoint of the
interval at place p of level j - 1. Level k of a cell costs exactly 2^k normals a component, and a
finer level adds nodes without touching those that exist: refinement never changes the path.

A level is kept with all left halves before all right halves, so that a split is one pass over
contiguous numbers: interval m of level j stands at place p = the j bits of m read backwards.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint64

from rqf.noise.ziggurat import fill_normals

HALF = float(np.sqrt(0.5))


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def reversed_bits(number, bits):  # type: ignore[no-untyped-def]
    """The last `bits` bits of a number read backwards."""
    result = int64(0)
    for _ in range(bits):
        result = (result << 1) | (number & 1)
        number >>= 1
    return result


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _descend(cell, block, depth, fresh, stream, k0, k1, size, path, midpoints):  # type: ignore[no-untyped-def]
    """Walk from the cell's root to interval `block` of level `depth`; its offset in `path`.

    `path` holds, level by level, the left and the right increment of the pair on the way. If not
    `fresh` it still is that of block - 1, and only the levels that differ are renewed.
    """
    first = 1
    if fresh:
        fill_normals(int64(0), cell, stream, k0, k1, path, int64(0), size)
    elif depth > 0:
        changed = depth
        while (block >> (depth - changed)) & 1 == 0:
            changed -= 1
        first = changed + 1
    for j in range(first, depth + 1):
        parent = int64(block >> (depth - j + 1))
        above = (2 * (j - 1) + (parent & 1 if j > 1 else 0)) * size
        node = int64(1 << (j - 1)) + reversed_bits(parent, j - 1)
        fill_normals(node * size, cell, stream, k0, k1, midpoints, int64(0), size)
        left = 2 * j * size
        for i in range(size):
            d = path[above + i]
            path[left + i] = (d + midpoints[i]) * HALF
            path[left + size + i] = (d - midpoints[i]) * HALF
    return int64(2 * depth + (block & 1 if depth > 0 else 0)) * size


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def block_increments(cell, block, level, width, fresh, stream, k0, k1, size, path, midpoints, out):  # type: ignore[no-untyped-def]
    """Unit increments of the 2^width ticks of level `level` in block number `block` of a cell.

    Tick t of the block goes to the `size` entries of `out` from reversed_bits(t, width) · size on.
    `path` (2 (level - width + 1) size entries) and `midpoints` (2^width size) are work arrays.
    """
    depth = level - width
    here = _descend(cell, block, depth, fresh, stream, k0, k1, size, path, midpoints)
    for i in range(size):
        out[i] = path[here + i]
    place = reversed_bits(block, depth)
    count = int64(1)
    for j in range(depth + 1, level + 1):
        node = int64(1 << (j - 1)) + place
        if depth == 0:
            fill_normals(node * size, cell, stream, k0, k1, midpoints, int64(0), count * size)
        else:
            for i in range(count):
                row = node + (i << depth)
                fill_normals(row * size, cell, stream, k0, k1, midpoints, i * size, size)
        half = count * size
        for i in range(half):
            d = out[i]
            out[i] = (d + midpoints[i]) * HALF
            out[half + i] = (d - midpoints[i]) * HALF
        count *= 2


@njit(nogil=True, cache=True, error_model="numpy")
def fill_increments(  # type: ignore[no-untyped-def]
    first, group, level, width, stream, k0, realizations, size, path, midpoints, block, out, column
):
    """Increments over consecutive steps of `group` ticks each from tick `first` on.

    out[r, :, column : column + size], out of shape (realizations, steps, columns), in units of one
    tick's standard deviation.
    """
    mask = int64(1 << width) - 1
    place = np.empty(mask + 1, np.int64)
    for tick in range(mask + 1):
        place[tick] = reversed_bits(tick, width) * size
    for r in range(realizations.size):
        fresh = True
        current = int64(0)
        for step in range(out.shape[1]):
            for part in range(group):
                tick = first + step * group + part
                number = tick >> width
                if fresh or number != current:
                    inside = int64(number) & (int64(1 << (level - width)) - 1)
                    fresh = fresh or number != current + 1 or inside == 0
                    block_increments(
                        uint64(tick >> level), inside, level, width, fresh, stream, k0,
                        realizations[r], size, path, midpoints, block,
                    )
                    current = number
                    fresh = False
                offset = place[tick & mask]
                if part == 0:
                    for i in range(size):
                        out[r, step, column + i] = block[offset + i]
                else:
                    for i in range(size):
                        out[r, step, column + i] += block[offset + i]
