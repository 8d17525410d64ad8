"""The mean distance to synchronization, from the equator's occupation time and from the density."""

import numpy as np
import pytest

from rqf.theory import hyperbolic


def by_density(u0, t):
    law = hyperbolic.Transition(u0, t, breaks=[0.0])
    return law.expectation(lambda u: 2.0 * np.arctan(np.exp(-np.abs(u))))


@pytest.mark.parametrize("t", [1e-6, 0.01, 1.0, 10.0, 100.0, 200.0])
@pytest.mark.parametrize("u0", [0.0, 1e-3, -0.5, 6.0, 17.6, 300.0])
def test_agrees_with_the_density(u0, t):
    closed = hyperbolic.mean_distance(np.asarray(u0), np.asarray(t))
    assert closed == pytest.approx(by_density(u0, t), rel=1e-12)


def test_agrees_with_the_density_down_to_1e_112():
    closed = hyperbolic.mean_distance(np.asarray(0.5), np.asarray(1e3))
    assert closed == pytest.approx(by_density(0.5, 1e3), rel=1e-9)


def test_is_the_distance_itself_at_the_start():
    u0 = np.array([0.0, -1.0, 20.0, np.inf, -np.inf])
    at_start = 2.0 * np.arctan(np.exp(-np.abs(u0)))
    np.testing.assert_array_equal(hyperbolic.mean_distance(u0, np.asarray(0.0)), at_start)
    np.testing.assert_allclose(hyperbolic.mean_distance(u0, np.asarray(1e-12)), at_start, atol=2e-6)


def test_falls_at_the_bottom_of_the_spectrum():
    """log E = -t/4 - (3/2) log t + const + O(1/t)."""
    t = np.array([500.0, 1000.0])
    logs = np.log(hyperbolic.mean_distance(np.asarray(0.0), t))
    slope = (logs[1] - logs[0] + 1.5 * np.log(2.0)) / 500.0
    assert slope == pytest.approx(-0.25, abs=5e-5)
