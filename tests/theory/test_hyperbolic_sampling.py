"""The sampler has the law of the density: Kolmogorov–Smirnov, one false alarm in 10⁴ per case."""

import numpy as np
import pytest

from rqf.theory import hyperbolic

FALSE_ALARM = 1e-4
SIZE = 200_000
CASES = [
    (0.0, 1e-6), (0.0, 1.0), (0.0, 1e3), (0.55, 1.2), (-1.5, 10.0), (17.6, 0.5), (3.0, 0.01),
    (2.0, 100.0), (-300.0, 150.0), (160.0, 500.0), (1e4, 1e-6), (1e4, 1e3), (5.0, 1e5),
    (-1e5, 1e6),
]  # fmt: skip


def kolmogorov_smirnov(values, cdf):
    from scipy.special import kolmogorov

    n = values.size
    at = cdf(np.sort(values))
    steps = np.arange(n + 1) / n
    gap = max(np.max(steps[1:] - at), np.max(at - steps[:-1]))
    return kolmogorov(np.sqrt(n) * gap)


@pytest.mark.parametrize(("u0", "t"), CASES)
def test_samples_follow_the_distribution_function(u0, t):
    u = hyperbolic.sample(np.asarray(u0), t, SIZE, seed=11)
    assert kolmogorov_smirnov(u, hyperbolic.Transition(u0, t).cdf) > FALSE_ALARM


def test_two_steps_have_the_law_of_one():
    halfway = hyperbolic.sample(np.asarray(0.4), 0.5, SIZE, seed=1)
    u = hyperbolic.sample(halfway, 0.7, SIZE, seed=2)
    assert kolmogorov_smirnov(u, hyperbolic.Transition(0.4, 1.2).cdf) > FALSE_ALARM


@pytest.mark.parametrize(("u0", "t"), CASES)
def test_overlaps_are_the_tanh_of_the_coordinate(u0, t):
    u = hyperbolic.sample(np.asarray(u0), t, 1000, seed=3)
    z = hyperbolic.sample_overlap(np.asarray(u0), t, 1000, seed=3)
    np.testing.assert_allclose(z, np.tanh(u), rtol=1e-14)


@pytest.mark.parametrize("u0", [0.7, 20.0, 151.0, 1e4])
@pytest.mark.parametrize("t", [1e-3, 1.0, 390.0, 1e3])
def test_direct_formula_in_extended_precision(u0, t):
    """The same draws through sinh u_0 cosh r + cosh u_0 sinh r cos φ, in long double logs."""
    u = hyperbolic.sample(np.asarray(u0), t, 500, seed=5)
    g = np.random.Generator(np.random.Philox(5))
    wide = np.longdouble
    s = np.hypot(
        t + np.sqrt(wide(2 * t)) * g.standard_normal(500),
        np.sqrt(wide(4 * t) * g.standard_exponential(500)),
    )
    v = g.random(500).astype(wide)
    half = np.sinh(s / 2) * np.sqrt(v * (2 - v))
    r = 2 * np.arcsinh(half)
    c = np.cos(wide(np.pi) / 2 * g.random(500)) ** 2
    sinh = c * np.sinh(u0 + r) + (1 - c) * np.sinh(u0 - r)
    np.testing.assert_allclose(u, np.asarray(np.arcsinh(sinh), float), rtol=1e-12, atol=1e-12)


def test_rest_and_poles():
    u0 = np.array([0.0, -2.0, 1e4])
    np.testing.assert_allclose(hyperbolic.sample(u0, 0.0, 3, seed=0), u0, rtol=1e-15)
    poles = hyperbolic.sample_overlap(np.asarray(-np.inf), 5.0, 1000, seed=0)
    assert np.all(poles == -1.0)


def test_no_time_is_too_long():
    assert np.all(np.abs(hyperbolic.sample_overlap(np.asarray(0.0), 1e100, 100, seed=0)) == 1.0)
    u = np.abs(hyperbolic.sample(np.asarray(0.0), 1e100, 100, seed=0))
    np.testing.assert_allclose(u, 1e100, rtol=1e-14)


def test_same_seed_same_samples_other_seed_others():
    first = hyperbolic.sample(np.asarray(0.2), 1.0, 70_000, seed=9)
    again = hyperbolic.sample(np.full(70_000, 0.2), 1.0, 70_000, seed=9)
    other = hyperbolic.sample(np.asarray(0.2), 1.0, 70_000, seed=10)
    np.testing.assert_array_equal(first, again)
    assert not np.any(first == other)
