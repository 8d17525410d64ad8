"""First passage times of pairs: against exact means, level by level."""

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.theory import TwoPoint

FIELD = rqf.RandomQuadraticForm(3) + rqf.Bias(3, 0.5)


@pytest.mark.parametrize(("z0", "level"), [(-1.0, 0.0), (-1.0, 0.6), (-0.5, 0.3)])
def test_mean_is_the_exact_one(z0, level):
    """Within 4.5 standard errors (false alarm 7e-6 each), the step taken out to order dt²."""
    runs = [
        rqf.passage_time(rqf.Flow(FIELD, dt=dt), z0, level, realizations=1000, seed=5, t_max=512.0)
        for dt in (1 / 16, 1 / 32)
    ]
    assert all(run.censored == 0 for run in runs)
    times = 2.0 * runs[1].times - runs[0].times
    error = np.std(times) / np.sqrt(len(times))
    exact = TwoPoint(FIELD).exit_time(z0, -1.0, level)
    assert abs(np.mean(times) - exact) < 4.5 * error
    assert error < 0.15 * exact


def test_the_bridge_removes_a_delay_of_order_root_dt():
    """Looked at after steps only, the mean would be late by about 0.58 √(v dt) / speed."""
    exact = TwoPoint(FIELD).exit_time(-1.0, -1.0, 0.0)
    found = rqf.passage_time(rqf.Flow(FIELD, dt=1 / 8), realizations=4000, seed=2)
    assert abs(found.mean - exact) < 1.5 / 8 + 4.0 * found.stderr


def test_censored_pairs_are_counted_and_bound_the_mean():
    full = rqf.passage_time(rqf.Flow(FIELD, dt=1 / 16), realizations=200, seed=1)
    short = rqf.passage_time(rqf.Flow(FIELD, dt=1 / 16), realizations=200, seed=1, t_max=1.0)
    assert short.censored == np.sum(full.times > 1.0) > 0
    assert short.mean == pytest.approx(np.mean(np.minimum(full.times, 1.0)))


def test_from_above_and_at_the_level():
    """A pair above the level passes downwards; at the level it has passed."""
    flow = rqf.Flow(rqf.Bias(2, 1.0) + rqf.Skew(2), dt=1 / 32)
    down = rqf.passage_time(flow, z0=0.5, level=0.3, realizations=200, seed=1, t_max=0.5)
    assert 0 < down.censored < 200
    assert rqf.passage_time(flow, z0=0.3, level=0.3, realizations=2, seed=1).mean == 0.0


def test_same_seed_same_times():
    first, second = (
        rqf.passage_time(rqf.Flow(FIELD, dt=1 / 16), realizations=20, seed=4) for _ in range(2)
    )
    np.testing.assert_array_equal(first.times, second.times)


@pytest.mark.parametrize(
    ("field", "arguments", "message"),
    [
        (rqf.RandomQuadraticForm(3), {}, "flow: its field is linear"),
        (FIELD, {"level": 1.0}, "level = 1: must be inside"),
        (FIELD, {"z0": -1.5}, "z0 = -1.5"),
        (FIELD, {"realizations": 1}, "realizations = 1"),
        (FIELD, {"t_max": 0.01}, "t_max = 0.01: must be a multiple"),
    ],
)
def test_bad_input(field, arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        rqf.passage_time(rqf.Flow(field, dt=1 / 16), **arguments)
