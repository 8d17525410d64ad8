"""Attention inside the noise: covariance by sampling, the pair near both ends, Itô against
Stratonovich, and the splitting of two tokens followed step by step."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.sphere import uniform

ONE = rqf.AttentionNoise(3, 1.5, sigma=0.7)
TWO = rqf.AttentionNoise(3, 1.5, heads=2)
RANDOM = rqf.AttentionNoise(3, 1.5, heads=2, sigma=0.7, query_key="random")
FIELDS = [ONE, TWO, RANDOM]


def realisation(field, size: int, dt: float = 1.0, seed: int = 0):
    rng = np.random.default_rng(seed)
    dw = math.sqrt(dt) * rng.normal(size=(size, field.increments))
    return field.frozen(dw, rng.normal(size=(size, field.fresh)), dt)


def project(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return v - np.sum(v * x, axis=-1, keepdims=True) * x


def covariance(displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E[F_i F_jᵀ] of displacements (R, N, n), shape (N, N, n, n), and its standard errors."""
    products = np.einsum("ria,rjb->rijab", displacement, displacement)
    return products.mean(axis=0), products.std(axis=0) / math.sqrt(len(displacement))


@pytest.mark.parametrize("field", [ONE, TWO])
def test_kernels_are_the_covariance(field) -> None:
    """Three tokens, 40000 draws, 81 entries within 5 standard errors: false alarms 5e-5."""
    x = uniform(3, 3, rng=1)
    drawn = realisation(field, 40000, 0.5).layer(np.broadcast_to(x, (40000, 3, 3)))
    mean, error = covariance(drawn / math.sqrt(0.5))
    kernels = field.kernels(x @ x.T)
    assert kernels.b is None
    assert kernels.pull is None
    expected = kernels.a[:, :, None, None] * np.eye(3)
    assert np.all(np.abs(mean - expected) < 5.0 * error)


@pytest.mark.parametrize("beta", [0.3, 3.0])
def test_random_heads_have_gaussian_scores(beta) -> None:
    """Covariance of two tokens, means over the scores by quadrature, within 5 standard errors.

    Scores of covariance beta² K_ik K_jl: with normals g, h the differences that the softmax sees
    are beta (e g ± √(ef) h), and gap, total are ¼ e E(t_1 ± t_2)² (+ f), t = tanh of half of them.
    """
    z, size = 0.4, 40000
    x = np.array([[1.0, 0.0, 0.0], [z, math.sqrt(1.0 - z * z), 0.0]])
    field = rqf.AttentionNoise(3, beta, heads=2, query_key="random")
    drawn = realisation(field, size).layer(np.broadcast_to(x, (size, 2, 3)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = np.outer(weights, weights) / (2.0 * math.pi)
    e, f = 1.0 - z, 1.0 + z
    first, second = (
        np.tanh(0.5 * beta * (e * nodes[:, None] + sign * math.sqrt(e * f) * nodes))
        for sign in (1.0, -1.0)
    )
    gap = 0.25 * e * np.sum(weights * (first + second) ** 2)
    total = f + 0.25 * e * np.sum(weights * (first - second) ** 2)
    own, cross = 0.5 * (total + gap), 0.5 * (total - gap)
    mean, error = covariance(drawn)
    expected = np.array([[own, cross], [cross, own]])[:, :, None, None] * np.eye(3)
    assert np.all(np.abs(mean - expected) < 5.0 * error)


@pytest.mark.parametrize("field", FIELDS)
def test_layer_and_displacement_differ_by_the_stratonovich_drift(field) -> None:
    """½ Σ_k D(P F_k)(P F_k) over the components k of V, by central differences."""
    rng, h = np.random.default_rng(2), 1e-5
    x = uniform(4, 3, rng=3)[None]
    fresh = rng.normal(size=(1, field.fresh))
    expected = np.zeros_like(x)
    for k in range(field.increments):
        frozen = field.frozen(np.eye(field.increments)[k : k + 1], fresh, 1.0)

        def tangent(y: np.ndarray, frozen=frozen) -> np.ndarray:
            return project(y, frozen.layer(y))

        v = tangent(x)
        expected += 0.25 * (tangent(x + h * v) - tangent(x - h * v)) / h
    expected = project(x, expected)
    still = field.frozen(np.zeros((1, field.increments)), fresh, 1.0)
    assert np.max(np.abs(expected)) > 0.01
    np.testing.assert_allclose(-project(x, still(x)), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("field", FIELDS)
def test_push_is_the_derivative(field) -> None:
    """Central differences, error h² ~ 1e-10."""
    x = uniform(15, 3, rng=4).reshape(3, 5, 3)
    v = np.random.default_rng(5).normal(size=x.shape)
    frozen, h = realisation(field, 3, 0.3), 1e-5
    difference = (frozen(x + h * v) - frozen(x - h * v)) / (2.0 * h)
    np.testing.assert_allclose(frozen.push(x, v), difference, rtol=1e-7, atol=1e-8)


def test_pair_against_kernels() -> None:
    z = np.linspace(-1.0, 1.0, 41)
    gram = np.ones((41, 2, 2))
    gram[:, 0, 1] = gram[:, 1, 0] = z
    a, pair = ONE.kernels(gram).a, ONE.pair(1.0 - z, 1.0 + z)
    np.testing.assert_allclose(pair.own, a[:, 0, 0], rtol=1e-14)
    np.testing.assert_allclose(pair.own, a[:, 1, 1], rtol=1e-14)
    np.testing.assert_allclose(pair.cross, a[:, 0, 1], rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(pair.gap, a[:, 0, 0] - a[:, 0, 1], atol=1e-15)
    np.testing.assert_allclose(pair.total, a[:, 0, 0] + a[:, 0, 1], atol=1e-15)
    np.testing.assert_array_equal(ONE.a(z), pair.cross)
    assert not np.any(pair.pull)
    assert not np.any(pair.b)


@pytest.mark.parametrize("beta", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize(
    ("e", "f"), [(1e-90, 2.0), (1e-17, 2.0), (1e-3, 1.999), (1.25, 0.75), (2.0, 1e-300)]
)
def test_pair_to_full_precision(beta, e, f) -> None:
    """From p = 1/(1 + e^{-beta e}) in four hundred digits."""
    field = rqf.AttentionNoise(5, beta)
    with localcontext() as context:
        context.prec = 400
        exact_e = Decimal(e) if e < f else 2 - Decimal(f)
        p = 1 / (1 + (-Decimal(beta) * exact_e).exp())
        shared, z = 2 * p * (1 - p), 1 - exact_e
        own, cross = 1 - shared + shared * z, (1 - shared) * z + shared
        expected = [float(v) for v in (own, cross, own - cross, own + cross)]
    got = field.pair(e, f)
    for value, exact in zip((got.own, got.cross, got.gap, got.total), expected, strict=True):
        assert float(value) == pytest.approx(exact, rel=4e-16 * (2.0 + beta * e), abs=0.0)


def test_slope_of_a() -> None:
    z, h = np.linspace(-0.99, 0.99, 23), 1e-6
    difference = (ONE.a(z + h) - ONE.a(z - h)) / (2.0 * h)
    np.testing.assert_allclose(ONE.a_prime(z), difference, rtol=1e-8)
    assert float(ONE.a_prime(1.0)) == pytest.approx(0.5 * 0.49, rel=1e-15)


def test_large_beta_is_a_linear_layer() -> None:
    steep, layer = rqf.AttentionNoise(10**6, 1e5, sigma=1.3), rqf.LinearLayer(10**6, sigma=1.3)
    z = np.linspace(-1.0, 0.99, 21)
    for got, expected in zip(steep.pair(1.0 - z, 1.0 + z), layer.pair(1.0 - z, 1.0 + z),
                             strict=True):  # fmt: skip
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-15)


def test_heads_that_attend_alike_have_the_law_of_one() -> None:
    gram = uniform(6, 3, rng=7)
    gram = gram @ gram.T
    np.testing.assert_array_equal(
        rqf.AttentionNoise(3, 2.0).kernels(gram).a, rqf.AttentionNoise(3, 2.0, 8).kernels(gram).a
    )
    assert TWO.increments == 18
    assert (TWO.fresh, RANDOM.fresh) == (0, 18)
    assert rqf.AttentionNoise(3, 1.5, sigma=1.4) == 4.0 * ONE
    assert ONE.parity == "odd"


def followed(field, size: int, steps: int, dt: float, seed: int, layers: bool) -> np.ndarray:
    """Overlaps at the end of two tokens that start at right angles, by layers or Heun's method."""
    rng = np.random.default_rng(seed)
    x = np.zeros((size, 2, field.n))
    x[:, 0, 0] = x[:, 1, 1] = 1.0
    for _ in range(steps):
        dw = math.sqrt(dt) * rng.normal(size=(size, field.increments))
        frozen = field.frozen(dw, rng.normal(size=(size, field.fresh)), dt)
        if layers:
            x = rqf.normalize(x + frozen.layer(x))
        else:
            first = project(x, frozen(x))
            ahead = rqf.normalize(x + first)
            x = rqf.normalize(x + 0.5 * (first + project(ahead, frozen(ahead))))
    return np.sum(x[:, 0] * x[:, 1], axis=-1)


@pytest.mark.full
@pytest.mark.parametrize("layers", [False, True])
def test_two_tokens_split_as_the_quadrature_says(layers) -> None:
    """2000 runs each, n = 4, beta = 2 (exact 0.2474): within 4 standard errors, steps 1/128."""
    end = followed(rqf.AttentionNoise(4, 2.0), 2000, 1024, 1.0 / 128.0, 1, layers)
    exact = rqf.theory.attention_noise_antipodal(4, 2.0)
    measured = np.mean(end < 0.0)
    assert np.mean(np.abs(end) > 0.99) > 0.95
    assert abs(measured - exact) < 4.0 * math.sqrt(exact * (1.0 - exact) / len(end))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.AttentionNoise(1, 1.0), "n = 1"),
        (lambda: rqf.AttentionNoise(3, math.nan), "beta = nan"),
        (lambda: rqf.AttentionNoise(3, -1.0), "beta = -1"),
        (lambda: rqf.AttentionNoise(3, 1.0, heads=0), "heads = 0"),
        (lambda: rqf.AttentionNoise(3, 1.0, sigma=-1.0), "sigma = -1"),
        (lambda: rqf.AttentionNoise(3, 1.0, query_key="free"), "query_key = 'free': must be one"),
        (lambda: RANDOM.kernels(np.eye(2)), "query_key = 'random': its kernels"),
        (lambda: RANDOM.pair(1.0, 1.0), "query_key = 'random': its kernels"),
        (lambda: RANDOM.a(0.5), "query_key = 'random': its kernels"),
        (lambda: RANDOM.a_prime(0.5), "query_key = 'random': its kernels"),
    ],
)
def test_bad_input_is_one_line(make, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
