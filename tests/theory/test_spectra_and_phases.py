"""Lyapunov spectra in closed form, and the phase that they decide."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import lift_exponents, lyapunov_spectrum, phase


@pytest.mark.parametrize("n", [2, 3, 10])
def test_exponents_of_the_quadratic_form_are_the_integers(n):
    np.testing.assert_array_equal(lyapunov_spectrum(rqf.RandomQuadraticForm(n)), -np.arange(1, n))
    np.testing.assert_allclose(
        lyapunov_spectrum(rqf.RandomQuadraticForm(n, sigma=np.sqrt(2.0))),
        -2.0 * np.arange(1, n),
        rtol=1e-15,
    )


@pytest.mark.parametrize("n", [2, 3, 10])
def test_skew_noise_counts_for_nothing(n):
    np.testing.assert_array_equal(lyapunov_spectrum(rqf.Skew(n, sigma=1.7)), np.zeros(n - 1))
    np.testing.assert_array_equal(lift_exponents(rqf.Skew(n, sigma=1.7)), np.zeros(n))
    np.testing.assert_array_equal(lyapunov_spectrum(rqf.LinearLayer(n)), -np.arange(1, n))
    np.testing.assert_allclose(
        lyapunov_spectrum(2.0 * rqf.LinearLayer(n, 0.3) + rqf.Skew(n, 9.0)),
        -0.18 * np.arange(1, n),
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    "field",
    [
        rqf.RandomQuadraticForm(5, 0.8),
        rqf.LinearLayer(4, 2.0),
        rqf.Skew(3),
        rqf.QuadraticForm(np.diag([3.0, -1.0, 0.5, 0.5])),
    ],
    ids=lambda f: type(f).__name__,
)
def test_sphere_exponents_are_gaps_of_the_lift(field):
    lift = lift_exponents(field)
    np.testing.assert_allclose(lyapunov_spectrum(field), lift[1:] - lift[0], rtol=1e-12)
    assert np.all(np.diff(lift) <= 0.0)


@pytest.mark.parametrize("n", [2, 5])
def test_isotropic_lift_keeps_volume(n):
    assert np.sum(lift_exponents(rqf.LinearLayer(n, 1.3))) == pytest.approx(0.0, abs=1e-14)


def test_top_lift_exponent_from_the_products_of_small_steps():
    """Newman's matrices 1 + √h W: log growth per step of any vector, exactly averaged over W.

    |v + √h W v|² = |v|² ((1 + √h g)² + h χ²_{n-1}), half the mean logarithm is h (n - 2)/2 for the
    Itô product and h/2 more for the Stratonovich one. Exact for n = 4, where the Laplacian of
    log|v|, 2/|v|², is harmonic.
    """
    n, h = 4, 1e-3
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    weights = weights / np.sum(weights)
    g, v1, v2, v3 = np.meshgrid(*[nodes] * n, indexing="ij")
    mass = np.einsum("i,j,k,l->ijkl", *[weights] * n)
    growth = 0.5 * np.log((1.0 + np.sqrt(h) * g) ** 2 + h * (v1**2 + v2**2 + v3**2))
    ito = np.sum(mass * growth) / h
    assert ito + 0.5 == pytest.approx(lift_exponents(rqf.LinearLayer(n))[0], rel=1e-11)


def test_fixed_forms():
    matrix = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 7.0]])  # 1, 3, 7
    form = rqf.QuadraticForm(matrix)
    np.testing.assert_allclose(lyapunov_spectrum(form), [-2.0, -6.0], rtol=1e-14)
    np.testing.assert_allclose(lift_exponents(form), [-1.0, -3.0, -7.0], rtol=1e-14)
    doubled = form + form
    np.testing.assert_allclose(lyapunov_spectrum(doubled), [-4.0, -12.0], rtol=1e-14)


def test_fixed_form_gaps_are_the_contraction_of_its_flow():
    """Two trajectories near the lowest eigenvector approach at rate λ_1."""
    levels, x = np.array([0.5, 1.25, 4.0]), np.array([0.6, 0.64, 0.48])
    t = np.array([20.0, 21.0])
    moved = np.exp(-np.outer(t, levels)) * x
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    rate = np.diff(np.log(np.linalg.norm(moved[:, 1:], axis=1)))[0]
    exponent = lyapunov_spectrum(rqf.QuadraticForm(np.diag(levels)))[0]
    assert rate == pytest.approx(exponent, abs=1e-9)


def test_phases():
    assert phase(rqf.RandomQuadraticForm(3)) == "bipolar"
    assert phase(rqf.LinearLayer(2, 0.1) + rqf.Skew(2, 3.0)) == "bipolar"
    assert phase(rqf.QuadraticForm(np.diag([1.0, 2.0, 2.0]))) == "bipolar"
    assert phase(rqf.Skew(4)) == "chaotic"
    assert phase(rqf.RandomQuadraticForm(3, sigma=0.0)) == "chaotic"


def test_a_multiple_lowest_eigenvalue_does_not_synchronize():
    rotation, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))
    matrix = rotation @ np.diag([0.3, 0.3, 1.0, 2.0]) @ rotation.T
    form = rqf.QuadraticForm(0.5 * (matrix + matrix.T))
    assert lyapunov_spectrum(form)[0] == 0.0
    assert phase(form) == "chaotic"


def test_noise_on_a_fixed_form_is_refused():
    mixed = rqf.RandomQuadraticForm(3) + rqf.QuadraticForm(np.diag([1.0, 2.0, 3.0]))
    for closed_form in (lyapunov_spectrum, lift_exponents, phase):
        with pytest.raises(InvalidArgument, match="deterministic drift"):
            closed_form(mixed)
        with pytest.raises(InvalidArgument, match="must be a field"):
            closed_form(3)
