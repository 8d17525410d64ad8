"""How fast tokens approach each other, measured on an ensemble that has been simulated.

For linear noise the logarithm of the sine of the angle between two tokens falls with slope
`-symmetric_strength` in the mean from any start on, and almost surely in the long run. What
spoils a fit of the slope is rounding: pairs that come too close to be told apart must be left out,
and to leave out the fastest pairs makes all look slow. Here a pair counts over one interval of
time after the other as long as it is well above rounding at the *beginning* of the interval. What
happens next has no part in that choice, so the mean is not shifted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rqf import sphere
from rqf.errors import InvalidArgument

TOKENS = 65  # pairs share their noise: more of them add little
BLOCK = 1 << 22  # numbers read at a time
FROM_POINTS = (1e-8, 1e-14)  # sine at the beginning of an interval, and what rounding leaves
FROM_GRAM = (1e-3, 1e-6)
UNRESOLVED = 1e-3  # share of the intervals that may end in rounding


class ApproachRate(NamedTuple):
    """Slope of the log separation of pairs.

    Attributes
    ----------
    rate : float
        Per unit time, negative if tokens approach; nan if it cannot be told.
    stderr : float
        Standard error from the scatter of realisations; nan for a single one.
    obstacle : str
        Why there is no rate; empty if there is one.
    """

    rate: float
    stderr: float
    obstacle: str = ""


def approach_rate(ds: xr.Dataset) -> ApproachRate:
    """The rate at which pairs of tokens come together or become antipodal.

    Parameters
    ----------
    ds : Dataset with `x` or `gram`, dims (realization, time, token, ...), as `rqf.simulate` returns
        Times should be close enough for a pair to fall by a few e-folds in between. Of more than
        65 tokens the first 65 are used.

    Returns
    -------
    ApproachRate

    Raises
    ------
    rqf.errors.InvalidArgument
        If there are neither points nor overlaps.

    Notes
    -----
    A ratio estimate: the sum of the increments of log sin θ over all pairs of neighbouring tokens
    (i, i + 1) and all intervals that begin above 1e-8 (1e-3 for overlaps), over the sum of their
    lengths; realisations are independent, pairs of one realisation are not. For linear noise
    log sin θ + symmetric_strength · t is a martingale from any start, so that no transient needs to
    be cut off.

    Examples
    --------
    >>> import rqf
    >>> ds = rqf.simulate(rqf.RandomQuadraticForm(n=3), tokens=8, realizations=400, seed=3)
    >>> found = approach_rate(ds)
    >>> bool(abs(found.rate + 1.0) < 4 * found.stderr < 0.2)
    True
    """
    name = next((name for name in ("x", "gram") if name in ds.data_vars), None)
    if name is None:
        raise InvalidArgument(f"ds has variables {list(ds.data_vars)}: must have x or gram")
    values = ds[name].isel(token=slice(0, TOKENS))
    if name == "gram":
        values = values.isel(token_other=slice(0, TOKENS))
    steps = np.diff(ds["time"].values)
    if values.sizes["token"] < 2 or len(steps) == 0:
        return ApproachRate(np.nan, np.nan, "it takes two tokens and two times")
    floor, rounding = FROM_POINTS if name == "x" else FROM_GRAM
    members = values.sizes["realization"]
    fall, time, cut, counted = np.zeros(members), np.zeros(members), 0, 0
    length = max(1, BLOCK * members // values.size)
    for first in range(0, members, length):
        part = slice(first, first + length)
        block = values.isel(realization=part).values
        sine = _sines(block) if name == "x" else _sines_of_gram(block)
        before, after = sine[:, :-1], sine[:, 1:]
        used = before > floor
        logs = np.log(np.maximum(sine, rounding))
        fall[part] = np.sum(np.diff(logs, axis=1), where=used, axis=(1, 2))
        time[part] = np.sum(used * steps[:, None], axis=(1, 2))
        cut += int(np.sum(used & (after < rounding)))
        counted += int(np.sum(used))
    if counted == 0:
        return ApproachRate(np.nan, np.nan, "all pairs are together or opposite from the start")
    if cut > UNRESOLVED * counted:
        return ApproachRate(np.nan, np.nan, "pairs meet between two times; more times are needed")
    rate = float(np.sum(fall) / np.sum(time))
    return ApproachRate(rate, _stderr(fall - rate * time, float(np.sum(time))))


def _stderr(residual: NDArray[np.float64], total: float) -> float:
    """Standard error of a ratio estimate from independent residuals."""
    count = len(residual)
    if count < 2:
        return float("nan")
    return float(np.sqrt(np.sum(residual**2) * count / (count - 1)) / total)


def _sines(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sines of the angles between neighbouring tokens, from (..., N, n) to (..., N-1)."""
    left, right = x[..., :-1, :], x[..., 1:, :]
    return np.sin(np.minimum(sphere.between(left, right), sphere.between(left, -right)))


def _sines_of_gram(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    z = np.diagonal(gram, offset=1, axis1=-2, axis2=-1)
    return np.asarray(np.sqrt(np.maximum((1.0 - z) * (1.0 + z), 0.0)))
