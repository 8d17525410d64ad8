"""`simulate`: what it takes, what it returns, and what it refuses in one line."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import rqf
from rqf.errors import InvalidArgument
from rqf.sphere import uniform

FIELD = rqf.RandomQuadraticForm(3)


def test_the_result_tells_how_it_was_made() -> None:
    ds = rqf.simulate(FIELD, 5, t=2.0, dt=1 / 8, realizations=3, seed=2**64 - 1, times=5)
    assert ds.x.dims == ("realization", "time", "token", "component")
    assert ds.x.shape == (3, 5, 5, 3)
    assert ds.x.dtype == np.float64
    np.testing.assert_array_equal(ds.time, [0.0, 0.5, 1.0, 1.5, 2.0])
    assert ds.attrs["field"] == "RandomQuadraticForm(n=3, sigma=1.0)"
    assert ds.attrs["scheme"] == "ninomiya-victoir"
    assert int(ds.attrs["seed"]) == 2**64 - 1
    assert (ds.attrs["dt"], ds.attrs["cell"], ds.attrs["law"]) == (0.125, 1.0, 0)
    assert ds.attrs["x0"] == "uniform"
    assert ds.attrs["rqf"] == rqf.__version__
    assert np.max(np.abs(np.linalg.norm(ds.x, axis=-1) - 1.0)) < 1e-15
    again = rqf.simulate(FIELD, 5, t=2.0, dt=1 / 8, realizations=3, seed=2**64 - 1, times=5)
    xr.testing.assert_identical(ds, again)
    assert rqf.simulate(FIELD, t=0.125, dt=1 / 8).x.shape == (1, 2, 64, 3)


def test_initial_points_alike_for_all_or_for_each() -> None:
    shared, own = uniform(4, 3, rng=0), uniform((3, 4), 3, rng=1)
    for x0 in (shared, shared.tolist(), shared[None].repeat(3, 0), own, own.astype(np.float32)):
        settings = {"t": 1.0, "realizations": 3, "times": 3}
        if isinstance(x0, np.ndarray) and x0.dtype == np.float32:
            x0 = rqf.normalize(x0)
        ds = rqf.simulate(FIELD, x0=x0, **settings)
        np.testing.assert_allclose(
            ds.x[:, 0], np.broadcast_to(x0, (3, 4, 3)), rtol=0, atol=3e-16
        )
        assert ds.attrs["x0"] == "given"
        xr.testing.assert_identical(ds, rqf.simulate(FIELD, 4, x0=x0, **settings))
    alike = rqf.simulate(FIELD, t=1.0, realizations=3, times=3, x0=shared)
    each = rqf.simulate(FIELD, t=1.0, realizations=3, times=3, x0=shared[None].repeat(3, 0))
    np.testing.assert_array_equal(alike.x, each.x)
    assert np.max(np.abs(alike.x[0, 1] - alike.x[1, 1])) > 0.01


def test_points_off_by_rounding_are_put_back() -> None:
    x0 = uniform(4, 3, rng=0)
    ds = rqf.simulate(FIELD, t=1.0, x0=x0 * (1 + 1e-9), times=2)
    np.testing.assert_allclose(ds.x[0, 0], x0, rtol=0, atol=3e-16)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (2, [0.0, 1.0]),
        (3, [0.0, 0.5, 1.0]),
        (4, [0.0, 0.25, 0.75, 1.0]),
        (5, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (101, [0.0, 0.25, 0.5, 0.75, 1.0]),
        ([1.0], [1.0]),
        ([0.25, 0.5], [0.25, 0.5]),
        (np.array([0.0, 1.0]), [0.0, 1.0]),
        ([0], [0.0]),
    ],
)
def test_times(times, expected) -> None:
    """A number of them is spread over [0, t] and moved to the nearest steps; others stay."""
    ds = rqf.simulate(FIELD, 2, t=1.0, dt=1 / 4, times=times, seed=3)
    np.testing.assert_array_equal(ds.time, expected)
    whole = rqf.simulate(FIELD, 2, t=1.0, dt=1 / 4, times=5, seed=3)
    np.testing.assert_allclose(ds.x, whole.x.sel(time=expected), rtol=0, atol=1e-14)


@pytest.mark.parametrize("dt", [0.1, 1 / 3, 2.7, 1e-6, 1e-13, 1e-305, 1e6, 1e300])
def test_any_step(dt: float) -> None:
    """As long as the field is not too strong for it: with σ² dt = 1/8 all are the same motion.

    The paths are those of cells of one to two steps of that motion, whatever the unit of time.
    """
    sigma = min((0.125 / dt) ** 0.5, 1e100)
    ds = rqf.simulate(
        rqf.RandomQuadraticForm(3, sigma), 4, t=8 * dt, dt=dt, realizations=200, times=[8 * dt],
        x0=np.eye(3)[[0, 0, 1, 1]], seed=1,
    )  # fmt: skip
    assert ds.attrs["dt"] == dt
    overlap = ds.x.values[:, 0, 0, 0]
    if sigma < 1e100:
        expected, variance = np.exp(-0.5), (1 / 3 + 2 / 3 * np.exp(-1.5)) - np.exp(-1.0)
        assert abs(overlap.mean() - expected) < 4 * np.sqrt(variance / 200)
    else:
        np.testing.assert_allclose(overlap, 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"field": 3}, "field = 3: must be a field of rqf"),
        ({"field": np.eye(3)}, "field = array.* must be a field of rqf"),
        ({"tokens": 0}, "tokens = 0: must be an integer >= 1"),
        ({"tokens": 1.5}, "tokens = 1.5: must be an integer >= 1"),
        ({"t": -1.0}, "t = -1.0: must be a finite number >= 0"),
        ({"t": float("nan")}, "t = nan: must be a finite number >= 0"),
        ({"t": 0.3}, "t = 0.3: must be a multiple of dt = 0.25; the nearest is 0.25"),
        ({"t": None}, "t = None: must be a finite number >= 0"),
        ({"dt": 0.0}, "dt = 0.0: must be a finite number > 0"),
        ({"dt": -0.5}, "dt = -0.5: must be a finite number > 0"),
        ({"dt": float("nan")}, "dt = nan: must be a finite number > 0"),
        ({"dt": float("inf")}, "dt = inf: must be a finite number > 0"),
        ({"dt": 1e-310, "t": 0.0}, "dt = .*e-31.: must be at least 2.23e-308"),
        ({"dt": 1e308, "t": 1e308}, r"dt = 1e\+308: strength · n · dt = inf must be at most 128"),
        ({"realizations": 0}, "realizations = 0: must be an integer >= 1"),
        ({"seed": -1}, "seed = -1: must be an integer from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616: must be an integer from 0 to"),
        ({"seed": 0.5}, "seed = 0.5: must be an integer from 0 to"),
        ({"times": 1}, "times = 1: must be an integer >= 2"),
        ({"times": 2.5}, "times = 2.5: must be an integer >= 2"),
        ({"times": []}, "times: must be strictly increasing and hold at least one time"),
        ({"times": [0.5, 0.25]}, "times: must be strictly increasing"),
        ({"times": [0.5, 0.5]}, "times: must be strictly increasing"),
        ({"times": [-0.25, 0.5]}, "times = -0.25: must be a finite number >= 0"),
        ({"times": [0.0, 0.3]}, "times = 0.3: must be a multiple of dt = 0.25; the nearest is 0.2"),
        ({"times": [0.0, 1.25]}, "times: the last is 1.25, beyond t = 1"),
        ({"times": [float("nan")]}, "times: has entries that are not finite"),
        ({"x0": np.full((2, 3), np.nan)}, "x0: has entries that are not finite"),
        ({"x0": np.ones((2, 3))}, r"x0: has a row .* off 1 by 0.732; .* rqf.normalize\(x0\)"),
        ({"x0": np.eye(2)}, r"x0 has shape \(2, 2\): must be \(..., 3\)"),
        ({"x0": [1.0, 0.0, 0.0]}, r"x0 has shape \(3,\): must be \(tokens, 3\) or"),
        ({"x0": np.eye(3)[None].repeat(5, 0)}, r"x0 has shape \(5, 3, 3\): .*realizations = 2"),
        ({"x0": np.empty((0, 3))}, r"x0 has shape \(0, 3\): must hold at least one point"),
        ({"x0": "uniform"}, "x0: must be an array of real numbers"),
        ({"x0": np.eye(3), "tokens": 4}, "tokens = 4: x0 holds 3 tokens; leave one of them out"),
        ({"scheme": "rk4"}, "scheme = 'rk4': must be one of euler, heun, exponential"),
        ({"scheme": 4}, "scheme = 4: must be one of euler"),
        ({"workers": 0}, "workers = 0: must be an integer >= 1"),
        ({"workers": 1.5}, "workers = 1.5: must be an integer >= 1"),
        ({"memory": -1}, "memory = -1.0: must be a finite number >= 0"),
        ({"field": 1e9 * FIELD}, r"dt = 0.25: strength · n · dt = 7.5e\+08 must be at most 128; "),
        (
            {"field": FIELD + rqf.QuadraticForm(np.eye(3)), "law": True},
            "law = True: a field with a deterministic part is pathwise only",
        ),
    ],
)
def test_bad_input_is_one_line(settings, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        rqf.simulate(**{"field": FIELD, "t": 1.0, "dt": 1 / 4, "realizations": 2} | settings)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_field_below_two_dimensions() -> None:
    with pytest.raises(InvalidArgument, match="n = 1: must be an integer >= 2"):
        rqf.simulate(rqf.RandomQuadraticForm(1))


def test_a_noise_without_strength() -> None:
    ds = rqf.simulate(rqf.RandomQuadraticForm(3, 0.0), 4, t=10.0, dt=1.0, times=3)
    np.testing.assert_allclose(ds.x[0, 1:], ds.x[0, :1].values.repeat(2, 0), rtol=0, atol=1e-15)
