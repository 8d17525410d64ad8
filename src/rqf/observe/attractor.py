"""The random attractor of a noise path, by pullback, and how fast tokens reach it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks, sphere
from rqf.fields import LinearField
from rqf.flow.flow import Flow
from rqf.flow.graded import GradedLift
from rqf.noise import Wiener
from rqf.noise.grid import whole_steps
from rqf.observe.clusters import separate

START = 0  # seed of the tokens that are released
ROUNDING = 1e-14  # angles below are rounding
TOGETHER = 1e-6  # angles below are one point: a token that is late is no point of its own
VISIBLE = 12.0  # gap in log units up to which singular values are read off the matrix itself


class PullbackAttractor(NamedTuple):
    """Points of the attractor at time 0 and the angle by which they may still move.

    Attributes
    ----------
    points : array (k, n)
        Unit rows. Under a linear field a and -a, the first nonzero component of a positive; under
        any other one row for each point found, those that most tokens reach first, and no row if
        the tokens have not gathered.
    error : float
        Scale of the angle (radians) by which the points may still move for a longer past. Under a
        linear field the angle is this times a ratio of order 1 that depends on the direction;
        under any other it is the largest angle between a token and its point, π without points.
    """

    points: NDArray[np.float64]
    error: float


def pullback_attractor(
    flow: Flow, omega: Wiener, t: float = 30.0, tokens: int = 64
) -> PullbackAttractor:
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
    tokens : int >= 2
        How many uniform tokens, the same for every ω, are released where the field is not linear.

    Returns
    -------
    PullbackAttractor
        `points` (k, n) and `error`.

    Raises
    ------
    rqf.errors.InvalidArgument
        If t is not a positive multiple of the step, or tokens < 2.

    Notes
    -----
    Under a linear field the attractor is ± the limiting top left singular vector of the lift over
    [-t, 0]; the error is the root of Σ (s_i / s_1)², i >= 2, of its singular values, followed in
    logs.

    Under any other field tokens are released twice, at -t and half as long ago. Points are the
    clusters of the long past that stand out most, and count only if the short past leads to the
    same: every one of its tokens lies closer to a point than half the distance between points, and
    in the mean no closer than those of the long past. So it is the growth of the past that decides
    what a point is, not an angle fixed beforehand. A state that lasts longer than the past, such as
    two poles under a weak bias, is seen as if it were for ever. There are no points in the chaotic
    phase.

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
    if not isinstance(flow.field, LinearField):
        return _gathered(flow, omega, t, checks.integer("tokens", tokens, 2))
    lift = flow.graded_lift(omega.shift(-t), t)
    top = np.linalg.svd(lift.matrix())[0][:, 0]
    top = top * np.sign(top[np.flatnonzero(np.abs(top) > 1e-12)[0]])
    return PullbackAttractor(np.stack([top, -top]), float(np.exp(_log_remainder(lift))))


def _gathered(flow: Flow, omega: Wiener, t: float, tokens: int) -> PullbackAttractor:
    """The points at which tokens from a long past and from a shorter one stand together."""
    starts = sphere.uniform(tokens, flow.n, START)
    steps = whole_steps("t", t, flow.dt)
    lately = flow.dt * max(1, steps // 2)
    long, short = (flow(omega.shift(-past), starts, past) for past in (t, lately))
    labels = separate(long, False, TOGETHER)
    order = np.argsort(-np.bincount(labels), kind="stable")
    points = sphere.normalize(
        np.stack([np.sum(long[labels == label], axis=0) for label in order])
    )
    apart, near = (
        np.min(sphere.between(x[:, None], points[None]), axis=1) for x in (long, short)
    )
    between = sphere.between(points[:, None], points[None])
    between[np.diag_indices(len(points))] = np.pi
    settled = np.max(near) < 0.5 * np.min(between) and np.mean(apart) <= np.mean(near) + ROUNDING
    if len(points) == tokens or not settled:
        return PullbackAttractor(np.empty((0, flow.n)), np.pi)
    return PullbackAttractor(points, float(np.max(apart)))


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
