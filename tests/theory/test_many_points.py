"""The split of many tokens by one hyperplane, and the invariant laws of a pair."""

import math

import numpy as np
import pytest

from rqf.errors import InvalidArgument
from rqf.theory import MeanField, all_together, group_size_pmf, invariant_pair


@pytest.mark.parametrize("tokens", [1, 2, 3, 8, 9, 64, 1001])
def test_group_size_is_binomial(tokens):
    exact = [math.comb(tokens, k) / 2**tokens for k in range(tokens + 1)]
    np.testing.assert_allclose(group_size_pmf(tokens), exact, rtol=1e-12)


def test_group_size_of_very_many_tokens():
    pmf = group_size_pmf(1_000_000)
    k = np.arange(1_000_001.0)
    assert np.sum(pmf) == pytest.approx(1.0, rel=1e-13)
    assert np.sum(pmf * (k - 500_000.0) ** 2) == pytest.approx(250_000.0, rel=1e-9)


@pytest.mark.parametrize("tokens", [1, 2, 10, 1000])
def test_all_together_is_a_group_of_none_or_all(tokens):
    pmf = group_size_pmf(tokens)
    assert all_together(tokens) == pytest.approx(pmf[0] + pmf[-1], rel=1e-12)


def test_split_is_the_one_of_a_collapsed_mean_field():
    """Tokens under a lift of rank one almost: the sign of y·v decides, v its right direction."""
    tokens, runs = 5, 20_000
    generator = np.random.default_rng(0)
    v = generator.standard_normal((runs, 1, 3))
    y = generator.standard_normal((runs, tokens, 3))
    sizes = np.sum(np.sum(y * v, axis=-1) > 0.0, axis=1)
    counts = np.bincount(sizes, minlength=tokens + 1)
    expected = runs * group_size_pmf(tokens)
    assert np.all(np.abs(counts - expected) < 4.5 * np.sqrt(expected))


def test_invariant_pairs():
    alpha, size, n = 0.3, 100_000, 4
    x, y = invariant_pair(alpha, size, n, seed=1)
    overlap = np.sum(x * y, axis=1)
    np.testing.assert_allclose(np.abs(overlap), 1.0, rtol=1e-14)
    together = np.mean(overlap > 0.0)
    assert abs(together - alpha) < 4.0 * math.sqrt(alpha * (1.0 - alpha) / size)
    moment = x.T @ x / size
    assert np.max(np.abs(moment - MeanField(np.eye(n)).second_moment())) < 5e-3
    for certain, sign in ((1.0, 1.0), (0.0, -1.0)):
        x, y = invariant_pair(certain, 1000, n, seed=2)
        np.testing.assert_array_equal(y, sign * x)


def test_refusals():
    with pytest.raises(InvalidArgument, match="tokens = 0"):
        group_size_pmf(0)
    with pytest.raises(InvalidArgument, match="tokens = 0"):
        all_together(0)
    with pytest.raises(InvalidArgument, match="alpha"):
        invariant_pair(1.5, 10, 3, 0)
