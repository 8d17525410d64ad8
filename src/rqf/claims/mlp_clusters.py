"""Clusters under random layers and attention: figure 1 of Agazzi et al. and the decay of energy.

The energy E_β = ½ mean over pairs of e^β - e^{β x·y} is 0 when all tokens are together. Under
layers alone it is the mean of a function of the overlap, a diffusion of which the whole law is
known. In a tight cluster 1 - Z grows in the mean at the rate λ̄ = (n-1)k'(1) - (n-3)k(1), less 2γ
under an attention drift of scale γ, which draws tokens to their mean. So λ̄ < 0 lets energy decay
for γ >= 0; for γ < 0 repulsion must be beaten as well, λ̄ < 2γ.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Bounds, Estimates, Jointly, Measurement, joined
from rqf.claims.tokens import MODEL, step
from rqf.fields import MLP, Attention, Field
from rqf.flow import simulate
from rqf.flow.tokens import tangent, unit
from rqf.observe import order_parameters
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BETA = 1.0
SOURCE = "Ag 2 (Agazzi et al. 2026)"


def energy(gram: Array) -> Array:
    """E_β of Gram matrices (..., N, N)."""
    return np.asarray(0.5 * np.mean(math.exp(BETA) - np.exp(BETA * gram), axis=(-2, -1)))


# Figure 1

N, TIME, TOKENS, WIDTH = 4, 20.0, 8, 16
ACTIVATIONS = ("relu", "tanh")
ANGLES = np.pi * np.arange(1, 4) / 4.0  # Gauss nodes of the overlap of uniform points of S³
MOMENTS = ("E polarity²", "E 1/effective rank")


def predict_figure() -> Array:
    """Mean square polarity and participation of tokens that start uniform, from the pair.

    With N tokens they are 1/N + (1 - 1/N) E Z and the same with Z².
    """
    weights = np.sin(ANGLES) ** 2 / np.sum(np.sin(ANGLES) ** 2)
    rows = []
    for name in ACTIVATIONS:
        pair = TwoPoint(MLP(N, name))
        found = [
            pair.expectation(lambda z: np.stack([z, z * z]), z0, TIME) for z0 in np.cos(ANGLES)
        ]
        rows.append(1.0 / TOKENS + (1.0 - 1.0 / TOKENS) * (weights @ np.array(found)))
    return np.concatenate(rows)


def measure_figure(level: Level, seed: int) -> Measurement:
    """Real layers, extrapolated to many from two depths."""
    size, dt = amount(level, 60), step(level, 1 / 8)
    parts = []
    for name in ACTIVATIONS:
        depths = []
        for h in (dt, dt / 2):
            key = stream(seed, name, h)
            field = MLP(N, name, width=WIDTH)
            ds = simulate(field, TOKENS, TIME, h, size, key, [TIME], scheme="euler")
            found = order_parameters(ds)
            samples = [found.polarity[:, 0] ** 2, 1.0 / found.effective_rank[:, 0]]
            depths.append(Estimates.of_means(np.stack(samples, axis=1)))
        parts.append(extrapolated(*depths))
    return joined(
        parts, [f"{moment}, {name}" for name in ACTIVATIONS for moment in MOMENTS],
        freedom=size - 1.0,
        details={
            "n": N, "tokens": TOKENS, "time": TIME, "width": WIDTH, "realizations": size,
            "layers": f"{TIME / dt:.0f} and {2 * TIME / dt:.0f}, extrapolated",
            "series": [{"name": name, "x": [0.0, 1.0]} for name in ACTIVATIONS],
        },
    )


def extrapolated(coarse: Estimates, fine: Estimates) -> Estimates:
    """The limit of thin layers from independent means at steps h and h/2."""
    values = 2.0 * np.asarray(fine.values) - np.asarray(coarse.values)
    return Estimates(values, np.hypot(2.0 * np.asarray(fine.errors), coarse.errors))


def draw_figure(axes: Axes, result: Result) -> None:
    for index, series in enumerate(figures.series_of(result)):
        shifted = series.x + 0.06 * (index - 0.5)
        axes.plot(shifted, series.predicted, "_", markersize=16, color=figures.COLOURS[index])
        figures.points(axes, series._replace(x=shifted), index)
    axes.set_xticks([0.0, 1.0], MOMENTS)
    axes.set_xlim(-0.5, 1.5)
    axes.set_ylim(0.0, 1.05)
    figures.finish(axes, "order parameter", f"mean at t = {TIME:g}")


# Energy from tokens at right angles

FIELD = MLP(64, "relu", width=8, sigma_u=0.1, sigma_w=0.1)
ORTHOGONAL = 6
TIMES = (0.5, 2.0)
START = 0.5 * (1.0 - 1.0 / ORTHOGONAL) * (math.exp(BETA) - 1.0)


def slowest() -> float:
    """The least rate at which the generator of the pair lowers e^β - e^{βz}, over all z."""
    z = -np.cos(np.linspace(0.0, np.pi - 1e-2, 301))
    pair = TwoPoint(FIELD)
    growth = BETA * np.exp(BETA * z) * (pair.drift(z) + 0.5 * BETA * pair.variance(z))
    return float(np.min(growth / (math.exp(BETA) - np.exp(BETA * z))))


def predict_energy() -> list[Array]:
    """E[E_β] without attention from the law of the pair; and E_β(0) e^{-rt} as a bound."""
    pair, share = TwoPoint(FIELD), 0.5 * (1.0 - 1.0 / ORTHOGONAL)
    means = [
        share * pair.expectation(lambda z: math.exp(BETA) - np.exp(BETA * z), 0.0, t)
        for t in TIMES
    ]
    bounds = START * np.exp(-slowest() * np.array(TIMES))
    return [np.array(means), np.tile(bounds, 2)]


def measure_energy(level: Level, seed: int) -> Measurement:
    """Real layers: without attention extrapolated to many from two depths, with it the deeper."""
    size, dt = amount(level, 30), step(level, 1 / 16)
    attended = FIELD + Attention(FIELD.n, BETA)
    labels = [f"E energy, t = {t:g}" for t in TIMES]
    coarse, fine, drawn = (
        _energies(field, h, size, stream(seed, index))
        for index, (field, h) in enumerate([(FIELD, dt), (FIELD, dt / 2), (attended, dt / 2)])
    )
    bound = joined([fine, drawn], [f"bound, {a}: {b}" for a in ("0", "1") for b in labels])
    free = extrapolated(coarse, fine)
    return Jointly(
        [
            Estimates(free.values, free.errors, labels, freedom=size - 1.0),
            Bounds(bound.values, bound.errors, bound.labels),
        ],
        headline=1,
        details={
            "n": FIELD.n, "activation": "relu", "width": FIELD.width, "σ_U = σ_W": 0.1,
            "β": BETA, "tokens": ORTHOGONAL, "start": "at right angles", "realizations": size,
            "layers per unit of time": f"{1 / dt:.0f} and {2 / dt:.0f}",
            "series": [
                {"name": "no attention", "x": TIMES}, {"name": "bound", "x": TIMES},
                {"name": "attention, scale 1", "x": TIMES},
            ],
        },
    )


def _energies(field: Field, dt: float, size: int, seed: int) -> Estimates:
    start = np.eye(ORTHOGONAL, FIELD.n)
    ds = simulate(field, None, TIMES[-1], dt, size, seed, TIMES, start, scheme="euler")
    x = ds.x.values
    return Estimates.of_means(energy(x @ np.swapaxes(x, -1, -2)))


def draw_energy(axes: Axes, result: Result) -> None:
    free, _, attended = figures.series_of(result)
    t = np.linspace(0.0, TIMES[-1], 50)
    figures.line(axes, t, START * np.exp(-slowest() * t), 2, "bound e^{-rt}")
    figures.line(axes, [0.0, *free.x], [START, *free.predicted], 0)
    figures.points(axes, free, 0)
    figures.points(axes, attended, 1)
    axes.set_yscale("log")
    figures.finish(axes, "time", f"mean energy, n = {FIELD.n}, relu, σ = 0.1")


# Energy of a tight cluster

TIGHT = 1e-4
CLUSTER = 3
THIN = 1e-3
CASES = (  # activation, n, σ, attention scale γ
    ("relu", 64, 0.1, 1.0), ("relu", 64, 0.1, 0.0), ("relu", 64, 0.1, -1.0),
    ("relu", 128, 0.1, -1.0), ("silu", 64, 0.1, 0.0), ("relu", 5, 0.0, 0.0),
)  # fmt: skip


def predict_rates() -> Array:
    """λ̄ - 2γ."""
    rates = []
    for name, n, sigma, gamma in CASES:
        field = MLP(n, name, sigma_u=sigma, sigma_w=sigma)
        coercivity = (n - 1) * float(field.a_prime(1.0)) - (n - 3) * float(field.a(1.0))
        rates.append(coercivity - 2.0 * gamma)
    return np.array(rates)


def measure_rates(level: Level, seed: int) -> Measurement:
    """The growth of energy in one thin layer, under its noise and the opposite one.

    The mean of the two has the same mean as one and no term of first order in the noise, so that
    the layer can be as thin as one likes.
    """
    size = amount(level, 800)
    parts = []
    for case in CASES:
        rng = np.random.default_rng(stream(seed, *case))
        rates = [_rates(case, min(800, size - i), rng) for i in range(0, size, 800)]
        parts.append(Estimates.of_means(np.concatenate(rates)[:, None]))
    return joined(
        parts,
        [f"{name}, n = {n}, σ = {sigma:g}, scale {gamma:g}" for name, n, sigma, gamma in CASES],
        headline=1,
        freedom=size - 1.0,
        details={
            "tokens": CLUSTER, "1 - x·y": TIGHT, "layers": size, "width": WIDTH, "β": BETA,
            "(n - 1) a(1) h": THIN, "series": [{"name": "rate", "x": np.arange(len(CASES))}],
        },
    )


def _rates(case: tuple[str, int, float, float], size: int, rng: np.random.Generator) -> Array:
    name, n, sigma, gamma = case
    field = MLP(n, name, width=WIDTH, sigma_u=sigma, sigma_w=sigma)
    h = THIN / ((n - 1) * float(field.a(1.0)))
    gram = np.full((CLUSTER, CLUSTER), 1.0 - TIGHT)
    np.fill_diagonal(gram, 1.0)
    x = np.zeros((size, CLUSTER, n))
    x[:, :, :CLUSTER] = np.linalg.cholesky(gram)
    dw = math.sqrt(h) * rng.standard_normal((size, field.increments))
    noise = field.frozen(dw, rng.standard_normal((size, field.fresh)), h)(x)
    drift = Attention(n, BETA, gamma).frozen(dw, dw, h)(x)
    after = np.zeros(size)
    for sign in (1.0, -1.0):
        y = unit(x + tangent(x, sign * noise + drift))
        after += 0.5 * energy(y @ np.swapaxes(y, 1, 2))
    return np.asarray((after / energy(gram) - 1.0) / h)


def draw_rates(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    axes.axhline(0.0, color="#8c8c8c", linewidth=0.6)
    axes.plot(series.x, series.predicted, "_", markersize=18, color=figures.COLOURS[0])
    figures.points(axes, series, 1, "rate of mean energy")
    names = [f"{name} {n}\nσ = {sigma:g}\nγ = {gamma:g}" for name, n, sigma, gamma in CASES]
    axes.set_xticks(series.x, names, fontsize="small")
    figures.finish(axes, "layer, dimension, bias, attention", "rate of E[energy] in a cluster")


CLAIMS = (
    Claim(
        id="mlp.figure_1",
        statement=(
            "Tokens on S³ under layers without bias for T = 20: ReLU draws them to one point, tanh"
            " to two. Mean square polarity and inverse effective rank are those of the pair."
        ),
        source="Ag, figure 1 (Agazzi et al. 2026)",
        predict=predict_figure,
        measure=measure_figure,
        draw=draw_figure,
    ),
    Claim(
        id="mlp.energy",
        statement=(
            "Under ReLU layers with λ̄ < 0 the mean energy decays at least like e^{-rt}, with"
            " attention of scale 1 and without, where it is that of the law of the pair."
        ),
        source=f"{SOURCE}; {MODEL}",
        predict=predict_energy,
        measure=measure_energy,
        draw=draw_energy,
    ),
    Claim(
        id="mlp.coercivity",
        statement=(
            "In a tight cluster the mean energy has the rate λ̄ - 2γ: λ̄ < 0 makes it decay for"
            " attention scales γ = 0, 1, for γ = -1 only λ̄ < -2 would."
        ),
        source=f"{SOURCE}; the shift 2γ derived for this package",
        predict=predict_rates,
        measure=measure_rates,
        draw=draw_rates,
    ),
)
