"""Normals by address: the algorithm word for word, and the law of what comes out.

The statistics are of fixed seeds. A threshold of four standard errors is missed by one correct
number in 16000, a p-value of 1e-4 by one in 10^4: with ninety of them, a correct generator in a
hundred would fail here.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from noise_reference import EDGES, TAIL, normal
from scipy import stats

from rqf.noise.ziggurat import _EDGE, fill_coins, fill_normals, fill_step_normals


def draw(
    first: int, size: int, cell: int = 0, purpose: int = 0, seed: int = 5, realization: int = 0
) -> np.ndarray:
    out = np.full(size + 2, np.nan)
    key = np.array([cell % 2**64, purpose, seed, realization], dtype=np.uint64)
    fill_normals(first, *key, out, 1, size)
    assert np.isnan(out[[0, -1]]).all()
    return out[1:-1]


@pytest.fixture(scope="module")
def many() -> np.ndarray:
    return draw(0, 20_000_000)


def test_layers_have_equal_area() -> None:
    """That the last layer closes the hill fixes the constant of the tail."""
    edges = np.array(EDGES)
    np.testing.assert_allclose(_EDGE, edges, rtol=1e-14)
    heights = np.exp(-(edges[1:] ** 2) / 2)
    areas = edges[1:-1] * np.diff(heights)
    base = TAIL * heights[0] + np.sqrt(2 * np.pi) * stats.norm.sf(TAIL)
    np.testing.assert_allclose(areas, base, rtol=1e-11)


@pytest.mark.parametrize(
    ("cell", "purpose", "seed", "realization"),
    [(0, 0, 0, 0), (-3, 2, 7, 1), (10**9, 2 << 32, 2**64 - 1, 2**63)],
)
def test_plain_python(cell: int, purpose: int, seed: int, realization: int) -> None:
    """4000 numbers an address, wedges and renewed words among them: the same bits."""
    address = (cell, purpose, seed, realization)
    expected, places = zip(*(normal(i, *address) for i in range(4000)), strict=True)
    found = draw(0, 4000, *address)
    inner = np.abs(expected) < TAIL
    np.testing.assert_array_equal(found[inner], np.array(expected)[inner])
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)
    counts = Counter(places)
    assert counts["core"] > 3900
    assert counts["wedge"] > 10
    assert counts["again"] > 5


def test_plain_python_in_the_tail(many: np.ndarray) -> None:
    far = np.flatnonzero(np.abs(many) > TAIL)[:200]
    expected = [normal(int(i), 0, 0, 5, 0) for i in far]
    assert {where for _, where in expected} == {"tail"}
    np.testing.assert_allclose(many[far], [x for x, _ in expected], rtol=1e-15, atol=0)
    assert (many[far] < 0).any()
    assert (many[far] > 0).any()


def test_a_normal_is_a_function_of_its_own_address(many: np.ndarray) -> None:
    """Wherever a window begins and ends: also right after numbers that took several words."""
    for first in [0, 1, 2, 3, 5, 4097, 999_999]:
        for size in [1, 2, 3, 4, 5, 9, 1001]:
            np.testing.assert_array_equal(draw(first, size), many[first : first + size])


def test_moments(many: np.ndarray) -> None:
    """Orders 1 to 4 within four standard errors √(E x^2k - (E x^k)²) / √N."""
    root = np.sqrt(len(many))
    exact = [0.0, 1.0, 0.0, 3.0]
    deviation = np.sqrt([1.0, 2.0, 15.0, 96.0])
    powers = many.copy()
    for order in range(4):
        assert abs(powers.mean() - exact[order]) < 4 * deviation[order] / root, order + 1
        powers *= many


def test_kolmogorov_smirnov(many: np.ndarray) -> None:
    assert stats.kstest(many[:2_000_000], stats.norm.cdf).pvalue > 1e-4


def test_counts_in_bins_and_in_the_tails(many: np.ndarray) -> None:
    """χ² over bins of width 1/20 up to |x| = 4.5 and what lies beyond; p-value above 1e-4.

    Beyond 4 are 1267 expected, beyond 4.5 136, and the outermost bins hold ten and more.
    """
    edges = np.linspace(-4.5, 4.5, 181)
    inner, _ = np.histogram(many, bins=edges)
    counts = np.r_[np.sum(many < -4.5), inner, np.sum(many > 4.5)]
    expected = len(many) * np.diff(stats.norm.cdf(np.r_[-np.inf, edges, np.inf]))
    assert expected.min() > 10
    assert stats.chisquare(counts, expected).pvalue > 1e-4
    outer = np.abs(edges[:-1] + 0.025) > 3.6
    tails = np.r_[True, outer, True]
    statistic = np.sum((counts - expected)[tails] ** 2 / expected[tails])
    assert stats.chi2(tails.sum()).sf(statistic) > 1e-4


def test_normals_of_a_step() -> None:
    """They belong to (cell, place in the cell, purpose), whichever steps they are drawn with."""
    keys = np.array([0, 8], dtype=np.uint64)
    out = np.empty((2, 40, 3))
    fill_step_normals(-20, 1, 4, np.uint64(2 << 32 | 4), np.uint64(5), keys, out)
    for j, tick in enumerate(range(-20, 20)):
        for key, row in zip(keys, out, strict=True):
            expected = draw((tick % 16) * 3, 3, tick >> 4, 2 << 32 | 4, 5, int(key))
            np.testing.assert_array_equal(row[j], expected)
    late = np.empty((2, 5, 3))
    fill_step_normals(-20 + 7, 3, 4, np.uint64(2 << 32 | 4), np.uint64(5), keys, late)
    np.testing.assert_array_equal(late, out[:, 7:22:3])


@pytest.mark.parametrize("level", [0, 3, 6, 9])
def test_coins(level: int) -> None:
    """A bit belongs to its step, bits are fair and neighbours independent: four deviations."""
    key = np.array([1, 2], dtype=np.uint64)
    seed, purpose = np.uint64(3), np.uint64(1 << 32 | level)
    out = np.empty((2, 1 << 16), dtype=np.bool_)
    fill_coins(-777, 1, level, purpose, seed, key, out)
    for begin, group in [(-777, 1), (-1, 1), (0, 1), (63, 2), (100, 4)]:
        part = np.empty((2, 300), dtype=np.bool_)
        fill_coins(begin, group, level, purpose, seed, key, part)
        expected = out[:, begin + 777 :: group][:, :300]
        np.testing.assert_array_equal(part, expected)
    signs = np.where(out, 1.0, -1.0)
    deviation = 1 / np.sqrt(signs.shape[1])
    products = [signs[0], signs[1], signs[0] * signs[1]]
    products += [signs[:, lag:] * signs[:, :-lag] for lag in (1, 2, 3, 63, 64, 65, 512)]
    for product in products:
        assert np.all(np.abs(product.mean(axis=-1)) < 4 * deviation)
