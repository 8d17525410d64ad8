"""How long a pair of tokens takes to pass an overlap: the lifetime of an antipodal pair.

Under a weak even part of the noise antipodal tokens stay so for long and then come together; the
time at which their overlap first passes 0 is the lifetime of the bipolar state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.flow.flow import Flow
from rqf.flow.tokens import TokenStepper, token_stepper
from rqf.noise import Wiener
from rqf.noise.grid import cell_for, whole_steps

Array = NDArray[np.float64]


class PassageTime(NamedTuple):
    """First passage times of a pair.

    Attributes
    ----------
    mean, stderr : float
        Of the times, censored ones counted as t_max: with censored > 0 the mean is a lower bound.
    censored : int
        Number of realisations whose pair had not passed by t_max.
    times : array (realizations,)
        The times; inf where censored.
    """

    mean: float
    stderr: float
    censored: int
    times: Array


def passage_time(
    flow: Flow,
    z0: float = -1.0,
    level: float = 0.0,
    realizations: int = 1000,
    seed: int = 0,
    t_max: float = 1000.0,
) -> PassageTime:
    """When the overlap of two tokens first passes a level: from z0 = -1 the bipolar lifetime.

    Parameters
    ----------
    flow : Flow
        Field, step and scheme; a field that is not linear alone.
    z0 : float in [-1, 1]
        Overlap at time 0.
    level : float in (-1, 1)
        The overlap to pass, from whichever side z0 lies on.
    realizations : int >= 2
        Independent pairs.
    seed : int
        Realisation r is that of `rqf.Wiener(seed, realization=r)` on the grid of flow.dt.
    t_max : float > 0
        When to give up, a multiple of flow.dt.

    Returns
    -------
    PassageTime
        `mean`, `stderr`, `censored` and the `times`.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of range, the field is linear (antipodal pairs then stay so, and
        `rqf.theory.TwoPoint` has the law of others) or its tokens stand still at the level.

    Notes
    -----
    A pair looked at only after every step passes late, by an amount of order √dt. So between two
    looks that both find u = artanh Z at distances d, d' short of the level, it is taken to have
    passed with the probability exp(-2 d d'/(v dt)) of a Brownian bridge, v the variance of u per
    unit time at the level; what is left is of order dt, that of the scheme. A passage counts at
    the middle of its step. Compare `rqf.theory.TwoPoint.exit_time`.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.RandomQuadraticForm(n=3) + rqf.Bias(n=3, sigma=0.5)
    >>> measured = rqf.passage_time(rqf.Flow(field, dt=1/64), realizations=500, seed=1)
    >>> exact = rqf.theory.TwoPoint(field).exit_time(-1.0, -1.0, 0.0)
    >>> bool(abs(measured.mean - exact) < 5 * measured.stderr), measured.censored
    (True, 0)
    """
    field, dt = flow.field, flow.dt
    if isinstance(field, LinearField):
        raise InvalidArgument(
            "flow: its field is linear, antipodal pairs stay so; add a field with an even part,"
            " such as rqf.Bias"
        )
    z0 = checks.real("z0", z0, -1.0, 1.0)
    level = checks.real("level", level, -1.0, 1.0)
    realizations = checks.integer("realizations", realizations, 2)
    steps = whole_steps("t_max", checks.real("t_max", t_max, 0.0, open_minimum=True), dt)
    if abs(level) == 1.0:
        raise InvalidArgument(f"level = {level:g}: must be inside (-1, 1)")
    variance = _variance(field, level)
    if not variance > 0.0:
        raise InvalidArgument(f"level = {level:g}: the overlap stands still there")
    machine = token_stepper(field, dt, flow.scheme, Wiener(seed, cell_for(dt)))
    passed = _passed(machine, _pair(field.n, z0), level, variance * dt, realizations, seed, steps)
    times = np.where(passed >= 0, (passed + 0.5) * dt, np.inf)
    if z0 == level:
        times = np.zeros(realizations)
    counted = np.minimum(times, steps * dt)
    return PassageTime(
        float(np.mean(counted)), float(np.std(counted, ddof=1) / np.sqrt(realizations)),
        int(np.sum(np.isinf(times))), times,
    )


def _passed(
    machine: TokenStepper, pair: Array, level: float, scatter: float, realizations: int, seed: int,
    steps: int,
) -> NDArray[np.int64]:  # fmt: skip
    """The step in which each realisation passes, -1 if none; `scatter` is v dt."""
    generator = np.random.default_rng(seed)
    going = np.arange(realizations)
    states = np.tile(pair.T, (realizations, 1, 1))
    found = np.full(realizations, -1)
    short = _short(states, level)
    side = np.sign(short)
    for step in range(steps):
        machine.advance(states, seed, going.astype(np.uint64), step, 1)
        now = side * _short(states, level)
        with np.errstate(over="ignore"):
            bridge = np.exp(-2.0 * side * short * np.maximum(now, 0.0) / scatter)
        stay = (now > 0.0) & (generator.random(going.size) >= bridge)
        found[going[~stay]] = step
        going, states, side = going[stay], states[stay], side[stay]
        short = side * now[stay]
        if not going.size:
            break
    return found


def _short(states: Array, level: float) -> Array:
    """artanh(level) - artanh Z of pairs, the columns of states (R, n, 2)."""
    x, y = states[..., 0], states[..., 1]
    apart = np.linalg.norm(x - y, axis=-1)
    along = np.linalg.norm(x + y, axis=-1)
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.arctanh(level) + np.log(np.maximum(apart, tiny))
                      - np.log(np.maximum(along, tiny)))


def _variance(field: Field, z: float) -> float:
    """The variance of u = artanh Z per unit time: 2 [(a_11 - z a_12)/(1 - z²) + b]."""
    pair = field.pair(1.0 - z, 1.0 + z)
    return float(2.0 * ((pair.own - z * pair.cross) / ((1.0 - z) * (1.0 + z)) + pair.b))


def _pair(n: int, z: float) -> Array:
    """Two tokens of overlap z, shape (2, n)."""
    x = np.zeros((2, n))
    x[0, 0], x[1, 0], x[1, 1] = 1.0, z, np.sqrt((1.0 - z) * (1.0 + z))
    return x
