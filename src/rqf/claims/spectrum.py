"""Lyapunov exponents: the flow on the sphere contracts at the rates 1, 2, …, n - 1.

Measured by QR along the lift (Benettin et al. 1980) over many realisations; the scheme's steps are
so small that its bias, of second order, is some hundredths of the standard errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Estimates, Identity, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import LinearField, LinearLayer, RandomQuadraticForm, Skew
from rqf.flow import Flow
from rqf.observe import lyapunov_spectrum

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

SCHEME = "corrected-exponential"
REALIZATIONS = 64
TIMES = {2: 128.0, 3: 192.0, 5: 96.0, 10: 24.0}
STEPS = {2: 1 / 8, 3: 1 / 8, 5: 1 / 16, 10: 1 / 16}  # halved at level "full"
SOURCE = f"{MODEL}, section 8; Raimond 1999"
LIFT = f"{MODEL}, section 8; Newman 1986, Norris–Rogers–Williams 1986"


def exponents(dimensions: tuple[int, ...]) -> Array:
    """λ_p = -p, p = 1..n-1, for one dimension after the other."""
    return np.concatenate([-np.arange(1.0, n) for n in dimensions])


def lift_exponents(dimensions: tuple[int, ...]) -> Array:
    """(n + 1 - 2i)/2, i = 1..n, for one dimension after the other."""
    return np.concatenate([(n + 1.0 - 2.0 * np.arange(1, n + 1)) / 2.0 for n in dimensions])


def _measured(field: LinearField, level: Level, seed: int) -> xr.Dataset:
    n = field.n
    step = STEPS[n] if level == "quick" else STEPS[n] / 2
    flow = Flow(field, dt=step, scheme=SCHEME)
    size = amount(level, REALIZATIONS)
    return lyapunov_spectrum(flow, t=TIMES[n], realizations=size, seed=stream(seed, n))


def _series(dimensions: tuple[int, ...], lift: bool = False) -> list[dict[str, object]]:
    return [
        {"name": f"n = {n}", "x": np.arange(1, n + (1 if lift else 0))} for n in dimensions
    ]


def _details(
    dimensions: tuple[int, ...], level: Level, lift: bool = False
) -> dict[str, object]:
    return {
        "scheme": SCHEME,
        "dt": ", ".join(
            f"1/{1 / STEPS[n] * (1 if level == 'quick' else 2):.0f}" for n in dimensions
        ),
        "n": ", ".join(map(str, dimensions)),
        "time per realization": ", ".join(f"{TIMES[n]:g}" for n in dimensions),
        "realizations": amount(level, REALIZATIONS),
        "series": _series(dimensions, lift),
    }


def _sphere(
    make: Callable[[int], LinearField], dimensions: tuple[int, ...], headline: int
) -> Callable[[Level, int], Measurement]:
    """Exponents of the flow on the sphere, all dimensions one after the other."""

    def measure(level: Level, seed: int) -> Measurement:
        spectra = [_measured(make(n), level, seed) for n in dimensions]
        return Estimates(
            np.concatenate([spectrum.exponent for spectrum in spectra]),
            np.concatenate([spectrum.stderr for spectrum in spectra]),
            [f"λ_{p}, n = {n}" for n in dimensions for p in range(1, n)],
            freedom=amount(level, REALIZATIONS) - 1.0,
            headline=headline,
            details=_details(dimensions, level),
        )

    return measure


def measure_lift(level: Level, seed: int) -> Measurement:
    """Exponents of G, their mean, which has no bearing on the sphere, taken off."""
    spectra = [_measured(RandomQuadraticForm(n), level, seed) for n in (2, 3, 5)]
    return Estimates(
        np.concatenate([spectrum.lift_exponent for spectrum in spectra]),
        np.concatenate([spectrum.lift_stderr for spectrum in spectra]),
        [f"λ_{i}(G), n = {n}" for n in (2, 3, 5) for i in range(1, n + 1)],
        freedom=amount(level, REALIZATIONS) - 1.0,
        headline=2,
        details=_details((2, 3, 5), level, lift=True),
    )


def measure_skew(level: Level, seed: int) -> Measurement:
    """Exponents of a random rotation, up to the rounding of orthogonal products."""
    time, dimensions = 32.0, (2, 3, 5)
    spectra = []
    for n in dimensions:
        flow = Flow(Skew(n), dt=1 / 8, scheme=SCHEME)
        size = amount(level, 4)
        spectra.append(lyapunov_spectrum(flow, t=time, realizations=size, seed=stream(seed, n)))
    return Identity(
        np.concatenate([np.max(np.abs(spectrum.sample), axis=0) for spectrum in spectra]),
        1e-12,
        [f"largest |λ_{p}|, n = {n}" for n in dimensions for p in range(1, n)],
        because="products of orthogonal matrices, each rounded to 1e-15 a step",
        details={
            "scheme": SCHEME, "dt": 1 / 8, "n": "2, 3, 5", "time per realization": time,
            "realizations": amount(level, 4),
        },
    )


def draw_exponents(axes: Axes, result: Result) -> None:
    """Exponents against their index, one mark for each dimension."""
    every = list(figures.series_of(result))
    longest = max(every, key=lambda series: series.x.size)
    lift = result.labels[0].startswith("λ_1(G)")
    for index, series in enumerate(every):
        figures.line(axes, series.x, series.predicted, index)
        figures.points(axes, series, index)
    axes.set_xticks(longest.x)
    name = "exponent of the lift" if lift else "Lyapunov exponent"
    figures.finish(axes, "index i" if lift else "index p", name)


def draw_skew(axes: Axes, result: Result) -> None:
    """Rows in their order: all exponents of one dimension, then of the next."""
    at = np.arange(1, 1 + len(result.rows))
    figures.exact(axes, result, at, "exponent", "largest of all realizations")
    names = [label.removeprefix("largest ").replace(", ", "\n") for label in result.labels]
    axes.set_xticks(at, names)


CLAIMS = (
    Claim(
        id="spectrum.sphere",
        statement="The Lyapunov exponents of the flow on S^{n-1} are λ_p = -p, p = 1, …, n-1.",
        source=SOURCE,
        predict=lambda: exponents((2, 3, 5, 10)),
        measure=_sphere(RandomQuadraticForm, (2, 3, 5, 10), headline=1),
        draw=draw_exponents,
    ),
    Claim(
        id="spectrum.lift",
        statement="The Lyapunov exponents of the linear lift G are (n+1-2i)/2, i = 1, …, n.",
        source=LIFT,
        predict=lambda: lift_exponents((2, 3, 5)),
        measure=measure_lift,
        draw=draw_exponents,
    ),
    Claim(
        id="spectrum.linear_layer",
        statement=(
            "A linear layer with independent entries has the exponents of its symmetric part"
            " alone, λ_p = -p: the random rotation in it stretches nothing."
        ),
        source=f"{MODEL}, section 8; Newman 1986",
        predict=lambda: exponents((2, 3, 5)),
        measure=_sphere(LinearLayer, (2, 3, 5), headline=1),
        draw=draw_exponents,
    ),
    Claim(
        id="spectrum.skew",
        statement="Under random rotations alone every exponent is 0: common noise, but no order.",
        source=f"{MODEL}, section 9",
        predict=lambda: np.zeros(7),
        measure=measure_skew,
        draw=draw_skew,
    ),
)
