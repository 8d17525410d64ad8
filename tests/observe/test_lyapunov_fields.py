"""Lyapunov spectra measured on the tangent flow, against the closed form."""

from __future__ import annotations

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument

FIELDS = {
    "bias": lambda n: rqf.RandomQuadraticForm(n) + rqf.Bias(n, 0.6),
    "erf": lambda n: rqf.MLP(n, "erf", width=32, gain=2.0 * n**0.5),
    "relu": lambda n: 2.0 * rqf.MLP(n, "relu", width=32, gain=n**0.5) + rqf.Skew(n),
}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("n", [3, 4])
def test_spectrum(name: str, n: int) -> None:
    """All exponents within 4.5 standard errors and 2 %: a false alarm has probability 7e-6 each."""
    field = FIELDS[name](n)
    measured = rqf.lyapunov_spectrum(rqf.Flow(field, dt=1 / 64), t=8.0, realizations=64, seed=3)
    expected = rqf.theory.lyapunov_spectrum(field)
    bias = 0.02 * np.abs(expected)
    assert np.all(np.abs(measured.exponent - expected) < 4.5 * measured.stderr + bias)
    assert measured.sizes == {"p": n - 1, "realization": 64}
    assert "lift_exponent" not in measured


@pytest.mark.parametrize("scheme", ["euler", "heun"])
def test_derivative_of_a_step(scheme: str) -> None:
    """The frame is carried by the derivative of the step: central differences agree to 1e-8."""
    from rqf.flow import tangent_flow
    from rqf.flow.tokens import token_stepper, unit

    field = rqf.RandomQuadraticForm(3) + rqf.MLP(3, "tanh", width=4, gain=3.0) + rqf.Bias(3)
    machine = token_stepper(field, 0.25, scheme, rqf.Wiener(0))
    keys = np.arange(2, dtype=np.uint64)
    (frozen,) = machine.frozen(0, keys, 0, 1)
    x = np.eye(3)[:2]
    frames = np.stack([np.eye(3)[[1, 2]], np.eye(3)[[0, 2]]])
    y, carried, _ = tangent_flow.step(machine, frozen, x, frames)
    np.testing.assert_allclose(y, machine.step(frozen, x[:, None])[:, 0], atol=1e-15)
    h = 1e-5
    for k in range(2):
        ahead, behind = (
            machine.step(frozen, unit(x + s * h * frames[:, k])[:, None])[:, 0] for s in (1, -1)
        )
        np.testing.assert_allclose((ahead - behind) / (2 * h), carried[:, k], atol=1e-8)


def test_tokens_that_act_on_each_other_have_no_tangent_flow_of_one() -> None:
    flow = rqf.Flow(rqf.LinearLayer(3) + rqf.Attention(3, 1.0))
    with pytest.raises(InvalidArgument, match="tokens act on each other"):
        rqf.lyapunov_spectrum(flow, t=1.0)


@pytest.mark.parametrize(
    "field",
    [rqf.MLP(6, "erf", gain=5.0), rqf.RandomPotential(4, {4: 1.0}), rqf.Bias(2)],
    ids=["erf", "quartic", "bias"],
)
def test_spectrum_in_law(field: rqf.fields.Field) -> None:
    """From single steps drawn from the kernels: within 4.5 standard errors and a bias of 1 %."""
    measured = rqf.lyapunov_spectrum(field, t=4.0, realizations=8, seed=1)
    expected = rqf.theory.lyapunov_spectrum(field)
    bound = 4.5 * measured.stderr + 0.01 * np.abs(expected)
    assert np.all(np.abs(measured.exponent - expected) < bound)


def test_frames_on_complex_space_settle_first() -> None:
    """The exponent of the circle of a token under a Hermitian form is 0."""
    flow = rqf.Flow(rqf.HermitianForm(2), dt=1 / 16)
    measured = rqf.lyapunov_spectrum(flow, t=40.0, realizations=16)
    assert abs(measured.exponent[0]) < 0.01
    assert measured.exponent[1] < -0.5
