"""Random potentials: kernels, pairs near both ends, realisations against their law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from field_checks import check_parity, check_push, covariance, realisations

import rqf
from rqf.errors import InvalidArgument

Z = np.linspace(-1.0, 1.0, 9)
MIXED = {1: 0.4, 2: 0.7, 3: 0.5}


def test_kernels_are_derivatives_of_the_covariance():
    field = rqf.RandomPotential(4, {1: 2.0, 4: 0.5, 7: 1.5})
    c = np.polynomial.Polynomial([0, 4.0, 0, 0, 0.25, 0, 0, 2.25])
    np.testing.assert_allclose(field.a(Z), c.deriv()(Z), rtol=1e-14)
    np.testing.assert_allclose(field.b(Z), c.deriv(2)(Z), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(field.a_prime(Z), field.b(Z))


def test_members_of_the_family():
    form, quadratic = rqf.RandomQuadraticForm(5, 1.3), rqf.RandomPotential(5, {2: 0.65})
    bias, linear = rqf.Bias(5, 0.3), rqf.RandomPotential(5, {1: 0.3})
    for known, field in ((form, quadratic), (bias, linear)):
        np.testing.assert_allclose(field.a(Z), known.a(Z), rtol=1e-15)
        np.testing.assert_allclose(field.b(Z), known.b(Z), rtol=1e-15)
        assert field.parity == known.parity
    np.testing.assert_array_equal((2.0 * quadratic).a(Z), 2.0 * quadratic.a(Z))


@pytest.mark.parametrize(
    ("coefficients", "parity"),
    [({1: 1.0, 3: 2.0}, "even"), ({2: 1.0, 4: 0.1}, "odd"), ({2: 1.0, 3: 1e-9}, "mixed"),
     ({2: 1.0, 3: 0.0}, "odd"), ({3: 0.0}, "odd"), ({3: 1.0, 2: 0.0}, "even")],
)  # fmt: skip
def test_parity_ignores_what_is_zero(coefficients, parity):
    assert rqf.RandomPotential(3, coefficients).parity == parity


@pytest.mark.parametrize("coefficients", [{1: 1.0}, {2: 1.0}, {3: 1.0}, MIXED])
def test_parity_of_realisations(coefficients):
    check_parity(rqf.RandomPotential(4, coefficients))


@pytest.mark.parametrize("p", [1, 2, 3, 8, 41])
def test_pairs_do_not_cancel(p):
    """gap and total against exact fractions, to 4 units in the last place times p."""
    field = rqf.RandomPotential(3, {p: 1.0})
    for small in (1e-300, 1e-30, 1e-12, 0.01, 0.3, 0.9, 1.0):
        for pair, z in (
            (field.pair(small, 2.0 - small), 1 - Fraction(small)),
            (field.pair(2.0 - small, small), Fraction(small) - 1),
        ):
            gap, total = p * (1 - z ** (p - 1)), p * (1 + z ** (p - 1))
            assert float(pair.gap) == pytest.approx(float(gap), rel=p * 1e-15, abs=0.0)
            assert float(pair.total) == pytest.approx(float(total), rel=p * 1e-15, abs=0.0)


def test_pairs_broadcast():
    pair = rqf.RandomPotential(3, MIXED).pair(np.array([[0.5], [0.1]]), np.array([1.5, 1.9]))
    assert all(part.shape == (2, 2) for part in pair)


@pytest.mark.parametrize("coefficients", [{1: 0.7}, {2: 0.5}, {3: 1.2}, MIXED])
def test_realisations_have_the_covariance_of_the_kernels(coefficients):
    """40000 draws, entries within 5 standard errors: one false alarm in 10^5 for 16 entries."""
    field = rqf.RandomPotential(4, coefficients)
    x, y = rqf.normalize(np.random.default_rng(5).normal(size=(2, 4)))
    found, error = covariance(field, x, y, 40000, seed=6)
    z = x @ y
    expected = field.a(z) * np.eye(4) + field.b(z) * np.outer(y, x)
    assert np.all(np.abs(found - expected) < 5.0 * error)


@pytest.mark.parametrize("coefficients", [{1: 1.0}, {2: 1.0}, {3: 1.0}, MIXED])
def test_push_is_the_derivative(coefficients):
    check_push(rqf.RandomPotential(5, coefficients))


def test_a_cubic_form_gathers_tokens_below_nine_dimensions():
    exponents = [rqf.theory.lyapunov_spectrum(rqf.RandomPotential(n))[0] for n in (3, 9, 10)]
    assert exponents == [-9.0, 0.0, 1.5]


def test_pathwise_tokens_meet():
    ds = rqf.simulate(
        rqf.RandomPotential(3), tokens=8, t=16.0, dt=1 / 256, realizations=8, seed=1, times=2
    )
    assert ds.attrs["method"] == "tokens"
    assert float(rqf.overlap(ds.x.isel(time=-1)).min()) > 1.0 - 1e-6


def test_high_degrees_are_in_law_only():
    field = rqf.RandomPotential(3, {2: 1.0, 4: 0.5})
    with pytest.raises(InvalidArgument, match="known in law only beyond the power 3"):
        rqf.Flow(field, dt=1 / 64)(rqf.Wiener(0), [[1.0, 0.0, 0.0]], t=1.0)
    ds = rqf.simulate(field, tokens=4, t=0.25, dt=1 / 256, realizations=4, law=True, times=2)
    assert ds.attrs["method"] == "law"


def test_a_million_dimensions_in_law():
    field = rqf.RandomPotential(10**6, {2: 1e-3, 3: 1e-4})
    ds = rqf.simulate(field, tokens=4, t=0.25, dt=1 / 64, realizations=2, law=True, times=2)
    assert np.isfinite(ds.gram.values).all()


@pytest.mark.parametrize("c", [1e-100, 1e100])
def test_strengths_from_tiny_to_huge(c):
    field = rqf.RandomPotential(3, {3: c})
    assert float(field.a(1.0)) == pytest.approx(3.0 * c * c, rel=1e-14)
    frozen = realisations(field, 2, np.random.default_rng(0))
    value = frozen(np.broadcast_to([1.0, 0.0, 0.0], (2, 1, 3)))
    assert np.isfinite(value).all()
    assert np.all(value != 0.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.RandomPotential(1), "n = 1: must be an integer >= 2"),
        (lambda: rqf.RandomPotential(3, {-1: 1.0}), "= -1: must be an integer from 1"),
        (lambda: rqf.RandomPotential(3, {0: 1.0}), "= 0: must be an integer from 1"),
        (lambda: rqf.RandomPotential(3, {1.5: 1.0}), "= 1.5: must be an integer from 1"),
        (lambda: rqf.RandomPotential(3, {3: -1.0}), r"coefficients\[3\] = -1.0: must be a number"),
        (lambda: rqf.RandomPotential(3, {3: math.nan}), r"coefficients\[3\] = nan: must be"),
        (lambda: rqf.RandomPotential(3) + rqf.Bias(4), "n = 4: a sum needs"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
