"""Lévy's construction: every increment is that of one path, however it is asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from noise_reference import block, increment, normal

import rqf
from rqf.noise import draw
from rqf.noise.bridge import reversed_bits
from rqf.noise.grid import Grid, align

SEED, KEYS = 7, (0, 3, 2**64 - 1)


def increments(
    grid: Grid, begin: int, steps: int, size: int = 3, stream: int = 0, column: int = 0
) -> np.ndarray:
    out = np.full((len(KEYS), steps, column + size + 1), np.nan)
    draw.increments(grid, SEED, KEYS, begin, stream, size, out, column)
    assert np.isnan(out[:, :, :column]).all()
    assert np.isnan(out[:, :, column + size :]).all()
    return out[:, :, column : column + size]


def grid_of(level: int, first: int = 0, group: int = 1) -> Grid:
    return Grid(first, group, level, 2.0**-level)


@pytest.mark.parametrize(("number", "bits"), [(0, 0), (1, 1), (6, 3), (11, 4), (5, 9), (1023, 10)])
def test_reversed_bits(number: int, bits: int) -> None:
    expected = int(format(number, f"0{bits}b")[::-1], 2) if bits else 0
    assert reversed_bits(number, bits) == expected


@pytest.mark.parametrize(
    ("level", "first", "size", "stream"),
    [(0, -3, 2, 0), (1, -3, 1, 1), (3, -21, 3, 0), (6, 61, 2, 5), (10, 2**10 - 3, 1, 0),
     (40, 2**40 - 3, 1, 0), (20, 10**9 << 20, 2, 2**32 - 1), (20, -(10**9 << 20) - 4, 2, 0)],
)  # fmt: skip
def test_plain_python(level: int, first: int, size: int, stream: int) -> None:
    """Across the border of a cell, on both sides of time 0, a billion cells away, at all levels."""
    found = increments(grid_of(level, first), 0, 8, size, stream)
    for r, key in enumerate(KEYS):
        for step in range(8):
            for i in range(size):
                expected = increment(first + step, level, i, size, stream, SEED, key)
                assert found[r, step, i] == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("first", [-2, 0, 10**9, -(10**9)])
def test_coarse_steps_are_sums_of_fine_ones(size: int, first: int) -> None:
    """Levels 0 to 10 of three cells, to the rounding of ten additions and products."""
    path = [
        increments(grid_of(level, first << level), 0, 3 << level, size) * 2.0 ** (-level / 2)
        for level in range(11)
    ]
    for level in range(10):
        for finer in range(level + 1, 11):
            sums = path[finer].reshape(3, 3 << level, -1, size).sum(axis=2)
            np.testing.assert_allclose(sums, path[level], rtol=0, atol=1e-14)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 3000])
@pytest.mark.parametrize("level", [0, 4, 9])
def test_any_window(size: int, level: int) -> None:
    """The same bits for windows that begin and end anywhere, also across cells and time 0."""
    total = 2 * 2**level + 40 if size < 100 else 60
    grid = grid_of(level, -min(2**level, total // 2) - 5)
    whole = increments(grid, 0, total, size)
    for begin, steps in [(0, 1), (1, 2), (3, 17), (total // 2 - 3, 7), (total - 29, 29)]:
        part = increments(grid, begin, steps, size, column=2)
        np.testing.assert_array_equal(part, whole[:, begin : begin + steps])
    singles = [increments(grid, k, 1, size) for k in range(total - 20, total)]
    np.testing.assert_array_equal(np.concatenate(singles, axis=1), whole[:, total - 20 :])


@pytest.mark.parametrize("cached", [1, 10, 64, 1000, 1 << 20])
def test_any_block(cached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many ticks are made at once does not show."""
    grid = grid_of(7, -150)
    expected = increments(grid, 0, 500)
    monkeypatch.setattr(draw, "CACHED", cached)
    np.testing.assert_array_equal(increments(grid, 0, 500), expected)
    np.testing.assert_array_equal(increments(grid, 123, 77), expected[:, 123:200])


@pytest.mark.parametrize("cached", [1, 64, 1 << 13])
@pytest.mark.parametrize("group", [2, 8, 64])
def test_steps_of_many_ticks(group: int, cached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = increments(grid_of(8, -301), 0, 40 * group)
    monkeypatch.setattr(draw, "CACHED", cached)
    coarse = increments(grid_of(8, -301, group), 0, 40)
    np.testing.assert_allclose(
        coarse, fine.reshape(len(KEYS), 40, group, 3).sum(axis=2), rtol=0, atol=1e-13
    )
    np.testing.assert_array_equal(increments(grid_of(8, -301, group), 11, 9), coarse[:, 11:20])


@pytest.mark.parametrize("odd", [Fraction(1, 8), Fraction(3, 64), Fraction(-5, 2**12)])
def test_shifted_by_a_fraction_of_a_step(odd: Fraction) -> None:
    """θ_s ω on steps that straddle those of ω: sums over the fine ticks that both share."""
    omega, ticks = rqf.Wiener(3), 2**12
    shifted = omega.shift(float(odd)).increments(2, 1 / 4, 12)
    fine = omega.increments(2, 1 / ticks, 3 * ticks, start=float(odd))
    np.testing.assert_allclose(
        shifted, fine.reshape(12, ticks // 4, 2).sum(axis=1), rtol=0, atol=1e-13
    )
    assert align(omega.shift(float(odd)), 1 / 4).group == odd.denominator // 4


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads(threads: int) -> None:
    grid = grid_of(5, -100)
    whole = increments(grid, 0, 300)
    windows = [(begin, min(13, 300 - begin)) for begin in range(0, 300, 13)]
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda window: increments(grid, *window), windows))
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)


def test_realisations_are_drawn_alike_together_and_alone() -> None:
    together = increments(grid_of(4), 0, 50)
    for r, key in enumerate(KEYS):
        alone = np.empty((1, 50, 3))
        draw.increments(grid_of(4), SEED, [key], 0, 0, 3, alone)
        np.testing.assert_array_equal(alone[0], together[r])


def test_initial_points_are_drawn_alike_in_pieces() -> None:
    whole, part = np.empty((3, 50)), np.empty((3, 13))
    draw.starts(SEED, KEYS, 0, whole)
    draw.starts(SEED, KEYS, 21, part)
    np.testing.assert_array_equal(part, whole[:, 21:34])


def test_what_numbers_are_for_is_part_of_their_address() -> None:
    """Coins, areas and initial points: purposes 1, 2 and 3 in the high half of a counter word."""
    grid, first = grid_of(7, -3), -3
    coins, areas = np.empty((len(KEYS), 6), np.bool_), np.empty((len(KEYS), 6, 2))
    starts = np.empty((len(KEYS), 9))
    draw.coins(grid, SEED, KEYS, 0, coins)
    draw.areas(grid, SEED, KEYS, 0, areas)
    draw.starts(SEED, KEYS, 4, starts)
    for r, key in enumerate(KEYS):
        for step in range(6):
            cell, inside = divmod(first + step, 128)
            word = block(inside // 64, cell % 2**64, 1 << 32 | 7, 0, SEED, key)[0]
            assert coins[r, step] == (word >> inside % 64) % 2
            for i in range(2):
                number = normal(2 * inside + i, cell, 2 << 32 | 7, SEED, key)[0]
                assert areas[r, step, i] == pytest.approx(number, rel=1e-14)
        expected = [normal(4 + i, 0, 3 << 32, SEED, key)[0] for i in range(9)]
        np.testing.assert_allclose(starts[r], expected, rtol=1e-14)
