"""The pullback attractor and the rates at which tokens come to it."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.observe import attractor

FLOW = rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 16)
OMEGA = rqf.Wiener(seed=4)


def test_attractor_is_two_opposite_points_that_take_in_everything():
    points, error = rqf.pullback_attractor(FLOW, OMEGA, t=40.0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-15)
    np.testing.assert_array_equal(points[0], -points[1])
    assert 0.0 < error < 1e-8
    rng = np.random.default_rng(0)
    starts = rqf.normalize(rng.normal(size=(50, 3)))
    arrived = FLOW(OMEGA.shift(-40.0), starts, 40.0)
    nearest = np.min(rqf.angle(arrived[:, None], points[None]), axis=1)
    assert nearest.max() < 1e4 * error


@pytest.mark.parametrize("t", [5.0, 10.0, 20.0])
def test_error_is_the_scale_of_what_remains(t):
    """The angle to the limit is `error` times a ratio of Gaussians: median of order 1.

    Over 40 noises the median of angle / error lies within [0.3, 3] for every t; a wrong rate of
    e^{t/2} would move it by a factor above 10.
    """
    ratios = []
    for seed in range(40):
        omega = rqf.Wiener(seed)
        near = rqf.pullback_attractor(FLOW, omega, t)
        far = rqf.pullback_attractor(FLOW, omega, 60.0)
        angle = np.min(rqf.angle(near.points[:1], far.points))
        ratios.append(angle / near.error)
    assert 0.3 < np.median(ratios) < 3.0


def test_error_is_continuous_where_its_computation_changes(monkeypatch):
    """The singular values and the grades give the same error where both can be read.

    Read from the grades it lacks the third singular value: (s_3 / s_2)² / 2, below 1 % for the
    pairs compared here.
    """
    compared = 0
    for seed in range(20):
        lift = FLOW.graded_lift(rqf.Wiener(seed), 10.0)
        values = np.linalg.svd(lift.matrix(), compute_uv=False)
        if values[2] > 0.1 * values[1] or values[1] > 1e-2 * values[0]:
            continue
        exact = np.log(np.sqrt(np.sum((values[1:] / values[0]) ** 2)))
        for visible in (0.0, 30.0):
            monkeypatch.setattr(attractor, "VISIBLE", visible)
            assert attractor._log_remainder(lift) == pytest.approx(exact, abs=0.01)
        compared += 1
    assert compared >= 8


def test_attractor_is_invariant():
    """φ(s, ω, a(ω)) = ±a(θ_s ω)."""
    points, _ = rqf.pullback_attractor(FLOW, OMEGA, t=50.0)
    later, _ = rqf.pullback_attractor(FLOW, OMEGA.shift(2.0), t=52.0)
    moved = FLOW(OMEGA, points, 2.0)
    assert np.min(rqf.angle(moved[:1], later)) < 1e-9


def test_log_separation_far_below_rounding():
    """After time t the log-distance is -t + const within √(2t) times 4."""
    logs = rqf.log_separation(FLOW, OMEGA, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 500.0])
    assert logs[0] == 0.0
    assert abs(logs[1] + 500.0) < 4.0 * np.sqrt(2 * 500.0)


def test_forward_convergence_is_almost_surely_of_rate_one():
    starts = rqf.normalize(np.random.default_rng(1).normal(size=(5, 3)))
    logs = rqf.forward_convergence(FLOW, OMEGA, starts, [0.0, 400.0], past=40.0)
    assert logs.shape == (2, 5)
    assert np.all(np.abs(logs[1] + 400.0) < 4.0 * np.sqrt(2 * 400.0))


def test_fixed_form_attracts_to_its_eigenvector():
    flow = rqf.Flow(rqf.QuadraticForm(np.diag([0.0, 2.0, 3.0])), dt=1 / 4)
    points, error = rqf.pullback_attractor(flow, OMEGA, t=10.0)
    np.testing.assert_allclose(points, [[1, 0, 0], [-1, 0, 0]], atol=1e-15)
    assert error == pytest.approx(np.exp(-20.0), rel=0.01)


def test_bad_input():
    with pytest.raises(InvalidArgument, match="t = 0"):
        rqf.pullback_attractor(FLOW, OMEGA, t=0.0)
    with pytest.raises(InvalidArgument, match="nearest"):
        rqf.pullback_attractor(FLOW, OMEGA, t=1.03)
