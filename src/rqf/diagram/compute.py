"""A phase diagram as a Dataset: theory on the whole grid, measurements at some of its points."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rqf import checks
from rqf.diagram.axes import Axis
from rqf.diagram.lines import critical_lines
from rqf.diagram.measure import Family, measured
from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.progress import bar
from rqf.theory import TwoPoint, phase

Array = NDArray[np.float64]
KINDS = ("together", "opposite")


def phase_diagram(
    family: Family,
    x: Axis,
    y: Axis,
    *,
    measure: tuple[int, int] | None = (10, 8),
    tokens: int = 16,
    realizations: int = 6,
    seed: int = 0,
    lifetime: Callable[[Field], float] | None = None,
    progress: bool = False,
) -> xr.Dataset:
    """Phases of a family of fields over two of its parameters.

    Parameters
    ----------
    family : function of (x, y) to Field
        The field at a point of the diagram.
    x, y : Axis
        The parameters; the theory is computed at all their values.
    measure : (int, int), optional
        At how many values of x and of y tokens are simulated; None for theory alone.
    tokens, realizations, seed : int
        Of each simulation: independent uniform starts, moved in law.
    lifetime : function of a field, optional
        The lifetime of the bipolar state, kept on the grid where the phase is monopolar.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    xarray.Dataset
        On (y, x): `phase`; `together` and `opposite`, the rates at which close pairs and nearly
        antipodal ones approach their pole if negative (nan where antipodal pairs do not stay so).
        On (y_measured, x_measured): `polarity`, `bipolarity`, their standard errors, `time`. On
        (vertex): `line_x`, `line_y`, `line_kind`, `line_number`, the critical lines, every vertex
        solved for; those of `opposite` only where they are not those of `together`.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range, or a field of the family has no two-point law.

    Notes
    -----
    Tokens are seen after a finite time, eight e-folds of the predicted rate where that is
    affordable; close to a critical line, where rates vanish, measurement and theory blur.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> from rqf.diagram import Axis, phase_diagram
    >>> ds = phase_diagram(
    ...     lambda sigma, n: rqf.RandomQuadraticForm(int(n)) + rqf.Bias(int(n), sigma),
    ...     Axis("bias", [0.0, 0.5, 1.0]), Axis("dimension", [2, 3, 4], whole=True), measure=None)
    >>> ds.phase.values[0].tolist()
    ['bipolar', 'monopolar', 'monopolar']
    """
    if measure is not None and min(measure) < 1:
        raise InvalidArgument(f"measure = {measure}: must be two counts >= 1, or None")
    tokens = checks.integer("tokens", tokens, 2)
    realizations = checks.integer("realizations", realizations, 2)

    def rate(kind: int) -> Callable[[float, float], float]:
        return lambda one, other: pole_rates(family(one, other))[kind]

    shape = (y.values.size, x.values.size)
    phases = np.empty(shape, dtype=object)
    rates = np.empty((2, *shape))
    lifetimes = np.full(shape, np.nan)
    for row, column in np.ndindex(shape):
        field = family(float(x.values[column]), float(y.values[row]))
        phases[row, column] = phase(field)
        rates[:, row, column] = pole_rates(field)
        if lifetime is not None and phases[row, column] == "monopolar":
            lifetimes[row, column] = lifetime(field)
    lines = [
        (kind, critical_lines(rate(index), rates[index], x, y))
        for index, kind in enumerate(KINDS)
        if index == 0 or not np.allclose(rates[0], rates[1], equal_nan=True)
    ]
    ds = xr.Dataset(
        {
            "phase": (("y", "x"), phases.astype(str)),
            **{kind: (("y", "x"), rates[i]) for i, kind in enumerate(KINDS)},
            **_vertices(lines),
        },
        coords={
            name: (name, axis.values, {"long_name": axis.name, "log": int(axis.log)})
            for name, axis in (("x", x), ("y", y))
        },
        attrs={"tokens": tokens, "realizations": realizations, "seed": str(seed)},
    )
    if lifetime is not None:
        ds["lifetime"] = (("y", "x"), lifetimes)
    if measure is None:
        return ds
    size = min(measure[0], shape[1]) * min(measure[1], shape[0])
    with bar("simulating tokens", size) if progress else nullcontext(None) as done:
        seen = measured(family, rate(0), x, y, measure, tokens, realizations, seed, done)
    return ds.merge(seen)


def pole_rates(field: Field) -> tuple[float, float]:
    """The rates of log distance to Z = 1 and Z = -1; nan where antipodal pairs do not stay so."""
    ends = TwoPoint(field).boundaries
    return tuple(  # type: ignore[return-value]
        value if np.isfinite(value) else np.nan
        for value in (ends[1.0].exponent, ends[-1.0].exponent)
    )


def _vertices(lines: list[tuple[str, list[Array]]]) -> dict[str, tuple[str, NDArray]]:
    """The critical lines as columns."""
    kinds, numbers, vertices = [], [], [np.empty((0, 2))]
    for kind, curves in lines:
        for number, curve in enumerate(curves):
            kinds += [kind] * len(curve)
            numbers += [number] * len(curve)
            vertices.append(curve)
    at = np.concatenate(vertices)
    return {
        "line_x": ("vertex", at[:, 0]),
        "line_y": ("vertex", at[:, 1]),
        "line_kind": ("vertex", np.array(kinds, dtype="<U8")),
        "line_number": ("vertex", np.array(numbers, dtype=np.int64)),
    }
