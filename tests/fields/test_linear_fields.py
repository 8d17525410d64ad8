"""The algebra of fields: kernels add, factors multiply variances and drifts."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument

Z = np.linspace(-1.0, 1.0, 7)
KINDS = [rqf.RandomQuadraticForm, rqf.LinearLayer, rqf.Skew]


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        (rqf.RandomQuadraticForm, 0.5, 0.5),
        (rqf.LinearLayer, 1.0, 0.0),
        (rqf.Skew, 0.5, -0.5),
    ],
)
def test_kernels(kind, a, b):
    field = kind(4, sigma=3.0)
    np.testing.assert_allclose(field.a(Z), 9.0 * a * Z)
    np.testing.assert_allclose(field.b(Z), np.full_like(Z, 9.0 * b))
    assert field.parity == "odd"
    assert field.b(0.5).shape == ()


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_are_the_covariance_of_the_field(kind):
    """E[F(x) F(y)ᵀ] = a I + b y xᵀ from 20000 matrices; entries within 5 standard errors."""
    from rqf.flow.linear_noise import linear_noise
    from rqf.flow.schemes.matrices import assemble

    n, samples = 3, 20000
    field = kind(n, sigma=1.3)
    noise = linear_noise(field, 1.0, 1.0)
    rng = np.random.default_rng(1)
    x, y = rqf.normalize(rng.normal(size=(2, n)))
    normals = rng.normal(size=(1, samples, noise.size))
    matrix = np.empty((n, n))
    products = np.empty((samples, n, n))
    for i in range(samples):
        assemble(normals, 0, i, noise.kinds, noise.amplitudes, np.zeros((n, n)), matrix)
        products[i] = np.outer(matrix @ x, matrix @ y)
    z = x @ y
    expected = field.a(z) * np.eye(n) + field.b(z) * np.outer(y, x)
    error = products.std(axis=0) / np.sqrt(samples)
    assert np.all(np.abs(products.mean(axis=0) - expected) < 5.0 * error)


@pytest.mark.parametrize("kind", KINDS)
def test_factor_multiplies_the_variance(kind):
    field = 2.0 * kind(3, sigma=1.5)
    assert field == kind(3, sigma=1.5) * 2
    np.testing.assert_allclose(field.a(Z), 2.0 * kind(3, sigma=1.5).a(Z))
    np.testing.assert_allclose(field.b(Z), 2.0 * kind(3, sigma=1.5).b(Z))


def test_sums_add_and_flatten():
    field = rqf.RandomQuadraticForm(3) + rqf.Skew(3) + rqf.LinearLayer(3, 0.5)
    assert len(field.terms) == 3
    np.testing.assert_allclose(field.a(Z), Z + 0.25 * Z)
    np.testing.assert_allclose(field.b(Z), 0.0)
    np.testing.assert_allclose((3.0 * field).a(Z), 3.0 * field.a(Z))


def test_a_fixed_form_adds_a_drift():
    form = rqf.QuadraticForm(np.diag([1.0, 2.0, 3.0]))
    field = 2.0 * (rqf.RandomQuadraticForm(3) + form + form)
    np.testing.assert_array_equal(field.drift, -4.0 * form.matrix)
    assert len(field.terms) == 1
    assert rqf.RandomQuadraticForm(3).drift is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.RandomQuadraticForm(1), "n = 1"),
        (lambda: rqf.LinearLayer(2.5), "n = 2.5"),
        (lambda: rqf.Skew(True), "n = True"),
        (lambda: rqf.RandomQuadraticForm(3, sigma=-1.0), "sigma = -1"),
        (lambda: rqf.RandomQuadraticForm(3, sigma=float("nan")), "sigma = nan"),
        (lambda: rqf.RandomQuadraticForm(3) + rqf.Skew(4), "n = 4"),
        (lambda: -1.0 * rqf.RandomQuadraticForm(3), "factor = -1"),
        (lambda: rqf.QuadraticForm([[0.0, 1.0], [0.0, 0.0]]), "symmetric"),
        (lambda: rqf.QuadraticForm(np.full((2, 2), np.inf)), "not finite"),
        (lambda: rqf.QuadraticForm(np.ones((2, 3))), "shape"),
        (lambda: rqf.QuadraticForm(np.eye(3)).in_dimension(4), "n = 4"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_what_is_not_a_field_does_not_add():
    with pytest.raises(TypeError):
        rqf.RandomQuadraticForm(3) + 1
    with pytest.raises(TypeError):
        "2" * rqf.RandomQuadraticForm(3)
