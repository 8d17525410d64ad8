"""The rate of approach: unbiased at any length of the run, with honest errors."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import rqf
from rqf.errors import InvalidArgument
from rqf.observe.approach import approach_rate


def constant_rate(rate: float, times: np.ndarray, realizations: int = 3) -> xr.Dataset:
    """Two tokens on the circle whose sine falls like exp(rate t) exactly, opposite ones."""
    sine = 0.5 * np.exp(rate * times)
    pair = np.stack(
        [np.stack([np.ones_like(sine), 0 * sine], -1), np.stack([-np.sqrt(1 - sine**2), sine], -1)],
        axis=1,
    )
    x = np.broadcast_to(pair, (realizations, *pair.shape))
    return xr.Dataset(
        {"x": (("realization", "time", "token", "component"), x)}, coords={"time": times}
    )


def test_a_known_rate_is_found_and_rounding_left_out() -> None:
    for last in (1.0, 10.0, 100.0):
        found = approach_rate(constant_rate(-0.7, np.linspace(0.0, last, 201)))
        assert found.obstacle == ""
        assert found.rate == pytest.approx(-0.7, rel=1e-6)
        assert found.stderr == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize(
    ("settings", "rate"),
    [
        ({"t": 10.0}, -1.0),
        ({"t": 60.0, "times": 241}, -1.0),  # nearly all pairs end in rounding
        ({"t": 4.0, "times": 2}, -1.0),
        ({"t": 10.0, "law": True}, -1.0),
        ({"t": 3.0, "sigma": 2.0}, -4.0),
    ],
)
def test_noise_at_the_rate_of_the_theory(settings: dict[str, float], rate: float) -> None:
    options = dict(settings)
    field = rqf.RandomQuadraticForm(3, options.pop("sigma", 1.0))
    ds = rqf.simulate(field, tokens=8, realizations=600, seed=11, **options)
    found = approach_rate(ds)
    assert found.rate == pytest.approx(rate, abs=4 * found.stderr)
    assert found.stderr < 0.05 * abs(rate)


def test_errors_are_honest() -> None:
    field = rqf.RandomQuadraticForm(3)
    z = []
    for seed in range(60):
        found = approach_rate(rqf.simulate(field, tokens=4, realizations=40, t=8, seed=seed))
        z.append((found.rate + 1.0) / found.stderr)
    assert abs(np.mean(z)) < 4 / np.sqrt(60)
    assert 0.7 < np.std(z) < 1.35


def test_rotations_do_not_approach() -> None:
    found = approach_rate(rqf.simulate(rqf.Skew(4), tokens=5, realizations=4))
    assert found.rate == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_told_is_not_told() -> None:
    field = rqf.RandomQuadraticForm(3)
    alone = approach_rate(rqf.simulate(field, tokens=1))
    assert "two tokens" in alone.obstacle
    together = approach_rate(rqf.simulate(field, x0=np.tile([1.0, 0.0, 0.0], (4, 1))))
    assert "from the start" in together.obstacle
    coarse = approach_rate(rqf.simulate(field, tokens=4, t=400.0, times=3))
    assert "more times" in coarse.obstacle
    for found in (alone, together, coarse):
        assert np.isnan(found.rate)
    one = approach_rate(rqf.simulate(field, tokens=4))
    assert np.isfinite(one.rate)
    assert np.isnan(one.stderr)
    with pytest.raises(InvalidArgument, match="must have x or gram"):
        approach_rate(xr.Dataset())
