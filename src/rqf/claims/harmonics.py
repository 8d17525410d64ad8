"""Harmonic noise on the circle: k equidistant points, and cascades of harmonics.

In the units of the paper the k-th harmonic has sigma = 1/k: one token is Brownian motion at unit
speed. The angle between two tokens is a martingale of variance 4 sin²(kD/2) per unit time; it never
passes a multiple of 2π/k, where close tokens meet at the rate k²/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Estimates, Identity, Measurement, joined
from rqf.fields import Harmonic
from rqf.flow import Flow, simulate
from rqf.flow.tokens import token_stepper
from rqf.noise import Wiener
from rqf.noise.grid import cell_for
from rqf.observe import lyapunov_spectrum, pullback_attractor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
PAPER = "Sh 4 (Shalova 2026)"


def harmonic(k: int) -> Harmonic:
    """The k-th harmonic in the units of the paper."""
    return Harmonic(k, 1.0 / k)


def power_of_two(dt: float) -> float:
    """The largest 2^-m that is at most dt."""
    return float(2.0 ** np.floor(np.log2(dt)))


# One token

UNIT_SPEED = (1, 2, 3, 7)
TIMES = (0.5, 1.0)


def predict_unit_speed() -> Array:
    """E cos(φ_t - φ_0) = e^{-t/2} for every harmonic."""
    return np.tile(np.exp(-0.5 * np.array(TIMES)), len(UNIT_SPEED))


def measure_unit_speed(level: Level, seed: int) -> Measurement:
    """Mean cosines, extrapolated to dt = 0 from two steps along the same paths."""
    size = amount(level, 1000)
    found = []
    for k in UNIT_SPEED:
        dt = power_of_two(0.5 / k**2)
        coarse, fine = (_cosines(k, step, size, stream(seed, k)) for step in (dt, dt / 2.0))
        found.append(Estimates.of_means(2.0 * fine - coarse))
    return joined(
        found,
        [f"k = {k}: E cos(φ_t - φ_0) at t = {t:g}" for k in UNIT_SPEED for t in TIMES],
        details={
            "samples": size, "dt": "2^-m <= 1/(2k²) and half of it, extrapolated",
            "series": [{"name": f"k = {k}", "x": TIMES} for k in UNIT_SPEED],
        },
    )


def _cosines(k: int, dt: float, size: int, seed: int) -> Array:
    ds = simulate(
        harmonic(k), t=TIMES[-1], dt=dt, realizations=size, seed=seed, times=TIMES,
        x0=np.array([[1.0, 0.0]]),
    )
    return np.asarray(ds.x.values[:, :, 0, 0])


def draw_unit_speed(axes: Axes, result: Result) -> None:
    t = np.linspace(0.0, TIMES[-1], 101)
    figures.line(axes, t, np.exp(-0.5 * t), 0, "e^{-t/2}")
    for index, series in enumerate(figures.series_of(result)):
        shifted = series._replace(x=series.x + 0.01 * (index - 1.5))
        figures.points(axes, shifted, index)
    figures.finish(axes, "time", "E cos(φ_t - φ_0)")


# How fast

EXPONENTS = (1, 2, 3, 5, 7)


def predict_exponent() -> Array:
    return -0.5 * np.array(EXPONENTS) ** 2


def measure_exponent(level: Level, seed: int) -> Measurement:
    """Exponents of the tangent flow, extrapolated to dt = 0 from two steps."""
    size = amount(level, 24)
    values, errors = [], []
    for k in EXPONENTS:
        dt = power_of_two(0.125 / k**2)
        runs = [
            lyapunov_spectrum(Flow(harmonic(k), step), 64 * dt, size, stream(seed, k))
            for step in (dt, dt / 2.0)
        ]
        sample = 2.0 * runs[1]["sample"].values[:, 0] - runs[0]["sample"].values[:, 0]
        values.append(np.mean(sample))
        errors.append(np.std(sample, ddof=1) / np.sqrt(size))
    return Estimates(
        np.array(values), np.array(errors), [f"k = {k}" for k in EXPONENTS],
        freedom=None if size > 100 else size - 1.0,
        details={
            "realizations": size, "dt": "2^-m <= 1/(8k²) and half of it, extrapolated",
            "series": [{"name": "λ", "x": EXPONENTS}],
        },
    )


def draw_exponent(axes: Axes, result: Result) -> None:
    k = np.linspace(0.5, 7.5, 101)
    figures.line(axes, k, -0.5 * k**2, 0, "-k²/2")
    (series,) = figures.series_of(result)
    figures.points(axes, series, 0)
    figures.finish(axes, "harmonic k", "exponent λ")


# The attractor

POINTS = (1, 2, 3, 4, 5, 6, 7)
FOLDS = 40.0
ALLOWED = 1e-3


def predict_points() -> Array:
    """k points in every realisation, equidistant."""
    return np.array([value for k in POINTS for value in (k, k, 0.0)])


def measure_points(level: Level, seed: int) -> Measurement:
    """Numbers of points found by pullback, and how far their distances are off 2π/k."""
    size = 2 if level == "quick" else 20
    values: list[float] = []
    for k in POINTS:
        dt = power_of_two(0.25 / k**2)
        flow = Flow(harmonic(k), dt)
        past = dt * round(FOLDS / (0.5 * k**2) / dt)
        counts, off = [], 0.0
        for realization in range(size):
            omega = Wiener(stream(seed, k), realization=realization)
            points, _ = pullback_attractor(flow, omega, past, tokens=8 * k + 16)
            counts.append(len(points))
            off = max(off, _uneven(points))
        values += [min(counts), max(counts), off]
    return Identity(
        values,
        np.tile([1e-9, 1e-9, ALLOWED], len(POINTS)),
        [
            f"k = {k}: {what}"
            for k in POINTS
            for what in ("fewest points", "most points", "largest departure from 2π/k")
        ],
        because=f"{FOLDS:g} e-folds; a token that starts close to the border of two basins is late",
        details={"realizations": size, "paths": _paths(seed)},
    )


def _uneven(points: Array) -> float:
    """The largest departure of the distances of neighbours on the circle from equal ones."""
    if len(points) == 0:
        return np.pi
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2.0 * np.pi)
    return float(np.max(np.abs(gaps - 2.0 * np.pi / len(points))))


def _paths(seed: int) -> dict[str, Array]:
    """Tokens under the third harmonic, for the figure."""
    times = np.arange(0.0, 2.001, 1 / 64)
    phi = 2.0 * np.pi * (np.arange(48) + 0.5) / 48
    start = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    x = Flow(harmonic(3), 1 / 64).path(Wiener(seed), start, times)
    angles = np.arctan2(x[..., 1], x[..., 0])
    angles[1:][np.abs(np.diff(angles, axis=0)) > np.pi] = np.nan
    return {"times": times, "angles": angles}


def draw_points(axes: Axes, result: Result) -> None:
    paths = result.details["paths"]
    axes.plot(paths["times"], paths["angles"], color=figures.COLOURS[2], linewidth=0.7)
    axes.plot([], [], color=figures.COLOURS[2], label="48 tokens, k = 3")
    axes.set_yticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])
    axes.legend(loc="upper right")
    figures.finish(axes, "time", "angle on the circle", legend=False)


# Cascades

FAST, SLOW = 7, 3
SPEEDS = (0.2, 0.1, 0.05)  # of the slow harmonic beside the fast one, as factors of its noise
CHUNK = 32  # steps drawn at once
PATIENCE = 25.0  # mean lifetimes after which a pair that has not left would be given up


def variance(d: Array, slow: float) -> Array:
    """Variance per unit time of the angle between two tokens under harmonics 7 and 3."""
    return 4.0 * (np.sin(0.5 * FAST * d) ** 2 + slow**2 * np.sin(0.5 * SLOW * d) ** 2)


def predict_lifetime() -> Array:
    """Mean times in which an angle 2π/7 leaves the interval (π/7, 3π/7).

    The angle is a martingale: with half-width w the mean is ∫ (w - |y|) / v(2π/7 + y) dy.
    """
    from scipy.integrate import quad

    centre = 2.0 * np.pi / FAST
    width = np.pi / FAST
    return np.array(
        [
            quad(
                lambda y, slow=slow: (width - abs(y)) / variance(centre + y, slow), -width, width,
                points=[-slow, 0.0, slow], limit=400,
            )[0]
            for slow in SPEEDS
        ]
    )  # fmt: skip


def measure_lifetime(level: Level, seed: int) -> Measurement:
    """Pairs released at 2π/7 under both harmonics, until their angle has left the interval.

    Between two steps on the same side of a border the angle has crossed it and come back with the
    probability of a Brownian bridge, exp(-2 d d'/(v dt)).
    """
    size, dt = amount(level, 120), 1.0 / (512 if level == "quick" else 4096)
    reach = 4.0 * (1.0 + np.array(SPEEDS) ** 2)  # v at a border, to the fourth digit
    found = []
    for slow, v in zip(SPEEDS, reach, strict=True):
        rng = np.random.default_rng(stream(seed, slow, "bridges"))
        field = harmonic(FAST) + slow**2 * harmonic(SLOW)
        omega = Wiener(stream(seed, slow), cell_for(dt))
        machine = token_stepper(field, dt, "heun", omega)
        times = np.zeros(size)
        alive = np.arange(size)
        start = np.array([[1.0, 0.0], [np.cos(2 * np.pi / FAST), np.sin(2 * np.pi / FAST)]])
        x = np.tile(start, (size, 1, 1))
        before = np.full(size, np.pi / FAST)
        step = 0
        while alive.size and step * dt < PATIENCE / slow:
            keys = alive.astype(np.uint64)
            for frozen in machine.frozen(omega.seed, keys, step, CHUNK):
                x = machine.step(frozen, x)
                step += 1
                gap = np.pi / FAST - np.abs(_between(x) - 2.0 * np.pi / FAST)
                crossed = np.exp(-2.0 * np.maximum(before * gap, 0.0) / (v * dt))
                left = (rng.random(gap.size) < crossed) & (times[alive] == 0.0)
                times[alive[left]] = (step - 0.5) * dt
                before = gap
            kept = times[alive] == 0.0
            alive, x, before = alive[kept], x[kept], before[kept]
        times[alive] = step * dt
        found.append(Estimates.of_means(times[:, None]))
    return joined(
        found,
        [f"7 and 3 with factor {slow:g}: mean lifetime" for slow in SPEEDS],
        details={
            "pairs": size, "dt": dt, "scheme": "heun",
            "series": [{"name": "lifetime", "x": SPEEDS}],
        },
    )


def _between(x: Array) -> Array:
    """The angle from token 0 to token 1 on the circle, in (-π, π]."""
    angle = np.arctan2(x[:, 1, 1], x[:, 1, 0]) - np.arctan2(x[:, 0, 1], x[:, 0, 0])
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def draw_lifetime(axes: Axes, result: Result) -> None:
    (series,) = figures.series_of(result)
    figures.line(axes, series.x, series.predicted, 0)
    figures.points(axes, series, 0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(SPEEDS, [f"{s:g}" for s in SPEEDS])
    axes.minorticks_off()
    figures.finish(axes, "factor of the slow harmonic", "mean lifetime at 2π/7")


CLAIMS = (
    Claim(
        id="harmonics.unit_speed",
        statement=(
            "Under the k-th harmonic, sigma = 1/k, one token is Brownian motion at unit speed on"
            " the circle: E cos(φ_t - φ_0) = e^{-t/2}."
        ),
        source=PAPER,
        predict=predict_unit_speed,
        measure=measure_unit_speed,
        draw=draw_unit_speed,
    ),
    Claim(
        id="harmonics.exponent",
        statement="Close tokens under the k-th harmonic meet at the rate k²/2.",
        source=f"docs/points.md, section 1; {PAPER}",
        predict=predict_exponent,
        measure=measure_exponent,
        draw=draw_exponent,
    ),
    Claim(
        id="harmonics.points",
        statement="The attractor of the k-th harmonic is exactly k equidistant points.",
        source=PAPER,
        predict=predict_points,
        measure=measure_points,
        draw=draw_points,
    ),
    Claim(
        id="harmonics.lifetime",
        statement=(
            "A slow third harmonic makes the seven points of a fast seventh metastable: a pair"
            " leaves its place at 2π/7 after a mean time that grows like the inverse of its factor."
        ),
        source=f"docs/points.md, section 2; {PAPER}",
        predict=predict_lifetime,
        measure=measure_lifetime,
        draw=draw_lifetime,
    ),
)
