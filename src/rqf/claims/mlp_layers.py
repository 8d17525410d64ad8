"""Layers with an activation tend to the flow as they become many; how wide they need not be.

Agazzi et al. bound the mean square distance of a network of L layers of width m from the flow by
(log L)/L + 1/m. Three numbers bear on it. Along one noise, which needs the same hidden weights W₁
in every layer (fresh ones have no finer path to be compared with), the mean square error of L
layers falls like 1/L. With fresh weights a layer of width m has Gaussian values only as m → ∞, the
excess of the fourth moment being (E φ⁴/(E φ²)² - 1)/m. But depth averages over weights as well as
width does: in law layers of a single hidden unit tend to the same flow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Estimates, Measurement, joined
from rqf.claims.tokens import MODEL
from rqf.fields import MLP
from rqf.flow import Flow
from rqf.flow.tokens import tangent, unit
from rqf.observe import lyapunov_spectrum
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N = 4
PAPER = "Ag 1 (Agazzi et al. 2026)"

# Along one noise

SHORT = 0.5
FINEST = 1024
DEPTHS = (32, 128, 512)
UNITS = 16


def distances(samples: int, rng: np.random.Generator) -> Array:
    """|x_L - x|², L = DEPTHS, x after FINEST layers of the same W₁ and dW₂: (samples, depths)."""
    h = SHORT / FINEST
    inner = rng.standard_normal((samples, N, UNITS))
    start = unit(rng.standard_normal((samples, 1, N)))
    every = (FINEST, *DEPTHS)
    tokens = [start.copy() for _ in every]
    summed = [np.zeros((samples, UNITS, N)) for _ in every]
    for step in range(1, FINEST + 1):
        thin = math.sqrt(h / UNITS) * rng.standard_normal((samples, UNITS, N))
        for which, depth in enumerate(every):
            summed[which] += thin
            if step % (FINEST // depth) == 0:
                x = tokens[which]
                tokens[which] = unit(x + tangent(x, np.tanh(x @ inner) @ summed[which]))
                summed[which][:] = 0.0
    return np.stack([np.sum((x - tokens[0]) ** 2, axis=(1, 2)) for x in tokens[1:]], axis=1)


def measure_strong(level: Level, seed: int) -> Measurement:
    """Mean square errors of two depths over 1/L, as ratios to that of the deepest.

    What is compared with is itself layered, wherefore 1/L is less 1/FINEST.
    """
    size = amount(level, 240)
    rng = np.random.default_rng(seed)
    squares = np.concatenate([distances(min(600, size - i), rng) for i in range(0, size, 600)])
    scaled = squares / (1.0 / np.array(DEPTHS) - 1.0 / FINEST)
    mean = np.mean(scaled, axis=0)
    ratio = mean[:-1] / mean[-1]
    spread = scaled[:, :-1] / mean[-1] - ratio * scaled[:, -1:] / mean[-1]
    return Estimates(
        ratio, np.std(spread, axis=0, ddof=1) / math.sqrt(size),
        [f"L · E|error|², L = {depth} over L = {DEPTHS[-1]}" for depth in DEPTHS[:-1]],
        freedom=size - 1.0,
        details={
            "n": N, "width": UNITS, "activation": "tanh", "time": SHORT, "realizations": size,
            "layers": ", ".join(map(str, DEPTHS)), "compared with layers": FINEST,
            "squares": np.mean(squares, axis=0),
            "scatter": np.std(squares, axis=0) / math.sqrt(size),
        },
    )


def draw_strong(axes: Axes, result: Result) -> None:
    depths = np.array(DEPTHS, dtype=np.float64)
    squares, scatter = (np.array(result.details[name]) for name in ("squares", "scatter"))
    expected = (1.0 / depths - 1.0 / FINEST) * squares[-1] / (1.0 / depths[-1] - 1.0 / FINEST)
    figures.line(axes, depths, expected, label="like 1/L")
    figures.points(axes, figures.Series("layers", depths, expected, squares, scatter))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(depths, [str(depth) for depth in DEPTHS])
    figures.finish(axes, "layers L", f"mean square error at t = {SHORT:g}")


# Fourth moments

WIDTHS = (1, 4, 16)
KURTOSIS = 5.0  # E φ⁴/(E φ²)² - 1 of ReLU: (3/2)/(1/2)² - 1


def measure_width(level: Level, seed: int) -> Measurement:
    """E F⁴/(3 k²) - 1 over real layers, k measured as well."""
    size = amount(level, 40_000)
    means, errors = [], []
    for width in WIDTHS:
        field = MLP(N, "relu", width=width, gain=math.sqrt(N))
        rng = np.random.default_rng(stream(seed, width))
        moments = np.concatenate([_moments(field, 20_000, rng) for _ in range(size // 20_000)])
        k, fourth = np.mean(moments, axis=0)
        means.append(fourth / (3.0 * k * k) - 1.0)
        change = (moments[:, 1] - 2.0 * fourth / k * moments[:, 0]) / (3.0 * k * k)
        errors.append(np.std(change) / math.sqrt(size))
    return Estimates(
        np.array(means), np.array(errors), [f"excess, width {width}" for width in WIDTHS],
        headline=1,
        details={
            "n": N, "activation": "relu", "layers": size,
            "series": [{"name": "excess of E F⁴", "x": WIDTHS}],
        },
    )


def _moments(field: MLP, size: int, rng: np.random.Generator) -> Array:
    """Mean F_i² and F_i⁴ over the components of each layer, (size, 2)."""
    dw = rng.standard_normal((size, field.increments))
    layer = field.frozen(dw, rng.standard_normal((size, field.fresh)), 1.0)
    x = np.broadcast_to(np.eye(N)[0], (size, 1, N))
    squares = layer(x)[:, 0] ** 2
    return np.stack([np.mean(squares, axis=1), np.mean(squares**2, axis=1)], axis=1)


def draw_width(axes: Axes, result: Result) -> None:
    figures.over_curves(
        axes, result, {"excess of E F⁴": lambda m: KURTOSIS / m}, "width m",
        "E F⁴/(3 k²) - 1",
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(WIDTHS, [str(width) for width in WIDTHS])


# In law

NARROW = (1, 2)
START, TIME = 0.5, 1.0
LAYERS = (32, 64, 128)
EXTRAPOLATE = np.array([1.0, -6.0, 8.0]) / 3.0  # takes off the terms in h and h²


def predict_law() -> Array:
    """E Z and E Z² of the flow, for each width the same."""
    pair = TwoPoint(MLP(N, "relu", gain=math.sqrt(N)))
    moments = pair.expectation(lambda z: np.stack([z, z * z]), START, TIME)
    return np.tile(moments, len(NARROW))


def stacks(width: int, depth: int, samples: int, rng: np.random.Generator) -> Array:
    """Z and Z² of a pair after ReLU layers with fresh weights, (samples, 2)."""
    h = TIME / depth
    start = np.zeros((2, N))
    start[:, 0] = 1.0, START
    start[1, 1] = math.sqrt(1.0 - START**2)
    x = np.tile(start, (samples, 1, 1))
    for _ in range(depth):
        inner = rng.standard_normal((samples, N, width))
        outer = math.sqrt(h / width) * rng.standard_normal((samples, width, N))
        x = unit(x + tangent(x, np.maximum(x @ inner, 0.0) @ outer))
    z = np.sum(x[:, 0] * x[:, 1], axis=1)
    return np.stack([z, z * z], axis=1)


def measure_law(level: Level, seed: int) -> Measurement:
    """Means extrapolated to thin layers from three depths."""
    size = amount(level, 3000)
    parts = []
    for width in NARROW:
        means, squares = [], []
        for depth in LAYERS:
            rng = np.random.default_rng(stream(seed, width, depth))
            found = np.concatenate([
                stacks(width, depth, min(8000, size - i), rng) for i in range(0, size, 8000)
            ])
            means.append(np.mean(found, axis=0))
            squares.append(np.var(found, axis=0) / size)
        errors = np.sqrt(EXTRAPOLATE**2 @ np.array(squares))
        parts.append(Estimates(EXTRAPOLATE @ np.array(means), errors))
    return joined(
        parts, [f"{name}, width {width}" for width in NARROW for name in ("E Z", "E Z²")],
        details={
            "n": N, "activation": "relu", "z_0": START, "time": TIME, "pairs": size,
            "layers": f"{', '.join(map(str, LAYERS))}, extrapolated",
            "series": [{"name": f"width {width}", "x": [0.0, 1.0]} for width in NARROW],
        },
    )


def draw_law(axes: Axes, result: Result) -> None:
    figures.departures(axes, result, "moment", "measured - predicted")
    axes.set_xticks([0.0, 1.0], ["E Z", "E Z²"])


# The exponent of ReLU

BIASES = ((5, 0.0, 0.0), (5, 0.2, 0.0), (5, 0.0, 0.2), (16, 0.1, 0.1))
STEPS = 16


def predict_exponent() -> Array:
    return np.array([
        -1.0 / (2 * n) - (u * u + 2.0 * w * w) * (n - 1) / 4.0 for n, u, w in BIASES
    ])


def measure_exponent(level: Level, seed: int) -> Measurement:
    """The top exponent on the tangent flow of layers of 8 units, steps as short as can be."""
    size = amount(level, 80)
    found = []
    for n, u, w in BIASES:
        field = MLP(n, "relu", width=8, sigma_u=u, sigma_w=w)
        dt = 2.0 ** math.floor(math.log2(1.0 / (512 * (n - 1) * float(field.a(1.0)))))
        flow = Flow(field, dt=dt, scheme="euler")
        key = stream(seed, n, u, w)
        ds = lyapunov_spectrum(flow, t=STEPS * dt, realizations=size, seed=key)
        found.append(Estimates(ds.exponent[:1], ds.stderr[:1]))
    return joined(
        found, [f"λ_1, n = {n}, σ_U = {u:g}, σ_W = {w:g}" for n, u, w in BIASES],
        freedom=size - 1.0,
        details={
            "(n - 1) a(1) dt": "at most 1/512", "steps": STEPS, "realizations": size, "width": 8,
            "series": [{"name": "λ_1", "x": np.arange(len(BIASES))}],
        },
    )


def draw_exponent(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    figures.line(axes, series.x, series.predicted)
    figures.points(axes, series)
    names = [f"n = {n}\n{u:g}, {w:g}" for n, u, w in BIASES]
    axes.set_xticks(series.x, names)
    figures.finish(axes, "dimension; σ_U, σ_W", "λ_1")


CLAIMS = (
    Claim(
        id="mlp.strong",
        statement=(
            "Along one noise the mean square error of L layers with fixed hidden weights falls like"
            " 1/L: within the bound (log L)/L."
        ),
        source=PAPER,
        predict=lambda: np.ones(len(DEPTHS) - 1),
        measure=measure_strong,
        draw=draw_strong,
    ),
    Claim(
        id="mlp.width",
        statement=(
            "The values of a ReLU layer of width m are Gaussian up to 1/m: the fourth moment is"
            " 3 k² (1 + 5/m)."
        ),
        source=PAPER,
        predict=lambda: KURTOSIS / np.array(WIDTHS),
        measure=measure_width,
        draw=draw_width,
    ),
    Claim(
        id="mlp.law",
        statement=(
            "In law deep stacks of ReLU layers tend to the flow whatever their width, 1 and 2 here:"
            " depth averages over hidden weights, the term 1/m is one of coupling."
        ),
        source=f"{PAPER}; {MODEL}",
        predict=predict_law,
        measure=measure_law,
        draw=draw_law,
    ),
    Claim(
        id="mlp.exponent",
        statement=(
            "ReLU layers have λ_1 = -1/(2n) - (σ_U² + 2σ_W²)(n-1)/4, measured on the tangent flow."
        ),
        source="Ag, kernel (Agazzi et al. 2026)",
        predict=predict_exponent,
        measure=measure_exponent,
        draw=draw_exponent,
    ),
)
