"""Claims on the bias hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome
from scipy.special import beta

from rqf.claims import bias, bias_stages, biased
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.theory import TwoPoint

CLAIMS = {claim.id.split(".")[1]: claim for claim in bias.CLAIMS}
PARTS = {"generator": (0, 1), "meeting": (0, 1, 2), "strong": (0,), "near_attractor": (0,)}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0])
def test_fails_if_the_prediction_is_wrong(name, factor):
    """Bounds fail when halved or negative; doubled they hold all the more."""
    true = CLAIMS[name].predict()
    if name not in PARTS:
        assert not outcome(CLAIMS[name], factor * true).passed
        return
    for part in PARTS[name]:
        if name == "meeting" and part == 0 and factor == 2.0:
            continue
        wrong = [np.array(entry) for entry in true]
        wrong[part] = factor * wrong[part]
        assert not outcome(CLAIMS[name], wrong).passed, part


def test_wrong_bounds_fail():
    """A bound of a fourth of the true one, or of a tenth, is broken."""
    for name, share in (("strong", 0.25), ("near_attractor", 1e-9)):
        mean, bound = CLAIMS[name].predict()
        assert not outcome(CLAIMS[name], [mean, share * bound]).passed


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_mean_angle_falls_as_bounded(n):
    """d E θ/dt = -(n-2)γ² E tan(θ/2), so E θ <= θ_0 exp(-(n-2)γ²t/2) for every γ."""
    gamma, z = 1.5, np.array([-0.8, 0.0, 0.7])
    pair = TwoPoint(biased.biased(n, gamma))
    angle = np.arccos(z)
    sine = np.sin(angle)
    drift = -pair.drift(z) / sine - 0.5 * z * pair.variance(z) / sine**3
    np.testing.assert_allclose(drift, -(n - 2) * gamma**2 * np.tan(0.5 * angle), atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_leading_term_of_the_distance(n):
    """γ log(1/γ)/Beta((n-1)/2, ½), off by O(γ): the difference of two γ shows it alone."""
    first, second = 1e-4, 1e-6
    slope = biased.distance_to_attractor(n, second) / second
    slope -= biased.distance_to_attractor(n, first) / first
    expected = 1.0 / beta(0.5 * (n - 1), 0.5)
    assert slope / np.log(first / second) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_lifetime_constant(n):
    gamma = 1e-5
    exact = gamma * TwoPoint(biased.biased(n, gamma)).exit_time(-1.0, -1.0, 0.0)
    assert exact == pytest.approx(bias_stages.lifetime_constant(n), rel=5e-3)


def test_form_takes_the_same_noise_with_a_bias_and_without():
    """Beside a bias of 0 the form follows its own path, up to the strong errors of two schemes.

    Other noise would leave the tokens about 1 apart, whatever the step.
    """
    form, x = biased.biased(3, 0.0).summands[0], np.eye(3)
    off = {}
    for dt in (1 / 64, 1 / 1024):
        flows = [Flow(field, dt=dt) for field in (form, biased.biased(3, 0.0))]
        off[dt] = np.mean([
            np.max(np.abs(np.subtract(*(flow(Wiener(3, realization=r), x, 1.0) for flow in flows))))
            for r in range(6)
        ])
    assert off[1 / 1024] < 0.1
    assert off[1 / 1024] < 0.3 * off[1 / 64]


def test_one_token_with_a_start_of_its_own():
    """Starts of one token per realisation are left as they were."""
    x0 = np.tile([[1.0, 0.0, 0.0]], (4, 1, 1))
    kept = x0.copy()
    once, twice = (
        simulate(biased.biased(3, 1.0), t=1.0, dt=1 / 8, times=[0.0, 1.0], x0=x0, realizations=4)
        for _ in range(2)
    )
    np.testing.assert_array_equal(x0, kept)
    np.testing.assert_array_equal(once.x, twice.x)
    np.testing.assert_array_equal(once.x[:, 0], kept)
