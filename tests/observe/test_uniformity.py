"""Uniformity tests: identities, statistics by definition, laws of p-values, power.

Under the hypothesis the p-value is uniform. Here it is compared with 4000 samples of 20 points,
by a Kolmogorov-Smirnov test at FALSE_ALARM and by the rates of rejection at 10 % and 1 %, four
standard errors (0.47 and 0.16 %).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from rqf import sphere
from rqf.errors import InvalidArgument
from rqf.observe.uniformity import _cubic_factor, _gine_law, _gine_tail, bingham, gine, rayleigh

FALSE_ALARM = 1e-4
TESTS = (rayleigh, bingham, gine)


def circle(phi):
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1)


def sine_weight(n):
    return 0.25 * (n - 1) * (math.gamma(0.5 * (n - 1)) / math.gamma(0.5 * n)) ** 2


def gine_statistics(x):
    """Giné's F of samples (..., N, n), term by term."""
    tokens, n = x.shape[-2:]
    i, j = np.triu_indices(tokens, 1)
    theta = np.arccos(np.sum(x[..., i, :] * x[..., j, :], axis=-1))
    terms = 4.0 / math.pi * theta + 2.0 * sine_weight(n) * np.sin(theta)
    return 1.5 * tokens - np.sum(terms, axis=-1) / tokens


# --- statistics --------------------------------------------------------------------------------


@pytest.mark.parametrize(("tokens", "n"), [(2, 2), (7, 3), (30, 8), (5, 20), (700, 3)])
def test_statistics_by_definition(tokens, n):
    x = sphere.uniform(tokens, n, 1)
    z = x @ x.T
    assert rayleigh(x).statistic == pytest.approx(n * np.sum(z) / tokens, rel=1e-12, abs=1e-12)
    moment = x.T @ x / tokens
    trace = np.trace(moment @ moment)
    expected = tokens * n * (n + 2) / 2 * (trace - 1.0 / n)
    assert bingham(x).statistic == pytest.approx(expected, rel=1e-11)
    assert gine(x).statistic == pytest.approx(float(gine_statistics(x)), rel=1e-11)
    assert [test(x).name for test in TESTS] == ["Rayleigh", "Bingham", "Giné"]


def test_gine_for_space_in_its_published_form():
    # F = 3N/2 - 4/(πN) Σ (θ + sin θ) for n = 3
    x = sphere.uniform(12, 3, 2)
    theta = np.arccos((x @ x.T)[np.triu_indices(12, 1)])
    expected = 18.0 - 4.0 / (12.0 * math.pi) * np.sum(theta + np.sin(theta))
    assert gine(x).statistic == pytest.approx(expected, rel=1e-12)


def test_on_the_circle_bingham_is_rayleigh_of_doubled_angles():
    phi = np.random.default_rng(3).vonmises(0.5, 0.4, 40)
    axial, polar = bingham(circle(phi)), rayleigh(circle(2.0 * phi))
    assert axial.statistic == pytest.approx(polar.statistic, rel=1e-11)
    assert axial.pvalue == pytest.approx(polar.pvalue, rel=1e-11)


@pytest.mark.parametrize("n", [2, 3, 30])
def test_statistics_do_not_depend_on_frame_and_order(n):
    rng = np.random.default_rng(4)
    x = sphere.uniform(25, n, rng)
    turned = (x @ sphere.rotation(n, rng, reflections=True).T)[rng.permutation(25)]
    for test in TESTS:
        assert test(turned).statistic == pytest.approx(test(x).statistic, rel=1e-11)
        assert test(turned).pvalue == pytest.approx(test(x).pvalue, rel=1e-10)


def test_signs_matter_except_to_bingham():
    rng = np.random.default_rng(5)
    x = sphere.uniform(25, 3, rng)
    flipped = x * rng.choice([-1.0, 1.0], (25, 1))
    assert bingham(flipped).statistic == pytest.approx(bingham(x).statistic, rel=1e-12)
    assert abs(rayleigh(flipped).statistic / rayleigh(x).statistic - 1.0) > 0.01


@pytest.mark.parametrize("n", [2, 3, 20])
@pytest.mark.parametrize("tokens", [2, 5, 40])
def test_identical_points(n, tokens):
    x = np.tile(sphere.uniform(1, n, 6), (tokens, 1))
    freedom = (n - 1) * (n + 2) / 2
    assert rayleigh(x).statistic == pytest.approx(n * tokens, rel=1e-13)
    assert bingham(x).statistic == pytest.approx(freedom * tokens, rel=1e-13)
    assert gine(x).statistic == pytest.approx(1.5 * tokens, rel=1e-7)
    if tokens == 40:
        assert all(test(x).pvalue < 1e-15 for test in TESTS)


@pytest.mark.parametrize("n", [2, 3, 20])
def test_an_axis_is_invisible_to_rayleigh(n):
    a = sphere.uniform(1, n, 7)
    x = np.concatenate([np.tile(a, (20, 1)), np.tile(-a, (20, 1))])
    assert rayleigh(x).statistic == pytest.approx(0.0, abs=1e-12)
    assert rayleigh(x).pvalue == pytest.approx(1.0)
    assert bingham(x).pvalue < 1e-15
    assert gine(x).pvalue < 1e-4


def test_three_poles_are_visible_to_gine_alone():
    x = circle(2.0 * math.pi * np.arange(60) / 3)
    assert rayleigh(x).pvalue == pytest.approx(1.0)
    assert bingham(x).pvalue == pytest.approx(1.0)
    assert gine(x).pvalue < 1e-3


@pytest.mark.parametrize("tokens", [2, 5, 20, 500])
@pytest.mark.parametrize("n", [2, 3, 8, 50])
def test_the_corrected_bingham_statistic_never_falls(n, tokens):
    # from its mean up to its largest value, that of identical points
    mean = (n - 1) * (n + 2) / 2
    s = np.linspace(mean, tokens * mean, 2000)
    corrected = [v * _cubic_factor(v, tokens, n) for v in s]
    assert np.all(np.diff(corrected) > 0.0)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_corrections_are_the_polynomials_of_jupp(n):
    # written out, where the cubic still grows
    x = sphere.uniform(30, n, 8)
    s = rayleigh(x).statistic
    expected = stats.chi2.sf((1 - 1 / 60) * s + s**2 / (60 * (n + 2)), n)
    assert rayleigh(x).pvalue == pytest.approx(expected, rel=1e-11)
    s, freedom = bingham(x).statistic, (n - 1) * (n + 2) / 2
    d = n * n + n
    b = (
        (2 * n * n + 3 * n + 4) / (6 * (n + 4))
        - (4 * n * n + 3 * n - 4) / (3 * (n + 4) * (d + 2)) * s
        + 4 * (n * n - 4) / (3 * (n + 4) * (d + 2) * (d + 6)) * s**2
    )
    assert bingham(x).pvalue == pytest.approx(stats.chi2.sf(s * (1 - b / 30), freedom), rel=1e-10)


# --- Giné's limit law --------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_weights_are_the_eigenvalues_of_the_kernel(n):
    # λ_ℓ = ∫ k(cos θ) P_ℓ(cos θ) dμ with dμ ∝ sin^{n-2} θ dθ, P_ℓ(1) = 1 (Funk-Hecke)
    def moment(degree):
        def integrand(theta):
            z = math.cos(theta)
            kernel = 1.5 - 2.0 * theta / math.pi - sine_weight(n) * math.sin(theta)
            if n == 2:
                polynomial = math.cos(degree * theta)
            else:
                alpha = 0.5 * n - 1.0
                polynomial = special.eval_gegenbauer(degree, alpha, z)
                polynomial /= special.eval_gegenbauer(degree, alpha, 1.0)
            return kernel * polynomial * math.sin(theta) ** (n - 2)

        return integrate.quad(integrand, 0.0, math.pi, epsabs=1e-13)[0]

    total = integrate.quad(lambda t: math.sin(t) ** (n - 2), 0.0, math.pi)[0]
    weights, harmonics, rest = _gine_law(n)
    for degree in range(1, 9):
        assert weights[degree - 1] == pytest.approx(moment(degree) / total, abs=1e-12)
        expected = special.comb(degree + n - 1, n - 1) - special.comb(degree + n - 3, n - 1)
        assert harmonics[degree - 1] == pytest.approx(expected, rel=1e-12)
    assert moment(0) == pytest.approx(0.0, abs=1e-12)
    assert 0.0 <= rest < 0.35


@pytest.mark.parametrize("n", [2, 3, 8, 1000])
def test_tail_of_the_limit_law(n):
    # against draws of the sum of chi-squares; four standard errors
    weights, harmonics, rest = _gine_law(n)
    rng = np.random.default_rng(10)
    draws = 100_000
    sums = rest + sum(
        weight * rng.chisquare(freedom, draws)
        for weight, freedom in zip(weights, harmonics, strict=True)
    )
    for q in np.quantile(sums, [0.05, 0.5, 0.9, 0.99, 0.999]):
        tail = _gine_tail(float(q), n)
        error = math.sqrt(tail * (1.0 - tail) / draws)
        assert abs(np.mean(sums > q) - tail) < 4.0 * error


def test_far_tail_of_the_limit_law():
    # the first weight of n = 2 is double: P(F > q) ~ C exp(-q / 2λ_1), C = Π E exp(λ_j χ²/ 2λ_1)
    weights, harmonics, rest = _gine_law(2)
    factors = (1.0 - weights[1:] / weights[0]) ** (-0.5 * harmonics[1:])
    for q in (8.0, 12.0):
        exponent = -(q - rest) / (2.0 * weights[0])
        assert _gine_tail(q, 2) == pytest.approx(math.prod(factors) * math.exp(exponent), rel=3e-4)
    assert _gine_tail(1e-3, 2) == pytest.approx(1.0, abs=1e-12)


# --- p-values ----------------------------------------------------------------------------------


def gine_pvalues(x):
    """P-values of many samples, the tail interpolated between 80 values of the statistic."""
    tokens, n = x.shape[-2:]
    deviation = (gine_statistics(x) - 1.5) / math.sqrt(1.0 - 1.0 / tokens)
    q = np.linspace(np.min(deviation), np.max(deviation), 80) + 1.5
    return np.exp(np.interp(deviation + 1.5, q, [math.log(_gine_tail(v, n)) for v in q]))


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("test", TESTS)
def test_pvalues_of_uniform_points_are_uniform(test, n):
    samples, tokens = 4000, 20
    x = sphere.uniform((samples, tokens), n, 11)
    if test is gine:
        pvalues = gine_pvalues(x)
        assert pvalues[0] == pytest.approx(gine(x[0]).pvalue, rel=1e-3)
    else:
        pvalues = np.array([test(points).pvalue for points in x])
    assert stats.kstest(pvalues, "uniform").pvalue > FALSE_ALARM
    for level in (0.1, 0.01):
        error = math.sqrt(level * (1.0 - level) / samples)
        assert abs(np.mean(pvalues < level) - level) < 4.0 * error


@pytest.mark.parametrize("n", [2, 3, 8])
def test_power_against_a_mean_direction(n):
    rng = np.random.default_rng(12)
    samples = stats.vonmises_fisher(np.eye(n)[0], 1.0).rvs(60 * n, random_state=rng)
    assert rayleigh(samples).pvalue < 1e-4
    assert gine(samples).pvalue < 1e-4


@pytest.mark.parametrize("n", [2, 3, 8])
def test_power_against_an_axis(n):
    rng = np.random.default_rng(13)
    stretch = np.where(np.arange(n) == 0, 2.5, 1.0)
    x = sphere.normalize(stretch * rng.standard_normal((40 * n, n)))
    assert bingham(x).pvalue < 1e-4
    assert gine(x).pvalue < 1e-2
    assert rayleigh(x).pvalue > 1e-2


def test_many_dimensions():
    x = sphere.uniform(60, 1000, 14)
    for test in TESTS:
        assert FALSE_ALARM < test(x).pvalue < 1.0 - FALSE_ALARM
    together = sphere.normalize(x + 0.5 * x[0])
    assert all(test(together).pvalue < 1e-6 for test in TESTS)


@pytest.mark.parametrize("test", TESTS)
def test_what_is_refused(test):
    with pytest.raises(InvalidArgument, match="N >= 2"):
        test([[1.0, 0.0]])
    with pytest.raises(InvalidArgument, match="N >= 2"):
        test(sphere.uniform((3, 4), 2, 0))
    with pytest.raises(InvalidArgument, match=r"rqf\.normalize"):
        test([[1.0, 1.0], [1.0, 0.0]])
