"""Claims on one token hold, and fail once their prediction is wrong."""

import math

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome
from scipy import stats

from rqf import theory
from rqf.claims import one_point
from rqf.claims.tokens import at_overlaps, to_poles

CLAIMS = {claim.id.split(".")[1]: claim for claim in one_point.CLAIMS}


def transposed(cdf):
    return lambda z: 1.0 - np.asarray(cdf(-np.asarray(z)))


def speed(factor):
    return [
        one_point.brownian_overlap_cdf(n, factor * t)
        for n, times, _ in one_point.SPEED for t in times
    ]


def stretched(shapes, factor):
    return [np.diag([factor, *np.ones(len(shape) - 1)]) for shape in shapes]


def with_covariation(q):
    """The prediction of the Itô form with another trace q(n, z) off the diagonal."""
    return np.concatenate([
        [*(q(n, z) for z in one_point.ITO_OVERLAPS), n - 1.0, -0.5 * (n - 1)] for n in one_point.ITO
    ])


def with_one_entry(entry, value):
    prediction = one_point.predict_ito().copy()
    prediction[entry] = value
    return prediction


WRONG = {
    "decay": {
        "twice the rate": one_point.predict_decay() ** 2,
        "half the rate": one_point.predict_decay() ** 0.5,
        "sign": -one_point.predict_decay(),
        "no n in the eigenvalue": np.array([
            math.exp(-degree * (degree + 1) * t / 4) for _, degree, t in one_point._decay_names()
        ]),
    },
    "unit_speed": {
        "sigma = 1": speed(0.5),
        "twice as fast": speed(2.0),
        "sign": [transposed(cdf) for cdf in one_point.predict_speed()],
    },
    "uniform": {
        "an axis": stretched(one_point.predict_uniform(), 2.0),
        "a plane": stretched(one_point.predict_uniform(), 0.5),
    },
    "convergence": {
        "an axis": stretched(one_point.predict_convergence(), 2.0),
        "a plane": stretched(one_point.predict_convergence(), 0.5),
    },
    "ito": {
        "twice": 2.0 * one_point.predict_ito(),
        "sign": -one_point.predict_ito(),
        "sign of the cubic term": with_covariation(lambda n, z: n * z - 3 * z - 2 * z**3),
        "no cubic term": with_covariation(lambda n, z: n * z - 3 * z),
        "n on the diagonal": with_one_entry(5, 2.0),
        "sign of the drift": with_one_entry(6, 0.5),
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


@pytest.mark.parametrize("n", [2, 3, 4, 8])
@pytest.mark.parametrize("t", [0.1, 1.0])
def test_heat_kernel_on_the_sphere(n, t):
    """A distribution function whose zonal moments decay like exp(-l(l+n-2)t/2)."""
    cdf = one_point.brownian_overlap_cdf(n, t)
    z = np.linspace(-1.0, 1.0, 2001)
    heights = np.asarray(cdf(z))
    assert heights[0] == pytest.approx(0.0, abs=1e-12)
    assert heights[-1] == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(heights) > -1e-12)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    weights = 0.5 * np.pi * weights * np.cos(0.5 * np.pi * nodes)
    nodes = np.sin(0.5 * np.pi * nodes)
    for degree in (1, 2, 3):
        # E h(Z) = h(1) - ∫ F h' dz
        slope = theory.harmonic(degree - 1, n + 2, nodes) * degree * (degree + n - 2) / (n - 1)
        moment = 1.0 - np.sum(weights * np.asarray(cdf(nodes)) * slope)
        assert moment == pytest.approx(math.exp(-degree * (degree + n - 2) * t / 2), abs=1e-10)


def test_heat_kernel_on_the_circle_is_a_wrapped_normal():
    t, z = 0.7, 0.3
    cdf = one_point.brownian_overlap_cdf(2, t)
    angle = math.acos(z)
    outside = 1.0 - sum(
        stats.norm.cdf(angle + 2 * math.pi * k, scale=math.sqrt(t))
        - stats.norm.cdf(-angle + 2 * math.pi * k, scale=math.sqrt(t))
        for k in range(-5, 6)
    )
    assert float(cdf(np.array([z]))[0]) == pytest.approx(outside, abs=1e-12)


def test_heat_kernel_of_a_short_time_is_that_of_flat_space():
    """n = 3: E(1 - Z) = ∫ P(Z <= z) dz is about half of the mean square 2t of a plane motion."""
    t = 1e-3
    nodes, weights = np.polynomial.legendre.leggauss(64)
    cdf = one_point.brownian_overlap_cdf(3, t)
    gap = 0.01 * np.sum(weights * np.asarray(cdf(1.0 - 0.01 * (nodes + 1.0))))
    assert gap == pytest.approx(t, rel=5e-3)


def test_tokens_have_the_overlaps_that_are_asked_for():
    x = at_overlaps(5, [-0.3, 1.0, -1.0])
    np.testing.assert_allclose(x @ x[0], [1.0, -0.3, 1.0, -1.0])
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0)
    np.testing.assert_allclose(to_poles(x[0], x), [0.0, math.acos(0.3), 0.0, 0.0], atol=1e-15)
