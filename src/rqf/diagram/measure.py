"""What tokens do at some points of a phase diagram: order parameters of simulated ensembles."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rqf.diagram.axes import Axis
from rqf.fields import Field
from rqf.flow.simulate import simulate
from rqf.observe.order_parameters import order_parameters

LAYER = 0.1  # how far a step moves a token: (n - 1) a(1) dt
FOLDS = 8.0  # e-folds of convergence that are waited for
SHORTEST, LONGEST = 50, 1000  # steps

Family = Callable[[float, float], Field]


def duration(field: Field, rate: float) -> tuple[float, int]:
    """The step and the number of steps after which a field has shown its phase.

    A step moves tokens by a tenth of their distance to decorrelation; the time is that of `FOLDS`
    e-folds at the rate of the pair near its pole, within what is affordable.
    """
    pair = field.pair(0.0, 2.0)
    speed = (field.n - 1) * float(pair.own) + float(np.abs(pair.pull))
    dt = LAYER / speed
    wanted = FOLDS / (abs(rate) * dt) if rate != 0.0 else math.inf
    return dt, int(min(max(wanted, SHORTEST), LONGEST))


def measured(
    family: Family,
    rates: Callable[[float, float], float],
    x: Axis,
    y: Axis,
    count: tuple[int, int],
    tokens: int,
    realizations: int,
    seed: int,
    done: Callable[[int], None] | None = None,
) -> xr.Dataset:
    """Polarity and bipolarity at some points of the diagram, means over realisations.

    Tokens start independent and uniform and move in law. `rates(x, y)` is the rate of a pair near
    its pole, from which the time to wait follows. Every point has noise of its own. Variables have
    dims (y_measured, x_measured).
    """
    columns, rows = x.coarse(count[0]), y.coarse(count[1])
    shape = (rows.size, columns.size)
    names = ("polarity", "bipolarity")
    means: dict[str, NDArray[np.float64]] = {name: np.empty(shape) for name in names}
    errors = {name: np.empty(shape) for name in names}
    time = np.empty(shape)
    for at in np.ndindex(shape):
        place = float(columns[at[1]]), float(rows[at[0]])
        field = family(*place)
        dt, steps = duration(field, rates(*place))
        own = int(np.random.SeedSequence([seed, *at]).generate_state(1, np.uint64)[0])
        ds = simulate(field, tokens, steps * dt, dt, realizations, own, [steps * dt], law=True)
        found = order_parameters(ds.isel(time=-1))
        for name in names:
            values = found[name].values
            means[name][at] = values.mean()
            errors[name][at] = values.std(ddof=1) / math.sqrt(realizations)
        time[at] = steps * dt
        if done is not None:
            done(1)
    dims = ("y_measured", "x_measured")
    return xr.Dataset(
        {
            **{name: (dims, means[name]) for name in names},
            **{f"{name}_stderr": (dims, errors[name]) for name in names},
            "time": (dims, time, {"long_name": "time at which tokens were looked at"}),
        },
        coords={"x_measured": columns, "y_measured": rows},
    )
