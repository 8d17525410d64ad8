"""Two tokens under attention: nine probabilities, critical lines, an independent solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import (
    attention_drift_antipodal,
    attention_drift_critical_noise,
    attention_noise_antipodal,
    attention_noise_critical_beta,
)


@pytest.mark.parametrize(
    ("n", "beta", "expected"),
    [
        (2, 1.0, 0.5000), (3, 0.5, 0.1075), (3, 1.5, 0.2929), (4, 1.0, 0.0844), (4, 2.0, 0.2474),
        (8, 1.5, 0.0256), (8, 2.5, 0.1572), (4, 0.6, 0.0), (8, 1.0, 0.0),
    ],
)  # fmt: skip
def test_nine_probabilities(n, beta, expected) -> None:
    probability = attention_noise_antipodal(n, beta)
    assert abs(probability - expected) <= 0.5e-4
    assert (probability == 0.0) == (expected == 0.0)


def exponent(field, e: float, f: float) -> float:
    """2m/s² of dZ = m dt + s dW (b = 0), times 1 - z², from the pair of the field.

    m/(1-z²) = (n-1)(cross - z own)/(1-z²) - cross + 2 pull, s²/2 = (1-z²)(own - z cross).
    """
    pair = field.pair(e, f)
    if e < f:
        lag, spread = e * pair.own - pair.gap, pair.gap + e * pair.cross
    else:
        lag, spread = pair.total - f * pair.own, pair.total - f * pair.cross
    drift = (field.n - 1) * lag / (e * f) - pair.cross + 2.0 * pair.pull
    return float(drift * e * f / spread)


def split(field, z0: float) -> float:
    """P(antipodal) from the coefficients of the field alone: masses of the scale density.

    log s and ∫ s dz as functions of θ = arccos z, by Dormand and Prince of order 8.
    """

    def rates(theta: float, y: np.ndarray) -> list[float]:
        e, f = 2.0 * math.sin(theta / 2.0) ** 2, 2.0 * math.cos(theta / 2.0) ** 2
        return [exponent(field, e, f) / math.sin(theta), math.exp(y[0]) * math.sin(theta)]

    start, edge = math.acos(z0), 1e-10
    together, antipodal = (
        abs(solve_ivp(rates, (start, end), [0.0, 0.0], "DOP853", rtol=1e-9, atol=1e-12).y[1, -1])
        for end in (edge, math.pi - edge)
    )
    return together / (together + antipodal)


@pytest.mark.parametrize(("n", "beta", "z0"), [(3, 1.5, 0.3), (4, 2.0, -0.5), (8, 2.5, 0.0)])
def test_noise_against_the_coefficients_of_the_field(n, beta, z0) -> None:
    """The two differ by what lies within 1e-10 of the ends."""
    expected = split(rqf.AttentionNoise(n, beta, sigma=0.6), z0)
    assert attention_noise_antipodal(n, beta, z0) == pytest.approx(expected, rel=2e-5)


@pytest.mark.parametrize(
    ("kappa", "beta", "gamma", "kind", "z0"),
    [
        (0.8, 1.0, 1.0, "softmax", 0.2),
        (0.9, 1.3, -0.4, "softmax", 0.0),
        (1.5, 1.0, 1.0, "unnormalised", -0.3),
    ],
)
def test_drift_against_the_coefficients_of_the_field(kappa, beta, gamma, kind, z0) -> None:
    """Any n gives the same; the two differ by what lies within 1e-10 of the ends."""
    probability = attention_drift_antipodal(kappa, beta, gamma, kind, z0)
    for n in (3, 7):
        field = rqf.LinearLayer(n, math.sqrt(kappa)) + rqf.Attention(n, beta, gamma, kind)
        assert probability == pytest.approx(split(field, z0), rel=2e-5)


@pytest.mark.parametrize("n", [4, 8, 100, 10**6])
def test_critical_line_of_the_noise(n) -> None:
    """The exponent at z = -1 crosses 2, where the scale density ~ (1+z)^{-1} is not integrable."""
    beta = attention_noise_critical_beta(n)
    assert math.cosh(2.0 * beta) == pytest.approx(n - 2, rel=1e-9)
    for factor, sign in ((0.999, 1.0), (1.001, -1.0)):
        field = rqf.AttentionNoise(n, factor * beta)
        assert sign * (exponent(field, 2.0, 1e-12) - 2.0) > 0.0
        assert (attention_noise_antipodal(n, factor * beta) == 0.0) == (sign > 0.0)
    assert attention_noise_critical_beta(2) == attention_noise_critical_beta(3) == 0.0
    assert attention_noise_antipodal(3, 0.0) == 0.0
    assert attention_noise_antipodal(3, 1e-3) > 0.0


@pytest.mark.parametrize("kind", ["softmax", "unnormalised"])
@pytest.mark.parametrize("beta", [-1.0, 0.0, 0.7, 3.0])
def test_critical_noise_against_the_drift(kind, beta) -> None:
    kappa = attention_drift_critical_noise(beta, 1.3, kind)
    attention = rqf.Attention(5, beta, 1.3, kind)
    for factor, sign in ((0.999, 1.0), (1.001, -1.0)):
        field = rqf.LinearLayer(5, math.sqrt(factor * kappa)) + attention
        assert sign * (exponent(field, 2.0, 1e-12) - 2.0) > 0.0
        probability = attention_drift_antipodal(factor * kappa, beta, 1.3, kind)
        assert (probability == 0.0) == (sign > 0.0)


def test_scalar_noise_of_fedorov() -> None:
    """ε² against 2 e^{-beta}: weights e^{beta z} that are not divided by N = 2."""
    assert attention_drift_critical_noise(1.2, 2.0, "unnormalised") == pytest.approx(
        2.0 * math.exp(-1.2), rel=1e-15
    )


@pytest.mark.parametrize("z0", [-1.0, -1.0 + 1e-12, -0.4, 0.0, 0.999, 1.0])
def test_where_the_closed_form_is_an_arc(z0) -> None:
    """arccos(z0)/π on the circle, at beta → ∞, and without a drift."""
    exact = math.acos(z0) / math.pi
    for probability in (
        attention_noise_antipodal(2, 1.0, z0),
        attention_noise_antipodal(10**6, 1e100, z0),
        attention_drift_antipodal(0.3, 1.0, 0.0, z0=z0),
    ):
        assert probability == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_walls() -> None:
    """Steep drifts: from z0 = 0 the tokens go where attention or repulsion sends them."""
    assert attention_drift_antipodal(1e-3, 500.0, kind="unnormalised", z0=0.1) < 1e-20
    assert attention_drift_antipodal(1e-3, 5.0, gamma=-1.0) == 1.0
    assert attention_drift_antipodal(1.0, 5.0, gamma=-0.9) < 1.0
    assert 0.0 < attention_noise_antipodal(10**6, 7.3) < 1e-80


def test_a_softmax_wall_moves_the_scale_like_a_step() -> None:
    """At beta → ∞ with gamma/κ = c/2 the share is a step at z = 1 that tokens never see."""
    assert attention_drift_antipodal(0.01, 1e40, z0=0.3) == pytest.approx(
        math.acos(0.3) / math.pi, rel=1e-9
    )


@pytest.mark.full
def test_drift_by_simulation() -> None:
    """8000 paths of u = artanh Z, du = (tanh u + c φ) dt + √2 dW: within 4 standard errors."""
    rng, size, h = np.random.default_rng(11), 8000, 1.0 / 64.0
    kappa, beta = 0.5, 1.0
    u = np.zeros(size)
    for _ in range(64 * 60):
        share = 1.0 / (1.0 + np.exp(beta * (1.0 - np.tanh(u))))
        u += h * (np.tanh(u) + 2.0 / kappa * share) + math.sqrt(2.0 * h) * rng.normal(size=size)
    exact = attention_drift_antipodal(kappa, beta)
    assert np.mean(np.abs(u) > 5.0) > 0.99
    error = math.sqrt(exact * (1.0 - exact) / size)
    assert abs(np.mean(u < 0.0) - exact) < 4.0 * error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attention_noise_antipodal(1, 1.0), "n = 1"),
        (lambda: attention_noise_antipodal(3, math.inf), "beta = inf"),
        (lambda: attention_noise_antipodal(3, 1.0, 1.5), "z0 = 1.5"),
        (lambda: attention_noise_critical_beta(1), "n = 1"),
        (lambda: attention_drift_antipodal(0.0, 1.0), "kappa = 0.0"),
        (lambda: attention_drift_antipodal(1.0, 1.0, math.nan), "gamma = nan"),
        (lambda: attention_drift_antipodal(1.0, 1.0, kind="hard"), "kind = 'hard'"),
        (lambda: attention_drift_antipodal(1.0, 601.0, kind="unnormalised"), "beta = 601"),
        (lambda: attention_drift_critical_noise(1.0, -1.0), "gamma = -1"),
    ],
)
def test_bad_input_is_one_line(call, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
