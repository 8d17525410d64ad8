"""Lyapunov exponents: exact ones for linear noise, eigenvalue gaps for a fixed form."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("kind", [rqf.RandomQuadraticForm, rqf.LinearLayer])
def test_spectrum_of_linear_noise(n, kind):
    """λ_p = -p within four standard errors; 10 exponents in all, false alarms below 1e-3."""
    flow = rqf.Flow(kind(n), dt=1 / 16, scheme="corrected-exponential")
    measured = rqf.lyapunov_spectrum(flow, t=60.0, realizations=24, seed=3)
    z = (measured.exponent - -np.arange(1, n)) / measured.stderr
    assert float(abs(z).max()) < 4.0
    assert float(measured.stderr.max()) < 0.1


def test_strength_is_a_clock():
    flow = rqf.Flow(rqf.RandomQuadraticForm(3, sigma=2**0.5), dt=1 / 32)
    measured = rqf.lyapunov_spectrum(flow, t=50.0, realizations=24, seed=5)
    assert np.all(np.abs(measured.exponent - np.array([-2.0, -4.0])) < 4.0 * measured.stderr)


def test_rotations_have_no_exponents():
    flow = rqf.Flow(rqf.Skew(4), dt=1 / 16)
    measured = rqf.lyapunov_spectrum(flow, t=20.0, realizations=4, seed=1)
    np.testing.assert_allclose(measured.exponent, 0.0, atol=1e-13)


def test_fixed_form_has_eigenvalue_gaps():
    """Without noise the exponents are exact once the frame has settled."""
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    form = rqf.QuadraticForm(rotation @ np.diag([-1.0, 0.5, 3.0]) @ rotation.T)
    flow = rqf.Flow(form, dt=1 / 8)
    measured = rqf.lyapunov_spectrum(flow, t=50.0, realizations=2, burn_in=50.0)
    np.testing.assert_allclose(measured.exponent, [-1.5, -4.0], atol=1e-10)


def test_sample_and_means_belong_together():
    flow = rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 8)
    measured = rqf.lyapunov_spectrum(flow, t=10.0, realizations=8, seed=2)
    np.testing.assert_allclose(measured.sample.mean("realization"), measured.exponent)
    lift = measured.lift_exponent.values
    np.testing.assert_allclose(lift[1:] - lift[0], measured.exponent)
    again = rqf.lyapunov_spectrum(flow, t=10.0, realizations=8, seed=2)
    assert measured.identical(again)
    one = rqf.lyapunov_spectrum(flow, t=10.0, realizations=3, seed=2)
    np.testing.assert_array_equal(one.sample, measured.sample[:3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t": -1.0}, "t = -1"),
        ({"t": 0.3}, "nearest is 0.25"),
        ({"realizations": 1}, "realizations = 1"),
        ({"burn_in": 0.1}, "burn_in = 0.1"),
    ],
)
def test_bad_input(arguments, message):
    flow = rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 8)
    with pytest.raises(InvalidArgument, match=message):
        rqf.lyapunov_spectrum(flow, **arguments)
