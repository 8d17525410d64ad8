"""Claims on stacks of layers hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome
from scipy.special import roots_genlaguerre, roots_hermitenorm

from rqf.claims import layers

CLAIMS = {claim.id.split(".")[1]: claim for claim in layers.CLAIMS}


def one_layer(n, h):
    """E[x'·x] of one layer, by Gauss quadrature: E[(1 + √h w_1)/|e_1 + √h w|]."""
    w, weights = roots_hermitenorm(80)
    half_square, others = roots_genlaguerre(60, 0.5 * (n - 3))
    along = 1.0 + np.sqrt(h) * w[:, None]
    values = along / np.sqrt(along**2 + 2.0 * h * half_square)
    return weights @ values @ others / (np.sum(weights) * np.sum(others))


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0])
def test_fails_if_the_prediction_is_wrong(name, factor):
    for index in range(len(CLAIMS[name].predict())):
        prediction = CLAIMS[name].predict()
        prediction[index] *= factor
        assert not outcome(CLAIMS[name], prediction).passed


def test_the_speed_of_the_quadratic_form_alone_is_seen():
    """A linear layer moves one token twice as fast as its symmetric part does."""
    prediction = CLAIMS["limit"].predict()
    prediction[0] = np.sqrt(prediction[0])
    assert not outcome(CLAIMS["limit"], prediction).passed


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
def test_expansion_of_one_layer(n):
    """log c = -(n-1)h/2 + (n-1)(n-4)h²/4 + O(h³)."""
    for h in (1e-2, 5e-3):
        found = (np.log(one_layer(n, h)) / h + 0.5 * (n - 1)) / h
        expected = (n - 1) * (n - 4) / 4.0
        np.testing.assert_allclose(found, expected, atol=2.0 * n**3 * h)


def test_terms_taken_off_leave_the_mean():
    """The mean of a stack is c^k exactly, whatever is taken off for the scatter."""
    depth = 8
    values = layers.one_token(depth, 40_000, np.random.default_rng(3))
    exact = one_layer(layers.N, layers.TIME / depth) ** depth
    error = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values) - exact) < 4.0 * error
    assert error < 2e-3
