"""The two axes of a phase diagram: a name, the values, how they are spaced."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument

COUNT = 48  # values of a range that does not say how many


@dataclass(frozen=True, eq=False)
class Axis:
    """Increasing values of one parameter.

    Parameters
    ----------
    name : str
        What is varied; the label of the axis.
    values : array of shape (m,), m >= 2, increasing
    log : bool
        Whether the axis is logarithmic; the values are then positive.
    whole : bool
        Whether only whole numbers are allowed, as for a dimension.

    Raises
    ------
    rqf.errors.InvalidArgument
        If the values are too few, not increasing, or not of the kind that is asked for.
    """

    name: str
    values: NDArray[np.float64]
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        values = checks.finite_array(self.name, self.values)
        if values.ndim != 1 or values.size < 2 or np.any(np.diff(values) <= 0.0):
            raise InvalidArgument(f"{self.name}: needs two values or more, increasing")
        if self.whole and np.any(values != np.rint(values)):
            raise InvalidArgument(f"{self.name}: takes whole numbers only")
        if self.log and values[0] <= 0.0:
            raise InvalidArgument(
                f"{self.name} = {values[0]:g}: must be > 0 on a logarithmic axis"
            )
        object.__setattr__(self, "values", values)

    def coarse(self, count: int) -> NDArray[np.float64]:
        """At most `count` of the values, spread evenly, both ends among them."""
        chosen = np.unique(np.rint(np.linspace(0, self.values.size - 1, count)).astype(int))
        return self.values[chosen]


def read_axis(name: str, text: str, whole: bool = False) -> Axis:
    """The axis that `LOW:HIGH`, `LOW:HIGH:COUNT` or `LOW:HIGH:COUNT:log` writes.

    Examples
    --------
    >>> read_axis("gain", "0.1:10:3:log").values.round(3)
    array([ 0.1,  1. , 10. ])
    >>> read_axis("dimension", "3:6", whole=True).values
    array([3., 4., 5., 6.])
    """
    parts = text.split(":")
    log = parts[-1] == "log"
    parts = parts[:-1] if log else parts
    try:
        low, high = float(parts[0]), float(parts[1])
        count = int(parts[2]) if len(parts) == 3 else COUNT
        if len(parts) > 3 or not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError
    except (ValueError, IndexError):
        raise InvalidArgument(
            f"{name} = {text!r}: must be LOW:HIGH, LOW:HIGH:COUNT or LOW:HIGH:COUNT:log"
        ) from None
    if not low < high or count < 2 or (log and low <= 0.0):
        allowed = "0 < LOW < HIGH" if log else "LOW < HIGH"
        raise InvalidArgument(f"{name} = {text!r}: needs {allowed} and a COUNT of 2 or more")
    if whole:
        count = min(count, int(high - low) + 1) if len(parts) == 3 else int(high - low) + 1
    values: ArrayLike = np.geomspace(low, high, count) if log else np.linspace(low, high, count)
    if whole:
        values = np.unique(np.rint(values))
    return Axis(name, np.asarray(values, dtype=np.float64), log, whole)
