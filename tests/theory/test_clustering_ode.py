"""Tokens at equal angles under attention, and the mean overlap at small beta."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import equiangular_overlap, equiangular_rate, small_beta_overlap

CASES = [
    (0.0, 32, 1.0, 1.0, "softmax"),
    (-0.1, 7, -2.0, 0.5, "softmax"),
    (0.9, 5, 3.0, -1.0, "softmax"),
    (0.3, 5, 4.0, 1.0, "unnormalised"),
    (0.6, 2, 2.0, -0.3, "unnormalised"),
]


def equal_angles(rho: float, tokens: int) -> np.ndarray:
    """Unit rows with all overlaps rho."""
    gram = (1.0 - rho) * np.eye(tokens) + rho
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def velocity(field, x: np.ndarray) -> np.ndarray:
    moved = field.frozen(np.empty((1, 0)), np.empty((1, 0)), 1.0)(x[None])[0]
    return moved - np.sum(moved * x, axis=-1, keepdims=True) * x


@pytest.mark.parametrize(("rho", "tokens", "beta", "gamma", "kind"), CASES)
def test_rate_is_that_of_the_tokens(rho, tokens, beta, gamma, kind) -> None:
    x = equal_angles(rho, tokens)
    v = velocity(rqf.Attention(tokens, beta, gamma, kind), x)
    rates = (v @ x.T + x @ v.T)[~np.eye(tokens, dtype=bool)]
    expected = equiangular_rate(rho, tokens, beta, gamma, kind)
    np.testing.assert_allclose(rates, expected, rtol=1e-11)


def test_rates_of_geshkovski() -> None:
    """SA as printed, USA with 2 e^{beta ρ}/N in front."""
    rho, tokens, beta = np.linspace(-0.1, 1.0, 12), 10, 1.7
    shared = (1.0 - rho) * ((tokens - 1) * rho + 1.0)
    growth = np.exp(beta * rho)
    np.testing.assert_allclose(
        equiangular_rate(rho, tokens, beta),
        2.0 * growth * shared / (math.exp(beta) + (tokens - 1) * growth), rtol=1e-13, atol=1e-16,
    )  # fmt: skip
    np.testing.assert_allclose(
        equiangular_rate(rho, tokens, beta, kind="unnormalised"),
        2.0 / tokens * growth * shared, rtol=1e-13, atol=1e-16,
    )  # fmt: skip


@pytest.mark.parametrize(("rho", "tokens", "beta", "gamma", "kind"), CASES)
def test_overlap_solves_the_equation(rho, tokens, beta, gamma, kind) -> None:
    """Against Dormand and Prince of order 8 at tolerance 1e-12, times out of order."""
    t = np.array([[6.0, 0.0, 1.0], [2.5, 0.01, 1.0]])
    moments = np.unique(t)
    path = solve_ivp(
        lambda _, r: equiangular_rate(np.clip(r, -1.0 / (tokens - 1), 1.0), tokens, beta, gamma,
                                      kind),
        (0.0, 6.0), [rho], method="DOP853", t_eval=moments, rtol=1e-12, atol=1e-13,
    ).y[0]  # fmt: skip
    expected = path[np.searchsorted(moments, t)]
    got = equiangular_overlap(rho, t, tokens, beta, gamma, kind)
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(("kind", "t"), [("softmax", 4.0), ("unnormalised", 0.6)])
def test_overlap_is_that_of_the_tokens(kind, t) -> None:
    """Six tokens by Runge and Kutta of order 4, 400 steps, put back on the sphere."""
    x, h = equal_angles(0.1, 6), t / 400
    field = rqf.Attention(6, 1.5, kind=kind)
    for _ in range(400):
        k1 = velocity(field, x)
        k2 = velocity(field, rqf.normalize(x + 0.5 * h * k1))
        k3 = velocity(field, rqf.normalize(x + 0.5 * h * k2))
        k4 = velocity(field, rqf.normalize(x + h * k3))
        x = rqf.normalize(x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
    overlaps = (x @ x.T)[~np.eye(6, dtype=bool)]
    expected = float(equiangular_overlap(0.1, t, 6, 1.5, kind=kind))
    assert 0.2 < expected < 0.999
    np.testing.assert_allclose(overlaps, expected, rtol=0.0, atol=1e-5)


def test_ends_and_extremes() -> None:
    t = [0.0, 1.0, 1e300]
    np.testing.assert_array_equal(equiangular_overlap(1.0, t, 5, 2.0), 1.0)
    np.testing.assert_array_equal(equiangular_overlap(-0.25, t, 5, 2.0), -0.25)
    np.testing.assert_array_equal(equiangular_overlap(0.5, t, 5, 2.0, gamma=0.0), 0.5)
    steep = equiangular_overlap(0.5, [0.0, 1e300, 1.0], 10**6, 600.0, kind="unnormalised")
    np.testing.assert_allclose(steep, [0.5, 1.0, 1.0])
    apart = equiangular_overlap(1.0 - 1e-15, [1e300], 3, 300.0, gamma=-1.0)
    np.testing.assert_allclose(apart, -0.5)
    assert equiangular_overlap(0.5, [], 3, 1.0).shape == (0,)


def test_two_tokens_without_temperature() -> None:
    """beta = 0, N = 2: ρ' = 1 - ρ², ρ = tanh(t + artanh ρ_0)."""
    t = np.linspace(0.0, 3.0, 7)
    np.testing.assert_allclose(
        equiangular_overlap(-0.3, t, 2, 0.0), np.tanh(t + math.atanh(-0.3)), rtol=0.0, atol=1e-14
    )


@pytest.mark.parametrize("n", [5, 10**6])
def test_drift_at_small_beta(n) -> None:
    """At equal overlaps, a (n-2+u²) - (n-1) a u = a (1-u)(n-2-u), a = u + (1-u)/N."""
    u, tokens = 0.3, 50
    gram = (1.0 - u) * np.eye(tokens) + u
    a = rqf.AttentionNoise(n, 0.0).kernels(gram).a
    mean = u + (1.0 - u) / tokens
    np.testing.assert_allclose(a, mean, rtol=1e-13)
    drift = float(a[0, 1]) * (n - 2 + u * u) - (n - 1) * float(a[0, 0]) * u
    assert drift == pytest.approx(mean * (1.0 - u) * (n - 2 - u), rel=1e-11)
    h = 1e-5
    rate = (small_beta_overlap(u, h) - small_beta_overlap(u, 0.0)) / h
    assert rate == pytest.approx(u * (1.0 - u), rel=1e-5)


@pytest.mark.full
def test_logistic_growth_by_simulation() -> None:
    """64 tokens, n = 128, beta = 0, 60 realisations, clock n t: mean overlaps follow u' = u (1-u).

    Tokens attend to themselves with weight 1/N, and the tokens fall short of n = ∞ by 1/n: the
    deterministic equation with both, u' = a (1-u) (n-2-u)/n, must lie within 4 standard errors.
    """
    n, tokens, size, steps = 128, 64, 60, 96
    rng, h = np.random.default_rng(5), 3.0 / 96
    field = rqf.AttentionNoise(n, 0.0)
    x = rqf.normalize(rng.normal(size=(size, tokens, n)) + math.sqrt(0.1 / 0.9) *
                      math.sqrt(n) * np.eye(n)[0])  # fmt: skip
    start = (np.sum(np.sum(x, axis=1) ** 2, axis=-1) - tokens) / (tokens * (tokens - 1))
    for _ in range(steps):
        dw = math.sqrt(h / n) * rng.normal(size=(size, field.increments))
        x = rqf.normalize(x + field.frozen(dw, np.empty((size, 0)), h / n).layer(x))
    end = (np.sum(np.sum(x, axis=1) ** 2, axis=-1) - tokens) / (tokens * (tokens - 1))
    expected = solve_ivp(
        lambda _, u: (u + (1 - u) / tokens) * (1 - u) * (n - 2 - u) / n, (0.0, 3.0),
        [start.mean()], rtol=1e-9,
    ).y[0, -1]  # fmt: skip
    error = end.std() / math.sqrt(size)
    assert error < 0.02
    assert abs(end.mean() - expected) < 4.0 * error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: equiangular_rate(-0.6, 3, 1.0), "rho = -0.6"),
        (lambda: equiangular_rate([0.0, 1.1], 3, 1.0), "rho = 1.1"),
        (lambda: equiangular_overlap(-0.6, 1.0, 3, 1.0), "rho0 = -0.6"),
        (lambda: equiangular_overlap(0.5, -1.0, 3, 1.0), "t = -1"),
        (lambda: equiangular_overlap(0.5, 1.0, 1, 1.0), "tokens = 1"),
        (lambda: equiangular_overlap(0.5, 1.0, 3, math.inf), "beta = inf"),
        (lambda: equiangular_overlap(0.5, 1.0, 3, 1.0, math.nan), "gamma = nan"),
        (lambda: equiangular_overlap(0.5, 1.0, 3, 1.0, kind="hard"), "kind = 'hard'"),
        (lambda: small_beta_overlap(-0.1, 1.0), "u0 = -0.1"),
        (lambda: small_beta_overlap(0.1, -1.0), "s = -1"),
    ],
)
def test_bad_input_is_one_line(call, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
