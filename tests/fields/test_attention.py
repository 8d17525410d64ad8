"""Attention as a drift: its velocity, its derivative, its pair near both ends, its limits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.sphere import uniform

N, TOKENS, R = 4, 5, 3
VALUE = np.random.default_rng(3).normal(size=(N, N))
FIELDS = [
    rqf.Attention(N, 2.0),
    rqf.Attention(N, 2.0, gamma=-0.7, causal=True),
    rqf.Attention(N, 1.5, kind="unnormalised", value=VALUE),
    rqf.Attention(N, 1.5, kind="unnormalised", causal=True),
    rqf.Attention(N, -1.0, value=VALUE, causal=True),
]


def tokens(seed: int = 0) -> np.ndarray:
    return uniform(R * TOKENS, N, rng=seed).reshape(R, TOKENS, N)


def step(field, dt: float = 1.0):
    return field.frozen(np.empty((R, 0)), np.empty((R, 0)), dt)


def velocity(field, x: np.ndarray) -> np.ndarray:
    """The definition, token by token, for x of shape (N, n)."""
    result = np.zeros_like(x)
    value = np.eye(field.n) if field.value is None else field.value
    for i in range(len(x)):
        seen = i + 1 if field.causal else len(x)
        weights = [math.exp(field.beta * float(x[i] @ x[j])) for j in range(seen)]
        share = math.fsum(weights) if field.kind == "softmax" else len(x)
        for j in range(seen):
            result[i] += field.gamma * weights[j] / share * (value @ x[j])
    return result


@pytest.mark.parametrize("field", FIELDS)
def test_the_displacement_is_the_definition(field) -> None:
    x = tokens()
    expected = 0.25 * np.stack([velocity(field, y) for y in x])
    np.testing.assert_allclose(step(field, 0.25)(x), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("field", FIELDS)
def test_push_is_the_derivative(field) -> None:
    """Central differences, error h² ~ 1e-10."""
    x, v = tokens(), np.random.default_rng(1).normal(size=(R, TOKENS, N))
    frozen, h = step(field), 1e-5
    difference = (frozen(x + h * v) - frozen(x - h * v)) / (2.0 * h)
    np.testing.assert_allclose(frozen.push(x, v), difference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("field", [f for f in FIELDS if f.value is None])
def test_kernels_give_the_displacement(field) -> None:
    x = tokens()
    kernels = field.kernels(x @ np.swapaxes(x, -1, -2))
    assert kernels.b is None
    assert not np.any(kernels.a)
    np.testing.assert_allclose(kernels.pull @ x, step(field)(x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kind", ["softmax", "unnormalised"])
@pytest.mark.parametrize("causal", [False, True])
def test_pair_against_kernels(kind, causal) -> None:
    """The mean of pull_12 and pull_21, which is what moves the overlap."""
    field = rqf.Attention(3, 1.7, gamma=-0.4, kind=kind, causal=causal, value=2.0 * np.eye(3))
    z = np.linspace(-1.0, 1.0, 41)
    gram = np.ones((41, 2, 2))
    gram[:, 0, 1] = gram[:, 1, 0] = z
    pull = field.kernels(gram).pull
    pair = field.pair(1.0 - z, 1.0 + z)
    np.testing.assert_allclose(pair.pull, 0.5 * (pull[:, 0, 1] + pull[:, 1, 0]), rtol=1e-14)
    for part in (pair.own, pair.cross, pair.gap, pair.total, pair.b):
        np.testing.assert_array_equal(part, np.zeros_like(z))


@pytest.mark.parametrize("beta", [1e-3, 1.0, 30.0, 300.0])
@pytest.mark.parametrize("e", [0.0, 1e-300, 1e-17, 1e-3, 0.7, 1.999, 2.0])
def test_pair_to_full_precision(beta, e) -> None:
    """w = 1/(1 + e^{beta e}) and e^{beta z}/2 in sixty digits."""
    f = 2.0 - e
    with localcontext() as context:
        context.prec = 400
        softmax = 1 / (1 + (Decimal(beta) * Decimal(e)).exp())
        plain = (Decimal(beta) * (1 - Decimal(e))).exp() / 2
    tolerance = 4e-16 * (1.0 + beta)  # the exponent beta e itself is rounded
    got = rqf.Attention(3, beta).pair(e, f).pull
    assert float(got) == pytest.approx(float(softmax), rel=tolerance)
    got = rqf.Attention(3, beta, kind="unnormalised").pair(e, f).pull
    assert float(got) == pytest.approx(float(plain), rel=tolerance)


@pytest.mark.parametrize("field", [rqf.Attention(3, 2.0, 0.6), rqf.Attention(3, 2.0, causal=True)])
def test_drift_of_the_overlap(field) -> None:
    """(P F)_1·x_2 + x_1·(P F)_2 = 2 (1 - z²) pull."""
    x = uniform(2, 3, rng=5)[None]
    moved = field.frozen(np.empty((1, 0)), np.empty((1, 0)), 1.0)(x)
    moved = moved - np.sum(moved * x, axis=-1, keepdims=True) * x
    z = float(x[0, 0] @ x[0, 1])
    drift = float(moved[0, 0] @ x[0, 1] + x[0, 0] @ moved[0, 1])
    pull = float(field.pair(1.0 - z, 1.0 + z).pull)
    assert drift == pytest.approx(2.0 * (1.0 - z * z) * pull, rel=1e-12)


def test_steep_softmax_of_many_tokens() -> None:
    """beta = 1e3, N = 2048: every token attends to itself and to its copy alike."""
    half = uniform(1024, 8, rng=0)
    x = np.concatenate([half, half])[None]
    weights = rqf.Attention(8, 1e3).weights(x @ np.swapaxes(x, -1, -2))[0]
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
    twin = np.roll(np.arange(2048), 1024)
    np.testing.assert_allclose(weights[np.arange(2048), twin], np.diag(weights), rtol=1e-9)
    assert np.median(np.diag(weights)) > 0.499


@pytest.mark.parametrize("field", FIELDS)
def test_odd_fields_keep_antipodal_pairs(field) -> None:
    x = uniform(1, N, rng=2)
    moved = step(field)(np.broadcast_to(np.concatenate([x, -x]), (R, 2, N)))
    moved = moved - np.sum(moved * x, axis=-1, keepdims=True) * x
    stays = bool(np.max(np.abs(moved[:, 0] + moved[:, 1])) < 1e-14)
    assert stays == (field.parity == "odd")


def test_algebra() -> None:
    field = 3.0 * rqf.Attention(3, 1.0, gamma=-0.5)
    assert field == rqf.Attention(3, 1.0, gamma=-1.5)
    assert hash(field) == hash(rqf.Attention(3, 1.0, gamma=-1.5))
    assert field != rqf.Attention(3, 1.0, gamma=-1.5, value=np.eye(3))
    both = rqf.LinearLayer(3, 0.5) + rqf.Attention(3, 1.0) + rqf.Attention(3, 1.0)
    pair = both.pair(0.5, 1.5)
    assert float(pair.pull) == pytest.approx(2.0 / (1.0 + math.exp(0.5)), rel=1e-15)
    assert float(pair.gap) == pytest.approx(0.125, rel=1e-15)
    still = rqf.Attention(N, 1.0, gamma=0.0)
    assert not np.any(step(still)(tokens()))
    assert not np.any(still.a(0.3) + still.b(0.3) + still.a_prime(0.3))
    assert (still.increments, still.fresh) == (0, 0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.Attention(1, 1.0), "n = 1"),
        (lambda: rqf.Attention(3, math.inf), "beta = inf: must be"),
        (lambda: rqf.Attention(3, math.nan), "beta = nan: must be"),
        (lambda: rqf.Attention(3, 1.0, math.inf), "gamma = inf: must be"),
        (lambda: rqf.Attention(3, "hot"), "beta = 'hot': must be"),
        (lambda: rqf.Attention(3, 700.0, kind="unnormalised"), "beta = 700"),
        (lambda: rqf.Attention(3, 1.0, kind="hard"), "kind = 'hard': must be one of"),
        (lambda: rqf.Attention(3, 1.0, value=np.eye(4)), r"value has shape \(4, 4\)"),
        (lambda: rqf.Attention(3, 1.0, value=np.full((3, 3), np.nan)), "not finite"),
        (lambda: rqf.Attention(3, 1.0, causal=1), "causal = 1: must be True or False"),
        (lambda: FIELDS[2].kernels(np.eye(2)), "value: is not a multiple"),
        (lambda: FIELDS[2].pair(1.0, 1.0), "value: is not a multiple"),
    ],
)
def test_bad_input_is_one_line(make, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
