"""One token: zonal harmonics and the rates at which they decay."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import decay_rate, expected_overlap, harmonic

Z = np.linspace(-1.0, 1.0, 41)


@pytest.mark.parametrize("n", [2, 3, 5, 12])
@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_harmonics_are_eigenfunctions_of_the_laplacian(n, degree):
    """(1-z²) h'' - (n-1) z h' = -l (l + n - 2) h, h(1) = 1."""
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    h = np.polynomial.Polynomial.fit(nodes, harmonic(degree, n, nodes), degree, domain=[-1, 1])
    laplacian = (1 - Z**2) * h.deriv(2)(Z) - (n - 1) * Z * h.deriv()(Z)
    np.testing.assert_allclose(laplacian, -degree * (degree + n - 2) * h(Z), rtol=0, atol=1e-11)
    assert harmonic(degree, n, 1.0) == 1.0
    np.testing.assert_allclose(
        harmonic(degree, n, -Z), (-1) ** degree * harmonic(degree, n, Z), rtol=1e-14, atol=1e-15
    )


def test_harmonics_of_the_circle_and_the_sphere():
    np.testing.assert_allclose(harmonic(7, 2, Z), np.cos(7 * np.arccos(Z)), rtol=0, atol=1e-13)
    legendre = np.polynomial.legendre.legval(Z, [0] * 6 + [1])
    np.testing.assert_allclose(harmonic(6, 3, Z), legendre, rtol=0, atol=1e-14)
    assert np.max(np.abs(harmonic(500, 4, Z))) <= 1.0 + 1e-12


def test_rates_in_the_units_of_the_papers():
    """sigma = √2 is Brownian motion at unit speed, generator ½Δ; sigma = 1 has ¼Δ."""
    for n in (2, 3, 9):
        for degree in (0, 1, 4):
            eigenvalue = degree * (degree + n - 2)
            assert decay_rate(rqf.RandomQuadraticForm(n), degree) == eigenvalue / 4
            unit_speed = rqf.RandomQuadraticForm(n, sigma=np.sqrt(2.0))
            assert decay_rate(unit_speed, degree) == pytest.approx(eigenvalue / 2, rel=1e-15)
    assert decay_rate(rqf.Skew(3), 1) == decay_rate(rqf.RandomQuadraticForm(3), 1)
    assert decay_rate(rqf.LinearLayer(3), 1) == 1.0


def test_expected_overlap_from_the_angle_between_two_times():
    """E[X_1.2·X_0] for n = 3 is e^{-0.6}, the 0.549 of every scheme's test."""
    overlap = expected_overlap(rqf.RandomQuadraticForm(3), [0.0, 1.2, 2.4])
    np.testing.assert_allclose(overlap, np.exp([0.0, -0.6, -1.2]), rtol=1e-15)


def test_expected_overlap_from_a_rotation():
    """On the circle a skew noise turns by an angle of variance σ² t/2: E cos = e^{-σ² t/4}."""
    assert expected_overlap(rqf.Skew(2, sigma=3.0), 0.7) == pytest.approx(np.exp(-9.0 * 0.7 / 4.0))


def test_refusals():
    with pytest.raises(InvalidArgument, match="degree = -1"):
        harmonic(-1, 3, 0.0)
    with pytest.raises(InvalidArgument, match="n = 1"):
        harmonic(1, 1, 0.0)
    with pytest.raises(InvalidArgument, match="deterministic drift"):
        decay_rate(rqf.QuadraticForm(np.eye(3)), 1)
    with pytest.raises(InvalidArgument, match="t = -1"):
        expected_overlap(rqf.Skew(3), -1.0)
