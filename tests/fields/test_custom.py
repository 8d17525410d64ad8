"""Fields of the user's own: laws, steps, and what is refused."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.fields.positive import gegenbauer_coefficients

Z = np.linspace(-1.0, 1.0, 11)


def test_a_law_like_one_of_the_package():
    ours = rqf.RandomQuadraticForm(4, sigma=2.0)
    field = rqf.CustomField(4, a=ours.a, b=ours.b)
    for name in ("a", "b", "a_prime"):
        np.testing.assert_allclose(getattr(field, name)(Z), getattr(ours, name)(Z), atol=1e-13)
    e = np.array([1e-300, 1e-9, 0.3, 1.9])
    for found, expected in zip(field.pair(e, 2 - e), ours.pair(e, 2 - e), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert field.parity == "odd"
    np.testing.assert_allclose((3.0 * field).b(Z), 3.0 * ours.b(Z))
    assert (field + rqf.Bias(4)).a(0.5) == pytest.approx(2.0)


def test_slope_given_and_found():
    found = rqf.CustomField(3, a=lambda z: np.exp(2 * z))
    np.testing.assert_allclose(found.a_prime(Z), 2 * np.exp(2 * Z), rtol=0, atol=1e-11)
    given = rqf.CustomField(3, a=rqf.MLP(3).a, a_prime=rqf.MLP(3).a_prime)
    np.testing.assert_array_equal(given.a_prime(Z), rqf.MLP(3).a_prime(Z))
    with pytest.raises(InvalidArgument, match="a_prime: is needed"):
        rqf.CustomField(3, a=rqf.MLP(3).a).a_prime(0.0)


@pytest.mark.parametrize(
    ("a", "b", "parity"),
    [
        (lambda z: z**3, None, "odd"),
        (lambda z: 1.0 + z**2, None, "even"),
        (lambda z: 0 * z + 1.0, None, "even"),
        (lambda z: z + 1e-9, None, "mixed"),
        (lambda z: 3 * z**2, lambda z: 6 * z, "even"),
        (lambda z: z / 2, lambda z: -0.5, "odd"),
    ],
)
def test_parity(a, b, parity):
    assert rqf.CustomField(5, a=a, b=b).parity == parity
    assert rqf.CustomField(5, a=a, b=b, parity="mixed").parity == "mixed"


@pytest.mark.parametrize("n", [2, 3, 7, 1000])
def test_gegenbauer_coefficients(n):
    """z² = 1/n + √(2(n-1)/(n²(n+2))) p_2 in the orthonormal polynomials of S^{n-1}."""
    found = gegenbauer_coefficients(np.square, n)
    expected = np.zeros_like(found)
    expected[0], expected[2] = 1 / n, np.sqrt(2 * (n - 1) / (n + 2)) / n
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("word", ["relu", "tanh", "gelu", "quadratic"])
@pytest.mark.parametrize("n", [2, 3, 50, 10**6])
def test_kernels_of_layers_are_accepted(word, n):
    field = rqf.MLP(n, word, sigma_u=0.1)
    assert rqf.CustomField(n, a=field.a).a(0.3) == field.a(0.3)


@pytest.mark.parametrize("n", [2, 3, 50])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_gradient_fields_are_accepted(n, k):
    """Potentials of covariance z^k: a = k z^{k-1}, b = k (k-1) z^{k-2}."""
    rqf.CustomField(n, a=lambda z: k * z ** (k - 1), b=lambda z: k * (k - 1) * z ** max(k - 2, 0))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_harmonics_of_the_circle_are_accepted(k):
    """A potential of covariance T_k on S^1: its extension is no covariance, its tangents are."""
    c = np.polynomial.Chebyshev.basis(k)
    rqf.CustomField(2, a=c.deriv(), b=c.deriv(2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "a, step: give"),
        ({"a": 1.0}, "a = 1.0: must be a function"),
        ({"b": np.ones_like, "step": np.add}, "a: must be given"),
        ({"a": np.negative}, "degree 1"),
        ({"a": lambda z: z**2 - 0.5}, "degree 0"),
        ({"a": np.square, "b": lambda z: 40.0}, "a, b: .* no covariance"),
        ({"a": lambda z: z / 2, "b": lambda z: -0.6}, "a, b: .* no covariance"),
        ({"a": lambda z: 1 / (1 - z)}, "not finite at z = 1"),
        ({"a": lambda z: z[:2]}, "keep the shape"),
        ({"a": np.cbrt, "parity": "none"}, "parity = 'none'"),
        ({"a": np.exp, "derivative": np.exp}, "derivative: is that of a step"),
        ({"a": np.exp, "strength": -1.0}, "strength = -1"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        rqf.CustomField(3, **arguments)
    assert "\n" not in str(caught.value)


def draw(x, rng):
    return np.tanh(x @ rng.normal(size=(3, 3)))


def draw_slope(x, v, rng):
    matrix = rng.normal(size=(3, 3))
    return (v @ matrix) / np.cosh(x @ matrix) ** 2


def test_steps():
    field = 4.0 * rqf.CustomField(3, step=draw, derivative=draw_slope)
    assert (field.parity, field.increments, field.fresh) == ("mixed", 0, 4)
    rng = np.random.default_rng(1)
    keys, x, v = rng.normal(size=(5, 4)), rng.normal(size=(5, 6, 3)), rng.normal(size=(5, 6, 3))
    frozen = field.frozen(np.zeros((5, 0)), keys, 0.25)
    first = frozen(x)
    np.testing.assert_array_equal(first, frozen(x))
    alone = field.frozen(np.zeros((1, 0)), keys[2:3], 0.25)
    np.testing.assert_array_equal(first[2:3], alone(x[2:3]))
    same = frozen(np.broadcast_to(x[:1], x.shape))
    assert len({float(value) for value in same[:, 0, 0]}) == 5
    h = 1e-6
    np.testing.assert_allclose(
        frozen.push(x, v), (frozen(x + h * v) - frozen(x - h * v)) / (2 * h), atol=1e-8
    )
    for ask in (lambda: field.a(0.5), lambda: field.b(0.5), lambda: field.pair(0.1, 1.9)):
        with pytest.raises(InvalidArgument, match="only a step"):
            ask()


def test_steps_have_the_law_they_claim():
    """E[F_i(x) F_j(y)] = dt z³ δ_ij for a cubic step: 20000 keys, within 5 standard errors."""
    def cubic(x, rng):
        return np.einsum("ijkl,tj,tk,tl->ti", rng.normal(size=(3, 3, 3, 3)), x, x, x)

    field = rqf.CustomField(3, a=lambda z: z**3, step=cubic)
    rng = np.random.default_rng(2)
    count, dt = 20000, 0.5
    tokens = rqf.normalize(rng.normal(size=(2, 3)))
    frozen = field.frozen(np.zeros((count, 0)), rng.normal(size=(count, 4)), dt)
    f = frozen(np.broadcast_to(tokens, (count, 2, 3)))
    products = f[:, 0, :, None] * f[:, 1, None, :]
    error = products.std(axis=0) / np.sqrt(count)
    expected = dt * field.a(tokens[0] @ tokens[1]) * np.eye(3)
    assert np.all(np.abs(products.mean(axis=0) - expected) < 5.0 * error)


@pytest.mark.parametrize(
    ("step", "message"),
    [(lambda x, rng: x[0], "keep the shape"), (lambda x, rng: x * np.inf, "not finite")],
)
def test_bad_steps_say_so(step, message):
    frozen = rqf.CustomField(3, step=step).frozen(np.zeros((1, 0)), np.ones((1, 4)), 1.0)
    with pytest.raises(InvalidArgument, match=message):
        frozen(np.ones((1, 2, 3)))
    with pytest.raises(InvalidArgument, match="derivative: is needed"):
        frozen.push(np.ones((1, 2, 3)), np.ones((1, 2, 3)))


def test_overlaps_off_by_rounding():
    field = rqf.CustomField(3, a=lambda z: np.exp(z) + 1.0 - np.arccos(z) / np.pi)
    assert np.isfinite(field.a([1.0 + 1e-15, -1.0 - 1e-15])).all()
    assert rqf.MLP(3, "tanh").a(1.0 + 1e-15) == rqf.MLP(3, "tanh").a(1.0)


def test_known_in_law_only():
    with pytest.raises(InvalidArgument, match="law only"):
        rqf.CustomField(3, a=np.exp).frozen(np.zeros((1, 0)), np.zeros((1, 0)), 1.0)
