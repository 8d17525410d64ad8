"""Claims on two tokens hold, and fail once their prediction is wrong."""

import math
import os

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, measurement, outcome
from numpy.polynomial import Polynomial

import rqf
from rqf.claims import pair, pair_ends, pair_rates
from rqf.claims.base import stream
from rqf.theory import TwoPoint

EVERY = (*pair.CLAIMS, *pair_ends.CLAIMS, *pair_rates.CLAIMS)
CLAIMS = {claim.id.split(".")[1]: claim for claim in EVERY}


def diffusion(drift=1.0, variance=1.0):
    found = pair.predict_diffusion()
    return [drift * found[0], variance * found[1]]


def with_dimension():
    """A drift that grows with n, as the one of a single token does."""
    z = np.array(pair.OVERLAPS)
    drifts = [pair.DRIFT(z) * (n - 1) / 2 for n in pair.DIFFUSION]
    return [np.concatenate(drifts), pair.predict_diffusion()[1]]


def law(start=pair.LAW_START, factor=1.0):
    two = TwoPoint(rqf.RandomQuadraticForm(3))
    return [lambda z, t=t: two.cdf(z, start, factor * t) for t in pair.LAW_TIMES]


def together(chance):
    return np.tile([chance(a) for a in pair_ends.TOGETHER_ANGLES], len(pair_ends.TOGETHER))


def replaced(prediction, part, value):
    return [value if index == part else entry for index, entry in enumerate(prediction)]


INVARIANT = pair_ends.predict_invariant()
ALMOST_SURE = pair_rates.predict_almost_sure()
MEAN_RATE = pair_rates.predict_mean_rate()

WRONG = {
    "diffusion": {
        "sign of the drift": diffusion(drift=-1.0),
        "twice the drift": diffusion(drift=2.0),
        "sigma = 1": diffusion(drift=0.5, variance=0.5),
        "twice the variance": diffusion(variance=2.0),
        "drift depends on n": with_dimension(),
    },
    "law": {
        "sign of the start": law(start=-pair.LAW_START),
        "twice the time": law(factor=2.0),
        "half the time": law(factor=0.5),
    },
    "linear_layer": {
        "sign of the start": law(start=-pair.LAW_START),
        "twice the strength": law(factor=2.0),
    },
    "rotations": {
        "opposite": math.pi - pair.predict_skew(),
        "twice": 2.0 * pair.predict_skew(),
        "off by 1e-11": pair.predict_skew() + 1e-11,
    },
    "martingale": {
        "opposite": math.pi - pair_ends.predict_martingale(),
        "twice": 2.0 * pair_ends.predict_martingale(),
        "a little more": 1.1 * pair_ends.predict_martingale(),
    },
    "poles": {
        "twice the time": [pair_ends.chance_near_poles(2 * t) for t in pair_ends.POLE_TIMES],
        "half the time": [pair_ends.chance_near_poles(t / 2) for t in pair_ends.POLE_TIMES],
        "away from poles": 1.0 - pair_ends.predict_poles(),
    },
    "together": {
        "apart": together(lambda a: a / math.pi),
        "half the angle": together(lambda a: 1 - a / (2 * math.pi)),
        "linear in z": together(lambda a: (1 + math.cos(a)) / 2),
    },
    "invariant_laws": {
        "an axis": replaced(INVARIANT, 0, [np.diag([2.0, 1.0, 1.0])] * 3),
        "distance": replaced(INVARIANT, 1, INVARIANT[1] + 1.0),
        "1 - α": replaced(INVARIANT, 2, 1.0 - INVARIANT[2]),
        "half of α": replaced(INVARIANT, 2, 0.5 * INVARIANT[2]),
        "twice the distance": replaced(INVARIANT, 3, 2.0 * INVARIANT[3]),
    },
    "almost_sure_rate": {
        "sign": replaced(ALMOST_SURE, 0, -ALMOST_SURE[0]),
        "the rate of the mean": replaced(ALMOST_SURE, 0, 0.25 * ALMOST_SURE[0]),
        "twice": replaced(ALMOST_SURE, 0, 2.0 * ALMOST_SURE[0]),
        "half the variance": replaced(ALMOST_SURE, 1, 0.5 * ALMOST_SURE[1]),
        "a quarter along a path": replaced(ALMOST_SURE, 2, np.array([-0.25])),
    },
    "mean_rate": {
        "the almost sure rate": replaced(MEAN_RATE, 1, np.array([1.0])),
        "twice": replaced(MEAN_RATE, 0, 2.0 * MEAN_RATE[0]),
        "twice the rate": replaced(MEAN_RATE, 0, MEAN_RATE[0] ** 2),
    },
    "bound": {
        "half of it": 0.5 * pair_rates.predict_bound(),
        "sigma = 1, so squared": pair_rates.predict_bound() ** 4,
    },
}


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize(("name", "mistake"), [(n, m) for n in WRONG for m in WRONG[n]])
def test_claim_is_falsified(name, mistake):
    assert not outcome(CLAIMS[name], WRONG[name][mistake]).passed


def test_every_claim_has_a_falsification():
    assert set(WRONG) == set(CLAIMS)


def test_paper_and_package_agree_on_the_diffusion():
    two = TwoPoint(rqf.RandomQuadraticForm(7, sigma=math.sqrt(2.0)))
    z = np.linspace(-1.0, 1.0, 21)
    np.testing.assert_allclose(pair.DRIFT(z), two.drift(z), atol=1e-14)
    np.testing.assert_allclose(pair.VARIANCE(z), two.variance(z), atol=1e-14)
    assert pair.DRIFT.degree() == Polynomial([0, 0, 0, 1]).degree()


def test_mean_of_log_sine_by_quadrature():
    """E log sin θ_t = log sin θ_0 - t and Var log sin θ_t + Var θ_t = 2t, from the density."""
    two, start = TwoPoint(rqf.RandomQuadraticForm(2)), 0.8
    for t in (0.3, 2.0, 9.0):
        reach = start + t + 14.0 * math.sqrt(2.0 * t)
        u = np.linspace(-reach, reach, 20001)
        p = two.density_u(u, start, t) * (u[1] - u[0])
        logs, angles = -np.logaddexp(u, -u) + math.log(2.0), 2.0 * np.arctan(np.exp(-u))
        assert np.sum(p) == pytest.approx(1.0, abs=1e-9)
        mean = float(np.sum(p * logs))
        assert mean == pytest.approx(-math.log(math.cosh(start)) - t, abs=1e-9)
        variances = sum(np.sum(p * f**2) - np.sum(p * f) ** 2 for f in (logs, angles))
        assert variances == pytest.approx(2.0 * t, abs=1e-8)


def test_distance_from_a_uniform_start():
    """At time 0 the tokens are at the mean distance ∫ min(θ, π - θ) sin θ dθ / 2 = 1."""
    assert pair_ends.mean_distance_from_uniform(0.0) == pytest.approx(1.0, abs=1e-3)


def test_undecided_pairs_are_rare():
    """What is left undecided at the last step cannot matter to the share that ends together."""
    assert max(measurement(CLAIMS["together"]).details["undecided"]) < 2e-3


def test_the_same_numbers_on_one_thread(monkeypatch):
    claim = CLAIMS["law"]
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    alone = claim.measure("quick", stream(0, claim.id))
    for one, other in zip(alone.groups, measurement(claim).groups, strict=True):
        np.testing.assert_array_equal(one, other)


def test_another_seed_gives_other_numbers():
    claim = CLAIMS["rotations"]
    again, other = measurement(claim), measurement(claim, seed=1)
    assert np.any(np.asarray(again.values) != np.asarray(other.values))
