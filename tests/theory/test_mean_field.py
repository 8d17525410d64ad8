"""The angular central Gaussian law: against its formula, its integral, its samples, its limits."""

import numpy as np
import pytest

from rqf.errors import InvalidArgument
from rqf.theory import MeanField


def matrix(n, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n))


def points(n, size, seed=1):
    x = np.random.default_rng(seed).standard_normal((size, n))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_density_is_the_formula(n):
    G, x = matrix(n), points(n, 50)
    inverse = np.linalg.norm(np.linalg.solve(G, x.T), axis=0)
    expected = inverse ** (-n) / abs(np.linalg.det(G))
    np.testing.assert_allclose(MeanField(G).pdf(x), expected, rtol=1e-12)
    np.testing.assert_allclose(MeanField(1e-200 * G).pdf(-x), expected, rtol=1e-12)


def test_density_is_the_jacobian_of_the_flow():
    """On the circle: dα/dβ of the angles before and after."""
    G = matrix(2)

    def angle(a):
        y = G @ np.array([np.cos(a), np.sin(a)])
        return np.arctan2(y[1], y[0])

    for a in (0.1, 1.0, 2.5):
        stretch = (angle(a + 1e-5) - angle(a - 1e-5)) / 2e-5
        at = angle(a)
        assert MeanField(G).pdf([np.cos(at), np.sin(at)]) == pytest.approx(
            1.0 / abs(stretch), rel=1e-8
        )


def test_density_integrates_to_one():
    angles = np.arange(4000) * (2.0 * np.pi / 4000)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    law = MeanField(np.array([[2.0, 1.0], [0.0, 0.3]]))
    assert np.mean(law.pdf(circle)) == pytest.approx(1.0, rel=1e-13)
    moment = np.einsum("k,ki,kj->ij", law.pdf(circle), circle, circle) / 4000
    np.testing.assert_allclose(law.second_moment(), moment, rtol=0, atol=1e-13)

    heights, weights = np.polynomial.legendre.leggauss(200)
    azimuths = np.arange(400) * (2.0 * np.pi / 400)
    radius = np.sqrt(1.0 - heights**2)
    sphere = np.stack(
        [
            np.outer(radius, np.cos(azimuths)),
            np.outer(radius, np.sin(azimuths)),
            np.outer(heights, np.ones(400)),
        ],
        axis=-1,
    )
    law = MeanField([[1.5, 0.2, 0.1], [0.0, 1.0, 0.3], [0.0, 0.0, 0.6]])
    density = law.pdf(sphere) * weights[:, None] / 800.0
    assert np.sum(density) == pytest.approx(1.0, rel=1e-12)
    moment = np.einsum("kl,kli,klj->ij", density, sphere, sphere)
    np.testing.assert_allclose(law.second_moment(), moment, rtol=0, atol=1e-12)


def test_second_moment_on_the_circle_is_elementary():
    """m = s_i / (s_1 + s_2)."""
    for ratio in (1.0, 3.0, 1e6):
        moment = MeanField(np.diag([ratio, 1.0])).second_moment()
        expected = np.diag([ratio, 1.0]) / (1.0 + ratio)
        np.testing.assert_allclose(moment, expected, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("n", [2, 3, 10, 50])
def test_second_moment_has_trace_one_and_is_uniform_for_a_rotation(n):
    law = MeanField(matrix(n))
    assert np.trace(law.second_moment()) == pytest.approx(1.0, rel=1e-13)
    assert law.bipolarity() == pytest.approx(np.linalg.eigvalsh(law.second_moment())[-1], rel=1e-13)
    rotation = np.linalg.qr(matrix(n))[0]
    np.testing.assert_allclose(
        MeanField(rotation).second_moment(), np.eye(n) / n, rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("n", [2, 4])
def test_samples_have_the_second_moment_and_the_law_of_the_image(n):
    size, G = 200_000, matrix(n, seed=5)
    law = MeanField(G)
    x = law.sample(size, seed=7)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, rtol=1e-14)
    image = points(n, size, seed=8) @ G.T
    image /= np.linalg.norm(image, axis=1, keepdims=True)
    for cloud in (x, image):
        squares = np.einsum("ki,kj->kij", cloud, cloud)
        error = np.std(squares, axis=0) / np.sqrt(size)
        assert np.all(np.abs(np.mean(squares, axis=0) - law.second_moment()) < 4.5 * error)


def test_far_from_uniform():
    law = MeanField.from_axes(np.eye(3)[:, ::-1], [0.0, -400.0, -900.0])
    np.testing.assert_array_equal(law.logpdf(np.eye(3)), [1300.0 - 2700.0, 1300.0 - 1200.0, 1300.0])
    assert law.pdf([0.0, 0.0, 1.0]) == np.inf
    np.testing.assert_array_equal(np.abs(law.sample(10, seed=0)[:, 2]), 1.0)
    assert law.bipolarity() == pytest.approx(1.0, abs=1e-14)


def test_axes_and_matrix_agree():
    G, x = matrix(4), points(4, 20)
    axes, lengths, _ = np.linalg.svd(G)
    law = MeanField.from_axes(axes, np.log(lengths) + 77.0)
    np.testing.assert_allclose(law.logpdf(x), MeanField(G).logpdf(x), rtol=0, atol=1e-12)
    assert law.n == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MeanField(np.zeros((3, 3))), "singular to rounding"),
        (lambda: MeanField(np.ones((3, 3))), "singular to rounding"),
        (lambda: MeanField(np.diag([1.0, 1e-16])), "singular to rounding"),
        (lambda: MeanField(np.ones((3, 2))), "shape"),
        (lambda: MeanField([[1.0, np.inf], [0.0, 1.0]]), "not finite"),
        (lambda: MeanField(np.eye(3)).pdf([1.0, 0.0]), "shape"),
        (lambda: MeanField(np.eye(2)).pdf([1.0, 1.0]), "unit vectors"),
        (lambda: MeanField(np.eye(2)).sample(-1, 0), "size"),
        (lambda: MeanField.from_axes(np.eye(2), [0.0]), "log_lengths has shape"),
        (lambda: MeanField.from_axes(2.0 * np.eye(2), [0.0, 1.0]), "orthonormal"),
    ],
)
def test_refusals_say_what_is_wrong(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()
