"""Attractors of fields that are not linear: how many points, and where."""

from __future__ import annotations

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.sphere import uniform


@pytest.mark.parametrize(
    ("field", "past", "count"),
    [
        (rqf.RandomQuadraticForm(3) + rqf.Bias(3, 0.8), 40.0, 1),
        (rqf.MLP(4, "tanh", width=16, gain=2.0), 60.0, 2),
        (rqf.MLP(4, "relu", width=16, gain=2.0, strength=2.0), 60.0, 1),
        (rqf.MLP(6, "erf", width=16, gain=12.0), 20.0, 0),
    ],
    ids=["bias", "odd", "mixed", "chaotic"],
)
def test_number_of_points(field: rqf.fields.Field, past: float, count: int) -> None:
    """As the phase says; each of three paths, though a stubborn pair may need a longer past."""
    phases = {1: "monopolar", 2: "bipolar", 0: "chaotic"}
    assert rqf.theory.phase(field) == phases[count]
    flow = rqf.Flow(field, dt=1 / 16)
    for seed in range(3):
        points, error = rqf.pullback_attractor(flow, rqf.Wiener(seed), past, tokens=24)
        assert points.shape == (count, field.n)
        assert error < 1e-3 if count else error == np.pi
        if count == 2:
            np.testing.assert_allclose(points[0], -points[1], atol=1e-3)


def test_the_flow_carries_the_attractor_along() -> None:
    flow = rqf.Flow(rqf.RandomQuadraticForm(3) + rqf.Bias(3, 0.8), dt=1 / 16)
    omega = rqf.Wiener(11)
    now, _ = rqf.pullback_attractor(flow, omega, 50.0)
    later, error = rqf.pullback_attractor(flow, omega.shift(2.0), 52.0)
    assert rqf.angle(flow(omega, now[0], 2.0), later[0]) < 1e-6 + 10 * error
    far = flow(omega.shift(-50.0), uniform(3, 3, rng=5), 50.0)
    assert np.max(rqf.angle(far, now[0])) < 1e-3


def test_too_few_tokens() -> None:
    with pytest.raises(InvalidArgument, match="tokens = 1: must be an integer >= 2"):
        rqf.pullback_attractor(rqf.Flow(rqf.Bias(3)), rqf.Wiener(0), 1.0, tokens=1)
