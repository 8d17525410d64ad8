"""Lifts of many realisations at once, for claims that follow each of them by its own noise path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rqf.fields import LinearField
from rqf.flow import Flow
from rqf.flow.stepper import stepper
from rqf.flow.threads import ranges, run_each
from rqf.noise import Wiener
from rqf.noise.grid import whole_steps

Array = NDArray[np.float64]
TOGETHER = 128


def lifts(flow: Flow, omega: Wiener, realizations: int, t: float) -> Array:
    """`flow.lift` over [0, t] for realisations 0, 1, … of ω's seed, on its grid, up to scale.

    Shape (realizations, n, n). With `omega.shift(-t)` they are the lifts over [-t, 0].
    """
    assert isinstance(flow.field, LinearField)
    machine = stepper(flow.field, flow.dt, flow.scheme, omega, flow.refine)
    states = np.tile(np.eye(flow.n), (realizations, 1, 1))
    steps = whole_steps("t", t, flow.dt)

    def task(members: slice) -> Iterator[int]:
        keys = np.arange(members.start, members.stop, dtype=np.uint64)
        machine.advance(states[members], omega.seed, keys, 0, steps, False)
        yield 1

    run_each(task, ranges(realizations, TOGETHER))
    return states


def top_left(lifted: Array) -> Array:
    """Top left singular vectors (R, n) of lifts (R, n, n): the attractor, if they reach far back.

    The sign is arbitrary.
    """
    return np.asarray(np.linalg.svd(lifted)[0][..., 0])
