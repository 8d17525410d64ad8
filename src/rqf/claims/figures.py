"""What the figures of claims share: measured points with error bars over what is predicted.

Series differ by marker and line style as well as by colour, so that they are told apart in grey.
A measurement lists its series in `details["series"]`, in the order of its rows: a name and the
abscissas, one for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rqf.claims.base import Result

Array = NDArray[np.float64]
Curve = Callable[[Array], ArrayLike]

NOTHING = 1e-18  # stands for zero on a logarithmic scale
BARS = 2.0  # error bars are two standard errors long to each side
MARKERS = "osD^vPX*"
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
COLOURS = ("#111111", "#b5420e", "#1b6ca8", "#6b8e23", "#8a4f9e", "#8c8c8c")


class Series(NamedTuple):
    """A run of rows that belong together, as arrays."""

    name: str
    x: Array
    predicted: Array
    measured: Array
    error: Array


def series_of(result: Result) -> Iterator[Series]:
    """The series of a result, cut from its rows in order."""
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    first = 0
    for entry in result.details["series"]:
        x = np.asarray(entry["x"], dtype=np.float64)
        rows = slice(first, first + x.size)
        yield Series(entry["name"], x, *(column[rows] for column in columns))
        first += x.size


def style(index: int) -> dict[str, Any]:
    """Marker, line and colour number `index`."""
    return {
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": LINES[index % len(LINES)],
        "color": COLOURS[index % len(COLOURS)],
    }


def points(axes: Axes, series: Series, index: int = 0, label: str | None = None) -> None:
    """Measured points with bars of two standard errors."""
    look = style(index)
    axes.errorbar(
        series.x, series.measured, yerr=BARS * series.error, linestyle="none",
        marker=look["marker"], color=look["color"], markerfacecolor="white", markersize=5,
        capsize=2, label=series.name if label is None else label, zorder=3,
    )


def line(axes: Axes, x: ArrayLike, y: ArrayLike, index: int = 0, label: str | None = None) -> None:
    """A predicted curve."""
    look = style(index)
    axes.plot(x, y, linestyle=look["linestyle"], color=look["color"], linewidth=1.2, label=label)


def finish(axes: Axes, xlabel: str, ylabel: str, legend: bool = True) -> None:
    """Name the axes; say beside them what marks, bars and lines are."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if legend:
        axes.legend(
            title="points: measured, ± 2 s.e.\nlines: predicted", fontsize="small",
            title_fontsize="small", alignment="left", loc="center left", bbox_to_anchor=(1.01, 0.5),
        )


def over_curves(
    axes: Axes, result: Result, curves: dict[str, Curve], xlabel: str, ylabel: str,
    start: float | None = None,
) -> None:
    """Every series over the curve of its name, drawn from `start` (or its first point) on."""
    for index, series in enumerate(series_of(result)):
        if series.name in curves:
            begin = float(np.min(series.x)) if start is None else start
            x = np.linspace(begin, float(np.max(series.x)), 201)
            line(axes, x, curves[series.name](x), index)
        points(axes, series, index)
    finish(axes, xlabel, ylabel)


def departures(axes: Axes, result: Result, xlabel: str, ylabel: str) -> None:
    """Measured less predicted of every series, over the line 0."""
    axes.axhline(0.0, color="#111111", linewidth=1.0)
    every = list(series_of(result))
    for index, series in enumerate(every):
        width = np.min(np.diff(np.unique(series.x)), initial=1.0) if series.x.size > 1 else 1.0
        shift = 0.12 * width * (index - 0.5 * (len(every) - 1))
        off = series._replace(x=series.x + shift, measured=series.measured - series.predicted)
        points(axes, off, index)
    finish(axes, xlabel, ylabel)


def draw_shares(axes: Axes, result: Result) -> None:
    """Shares of samples below predicted quantiles, less what is predicted."""
    departures(axes, result, "predicted share of samples below", "measured - predicted share")


def exact(axes: Axes, result: Result, x: ArrayLike, xlabel: str, ylabel: str) -> None:
    """How far an identity is off at each x, on a logarithmic scale, under what is allowed."""
    at = np.asarray(x, dtype=np.float64)
    off = np.abs(result.column("measured") - result.column("predicted"))
    allowed = result.column("error")
    line(axes, at, allowed, 0, "allowed")
    axes.plot(
        at, np.maximum(off, NOTHING), "o", color=COLOURS[0], markerfacecolor="white",
        label=f"off by (0 is shown as {NOTHING:g})",
    )
    axes.set_yscale("log")
    axes.set_ylim(0.1 * NOTHING, 100.0 * float(np.max(allowed)))
    finish(axes, xlabel, ylabel, legend=False)
    axes.legend()
