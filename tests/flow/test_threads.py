"""Work on threads: reported as it goes, stopped soon, no more of them than allowed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.flow.threads import at_most, ranges, run_each, workers_available


def counting(piece: int) -> Iterator[int]:
    for _ in range(piece):
        yield 1


@pytest.mark.parametrize("workers", [1, 3, None])
def test_everything_is_done_and_reported(workers: int | None) -> None:
    told: list[int] = []
    run_each(counting, range(20), workers, told.append)
    assert sum(told) == sum(range(20))


@pytest.mark.parametrize("workers", [1, 2])
def test_work_is_reported_while_it_goes_on(workers: int) -> None:
    go_on = threading.Event()

    def task(piece: int) -> Iterator[int]:
        yield 1
        assert go_on.wait(20)
        yield 1

    told: list[int] = []

    def done(amount: int) -> None:
        told.append(amount)
        go_on.set()

    run_each(task, range(2), workers, done)
    assert sum(told) == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_stops_all(workers: int) -> None:
    def task(piece: int) -> Iterator[int]:
        if piece == 0:
            raise ValueError("broken")
        while True:
            time.sleep(0.01)
            yield 1

    began = time.monotonic()
    with pytest.raises(ValueError, match="broken"):
        run_each(task, range(2), workers)
    assert time.monotonic() - began < 10


def test_an_interruption_in_a_report_stops_all() -> None:
    def interrupt(amount: int) -> None:
        raise KeyboardInterrupt

    def forever(piece: int) -> Iterator[int]:
        while True:
            time.sleep(0.01)
            yield 1

    with pytest.raises(KeyboardInterrupt):
        run_each(forever, range(4), 2, interrupt)


def test_a_long_stretch_can_be_interrupted() -> None:
    """However far apart the times that are kept."""

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    field = rqf.RandomQuadraticForm(3)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        rqf.simulate(field, tokens=2, t=1e7, times=2, realizations=2, progress=interrupt)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("n", [3, 7])
def test_progress_ends_at_its_total_and_changes_nothing(n: int) -> None:
    told: list[tuple[int, int]] = []
    field = rqf.RandomQuadraticForm(n)
    settings = {"tokens": 9, "t": 3.0, "realizations": 40, "times": 4, "seed": 2}
    watched = rqf.simulate(field, progress=lambda *words: told.append(words), **settings)
    assert told[-1][0] == told[-1][1]
    assert all(later > sooner for (sooner, _), (later, _) in pairwise(told))
    alone = rqf.simulate(field, workers=1, **settings)
    assert np.array_equal(watched.x, alone.x)


def test_a_limit_holds_within_its_block() -> None:
    available = workers_available()
    with at_most(1):
        assert workers_available() == 1
        with at_most(None):
            assert workers_available() == available
    assert workers_available() == available
    with pytest.raises(InvalidArgument, match="workers = 0"), at_most(0):
        pass


def test_ranges_cover() -> None:
    assert ranges(7, 3) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert ranges(0, 3) == []
