"""The numerical two-point theory against closed forms, critical points, direct simulation."""

import math

import numpy as np
import pytest
from sample_fields import Cubic, Disguised, NoisyAttention, Pull, Quartic

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import (
    TwoPoint,
    bias_lifetime,
    critical,
    critical_dimension,
    lyapunov_spectrum,
    phase,
    top_exponent,
)
from rqf.theory.two_point.boundaries import boundary
from rqf.theory.two_point.fokker_planck import Law as FokkerPlanck

EXACT, NUMERIC = TwoPoint(rqf.RandomQuadraticForm(3)), TwoPoint(Disguised(3))
Z = np.array([-0.9999, -0.9, -0.3, 0.0, 0.2, 0.95, 0.999999])


def biased(n, gamma):
    """In the units of arXiv:2608.16664."""
    return rqf.RandomQuadraticForm(n, math.sqrt(2.0)) + rqf.Bias(n, gamma)


def test_long_run_of_the_quadratic_form_by_quadrature():
    ends = np.concatenate([[-1.0], Z, [1.0]])
    np.testing.assert_allclose(NUMERIC.scale_function(ends), np.arcsin(ends), atol=1e-13)
    np.testing.assert_allclose(NUMERIC.together(ends), EXACT.together(ends), atol=1e-13)
    assert NUMERIC.poles == EXACT.poles
    assert NUMERIC.almost_sure_rate == pytest.approx(EXACT.almost_sure_rate, rel=1e-14)


@pytest.mark.parametrize(
    ("z0", "t"), [(0.5, 1.2), (-0.9, 0.1), (0.0, 30.0), (0.3, 1e-5), (1.0 - 1e-9, 5.0)]
)
def test_law_of_the_quadratic_form_by_fokker_planck(z0, t):
    np.testing.assert_allclose(NUMERIC.cdf(Z, z0, t), EXACT.cdf(Z, z0, t), atol=1e-8)
    u, u0 = np.arctanh(Z), math.atanh(z0)
    exact = EXACT.density_u(u, u0, t)
    assert NUMERIC.density_u(u, u0, t) == pytest.approx(exact, abs=1e-6 * max(1.0, exact.max()))
    for moment in ("mean", "second_moment", "mean_distance", "mean_angle"):
        numeric, known = (getattr(pair, moment)(z0, t) for pair in (NUMERIC, EXACT))
        assert numeric == pytest.approx(known, abs=1e-7)
    assert FokkerPlanck(NUMERIC.field, u0, t).mass == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(("n", "start"), [(2, -np.inf), (3, -np.inf), (5, -3.0), (40, 0.3)])
def test_mass_is_conserved_at_a_wall(n, start):
    assert FokkerPlanck(biased(n, 0.3), start, 0.7).mass == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(
    ("n", "z0"), [(2, -1.0), (3, -1.0), (4, -1.0), (2, -0.9), (4, -0.9), (10, -0.9)]
)
def test_mean_obeys_the_generator(n, z0):
    """d/dt E Z = E drift, from the wall too, where a start costs digits: 4.5e-6 for n = 10."""
    pair, t, h = TwoPoint(biased(n, 0.6)), 0.5, 0.008
    means = [pair.mean(z0, t + k * h) for k in (-2, -1, 1, 2)]
    rate = np.dot([1 / 12, -8 / 12, 8 / 12, -1 / 12], means) / h
    assert rate == pytest.approx(pair.expectation(pair.drift, z0, t), abs=3e-6)


@pytest.mark.parametrize(("n", "known"), [(2, 1.2297), (3, 0.7818), (5, 0.5202)])
def test_time_to_leave_the_antipodal_state(n, known):
    time = TwoPoint(biased(n, 1e-3)).exit_time(-1.0, -1.0, 0.0)
    assert 1e-3 * time == pytest.approx(known, abs=6e-5)
    weak = TwoPoint(biased(n, 1e-6)).exit_time(-1.0, -1.0, 0.0)
    assert weak == pytest.approx(bias_lifetime(n, 1e-6, 2.0), rel=2e-5)
    halved = TwoPoint(0.5 * biased(n, 1e-3)).exit_time(-1.0, -1.0, 0.0)
    assert halved == pytest.approx(2.0 * time, rel=1e-12)


def test_exit_time_of_the_quadratic_form():
    """f'' + tanh(u) f' = -1, f(±r) = 0: f' = -tanh u and f(0) = ln cosh r."""
    r = 1.3
    for pair in (EXACT, NUMERIC):
        assert pair.exit_time(0.0, -np.tanh(r), np.tanh(r)) == pytest.approx(
            np.log(np.cosh(r)), rel=1e-12
        )


@pytest.mark.parametrize(
    ("field", "lower", "upper"),
    [
        (biased(2, 0.1), "regular", "natural"),
        (biased(3, 0.1), "entrance", "natural"),
        (biased(9, 1e-12), "entrance", "natural"),
        (Disguised(3), "natural", "natural"),
        (Cubic(10), "entrance", "natural"),
        (NoisyAttention(3), "natural", "natural"),
    ],
)
def test_kinds_of_the_ends(field, lower, upper):
    ends = TwoPoint(field).boundaries
    assert (ends[-1.0].kind, ends[1.0].kind) == (lower, upper)


def test_cubic_potential_is_critical_in_nine_dimensions():
    assert [phase(Cubic(n)) for n in (8, 9, 10)] == ["monopolar", "chaotic", "chaotic"]
    assert top_exponent(Cubic(9)) == 0.0
    assert critical_dimension(Cubic, 3, 1000) == (9, 9)
    for n in (3, 8, 12):
        np.testing.assert_allclose(lyapunov_spectrum(Cubic(n))[0], 1.5 * (n - 9), rtol=1e-12)
        assert top_exponent(Cubic(n)) == pytest.approx(1.5 * (n - 9), rel=1e-12)


def test_an_odd_potential_field_has_equal_ends():
    ends = TwoPoint(Quartic(5)).boundaries
    assert ends[-1.0].exponent == pytest.approx(ends[1.0].exponent, rel=1e-12)
    assert ends[1.0].exponent == pytest.approx(lyapunov_spectrum(Quartic(5))[0], rel=1e-12)


@pytest.mark.parametrize("beta", [0.3, 1.0, 2.5])
def test_attention_and_layer_noise(beta):
    """Antipodal pairs attract iff κ > 2γ/(1 + e^{2β})."""
    pull = Pull(3, 1.0, beta)
    found = critical(lambda k: k * rqf.LinearLayer(3) + pull, 1e-3, 10.0, which="antipodal")
    assert found == pytest.approx(2.0 / (1.0 + np.exp(2.0 * beta)), rel=1e-10)
    assert phase(1.01 * found * rqf.LinearLayer(3) + pull) == "bipolar"
    assert phase(0.99 * found * rqf.LinearLayer(3) + pull) == "monopolar"


@pytest.mark.parametrize("n", [4, 8, 50])
def test_attention_inside_the_noise(n):
    """Antipodal pairs attract iff n - 2 < cosh 2β (arXiv:2601.21942, theorem 2)."""
    found = critical(lambda beta: NoisyAttention(n, 1.0, beta), 0.01, 10.0, which="antipodal")
    assert np.cosh(2.0 * found) == pytest.approx(n - 2.0, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "beta", "antipodal"),
    [
        (2, 1, 0.5),
        (3, 0.5, 0.1075),
        (3, 1.5, 0.2929),
        (4, 1, 0.0844),
        (4, 2, 0.2474),
        (8, 1.5, 0.0256),
        (8, 2.5, 0.1572),
        (4, 0.6, 0.0),
        (8, 1.0, 0.0),
    ],
)
def test_antipodal_probability_under_noisy_attention(n, beta, antipodal):
    pair = TwoPoint(NoisyAttention(n, 1.0, beta))
    assert 1.0 - pair.together(0.0) == pytest.approx(antipodal, abs=5.1e-5)


def test_stationary_density_against_direct_simulation():
    """Euler steps of Z in the chaotic phase, to 4 standard errors (1e-4 of false alarms)."""
    pair = TwoPoint(Cubic(30))
    z, weights = np.polynomial.legendre.leggauss(400)
    density = pair.stationary_density(z)
    assert weights @ density == pytest.approx(1.0, abs=1e-6)
    assert weights @ (density * z) == pytest.approx(pair.stationary_mean(), abs=1e-6)
    rng, now, dt = np.random.default_rng(5), np.zeros(4000), 1e-4
    for _ in range(1500):
        step = np.sqrt(dt * pair.variance(now)) * rng.standard_normal(now.size)
        now = np.clip(now + dt * pair.drift(now) + step, -1.0, 1.0)
    for f in (lambda v: v, np.square):
        error = np.std(f(now)) / np.sqrt(now.size)
        assert abs(np.mean(f(now)) - weights @ (density * f(z))) < 4.0 * error
    assert pair.mean(0.0, 0.5) == pytest.approx(pair.stationary_mean(), abs=1e-7)


def test_samples_follow_the_distribution_function():
    pair, size = TwoPoint(biased(3, 0.3)), 100_000
    z = pair.sample(-1.0, 0.8, size, seed=3)
    for level in (-0.9, -0.2, 0.9):
        p = pair.cdf(level, -1.0, 0.8)
        assert abs(np.mean(z <= level) - p) < 4.0 * np.sqrt(p * (1.0 - p) / size)


def test_bias_always_ends_together():
    pair = TwoPoint(biased(3, 1e-9))
    np.testing.assert_array_equal(pair.together([-1.0, 0.3]), 1.0)
    assert phase(pair.field) == "monopolar"
    assert pair.scale_function(-1.0) == -np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TwoPoint(Cubic(10)).together(0.0), "neither"),
        (lambda: NUMERIC.stationary_density(0.0), "attracts or is critical"),
        (lambda: TwoPoint(Cubic(9)).stationary_density(0.0), "attracts or is critical"),
        (lambda: NUMERIC.exit_time(0.0, -1.0, 0.5), "never reached"),
        (lambda: NUMERIC.exit_time(0.9, -0.5, 0.5), r"in \[lower, upper\]"),
        (lambda: NUMERIC.density(0.0, 0.0, 0.0), "t: must be > 0"),
        (lambda: NUMERIC.density(0.0, -1.0, 1.0), "at a pole"),
        (lambda: lyapunov_spectrum(Pull(3) + rqf.LinearLayer(3)), "act on one another"),
        (lambda: critical(lambda x: x, 1.0, 2.0), "change its sign"),
        (lambda: critical(lambda x: biased(3, x), 1.0, 2.0, "antipodal"), "even part"),
        (lambda: critical_dimension(Cubic, 3, 5), "change its sign"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_ends_do_not_depend_on_strength():
    for factor in (1e-8, 1e8):
        assert boundary(Cubic(9, factor), 1.0).exponent == 0.0
        assert TwoPoint(factor * Disguised(3)).together(0.5) == pytest.approx(2 / 3, rel=1e-12)
