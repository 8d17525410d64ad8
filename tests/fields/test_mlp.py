"""MLP fields: the numbers of Agazzi et al., the ends of a pair, and layers against their law."""

import copy
import pickle

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.fields.activations import Function

# arXiv:2604.26898, table 1: activation, n, sigma_U = sigma_W, k(1), k'(1), λ_1, coercivity
TABLE = [
    ("relu", 5, 0.0, 1.00e-01, 1.00e-01, -1.00e-01, 2.00e-01),
    ("relu", 5, 0.1, 1.15e-01, 1.00e-01, -1.30e-01, 1.70e-01),
    ("relu", 64, 0.0, 7.81e-03, 7.81e-03, -7.81e-03, 1.56e-02),
    ("relu", 64, 0.1, 2.28e-02, 7.81e-03, -4.80e-01, -8.99e-01),
    ("relu", 128, 0.0, 3.91e-03, 3.91e-03, -3.91e-03, 7.81e-03),
    ("relu", 128, 0.1, 1.89e-02, 3.91e-03, -9.56e-01, -1.87e00),
    ("silu", 5, 0.0, 5.65e-02, 5.84e-02, -5.45e-02, 1.21e-01),
    ("silu", 5, 0.1, 6.96e-02, 5.87e-02, -8.04e-02, 9.57e-02),
    ("silu", 64, 0.0, 3.95e-03, 3.97e-03, -3.50e-03, 8.84e-03),
    ("silu", 64, 0.1, 1.65e-02, 4.00e-03, -3.98e-01, -7.56e-01),
    ("silu", 128, 0.0, 1.96e-03, 1.97e-03, -1.73e-03, 4.41e-03),
    ("silu", 128, 0.1, 1.45e-02, 1.99e-03, -7.97e-01, -1.56e00),
]
ALL = ["relu", "leaky_relu:0.2", "gelu", "silu", "tanh", "erf", "sigmoid", "sin", "quadratic",
       "linear"]  # fmt: skip


def numbers(field):
    n, k, slope = field.n, float(field.a(1.0)), float(field.a_prime(1.0))
    exponent = 0.5 * ((n - 3) * slope - (n - 1) * k)
    return k, slope, exponent, (n - 1) * slope - (n - 3) * k


@pytest.mark.parametrize("row", TABLE)
def test_table_of_agazzi_et_al(row):
    word, n, sigma, *printed = row
    found = numbers(rqf.MLP(n, word, sigma_u=sigma, sigma_w=sigma))
    assert [f"{x:.2e}" for x in found] == [f"{x:.2e}" for x in printed]


@pytest.mark.parametrize("n", [2, 5, 128, 10**6])
def test_exponent_of_the_relu(n):
    u, w = 0.3, 0.2
    expected = -1.0 / (2 * n) - (u**2 + 2 * w**2) * (n - 1) / 4
    found = numbers(rqf.MLP(n, "relu", sigma_u=u, sigma_w=w))[2]
    assert found == pytest.approx(expected, rel=1e-13)


def test_unscaled_layers():
    """gain = √n: hidden values of variance 1, the arc-cosine and arcsine kernels."""
    z = np.linspace(-1.0, 1.0, 9)
    theta = np.arccos(z)
    relu = (np.sin(theta) + (np.pi - theta) * z) / (2 * np.pi)
    np.testing.assert_allclose(rqf.MLP(7, "relu", gain=np.sqrt(7)).a(z), relu, atol=1e-15)
    erf = 2 / np.pi * np.arcsin(2 * z / 3)
    np.testing.assert_allclose(rqf.MLP(7, "erf", gain=np.sqrt(7)).a(z), erf, atol=1e-15)
    linear = rqf.MLP(7, "linear", gain=np.sqrt(7))
    np.testing.assert_allclose(linear.a(z), rqf.LinearLayer(7).a(z), atol=1e-15)


@pytest.mark.parametrize("word", ALL)
@pytest.mark.parametrize(("gain", "sigma_u", "sigma_w"), [(1.0, 0.0, 0.0), (2.0, 1e-6, 1e-7)])
def test_pairs_do_not_cancel(word, gain, sigma_u, sigma_w):
    """gap is e a'(1) to first order; total at f -> 0 is twice the variance of the even part."""
    field = rqf.MLP(3, word, gain=gain, sigma_u=sigma_u, sigma_w=sigma_w)
    e = np.array([1e-300, 1e-200, 1e-30, 1e-22])
    near = field.pair(e, 2.0 - e)
    np.testing.assert_allclose(near.gap, e * field.a_prime(1.0), rtol=1e-9)
    far = field.pair(2.0 - e, e)
    if field.parity == "odd":
        np.testing.assert_allclose(far.total, near.gap, rtol=1e-13)
    elif word in ("tanh", "erf", "sin", "linear"):
        slope = float(field.a_prime(1.0)) / (gain**2 / 3)
        expected = 2 * sigma_w**2 + slope * 2 * sigma_u**2 + e * field.a_prime(1.0)
        np.testing.assert_allclose(far.total, expected, rtol=1e-9)
    z = np.linspace(-1.0, 1.0, 41)
    pair = field.pair(1.0 - z, 1.0 + z)
    np.testing.assert_allclose(pair.gap, field.a(1.0) - field.a(z), atol=1e-14 * pair.own[0])
    np.testing.assert_allclose(pair.total, field.a(1.0) + field.a(z), atol=1e-14 * pair.own[0])
    np.testing.assert_allclose(pair.cross, field.a(z), atol=1e-15)


def test_a_tiny_even_part_is_seen():
    """Leaky ReLU of alpha = 1 - δ: the even part (δ/2)|x| gives total = 2 (δ/2)² q at z = -1."""
    delta = 2.0**-40
    field = rqf.MLP(4, f"leaky_relu:{1 - delta!r}")
    assert field.parity == "mixed"
    total = float(field.pair(2.0, 0.0).total)
    assert total == pytest.approx(2 * (delta / 2) ** 2 / 4, rel=1e-12)


def test_parity_and_strength():
    assert rqf.MLP(3, "tanh").parity == rqf.MLP(3, "linear").parity == "odd"
    assert rqf.MLP(3, "quadratic").parity == rqf.MLP(3, "quadratic", sigma_w=1.0).parity == "even"
    assert rqf.MLP(3, np.cosh).parity == "even"
    for other in (rqf.MLP(3), rqf.MLP(3, "tanh", sigma_u=0.1), rqf.MLP(3, "tanh", sigma_w=0.1)):
        assert other.parity == "mixed"
    field = rqf.MLP(3, "gelu", sigma_w=0.2)
    np.testing.assert_allclose((2.5 * field).a([0.1, 1.0]), 2.5 * field.a([0.1, 1.0]))
    assert (field + rqf.Bias(3, 0.1)).a(0.3) == pytest.approx(float(field.a(0.3)) + 0.01)
    assert pickle.loads(pickle.dumps(field)) == copy.deepcopy(field) == field
    assert field.a(0.5).shape == ()
    assert field.a(np.zeros((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("word", ["relu", "tanh", "quadratic"])
@pytest.mark.parametrize("sigma", [0.0, 0.5])
def test_layers_have_the_law_of_the_field(word, sigma):
    """E[F_i(x) F_j(y)] = dt a δ_ij from 40000 layers of width 3, within 5 standard errors."""
    field = 1.7 * rqf.MLP(3, word, width=3, sigma_u=sigma, sigma_w=sigma, gain=1.5)
    rng = np.random.default_rng(2)
    count, dt = 40000, 0.25
    layer = field.frozen(
        np.sqrt(dt) * rng.normal(size=(count, field.increments)),
        rng.normal(size=(count, field.fresh)), dt,
    )  # fmt: skip
    tokens = rqf.normalize(rng.normal(size=(2, 3)))
    f = layer(np.broadcast_to(tokens, (count, 2, 3)))
    for i, j in ((0, 0), (0, 1)):
        products = f[:, i, :, None] * f[:, j, None, :]
        error = products.std(axis=0) / np.sqrt(count)
        expected = dt * field.a(np.clip(tokens[i] @ tokens[j], -1, 1)) * np.eye(3)
        assert np.all(np.abs(products.mean(axis=0) - expected) < 5.0 * error)


@pytest.mark.parametrize("word", [*ALL, Function(np.cos, derivative=lambda x: -np.sin(x))])
def test_push_is_the_derivative(word, monkeypatch):
    monkeypatch.setattr("rqf.fields.mlp.BATCH", 64)  # several blocks
    field = rqf.MLP(4, word, width=16, sigma_u=0.3, sigma_w=0.2, gain=2.0)
    rng = np.random.default_rng(3)
    layer = field.frozen(rng.normal(size=(5, field.increments)),
                         rng.normal(size=(5, field.fresh)), 1.0)
    x, v = rng.normal(size=(2, 5, 6, 4))
    h = 1e-6
    central = (layer(x + h * v) - layer(x - h * v)) / (2 * h)
    np.testing.assert_allclose(layer.push(x, v), central, rtol=0, atol=1e-7)


def test_realisations_do_not_mix(monkeypatch):
    field = rqf.MLP(3, "silu", width=8)
    rng = np.random.default_rng(4)
    dw, fresh = rng.normal(size=(7, field.increments)), rng.normal(size=(7, field.fresh))
    x = rng.normal(size=(7, 5, 3))
    whole = field.frozen(dw, fresh, 1.0)(x)
    for r in range(7):
        one = field.frozen(dw[r : r + 1], fresh[r : r + 1], 1.0)(x[r : r + 1])
        np.testing.assert_allclose(one[0], whole[r], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.MLP(1), "n = 1"),
        (lambda: rqf.MLP(3, width=0), "width = 0"),
        (lambda: rqf.MLP(3, sigma_u=-1.0), "sigma_u = -1"),
        (lambda: rqf.MLP(3, sigma_w=float("inf")), "sigma_w = inf"),
        (lambda: rqf.MLP(3, gain=0.0), "gain = 0"),
        (lambda: rqf.MLP(3).frozen(np.zeros((1, 0)), np.zeros((1, 0)), 1.0), "law only"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_push_without_derivative_says_so():
    field = rqf.MLP(3, np.cos, width=2)
    layer = field.frozen(np.ones((1, field.increments)), np.ones((1, field.fresh)), 1.0)
    with pytest.raises(InvalidArgument, match="derivative"):
        layer.push(np.ones((1, 1, 3)), np.ones((1, 1, 3)))
