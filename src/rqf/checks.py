"""The public border: every argument is checked here, once, with one sentence per kind of mistake.

Each function returns the value in the type that the rest of the package works with, or raises
`InvalidArgument` with a line that names the argument, its value and what is allowed.
"""

from __future__ import annotations

import math
import operator
import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.errors import InvalidArgument

UNIT_TOLERANCE = 1e-8


def shown(value: Any) -> str:
    """repr of a value on one line of moderate length."""
    return textwrap.shorten(repr(value), 80, placeholder=" …")


def integer(name: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """`value` as an int within [minimum, maximum]."""
    allowed = f"an integer >= {minimum}" if maximum is None else (
        f"an integer from {minimum} to {maximum}"
    )
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        result = operator.index(value)
    except TypeError:
        raise InvalidArgument(f"{name} = {shown(value)}: must be {allowed}") from None
    if result < minimum or (maximum is not None and result > maximum):
        raise InvalidArgument(f"{name} = {result}: must be {allowed}")
    return result


def real(
    name: str,
    value: Any,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    *,
    open_minimum: bool = False,
) -> float:
    """`value` as a finite float within [minimum, maximum] (or (minimum, maximum])."""
    if minimum == -math.inf and maximum == math.inf:
        allowed = "a finite number"
    elif maximum == math.inf:
        allowed = f"a finite number {'>' if open_minimum else '>='} {minimum:g}"
    else:
        allowed = f"a number in {'(' if open_minimum else '['}{minimum:g}, {maximum:g}]"
    try:
        if isinstance(value, (bool, np.bool_, str)):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} = {shown(value)}: must be {allowed}") from None
    too_small = result <= minimum if open_minimum else result < minimum
    if not math.isfinite(result) or too_small or result > maximum:
        raise InvalidArgument(f"{name} = {result!r}: must be {allowed}")
    return result


def choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """`value`, one of the words in `allowed`."""
    words = list(allowed)
    if value not in words:
        raise InvalidArgument(f"{name} = {shown(value)}: must be one of {', '.join(words)}")
    return str(value)


def finite_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as a float64 array with finite entries."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name}: must be an array of real numbers") from None
    if not np.all(np.isfinite(array)):
        raise InvalidArgument(f"{name}: has entries that are not finite (nan or inf)")
    return array


def square_matrix(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as a finite (n, n) array, n >= 2."""
    matrix = finite_array(name, value)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        raise InvalidArgument(f"{name} has shape {matrix.shape}: must be (n, n) with n >= 2")
    return matrix


def unit_rows(name: str, value: ArrayLike, n: int | None = None) -> NDArray[np.float64]:
    """`value` as points of the sphere: shape (..., n), finite, each row of norm 1.

    Rows off by rounding (up to 1e-8) are put back on the sphere; anything further is refused.
    """
    points = finite_array(name, value)
    if points.ndim < 1 or (n is not None and points.shape[-1] != n) or points.shape[-1] < 2:
        wanted = "(..., n) with n >= 2" if n is None else f"(..., {n})"
        raise InvalidArgument(f"{name} has shape {points.shape}: must be {wanted}")
    if points.size == 0:
        raise InvalidArgument(f"{name} has shape {points.shape}: must hold at least one point")
    norms = np.linalg.norm(points, axis=-1, keepdims=True)
    worst = float(np.max(np.abs(norms - 1.0)))
    if worst > UNIT_TOLERANCE:
        raise InvalidArgument(
            f"{name}: has a row whose norm is off 1 by {worst:.3g}; rows must be unit vectors,"
            f" rqf.normalize({name}) makes them so"
        )
    return np.asarray(points / norms, dtype=np.float64)
