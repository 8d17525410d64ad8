"""Unitary noise: exponents against known spectra and measurement, and the Hopf fibration."""

import math

import numpy as np
import pytest

import rqf
from rqf.fields import round_pair


@pytest.mark.parametrize("m", [2, 3, 7])
def test_exponents_of_isotropic_members(m):
    """The quadratic form (-1 … -(2m-1)) and the bias (all -(2m-1) c/4), split into unitary parts.

    Their spectra are known from the isotropic kernels; here they come out of the quadrature.
    """
    n = 2 * m
    form = rqf.HermitianForm(m, math.sqrt(0.5)) + rqf.HolomorphicPotential(m, 2, 0.25)
    expected = rqf.theory.lyapunov_spectrum(rqf.RandomQuadraticForm(n))
    found = rqf.theory.unitary_exponents(form)
    assert found == pytest.approx((expected[0], expected[-1], expected.sum()), rel=1e-12)
    expected = rqf.theory.lyapunov_spectrum(rqf.Bias(n, 0.6))
    found = rqf.theory.unitary_exponents(rqf.HolomorphicPotential(m, 1, 0.72))
    assert found == pytest.approx((expected[0], expected[-1], expected.sum()), rel=1e-12)
    both = rqf.theory.unitary_exponents(form + rqf.HolomorphicPotential(m, 1, 0.72))
    spectrum = rqf.theory.lyapunov_spectrum(rqf.RandomQuadraticForm(n) + rqf.Bias(n, 0.6))
    assert both == pytest.approx((spectrum[0], spectrum[-1], spectrum.sum()), rel=1e-12)


@pytest.mark.parametrize("m", [2, 3, 6])
def test_exponents_of_a_hermitian_form(m):
    found = rqf.theory.unitary_exponents(rqf.HermitianForm(m, 3.0))
    assert found == pytest.approx((0.0, -18.0 * (m - 1), -18.0 * m * (m - 1)), abs=1e-12)


def test_exponents_scale_with_time():
    field = round_pair(2, 4)
    once, twice = (rqf.theory.unitary_exponents(f) for f in (field, 2.0 * field))
    assert twice == pytest.approx(tuple(2 * x for x in once), rel=1e-12)
    tiny = rqf.theory.unitary_exponents(1e-200 * field)
    assert tiny == pytest.approx(tuple(1e-200 * x for x in once), rel=1e-12)


@pytest.mark.parametrize(("m", "k"), [(2, 3), (3, 3), (2, 5)])
def test_collapse_in_two_stages(m, k):
    """A weak potential: λ_last → -2 (m-1) sigma², and -λ_1/c grows like k³ (m-1)/4 · log(1/c).

    Fibres meet at the rate of the Hermitian form, tokens of a fibre at λ_1. The logarithm: the
    potential pours horizontal parts into vectors along the fibre, and |y|²/s² has a tail of
    exponent 1 until it reaches 1, whose mean is the logarithm.
    """
    found = [
        rqf.theory.unitary_exponents(
            rqf.HermitianForm(m) + rqf.HolomorphicPotential(m, k, c)
        )
        for c in (1e-8, 1e-10)
    ]
    assert found[0].bottom == pytest.approx(-2.0 * (m - 1), abs=1e-5)
    slope = (found[0].top / 1e-8 - found[1].top / 1e-10) / math.log(100)
    assert slope == pytest.approx(k**3 * (m - 1) / 4, rel=1e-3)


@pytest.mark.full
@pytest.mark.parametrize(("m", "k", "c"), [(2, 3, None), (2, 4, None), (3, 3, None), (2, 3, 0.05)])
def test_measured_exponents(m, k, c):
    """QR on the tangent flow, steps 1/128 and 1/256 extrapolated to zero, within 4.5 standard
    errors: one false alarm in 10^4 for the 12 numbers.
    """
    if c is None:
        field = round_pair(m, k)
        field = (1.0 / rqf.theory.one_point_variances(field).hopf) * field
    else:
        field = rqf.HermitianForm(m) + rqf.HolomorphicPotential(m, k, c)
    coarse, fine = (
        rqf.lyapunov_spectrum(
            rqf.Flow(field, dt=dt), t=8.0, realizations=256, seed=5, burn_in=2.0
        )["sample"].values
        for dt in (1 / 128, 1 / 256)
    )
    sample = 2.0 * fine - coarse
    columns = (sample[:, 0], sample[:, -1], sample.sum(axis=1))
    for column, expected in zip(columns, rqf.theory.unitary_exponents(field), strict=True):
        assert abs(column.mean() - expected) < 4.5 * column.std(ddof=1) / 16


def test_hopf_coordinates():
    rng = np.random.default_rng(0)
    x = rqf.normalize(rng.normal(size=(5, 4)))
    base, phase = rqf.theory.hopf_coordinates(x)
    np.testing.assert_allclose(np.linalg.norm(base, axis=-1), 1.0, atol=1e-15)
    z = x[:, :2] + 1j * x[:, 2:]
    turned = np.exp(0.5j) * z
    there, later = rqf.theory.hopf_coordinates(np.concatenate([turned.real, turned.imag], axis=1))
    np.testing.assert_allclose(there, base, atol=1e-14)
    np.testing.assert_allclose(np.exp(1j * (later - phase)), np.exp(0.5j), atol=1e-14)
    overlap = np.abs(z.conj() @ z.T) ** 2
    np.testing.assert_allclose(0.5 * (1 + base @ base.T), overlap, atol=1e-14)


@pytest.mark.parametrize(("m", "largest"), [(2, 18), (3, 7), (4, 4), (5, 3), (6, 3), (7, 3)])
def test_round_pairs_contract_up_to_a_degree(m, largest):
    """The degrees named in docs/points.md: the top exponent changes sign right behind them."""
    tops = [rqf.theory.unitary_exponents(round_pair(m, k)).top for k in (largest, largest + 1)]
    assert tops[0] < 0.0 < tops[1]


def test_a_stronger_form_contracts_again():
    pair = rqf.HermitianForm(3, (4.0 * 8 * 7) ** 0.5) + rqf.HolomorphicPotential(3, 8)
    assert rqf.theory.unitary_exponents(pair).top == pytest.approx(-164.3, abs=0.1)
    assert rqf.theory.unitary_exponents(round_pair(3, 8)).top == pytest.approx(5.5205, abs=1e-4)
