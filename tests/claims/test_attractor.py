"""Claims on the attractor hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome
from scipy import integrate

from rqf import sphere
from rqf.claims import attractor, attractor_in_time, circle
from rqf.claims.lifts import lifts, top_left
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow
from rqf.noise import Wiener
from rqf.observe import pullback_attractor

CLAIMS = {
    claim.id.split(".")[1]: claim
    for module in (attractor, attractor_in_time, circle)
    for claim in module.CLAIMS
}


def scaled(factor):
    return lambda part: np.asarray(part) * factor


def fails(name, prediction):
    return not outcome(CLAIMS[name], prediction).passed


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("points", [1.0, 3.0, 4.0])
def test_two_points_and_not_another_number(points):
    assert fails("two_points", np.tile([points, points, 0.0], 3))
    assert fails("circle", [*CLAIMS["circle"].predict()[:2], [points, points, 0.0]])


@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0, 0.9])
def test_other_rates_and_means_are_seen(factor):
    change = scaled(factor)
    for name in ("pullback", "motion"):
        assert fails(name, change(CLAIMS[name].predict()))
    near, far = CLAIMS["forward"].predict()
    assert fails("forward", [change(near), far])
    assert factor == 0.9 or fails("forward", [near, change(far)])
    rate, turned, points = CLAIMS["circle"].predict()
    assert fails("circle", [change(rate), turned, points])
    assert fails("circle", [rate, change(turned), points])


def test_the_paper_s_units_are_seen():
    half = [[-1.0, *(attractor.mean_log_sine(3) - np.array(times))]
            for times in (attractor_in_time.FORWARD, attractor_in_time.FAR)]
    assert fails("forward", half)


def test_motion_at_another_speed_is_seen():
    times = np.array(attractor_in_time.LATER)
    for speed in (0.5, 0.8, 1.25, 2.0):
        wrong = [np.exp(-rate * speed * times) for rate in (0.5, 1.5)]
        assert fails("motion", np.concatenate(wrong))


def test_a_preferred_axis_is_seen():
    assert fails("uniform", [np.diag(np.r_[2.0, np.ones(n - 1)]) for n in (2, 3, 5)])


def test_a_point_that_is_not_carried_along_is_seen():
    assert fails("carried", np.full(3, 1e-6))


def test_lifts_are_those_of_the_flow():
    flow, omega = Flow(RandomQuadraticForm(3), dt=1 / 8, scheme="corrected-exponential"), Wiener(4)
    together = lifts(flow, omega.shift(-6.0), 3, 6.0)
    for realization, lifted in enumerate(together):
        own = Wiener(4, realization=realization)
        alone = flow.lift(own.shift(-6.0), 6.0)
        np.testing.assert_allclose(lifted / np.linalg.norm(lifted, 2), alone, atol=1e-12)
    far = lifts(flow, omega.shift(-30.0), 3, 30.0)
    for realization, a in enumerate(top_left(far)):
        own = pullback_attractor(flow, Wiener(4, realization=realization), 30.0)
        assert sphere.projective_distance(a, own.points[0]) < 1e-12


@pytest.mark.parametrize("n", [2, 3, 7])
def test_mean_log_sine(n):
    weight, _ = integrate.quad(lambda u: np.sin(u) ** (n - 2), 0.0, np.pi)
    mean, _ = integrate.quad(lambda u: np.sin(u) ** (n - 2) * np.log(np.sin(u)), 0.0, np.pi)
    np.testing.assert_allclose(attractor.mean_log_sine(n), mean / weight, rtol=1e-7)


def test_the_circle_s_steps_solve_its_equation():
    """Each elementary flow against dφ/ds = cos 2φ and dφ/ds = sin 2φ."""
    phi = np.linspace(-3.0, 3.0, 13)
    for step, velocity in ((circle._cosine, np.cos), (circle._sine, np.sin)):
        x, y = step(np.cos(phi), np.sin(phi), np.array(0.7))
        solved = integrate.solve_ivp(
            lambda _, angle, velocity=velocity: velocity(2.0 * angle), (0.0, 0.7), phi, rtol=1e-10,
            atol=1e-12,
        ).y[:, -1]
        np.testing.assert_allclose([x, y], [np.cos(solved), np.sin(solved)], atol=1e-8)
