"""Claims on attention hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome

from rqf.claims import attention, attention_noise
from rqf.claims.attention_layers import Layer, Pairs, own, softmax_share
from rqf.claims.registry import registered
from rqf.theory import TwoPoint, equiangular_overlap

CLAIMS = {claim.id: claim for claim in (*attention.CLAIMS, *attention_noise.CLAIMS)}
FACTORED = [name for name in CLAIMS if name != "attention_noise.large_beta"]


def scaled(prediction, factor):
    """An array, or a sequence of arrays, times a factor."""
    if isinstance(prediction, list):
        return [factor * part for part in prediction]
    return factor * prediction


def test_registered():
    assert set(CLAIMS) <= {claim.id for claim in registered()}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    if name != "attention.clusters":  # shares of 1 have no scatter
        assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", FACTORED)
@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0])
def test_fails_if_the_prediction_is_wrong(name, factor):
    assert not outcome(CLAIMS[name], scaled(CLAIMS[name].predict(), factor)).passed


@pytest.mark.parametrize("name", ["attention.against_noise", "attention.hybrid"])
@pytest.mark.parametrize("part", [0, 1])
def test_each_part_alone_can_fail(name, part):
    """Probabilities and rates are both held against the theory."""
    prediction = CLAIMS[name].predict()
    prediction[part] = 2.0 * prediction[part]
    assert not outcome(CLAIMS[name], prediction).passed


def test_large_beta_fails_with_the_wrong_end_or_clock():
    claim = CLAIMS["attention_noise.large_beta"]
    split, laws = claim.predict()
    assert not outcome(claim, [1.0 - split, laws]).passed
    pair = TwoPoint(attention_noise.LinearLayer(3))
    slow = [
        lambda z, s=s: pair.cdf(z, attention_noise.LAW_START, 0.5 * s)
        for s in attention_noise.LAW_TIMES
    ]
    assert not outcome(claim, [split, slow]).passed


def test_the_two_kinds_of_weights_are_told_apart():
    """USA's curve does not pass for SA's."""
    claim = CLAIMS["attention.equiangular"]
    wrong = np.concatenate([
        equiangular_overlap(0.0, attention.CLOCK, attention.MANY, beta, kind="softmax")
        for _, beta in attention.CURVES
    ])  # fmt: skip
    assert not outcome(claim, wrong).passed


def test_transition_of_another_dimension_is_seen():
    claim = CLAIMS["attention_noise.transition"]
    n, beta = np.array(attention_noise.SIDES).T
    steep = np.cosh(2.0 * beta)
    assert not outcome(claim, (n - 1.0 - steep) / (1.0 + steep)).passed


@pytest.mark.parametrize(("n", "mix"), [(2, own), (3, softmax_share), (5, softmax_share)])
def test_seven_numbers_are_a_layer(n, mix):
    """One layer has the law of a plain one with an n×n matrix, in E Z and E Z².

    4.5 standard errors of each difference: a false alarm in 1e5.
    """
    size, h, z, beta = 200_000, 0.1, -0.4, 0.8
    one = np.ones(size)
    pairs = Pairs.at(z * one, n * one, beta * one, 0.0 * one, h * one)
    pairs.through(Layer(mix=mix), np.random.default_rng(1))
    x = np.zeros((2, n))
    x[:, 0], x[1, 1] = (1.0, z), np.sqrt(1.0 - z * z)
    q = float(mix(np.array(beta), np.array(z)))
    mean = np.array([[1.0 - q, q], [q, 1.0 - q]]) @ x
    matrix = np.random.default_rng(2).standard_normal((size, n, n))
    y = x + np.sqrt(h) * mean @ matrix
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    plain = np.sum(y[:, 0] * y[:, 1], axis=-1)
    for power in (1, 2):
        first, second = pairs.overlap**power, plain**power
        error = np.hypot(np.std(first), np.std(second)) / np.sqrt(size)
        assert abs(np.mean(first) - np.mean(second)) < 4.5 * error


def test_uneven_clusters_of_more_tokens_leave():
    """What two tokens do, opposite clusters of unequal size do not."""
    rise = CLAIMS["attention_noise.clusters"].predict()
    even = np.array([a == b for a, b in attention_noise.CLUSTERS])
    assert np.all(rise[even] == 0.0)
    assert np.all(rise[~even] > 0.0)
