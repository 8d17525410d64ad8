"""Kernels of activations: closed forms, series and panels against independent integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

import rqf
from rqf.errors import InvalidArgument
from rqf.fields.activations import NAMES, Function, LeakyReLU, activation

Z = np.array([-1.0, -0.9, -0.3, 0.0, 0.2, 0.8, 1.0])
SETTINGS = [(1.0, 0.0), (3.0, 0.4), (0.2, 0.0)]
WORDS = [*NAMES, "leaky_relu:0.3"]


def trapezoid(f, q, c):
    """E[f(U) f(V)] for smooth f by the trapezoidal rule in independent normals."""
    x = np.linspace(-12.0, 12.0, 601)
    weights = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    weights /= weights.sum()
    r = np.clip(c / q, -1.0, 1.0)
    v = np.sqrt(q) * (r * x[:, None] + np.sqrt(1.0 - r * r) * x)
    return (weights * f(np.sqrt(q) * x)) @ (f(v) @ weights)


def kinked(alpha, q, c, slope):
    """The same for the leaky ReLU and its slope: the inner mean over V given U is elementary."""
    r = c / q
    m, s = r, np.sqrt((1.0 - r) * (1.0 + r))

    def inner(x):
        if s == 0.0:
            return (np.where(m * x > 0, 1.0, alpha) if slope
                    else np.where(m * x > 0, m * x, alpha * m * x))
        up = ndtr(m * x / s)
        density = np.exp(-0.5 * (m * x / s) ** 2) / np.sqrt(2.0 * np.pi)
        if slope:
            return up + alpha * (1.0 - up)
        positive = m * x * up + s * density
        return positive + alpha * (m * x - positive)

    def outer(x):
        f = (1.0 if x > 0 else alpha) if slope else (x if x > 0 else alpha * x)
        return f * inner(x) * np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)

    total = sum(quad(outer, *ends, epsabs=1e-14, epsrel=1e-13, limit=200)[0]
                for ends in [(-12, 0), (0, 12)])
    return total if slope else q * total


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(("gain", "sigma_u"), SETTINGS)
def test_kernel_and_slope(word, gain, sigma_u):
    """To 1e-10 of a(1) and of the slope at the steepest (the reference's error is below 1e-12)."""
    field = rqf.MLP(3, word, gain=gain, sigma_u=sigma_u)
    w = gain**2 / 3
    q = w + sigma_u**2
    c = w * Z + sigma_u**2
    if isinstance(field.phi, LeakyReLU):
        a = [kinked(field.phi.alpha, q, x, False) for x in c]
        slope = [w * kinked(field.phi.alpha, q, x, True) for x in c]
    else:
        a = [trapezoid(field.phi, q, x) for x in c]
        slope = [w * trapezoid(field.phi.derivative, q, x) for x in c]
    np.testing.assert_allclose(field.a(Z), a, rtol=0, atol=1e-10 * max(a))
    np.testing.assert_allclose(field.a_prime(Z), slope, rtol=0, atol=1e-10 * max(slope))


@pytest.mark.parametrize("word", WORDS)
def test_derivative(word):
    phi = activation(word)
    x = np.array([-30.0, -3.0, -0.7, 0.4, 2.0, 30.0])
    h = 1e-5
    np.testing.assert_allclose(phi.derivative(x), (phi(x + h) - phi(x - h)) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("word", WORDS)
def test_series_and_panels_agree_with_closed_forms(word):
    """A name and the same function as one of the user's; gaps relative, to the last digits."""
    named = rqf.MLP(3, word, gain=2.0)
    user = rqf.MLP(3, Function(named.phi.__call__), gain=2.0)
    assert user.parity == named.parity
    e = np.array([0.0, 1e-300, 1e-14, 1e-6, 1e-2, 0.5, 1.0, 1.5, 2.0])
    ours, theirs = named.pair(e, 2.0 - e), user.pair(e, 2.0 - e)
    np.testing.assert_allclose(ours.gap, theirs.gap, rtol=1e-11)
    for e_, f_ in ((e, 2.0 - e), (2.0 - e, e)):
        np.testing.assert_allclose(named.pair(e_, f_).total, user.pair(e_, f_).total, rtol=1e-11)
    worst = float(named.a_prime(1.0))
    np.testing.assert_allclose(user.a_prime(Z), named.a_prime(Z), rtol=0, atol=1e-10 * worst)


@pytest.mark.parametrize("word", ["relu", "gelu", "erf", "quadratic"])
@pytest.mark.parametrize("q", [1e-12, 1.0, 1e6])
def test_gap_is_the_integral_of_the_slope(word, q):
    """Where the reference would cancel: gap(d) = ∫_0^d slope, smooth in (d/(1+d))^{1/2}."""
    x, w = np.polynomial.legendre.leggauss(80)
    for part in activation(word).parts(q):
        for d in ([] if part is None else [1e-9 * q, 1e-3 * min(q, 1.0), min(q, 1.0)]):
            r = 0.5 * np.sqrt(d / (1.0 + d)) * (1.0 + x)
            at, rate = r * r / (1.0 - r * r), 2.0 * r / (1.0 - r * r) ** 2
            integral = 0.5 * np.sqrt(d / (1.0 + d)) * (w @ (part.slope(at) * rate))
            assert float(part.gap(np.array(d))) == pytest.approx(integral, rel=1e-12)


def test_kinks_off_the_origin():
    """The hard tanh: its slope's kernel is the chance that U and V both lie in [-1, 1]."""
    field = rqf.MLP(3, lambda x: np.clip(x, -1.0, 1.0), gain=np.sqrt(3.0))

    def square(r):
        s = np.sqrt((1.0 - r) * (1.0 + r))

        def density(x):
            inside = ndtr((1.0 - r * x) / s) - ndtr((-1.0 - r * x) / s)
            return np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * inside

        return quad(density, -1.0, 1.0, epsabs=1e-14, epsrel=1e-13, limit=500)[0]

    r = np.array([-0.9, -0.2, 0.0, 0.5, 0.99])
    expected = [square(x) for x in r]
    np.testing.assert_allclose(field.a_prime(r), expected, rtol=0, atol=1e-10)
    assert field.parity == "odd"


@pytest.mark.parametrize("gain", [10.0, 25.0])
def test_steep_functions(gain):
    named = rqf.MLP(3, "erf", gain=gain)
    user = rqf.MLP(3, Function(named.phi.__call__), gain=gain)
    e = np.geomspace(1e-12, 1.0, 30)
    np.testing.assert_allclose(user.pair(e, 2 - e).gap, named.pair(e, 2 - e).gap, rtol=1e-11)


@pytest.mark.full
@pytest.mark.parametrize("word", WORDS)
def test_ten_million_draws(word):
    """4 standard errors at z = -0.6 and 0.7, for a and a': false alarm 1.3e-4 each, seed fixed."""
    field = rqf.MLP(4, word, sigma_u=0.3, gain=2.0)
    w, extra = 1.0, 0.09
    rng = np.random.default_rng(5)
    for z in (-0.6, 0.7):
        r = (w * z + extra) / (w + extra)
        sums = np.zeros((2, 2))
        for _ in range(10):
            x, y = rng.normal(size=(2, 10**6))
            u, v = np.sqrt(w + extra) * x, np.sqrt(w + extra) * (r * x + np.sqrt(1 - r * r) * y)
            for i, f in enumerate((field.phi, field.phi.derivative)):
                product = f(u) * f(v)
                sums[i] += product.sum(), (product**2).sum()
        mean, second = sums.T / 1e7
        error = np.sqrt((second - mean**2) / 1e7)
        found = np.array([field.a(z), field.a_prime(z) / w])
        assert np.all(np.abs(found - mean) <= 4.0 * error + 1e-14)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("rleu", "activation = 'rleu': must be one of relu"),
        ("leaky_relu:x", "leaky_relu:x"),
        (3, "activation = 3"),
        (lambda x: 3.0, "shape"),
        (lambda x: 1.0 / x, "not finite"),
        (lambda x: float(x), "vectorised"),
    ],
)
def test_bad_activation_is_one_line(value, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        rqf.MLP(3, value)
    assert "\n" not in str(caught.value)


def test_jumps_are_refused():
    with pytest.raises(InvalidArgument, match="continuous"):
        rqf.MLP(3, np.sign).a(0.5)
    with pytest.raises(InvalidArgument, match="continuous"):
        rqf.MLP(3, lambda x: np.where(x > 0.3, 1.0, 0.0)).a(0.5)
    with pytest.raises(InvalidArgument, match="derivative"):
        Function(np.tanh).derivative(np.ones(1))
    with pytest.raises(InvalidArgument, match="derivative = 3"):
        Function(np.tanh, derivative=3)
    with pytest.raises(InvalidArgument, match="alpha"):
        LeakyReLU(float("nan"))
