"""How fast nearly antipodal pairs come to their pole or leave it: the rate of the log distance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rqf.claims.base import Level, amount, stream
from rqf.claims.measurements import Estimates
from rqf.claims.tokens import listed, step
from rqf.fields import Field
from rqf.flow import simulate

NEAR = 1e-5  # distance from antipodal at the start
TIME = 1.0
STEPS = (1 / 16, 1 / 32)  # at level "quick", half as long at "full"


def rates(
    fields: Sequence[Field], labels: Sequence[str], level: Level, seed: int, quick: int
) -> Estimates:
    """d/dt E log|X + Y| of nearly antipodal pairs under each field.

    Along the same noise at two steps, and what is of first order in the step taken off.
    """
    size = amount(level, quick)
    steps = [step(level, dt) for dt in STEPS]
    samples = [
        _samples(field, steps, stream(seed, label), size)
        for field, label in zip(fields, labels, strict=True)
    ]
    return Estimates.of_means(
        np.stack(samples, axis=1), labels,
        details={
            "scheme": "heun", "dt": listed(steps), "t": TIME, "pairs": size,
            "distance at the start": NEAR,
        },
    )


def _samples(field: Field, steps: Sequence[float], seed: int, size: int) -> np.ndarray:
    x0 = np.zeros((2, field.n))
    x0[:, 0] = -math.cos(0.5 * NEAR), math.cos(0.5 * NEAR)
    x0[:, 1] = math.sin(0.5 * NEAR)
    coarse, fine = (
        simulate(field, t=TIME, dt=dt, times=[TIME], x0=x0, realizations=size, seed=seed).x.values
        for dt in steps
    )
    grown = [np.log(np.linalg.norm(x[:, 0].sum(axis=1), axis=-1)) for x in (coarse, fine)]
    return (2.0 * grown[1] - grown[0] - math.log(2.0 * math.sin(0.5 * NEAR))) / TIME
