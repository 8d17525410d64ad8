"""The graded lift: long times without overflow, and separations far below rounding.

For a pair under the random quadratic form log sin θ_t + t is a martingale of variance at most 2t:
with Z = tanh u, sin θ = 1 / cosh u and du = tanh u dt + √2 dW, so d log cosh u = dt + √2 tanh u dW.
The grades of the lift are s_i = Λ_i t + W_i, Λ_i = (n + 1 - 2i)/2, with independent Brownian
motions W_i, all up to one common shift.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.flow import SCHEMES, GradedLift
from rqf.sphere import projective_distance, uniform

every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def rqf_flow(n: int, dt: float = 1 / 16, scheme: str = "") -> rqf.Flow:
    return rqf.Flow(rqf.RandomQuadraticForm(n), dt, scheme)


@every_scheme
@pytest.mark.parametrize("n", [2, 3, 7])
def test_same_matrix_as_the_lift(scheme: str, n: int) -> None:
    """While the lift itself loses nothing, for noise with and without a drift."""
    drift = rqf.QuadraticForm(np.diag(np.linspace(-1.0, 1.0, n)))
    for field in (rqf.RandomQuadraticForm(n), rqf.Skew(n) + drift):
        flow = rqf.Flow(field, 1 / 8, scheme)
        omega = rqf.Wiener(n)
        for graded, t in zip(flow.graded_lifts(omega, [0.5, 2.0]), [0.5, 2.0], strict=True):
            assert np.max(np.abs(graded.frame.T @ graded.frame - np.eye(n))) < 1e-14
            np.testing.assert_array_equal(np.tril(graded.shape), np.eye(n))
            np.testing.assert_allclose(graded.matrix(), flow.lift(omega, t), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("n", "t"), [(2, 2e3), (3, 1e4), (6, 500.0)])
def test_long_times(n: int, t: float) -> None:
    """Grades spread over thousands of e-folds; lift and graded lift tell the same.

    To 1e-9 only: whenever the direction that is about to grow most comes close to orthogonal to
    all tokens, the rounding of the lift grows by the inverse of the cosine.
    """
    flow = rqf_flow(n, dt=1 / 8)
    omega = rqf.Wiener(1)
    lift, graded = flow.lift(omega, t), flow.graded_lift(omega, t)
    assert np.linalg.norm(lift, 2) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(graded.matrix(), lift, rtol=0, atol=1e-9)
    assert np.max(np.abs(graded.frame.T @ graded.frame - np.eye(n))) < 1e-14
    assert np.isfinite(graded.shape).all()
    assert graded.grades[0] - graded.grades[-1] > 0.9 * t * (n - 1)
    x = flow(omega, uniform(10, n, rng=1), t)
    assert np.isfinite(x).all()
    np.testing.assert_allclose(np.abs(x @ x.T), 1.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [3, 5])
def test_grades_are_brownian_with_drift(n: int) -> None:
    """Means (n + 1 - 2i)/2 and variances (1 - 1/n)/t of s_i/t over 50 noises, four errors each."""
    t, noises = 20.0, 50
    flow = rqf.Flow(rqf.RandomQuadraticForm(n), 1 / 8, "corrected-exponential")
    grades = np.array([flow.graded_lift(rqf.Wiener(5, realization=r), t).grades
                       for r in range(noises)])  # fmt: skip
    rates = (grades - grades.mean(axis=1, keepdims=True)) / t
    exact = (n + 1 - 2 * np.arange(1, n + 1)) / 2
    variance = (1 - 1 / n) / t
    assert np.all(np.abs(rates.mean(axis=0) - exact) < 4 * np.sqrt(variance / noises))
    spread = np.mean((rates - exact) ** 2) / variance
    assert abs(spread - 1.0) < 4 * np.sqrt(2 / (noises * (n - 1)))


def test_separation_falls_by_the_exponent() -> None:
    """E log sin θ_500 = log sin θ_0 - 500, variance at most 1000: 20 noises, four errors."""
    flow = rqf_flow(3, dt=1 / 8)
    x, y = np.eye(3)[0], rqf.normalize([0.5, 1.0, 0.0])
    logs = np.array([
        rqf.log_separation(flow, rqf.Wiener(3, realization=r), x, y, [0.0, 10.0, 500.0])
        for r in range(20)
    ])
    assert np.all(logs[:, 0] == pytest.approx(0.5 * math.log(1.0 / 1.25), abs=1e-15))
    for column, t in ((1, 10.0), (2, 500.0)):
        martingale = logs[:, column] - logs[:, 0] + t
        assert abs(martingale.mean()) < 4 * math.sqrt(2 * t / 20)
        assert np.max(np.abs(martingale)) < 4 * math.sqrt(2 * t)
    spread = np.var(logs[:, 2]) / 1000.0
    assert abs(spread - 1.0) < 4 * math.sqrt(2 / 20)


@every_scheme
@pytest.mark.parametrize("n", [2, 3, 6])
def test_separation_from_the_points_themselves(scheme: str, n: int) -> None:
    """While points can be told apart: log sin of their angle, and on which side they are."""
    flow = rqf_flow(n, scheme=scheme)
    x, y = uniform((2, 40), n, rng=1)
    for omega in (rqf.Wiener(1), rqf.Wiener(2).shift(-7.0)):
        for t in (0.0, 0.25, 3.0):
            logs, side = flow.graded_lift(omega, t).log_separation(x, y)
            points = flow(omega, x, t), flow(omega, y, t)
            sine = np.sin(projective_distance(*points))
            assert np.all(np.abs(logs - np.log(sine)) < 1e-12 / sine)
            np.testing.assert_array_equal(side, np.sign(np.sum(points[0] * points[1], axis=-1)))
    assert 5 < np.sum(side > 0) < 35


def test_side_is_kept_for_ever() -> None:
    """Long after all tokens are ± one point to rounding, it is the side their points are on."""
    flow, omega = rqf_flow(3), rqf.Wiener(4)
    x, y = uniform((2, 50), 3, rng=2)
    early = np.sign(np.sum(flow(omega, x, 60.0) * flow(omega, y, 60.0), axis=-1))
    logs, side = flow.graded_lift(omega, 1000.0).log_separation(x, y)
    np.testing.assert_array_equal(side, early)
    assert np.all(logs < -700)


def test_separations_below_the_smallest_double() -> None:
    """Tokens 1e-300 apart start at log 1e-300 and come closer; on either side."""
    flow, omega = rqf_flow(3), rqf.Wiener(3)
    x, y = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1e-300])
    start = math.log(1e-300)
    for other, expected in ((y, 1.0), (-y, -1.0)):
        for t in (0.0, 20.0, 500.0):
            logs, side = flow.graded_lift(omega, t).log_separation(x, other)
            assert side == expected
            assert abs(logs - start + t) < 1e-12 + 4 * math.sqrt(2 * t)


def test_close_tokens_follow_the_derivative_of_the_flow() -> None:
    """1e-6 and 1e-200 apart: the same stretching, to the first order of the first."""
    flow, omega = rqf_flow(4), rqf.Wiener(5)
    x = np.array([1.0, 0.0, 0.0, 0.0])
    lift = flow.graded_lift(omega, 30.0)
    changes = [
        lift.log_separation(x, rqf.normalize([1.0, 0.0, gap, 0.0]))[0] - math.log(gap)
        for gap in (1e-6, 1e-200)
    ]
    assert changes[0] == pytest.approx(changes[1], abs=1e-4)


def test_coincident_and_opposite_tokens() -> None:
    """-inf at any time, with the right side and without a warning."""
    flow, omega = rqf_flow(3), rqf.Wiener(6)
    x = np.concatenate([uniform(20, 3, rng=3), np.eye(3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for lift in flow.graded_lifts(omega, [0.0, 1.0, 300.0]):
            for other, expected in ((x, 1.0), (-x, -1.0)):
                logs, side = lift.log_separation(x, other)
                assert np.all(logs == -np.inf)
                assert np.all(side == expected)


def test_shapes_broadcast() -> None:
    lift = rqf_flow(3).graded_lift(rqf.Wiener(0), 1.0)
    x = uniform((4, 1), 3, rng=0)
    logs, side = lift.log_separation(x, np.eye(3))
    assert logs.shape == side.shape == (4, 3)
    single, _ = lift.log_separation(x[2, 0], np.eye(3)[1])
    assert single.shape == ()
    assert single == pytest.approx(logs[2, 1], rel=1e-14)
    with pytest.raises(InvalidArgument, match=r"y has shape \(2,\): must be \(..., 3\)"):
        lift.log_separation(x, [1.0, 0.0])


def test_rotations_grade_nothing() -> None:
    lift = rqf.Flow(rqf.Skew(4), 1 / 8).graded_lift(rqf.Wiener(1), 1000.0)
    assert np.ptp(lift.grades) < 1e-11


def test_eigenvalues_of_a_fixed_form_are_grades() -> None:
    """In the order of growth for a generic basis; in that of the axes if these are invariant."""
    values = np.array([-0.5, 0.25, 2.0])
    flow = rqf.Flow(rqf.QuadraticForm(np.diag(values)), 1 / 8)
    lift = flow.graded_lift(rqf.Wiener(0), 1000.0)
    grades = lift.grades - lift.grades[0]
    np.testing.assert_allclose(grades, 1000 * (values[0] - values), rtol=1e-12)
    logs, _ = lift.log_separation(np.eye(3)[0], rqf.normalize([1.0, 0.0, 1.0]))
    assert logs == pytest.approx(-2500.0, rel=1e-12)
    backwards = rqf.Flow(rqf.QuadraticForm(np.diag(values[::-1])), 1 / 8)
    lift = backwards.graded_lift(rqf.Wiener(0), 1000.0)
    np.testing.assert_allclose(lift.grades - lift.grades[2], -grades[::-1] * -1, rtol=1e-12)


@pytest.mark.parametrize("n", [3, 6])
def test_long_steps_are_followed_part_by_part(n: int) -> None:
    """A step that spreads directions by hundreds of e-folds: -λ_p = σ² p within four errors."""
    sigma, t = 10.0, 15.0
    flow = rqf.Flow(rqf.RandomQuadraticForm(n, sigma), 1.0, "corrected-exponential")
    grades = flow.graded_lift(rqf.Wiener(8), t).grades
    rates = (grades - grades.mean()) / (sigma**2 * t)
    exact = (n + 1 - 2 * np.arange(1, n + 1)) / 2
    assert np.all(np.abs(rates - exact) < 4 * math.sqrt((1 - 1 / n) / (sigma**2 * t)))


def test_a_product_of_matrices() -> None:
    """Q diag(e^s) U of a product, step by step, is the product."""
    rng = np.random.default_rng(1)
    lift, product = GradedLift.identity(4), np.eye(4)
    for _ in range(6):
        factor = rng.normal(size=(4, 4))
        lift = lift.followed_by(factor @ lift.frame)
        product = factor @ product
    whole = (lift.frame * np.exp(lift.grades)) @ lift.shape
    np.testing.assert_allclose(whole, product, rtol=1e-11)
    np.testing.assert_allclose(lift.matrix(), product / np.linalg.norm(product, 2), atol=1e-13)
