"""Filling arrays with addressed noise: increments, coins and auxiliary normals of an ensemble.

The counter's third word tells what a number is for: the low half is the stream of an increment;
the high half is zero for increments and names the purpose otherwise, so that nothing is drawn
twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rqf.noise.bridge import fill_increments
from rqf.noise.grid import Grid
from rqf.noise.ziggurat import fill_coins, fill_normals, fill_step_normals

CACHED = 1 << 13  # doubles of one component block that stay in a processor's first cache
COIN = 1 << 32
AREA = 2 << 32
START = 3 << 32
FRESH = 4 << 32
LAW = 5 << 32
STREAM = 8  # bits below the number of a stream


def _keys(seed: int, realizations: Sequence[int] | NDArray[np.uint64]) -> tuple[np.uint64, NDArray]:
    return np.uint64(seed), np.asarray(realizations, dtype=np.uint64)


def increments(
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    stream: int,
    size: int,
    out: NDArray[np.float64],
    column: int = 0,
) -> None:
    """out[r, j, column : column + size] = increment over step begin + j, in tick deviations."""
    wanted = (out.shape[1] * grid.group - 1).bit_length()
    width = min(grid.level, wanted, max(0, (CACHED // size).bit_length() - 1))
    k0, keys = _keys(seed, realizations)
    fill_increments(
        grid.first + begin * grid.group, grid.group, grid.level, width, np.uint64(stream),
        k0, keys, size,
        np.empty(2 * (grid.level - width + 1) * size),
        np.empty(size << width),
        np.empty(size << width),
        out, column,
    )


def coins(
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    out: NDArray[np.bool_],
) -> None:
    """out[r, j] = the fair coin of step begin + j, independent of the increments."""
    purpose = np.uint64(COIN + grid.level)
    first = grid.first + begin * grid.group
    fill_coins(first, grid.group, grid.level, purpose, *_keys(seed, realizations), out)


def areas(
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    out: NDArray[np.float64],
) -> None:
    """out[r, j, :] = standard normals of step begin + j, independent of the increments."""
    _of_steps(AREA, grid, seed, realizations, begin, out)


def fresh(
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    stream: int,
    out: NDArray[np.float64],
) -> None:
    """out[r, j, :] = standard normals of step begin + j and a stream, of no other step."""
    _of_steps(FRESH + (stream << STREAM), grid, seed, realizations, begin, out)


def law(
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    stream: int,
    out: NDArray[np.float64],
) -> None:
    """As `fresh`, for tokens that move in law: independent of every path."""
    _of_steps(LAW + (stream << STREAM), grid, seed, realizations, begin, out)


def starts(
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    first: int,
    out: NDArray[np.float64],
) -> None:
    """out[r, :] = normals first, first + 1, … of those that initial points are made of."""
    k0, keys = _keys(seed, realizations)
    for key, row in zip(keys, out, strict=True):
        fill_normals(first, np.uint64(0), np.uint64(START), k0, key, row, 0, row.size)


def _of_steps(
    purpose: int,
    grid: Grid,
    seed: int,
    realizations: Sequence[int] | NDArray[np.uint64],
    begin: int,
    out: NDArray[np.float64],
) -> None:
    """Normals that belong to steps of a length, for one purpose."""
    first = grid.first + begin * grid.group
    address = np.uint64(purpose + grid.level)
    fill_step_normals(first, grid.group, grid.level, address, *_keys(seed, realizations), out)
