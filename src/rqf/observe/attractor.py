"""The random attractor of a noise path, by pullback, and how fast tokens reach it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.flow.flow import Flow
from rqf.flow.graded import GradedLift
from rqf.noise import Wiener

VISIBLE = 12.0  # gap in log units up to which singular values are read off the matrix itself


class PullbackAttractor(NamedTuple):
    """Points of the attractor at time 0 and the angle by which they may still move.

    Attributes
    ----------
    points : array (2, n)
        a and -a, unit rows; the first nonzero component of a is positive.
    error : float
        Scale of the angle (radians) between a and the limit for an infinite past; the angle itself
        is this times the tangent-like ratio of a random direction, of order 1.
    """

    points: NDArray[np.float64]
    error: float


def pullback_attractor(flow: Flow, omega: Wiener, t: float = 30.0) -> PullbackAttractor:
    """Where tokens stand at time 0 that were released in the far past, whatever their start.

    Parameters
    ----------
    flow : Flow
        Field, step and scheme.
    omega : Wiener
        The noise path.
    t : float > 0
        How far back to start, a multiple of flow.dt. The error falls like e^{-(λ_1 gap) t},
        e^{-t} for the random quadratic form.

    Returns
    -------
    PullbackAttractor
        `points` (2, n) and `error`.

    Raises
    ------
    rqf.errors.InvalidArgument
        If t is not a positive multiple of the step.

    Notes
    -----
    The attractor is ± the limiting top left singular vector of the lift over [-t, 0]; the error is
    the root of Σ (s_i / s_1)², i >= 2, of its singular values, followed in logs.

    Examples
    --------
    >>> import rqf
    >>> flow = rqf.Flow(rqf.RandomQuadraticForm(n=3), dt=1/64)
    >>> omega = rqf.Wiener(seed=1)
    >>> near = rqf.pullback_attractor(flow, omega, t=15.0)
    >>> far = rqf.pullback_attractor(flow, omega, t=30.0)
    >>> bool(abs(near.points - far.points).max() < 100 * near.error)
    True
    """
    t = checks.real("t", t, 0.0, open_minimum=True)
    lift = flow.graded_lift(omega.shift(-t), t)
    top = np.linalg.svd(lift.matrix())[0][:, 0]
    top = top * np.sign(top[np.flatnonzero(np.abs(top) > 1e-12)[0]])
    return PullbackAttractor(np.stack([top, -top]), float(np.exp(_log_remainder(lift))))


def _log_remainder(lift: GradedLift) -> float:
    """log of the root of Σ_{i >= 2} (s_i / s_1)² of the lift's singular values."""
    order = np.argsort(-lift.grades)
    grades = lift.grades[order]
    if grades[0] - grades[1] < VISIBLE:
        values = np.linalg.svd(lift.matrix(), compute_uv=False)
        return float(0.5 * np.log(np.sum((values[1:] / values[0]) ** 2)))
    first = lift.shape[order[0]]
    first = first / (size := np.linalg.norm(first))
    second = lift.shape[order[1]]
    second = second - (second @ first) * first
    return float(grades[1] - grades[0] + np.log(np.linalg.norm(second) / size))


def log_separation(
    flow: Flow, omega: Wiener, x: ArrayLike, y: ArrayLike, times: ArrayLike
) -> NDArray[np.float64]:
    """log of the sine of the angle between two tokens under one noise, at several times.

    Local convergence, followed far below the rounding of doubles: for the random quadratic form it
    falls like -t almost surely, to -500 at t = 500.

    Parameters
    ----------
    flow : Flow
    omega : Wiener
    x, y : arrays of shape (..., n)
        Unit rows; coincident or opposite tokens give -inf for ever.
    times : increasing multiples of flow.dt

    Returns
    -------
    array of shape (len(times), ...)
        Since the sine is that of the distance to the nearer of y and -y, it does not tell whether
        the two end together; `GradedLift.log_separation` does.

    Examples
    --------
    >>> import rqf
    >>> flow = rqf.Flow(rqf.RandomQuadraticForm(n=3), dt=1/16)
    >>> logs = rqf.log_separation(flow, rqf.Wiener(2), [1, 0, 0], [0, 1, 0], [0, 1000])
    >>> bool(logs[0] == 0 and -1150 < logs[1] < -850)
    True
    """
    lifts = flow.graded_lifts(omega, times)
    return np.stack([lift.log_separation(x, y)[0] for lift in lifts])


def forward_convergence(
    flow: Flow, omega: Wiener, x: ArrayLike, times: ArrayLike, past: float = 40.0
) -> NDArray[np.float64]:
    """log of the sine of the angle between φ(t, ω, x) and the moving attractor ±a(θ_t ω).

    The attractor at time 0 is found by pullback from `-past`; from then on it is carried along by
    the flow, which leaves it invariant.

    Parameters
    ----------
    flow : Flow
    omega : Wiener
    x : array of shape (..., n)
        Unit rows.
    times : increasing multiples of flow.dt
    past : float > 0
        A multiple of flow.dt.

    Returns
    -------
    array of shape (len(times), ...)
    """
    point = pullback_attractor(flow, omega, past).points[0]
    return log_separation(flow, omega, x, point, times)
