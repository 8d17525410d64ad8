"""Phases of random layers: the edge of chaos in the gain, lifetimes in the leak.

Steep layers pull neighbours apart. The gain at which λ_1 = 0 is solved for; below it tokens
cluster, above it they do not. A leaky ReLU is linear at leak 1, where antipodal pairs stay, and has
an even part at any other, which moves them: the nearer the leak to 1 the longer two clusters live.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from rqf import theory
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Estimates, Jointly, Measurement, joined
from rqf.claims.mlp_clusters import extrapolated
from rqf.claims.tokens import MODEL, at_overlaps, step
from rqf.fields import MLP, Field
from rqf.flow import Flow, simulate
from rqf.observe import lyapunov_spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 4


def _moments(
    field: Field, start: float, time: float, dt: float, size: int, seed: int,
    values: Callable[[Array], Array],
) -> Estimates:  # fmt: skip
    """Means of functions of the overlap of a pair at a time, extrapolated from two depths."""
    depths = []
    for h in (dt, dt / 2):
        x0 = at_overlaps(field.n, [start])
        ds = simulate(field, None, time, h, size, stream(seed, h), [time], x0, scheme="euler")
        x = ds.x.values[:, 0]
        z = np.clip(np.sum(x[:, 0] * x[:, 1], axis=1), -1.0, 1.0)
        depths.append(Estimates.of_means(values(z).T))
    return extrapolated(*depths)


# Gain

N, START, TIME = 5, 0.5, 8.0
CLOSE = 0.99
ACTIVATIONS = ("erf", "tanh")
FACTORS = (0.6, 1.0, 2.0)
SIDES = (0.6, 2.0)
PAIRS = "erf"
SHORT = 1 / 512  # (n - 1) a(1) dt
STEPS = 16


def layer(name: str, gain: float, n: int = N) -> MLP:
    """A random layer with hidden values of variance gain²."""
    return MLP(n, name, width=WIDTH, gain=gain * math.sqrt(n))


@cache
def critical_gain(name: str, n: int = N) -> float:
    """The gain at which λ_1 = 0."""
    return theory.critical(lambda gain: layer(name, gain, n), 0.2, 5.0)


def predict_edge() -> list[Array]:
    """λ_1 at gains around the critical one; how many pairs are close below and above it."""
    fields = [layer(name, f * critical_gain(name)) for name in ACTIVATIONS for f in FACTORS]
    pairs = [theory.TwoPoint(layer(PAIRS, f * critical_gain(PAIRS))) for f in SIDES]
    return [
        np.array([theory.top_exponent(field) for field in fields]),
        np.array([
            pair.expectation(lambda z: _close(z)[0], START, TIME, breaks=[-CLOSE, CLOSE])
            for pair in pairs
        ]),
    ]  # fmt: skip


def _close(z: Array) -> Array:
    return (np.abs(z) > CLOSE).astype(np.float64)[None]


def measure_edge(level: Level, seed: int) -> Measurement:
    size = amount(level, 200)
    exponents, moments = [], []
    for name in ACTIVATIONS:
        for factor in FACTORS:
            field = layer(name, factor * critical_gain(name))
            dt = 2.0 ** math.floor(math.log2(SHORT / ((N - 1) * float(field.a(1.0)))))
            key = stream(seed, name, factor)
            flow = Flow(field, dt=dt, scheme="euler")
            ds = lyapunov_spectrum(flow, t=STEPS * dt, realizations=size, seed=key)
            exponents.append(Estimates(ds.exponent[:1], ds.stderr[:1]))
            if name == PAIRS and factor in SIDES:
                dt = step(level, 1 / 16)
                moments.append(_moments(field, START, TIME, dt, size, key + 1, _close))
    gains = [f"{name}, {f:g} g_c" for name in ACTIVATIONS for f in FACTORS]
    sides = [f"P(|Z| > {CLOSE:g}), {PAIRS}, {f:g} g_c" for f in SIDES]
    return Jointly(
        [
            joined(exponents, [f"λ_1, {gain}" for gain in gains], freedom=size - 1.0),
            joined(moments, sides, freedom=size - 1.0),
        ],
        details={
            "n": N, "width": WIDTH, "realizations": size, "time": TIME, "z_0": START,
            "critical gains": ", ".join(f"{a} {critical_gain(a):.4f}" for a in ACTIVATIONS),
            "series": [
                *({"name": f"λ_1, {name}", "x": FACTORS} for name in ACTIVATIONS),
                {"name": f"P(|Z| > {CLOSE:g}), {PAIRS}", "x": SIDES},
            ],
        },
    )


def draw_edge(axes: Axes, result: Result) -> None:
    """The exponent against the gain, and where pairs stand."""
    axes.axhline(0.0, color="#8c8c8c", linewidth=0.6)
    factors = np.linspace(0.5, 2.1, 25)
    for index, series in enumerate(figures.series_of(result)):
        if index < len(ACTIVATIONS):
            name = ACTIVATIONS[index]
            gains = factors * critical_gain(name)
            figures.line(
                axes, factors, [theory.top_exponent(layer(name, gain)) for gain in gains], index
            )
        else:
            axes.plot(series.x, series.predicted, "_", markersize=16,
                      color=figures.COLOURS[index])  # fmt: skip
        figures.points(axes, series, index)
    figures.finish(axes, "gain / critical gain", f"λ_1; share of pairs at t = {TIME:g} (n = {N})")


# Leak

LEAKS = (0.0, 0.5, 0.8, 0.9)
DIMENSION, LATER = 3, 4.0


def leaky(leak: float) -> MLP:
    return MLP(DIMENSION, f"leaky_relu:{leak:g}", width=WIDTH, gain=math.sqrt(DIMENSION))


def _leaving(z: Array) -> Array:
    return np.stack([z, (z < 0.0).astype(np.float64)])


def predict_leak() -> Array:
    """E Z and P(Z < 0) of a pair that starts antipodal."""
    return np.array([
        theory.TwoPoint(leaky(leak)).expectation(_leaving, -1.0, LATER, breaks=[0.0])
        for leak in LEAKS
    ]).T.ravel()  # fmt: skip


def measure_leak(level: Level, seed: int) -> Measurement:
    size = amount(level, 250)
    found = [
        _moments(leaky(leak), -1.0, LATER, step(level, 1 / 8), size, stream(seed, leak), _leaving)
        for leak in LEAKS
    ]
    columns = [_column(found, index) for index in range(2)]
    return joined(
        columns,
        [f"{name}, leak {leak:g}" for name in ("E Z", "P(Z < 0)") for leak in LEAKS],
        freedom=size - 1.0,
        headline=len(LEAKS) + 2,
        details={
            "n": DIMENSION, "width": WIDTH, "realizations": size, "time": LATER, "z_0": -1.0,
            "series": [{"name": name, "x": LEAKS} for name in ("E Z", "P(Z < 0)")],
        },
    )


def _column(found: Sequence[Estimates], index: int) -> Estimates:
    return Estimates(
        np.array([np.asarray(part.values)[index] for part in found]),
        np.array([np.asarray(part.errors)[index] for part in found]),
    )


def draw_leak(axes: Axes, result: Result) -> None:
    for index, series in enumerate(figures.series_of(result)):
        figures.line(axes, series.x, series.predicted, index)
        figures.points(axes, series, index)
    figures.finish(axes, "leak", f"antipodal pair at t = {LATER:g}, n = {DIMENSION}")


CLAIMS = (
    Claim(
        id="mlp.edge",
        statement=(
            "Layers of erf and tanh have λ_1 = 0 at a critical gain: pairs cluster below it, above"
            " it they do not."
        ),
        source=f"Ag (Agazzi et al. 2026) for λ_1; Raimond 1999; {MODEL}",
        predict=predict_edge,
        measure=measure_edge,
        draw=draw_edge,
    ),
    Claim(
        id="mlp.leak",
        statement=(
            "Antipodal pairs under leaky ReLU layers leave for the same pole, the later the nearer"
            " the leak is to 1: E Z and P(Z < 0) are those of the pair's diffusion."
        ),
        source=f"{MODEL}; derived for this package",
        predict=predict_leak,
        measure=measure_leak,
        draw=draw_leak,
    ),
)
