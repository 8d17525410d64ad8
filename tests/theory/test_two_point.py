"""The law of two tokens as a user meets it: generic fields, limits, units, refusals."""

from dataclasses import dataclass

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.theory import TwoPoint, phase

PAIR = TwoPoint(rqf.RandomQuadraticForm(n=3))
CLOSEST = 1.0 - 1e-15


@dataclass(frozen=True)
class Biased(Field):
    """A random quadratic form with sigma = √2 and a bias, or any other kernels of degree one."""

    n: int
    bias: float

    def a(self, z):
        return np.asarray(z, float) + self.bias**2

    def b(self, z):
        return np.ones_like(np.asarray(z, float))

    def a_prime(self, z):
        return np.ones_like(np.asarray(z, float))

    @property
    def parity(self):
        return "mixed"

    def scaled(self, factor):
        raise NotImplementedError


Z = np.array([-1.0, -0.999, -0.3, 0.0, 0.7, 1.0 - 1e-9, 1.0])


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("bias", [0.0, 0.4, 2.0])
def test_generator_with_bias(n, bias):
    """The generator of Shalova, 3.11."""
    pair, z, g = TwoPoint(Biased(n, bias)), Z, bias**2
    drift = (1 - z) * (g * (n - 2 - z) - 2 * z * (1 + z))
    half_variance = (1 - z) ** 2 * (1 + z) * (2 * (1 + z) + g)
    np.testing.assert_allclose(pair.drift(z), drift, rtol=1e-13, atol=1e-15 * n * (1 + g))
    np.testing.assert_allclose(
        pair.variance(z), 2 * half_variance, rtol=1e-13, atol=1e-15 * (1 + g)
    )


@pytest.mark.parametrize("n", [2, 3, 50])
def test_generator_of_linear_noise_keeps_its_digits_at_the_poles(n):
    field = rqf.LinearLayer(n, sigma=0.7) + 1.5 * rqf.RandomQuadraticForm(n) + rqf.Skew(n, 2.0)
    pair, s = TwoPoint(field), field.symmetric_strength
    z = np.array([-CLOSEST, -0.5, 0.0, 0.9, CLOSEST])
    gap = (1.0 - z) * (1.0 + z)
    np.testing.assert_allclose(pair.drift(z), -s * z * gap, rtol=1e-14)
    np.testing.assert_allclose(pair.variance(z), 2.0 * s * gap**2, rtol=1e-14)


def test_known_values_from_one_half():
    assert PAIR.mean(0.5, 1.2) == pytest.approx(0.3727371, abs=5e-8)
    assert PAIR.second_moment(0.5, 1.2) == pytest.approx(0.7238018, abs=5e-8)
    assert 1.0 - PAIR.cdf(0.9, 0.5, 1.2) == pytest.approx(0.4557889, abs=5e-8)


def test_moments_obey_itos_formula():
    """d/dt E Z = E[-Z(1-Z²)], d/dt E Z² = E[-2Z²(1-Z²) + 2(1-Z²)²]."""
    t, h = 0.8, 0.01
    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}

    def rate(moment):
        return sum(w * moment(0.3, t + k * h) for k, w in weights.items()) / h

    expected = PAIR.expectation(
        lambda z: np.stack([-z * (1 - z**2), -2 * z**2 * (1 - z**2) + 2 * (1 - z**2) ** 2]), 0.3, t
    )
    assert rate(PAIR.mean) == pytest.approx(expected[0], abs=2e-8)
    assert rate(PAIR.second_moment) == pytest.approx(expected[1], abs=2e-8)


def test_samples_have_the_moments():
    size = 400_000
    for z0, t in ((0.5, 1.2), (-0.9, 0.3), (0.1, 30.0)):
        z = PAIR.sample(z0, t, size, seed=4)
        for values, exact in (
            (z, PAIR.mean(z0, t)),
            (z**2, PAIR.second_moment(z0, t)),
            (np.arccos(z), PAIR.mean_angle(z0, t)),
            (z > 0.9, 1.0 - PAIR.cdf(0.9, z0, t)),
        ):
            error = np.std(values) / np.sqrt(size)
            assert abs(np.mean(values) - exact) < 4.0 * error


def test_splitting_probability():
    z0 = np.array([-1.0, -CLOSEST, -0.5, 0.0, 0.5, CLOSEST, 1.0])
    together = PAIR.together(z0)
    np.testing.assert_allclose(together, 0.5 + np.arcsin(z0) / np.pi, rtol=0, atol=1e-9)
    np.testing.assert_allclose(together + PAIR.together(-z0), 1.0, rtol=1e-15)
    # 1 + z_0 = ε: θ = π - √(2ε), to relative order ε.
    assert together[1] == pytest.approx(np.sqrt(2.0 * (1.0 - CLOSEST)) / np.pi, rel=1e-14)
    for start in (-0.999, -0.2, 0.6):
        assert 1.0 - PAIR.cdf(0.0, start, 1e3) == pytest.approx(PAIR.together(start), abs=1e-12)


def test_reflection():
    z = np.linspace(-0.99, 0.99, 7)
    np.testing.assert_allclose(PAIR.density(z, 0.4, 0.9), PAIR.density(-z, -0.4, 0.9), rtol=1e-13)
    np.testing.assert_allclose(PAIR.cdf(z, 0.4, 0.9) + PAIR.cdf(-z, -0.4, 0.9), 1.0, rtol=1e-13)
    assert PAIR.mean(0.4, 0.9) == pytest.approx(-PAIR.mean(-0.4, 0.9), abs=1e-14)


def test_density_is_the_derivative_of_the_distribution_function():
    z, h = np.linspace(-0.9, 0.9, 7), 1e-3
    stencil = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    slope = sum(
        c * (PAIR.cdf(z + k * h, 0.5, 0.6) - PAIR.cdf(z - k * h, 0.5, 0.6)) for k, c in stencil
    )
    np.testing.assert_allclose(slope / h, PAIR.density(z, 0.5, 0.6), rtol=1e-9)
    np.testing.assert_array_equal(PAIR.cdf([-1.0, 1.0], 0.5, 0.6), [0.0, 1.0])
    np.testing.assert_array_equal(PAIR.density([-1.0, 1.0], 0.5, 0.6), [0.0, 0.0])


@pytest.mark.parametrize("z0", [0.0, -CLOSEST, CLOSEST])
@pytest.mark.parametrize("t", [1e-6, 1.0, 1e3])
def test_extreme_arguments(z0, t):
    z = PAIR.sample(z0, t, 2000, seed=1)
    assert np.all(np.abs(z) <= 1.0)
    values = PAIR.density(np.array([-CLOSEST, -0.5, 0.0, 0.5, CLOSEST]), z0, t)
    assert np.all(np.isfinite(values))
    assert np.all(values >= 0.0)
    assert 0.0 < PAIR.mean_distance(z0, t) <= min(np.arccos(z0), np.arccos(-z0))
    assert np.all(np.diff(PAIR.cdf(np.linspace(-1.0, 1.0, 1001), z0, t)) >= 0.0)


def test_far_beyond_what_overlaps_can_tell_apart():
    u = PAIR.sample_u(1e4, 1e3, 10_000, seed=1)
    assert abs(np.mean(u) - 1.1e4) < 4.0 * np.sqrt(2e3 / 10_000)
    assert PAIR.cdf_u(1.1e4, 1e4, 1e3) == pytest.approx(0.5, abs=1e-12)


def test_time_runs_with_the_symmetric_strength_alone():
    fields = [
        rqf.RandomQuadraticForm(7, sigma=1.3),
        rqf.LinearLayer(2, sigma=1.3),
        1.69 * rqf.RandomQuadraticForm(4) + rqf.Skew(4, sigma=5.0),
    ]
    for field in fields:
        pair = TwoPoint(field)
        assert pair.density(0.2, 0.5, 1.0) == pytest.approx(PAIR.density(0.2, 0.5, 1.69), rel=1e-13)
        assert pair.mean_distance(0.5, 1.0) == pytest.approx(
            PAIR.mean_distance(0.5, 1.69), rel=1e-13
        )
        assert (pair.almost_sure_rate, pair.mean_rate) == pytest.approx((-1.69, -0.4225))


def test_a_rotation_moves_no_pair():
    pair = TwoPoint(rqf.Skew(n=3))
    assert pair.poles == ()
    assert (pair.almost_sure_rate, pair.mean_rate) == (0.0, 0.0)
    np.testing.assert_array_equal(pair.drift(Z), 0.0)
    np.testing.assert_array_equal(pair.variance(Z), 0.0)
    np.testing.assert_array_equal(pair.together([-1.0, 0.99, 1.0]), [0.0, 0.0, 1.0])
    np.testing.assert_allclose(pair.sample(0.3, 10.0, 5, seed=0), 0.3, rtol=1e-15)
    np.testing.assert_array_equal(pair.cdf([0.2, 0.3, 0.4], 0.3, 10.0), [0.0, 1.0, 1.0])
    assert pair.mean(0.3, 10.0) == 0.3
    with pytest.raises(InvalidArgument, match="has no density"):
        pair.density(0.2, 0.3, 1.0)


def test_pairs_at_a_pole_stay_there():
    assert PAIR.mean(1.0, 3.0) == 1.0
    assert PAIR.mean_distance(-1.0, 3.0) == 0.0
    np.testing.assert_array_equal(PAIR.sample(-1.0, 3.0, 4, seed=0), -1.0)
    np.testing.assert_array_equal(PAIR.cdf([0.0, 1.0], 1.0, 3.0), [0.0, 1.0])


def test_rates_along_realisations_and_in_mean():
    """log dist/t → -1 almost surely, where E dist falls with -1/4 only."""
    t, size = 400.0, 20_000
    u = np.abs(PAIR.sample_u(0.0, t, size, seed=2))
    rates = (np.log(2.0) - u) / t  # log(2 arctan e^{-u}) to e^{-2u}
    # E|u_t| = t + O(1) while |u_t| is a Brownian motion with drift 1: O(1)/t = 0.005 at most.
    assert np.mean(rates) == pytest.approx(PAIR.almost_sure_rate, abs=0.007)
    logs = np.log(PAIR.mean_distance(0.0, np.array([600.0, 1200.0])))
    assert (logs[1] - logs[0] + 1.5 * np.log(2.0)) / 600.0 == pytest.approx(
        PAIR.mean_rate, abs=5e-5
    )


def test_bounds_of_the_mean_distance():
    z0 = np.concatenate([np.linspace(-0.999, 0.999, 41), [-CLOSEST, CLOSEST]])[:, None]
    t = np.array([0.0, 1e-4, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0])
    exact = PAIR.mean_distance(z0, t)
    assert np.all(exact <= PAIR.mean_distance_bound(t, z0) * (1.0 + 1e-14))
    assert np.all(PAIR.mean_distance_bound(t, z0) < PAIR.mean_distance_bound(t))
    assert PAIR.mean_distance_bound(0.0, 0.0) == PAIR.mean_distance(0.0, 0.0) == np.pi / 2
    assert PAIR.mean_distance_bound(2.0) == pytest.approx(np.pi / np.sqrt(2.0 * np.e), rel=1e-15)
    assert PAIR.mean_distance_bound(2.0, 0.6) == pytest.approx(
        np.pi * np.sqrt(0.2 / np.e), rel=1e-15
    )


def test_scale_function_is_a_martingale():
    np.testing.assert_allclose(PAIR.scale_function([-1.0, 0.5]), [-np.pi / 2, np.pi / 6])
    for t in (0.1, 5.0):
        assert PAIR.expectation(PAIR.scale_function, -0.7, t) == pytest.approx(
            PAIR.scale_function(-0.7), abs=1e-9
        )


def test_expectations_of_functions_with_jumps_and_kinks():
    z0, t = 0.5, 1.2
    jump = PAIR.expectation(lambda z: z > 0.9, z0, t, breaks=[0.9])
    assert jump == pytest.approx(1.0 - PAIR.cdf(0.9, z0, t), abs=1e-13)
    kink = PAIR.expectation(lambda z: np.minimum(np.arccos(z), np.arccos(-z)), z0, t, breaks=[0.0])
    assert kink == pytest.approx(PAIR.mean_distance(z0, t), abs=1e-9)


def test_poles_follow_the_phase():
    assert phase(PAIR.field) == "bipolar"
    assert PAIR.poles == (-1.0, 1.0)


def test_shapes_and_broadcasting():
    assert PAIR.density(np.zeros((4, 1)), np.full(3, 0.1), 1.0).shape == (4, 3)
    assert PAIR.mean(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)
    assert PAIR.mean_angle(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)
    assert PAIR.mean_distance(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)
    assert PAIR.cdf(np.zeros((2, 2)), 0.1, 1.0).shape == (2, 2)
    assert PAIR.sample(np.linspace(-1, 1, 5), 1.0, 5, seed=0).shape == (5,)
    assert PAIR.sample(0.1, 1.0, 0, seed=0).shape == (0,)
    for scalar in (PAIR.drift(0.1), PAIR.together(0.1), PAIR.mean(0.1, 1.0), PAIR.cdf(0.1, 0.2, 1)):
        assert np.ndim(scalar) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TwoPoint("rqf"), "must be a field"),
        (lambda: TwoPoint(rqf.QuadraticForm(np.eye(3))), "deterministic drift"),
        (
            lambda: TwoPoint(rqf.RandomQuadraticForm(3) + rqf.QuadraticForm(np.eye(3))),
            "deterministic drift",
        ),
        (lambda: PAIR.drift(1.1), r"\[-1, 1\]"),
        (lambda: PAIR.together(np.nan), "not finite"),
        (lambda: PAIR.sample(0.5, -1.0, 5, 0), "t = -1.0"),
        (lambda: PAIR.sample(0.5, 1.0, -5, 0), "size = -5"),
        (lambda: PAIR.sample(0.5, 1.0, 5, -1), "seed = -1"),
        (lambda: PAIR.sample([0.1, 0.2], 1.0, 5, 0), r"\(size,\)"),
        (lambda: PAIR.sample_u(np.inf, 1.0, 5, 0), "not finite"),
        (lambda: PAIR.density(0.0, 1.0, 1.0), "at a pole"),
        (lambda: PAIR.density(0.0, 0.0, 0.0), "has no density"),
        (lambda: PAIR.mean(0.0, [-1.0]), "t = -1"),
        (lambda: PAIR.cdf(0.0, 0.5, 1e7), "at most 1e"),
        (lambda: TwoPoint(Biased(3, 0.1)).mean_rate, "Biased is not linear"),
        (lambda: TwoPoint(Biased(3, 0.1)).mean_distance_bound(1.0), "Biased is not linear"),
        (
            lambda: TwoPoint(Biased(3, 0.1) + rqf.QuadraticForm(np.eye(3))),
            "deterministic drift",
        ),
    ],
)
def test_refusals_say_what_is_wrong(call, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
