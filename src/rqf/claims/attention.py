"""Attention as a drift: clusters without noise, and against the noise of a linear layer."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.claims import figures
from rqf.claims.attention_layers import Layer, ends, exponential_share, hits, softmax_share
from rqf.claims.attention_rates import rates
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Estimates, Identity, Jointly, Measurement, Proportions
from rqf.claims.tokens import listed
from rqf.fields import Attention, Field, LinearLayer
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.theory import equiangular_overlap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Kind = Literal["softmax", "unnormalised"]

NAMES: dict[Kind, str] = {"softmax": "SA", "unnormalised": "USA"}
CLUSTERED = 0.999  # least overlap of what Geshkovski et al. count as one cluster

# Clusters from almost every start

STARTS = tuple((kind, beta) for kind in NAMES for beta in (0.0, 0.5, 1.0))
SPHERE, TOKENS, LATE = 3, 8, 50.0


def predict_clusters() -> Array:
    return np.ones(len(STARTS))


def measure_clusters(level: Level, seed: int) -> Measurement:
    """Shares of uniform starts from which all overlaps are at least 0.999 at the end."""
    size = amount(level, 26)
    seen = np.empty(len(STARTS))
    for index, (kind, beta) in enumerate(STARTS):
        x = simulate(
            Attention(SPHERE, beta, kind=kind), tokens=TOKENS, t=LATE, dt=0.25, times=[LATE],
            realizations=size, seed=stream(seed, index),
        ).x.values[:, 0]
        seen[index] = np.sum(np.min(x @ np.swapaxes(x, -1, -2), axis=(-1, -2)) >= CLUSTERED)
    return Proportions(
        seen, np.full(len(STARTS), float(size)), [f"{NAMES[k]}, β = {b:g}" for k, b in STARTS],
        details={"n": SPHERE, "tokens": TOKENS, "time": LATE, "dt": 0.25, "starts": size},
    )


def draw_clusters(axes: Axes, result: Result) -> None:
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    beta = np.array([b for _, b in STARTS])
    for index, (kind, name) in enumerate(NAMES.items()):
        rows = np.array([k == kind for k, _ in STARTS])
        series = figures.Series(name, beta[rows] + 0.01 * index, *(c[rows] for c in columns))
        figures.line(axes, series.x, series.predicted, index)
        figures.points(axes, series, index)
    axes.set_ylim(0.0, 1.1)
    figures.finish(axes, "inverse temperature β", f"share of starts in one cluster at t = {LATE:g}")


# Equal angles

MANY, CLOCK, STEP = 16, (0.5, 1.0, 2.0, 4.0), 1 / 64
CURVES = tuple((kind, beta) for kind in NAMES for beta in (0.5, 2.0))


def _orthogonal(kind: Kind, beta: float, t: ArrayLike) -> Array:
    """ρ(t) from ρ(0) = 0."""
    return equiangular_overlap(0.0, t, MANY, beta, kind=kind)


def predict_equiangular() -> Array:
    return np.concatenate([_orthogonal(kind, beta, CLOCK) for kind, beta in CURVES])


def measure_equiangular(level: Level, seed: int) -> Measurement:
    """Overlaps of MANY orthogonal tokens at two steps; the scheme is of order 2 without noise.

    The error of the finer one is a third of the difference of the two; taken off, it bounds what
    is left.
    """
    runs = []
    for dt in (STEP, STEP / 2.0):
        paths = [
            Flow(Attention(MANY, beta, kind=kind), dt).path(Wiener(seed), np.eye(MANY), CLOCK)
            for kind, beta in CURVES
        ]
        runs.append(np.concatenate([np.sum(x[:, 0] * x[:, 1], axis=-1) for x in paths]))
    error = np.abs(runs[1] - runs[0]) / 3.0
    return Identity(
        (4.0 * runs[1] - runs[0]) / 3.0, error + 1e-12,
        [f"{NAMES[k]}, β = {b:g}, t = {t:g}" for k, b in CURVES for t in CLOCK],
        because="a scheme of second order at dt and dt/2",
        details={
            "tokens": MANY, "dt": f"{STEP:g}, {STEP / 2:g}",
            "series": [{"name": f"{NAMES[k]}, β = {b:g}", "x": CLOCK} for k, b in CURVES],
        },
    )


def draw_equiangular(axes: Axes, result: Result) -> None:
    curves: dict[str, figures.Curve] = {
        f"{NAMES[kind]}, β = {beta:g}": partial(_orthogonal, kind, beta)
        for kind, beta in CURVES
    }
    figures.over_curves(axes, result, curves, "time", "common overlap ρ(t)", start=0.0)


# High dimension

FEW, HIGH, WHEN, BETA = 4, (500, 8000), (0.0, 1.0, 2.5), 1.0


def predict_high_dimension() -> Array:
    return np.full(len(WHEN), -0.5)


def measure_high_dimension(level: Level, seed: int) -> Measurement:
    """Order in n of the root mean square of X_i·X_j - ρ(t), from uniform tokens."""
    size = amount(level, 25)
    curve = equiangular_overlap(0.0, WHEN, FEW, BETA)
    upper = np.triu_indices(FEW, 1)
    logs, scatter = [], []
    for n in HIGH:
        x = simulate(
            Attention(n, BETA), tokens=FEW, t=WHEN[-1], dt=1 / 8, times=WHEN, realizations=size,
            seed=stream(seed, n),
        ).x.values
        gram = x @ np.swapaxes(x, -1, -2)
        squares = np.mean((gram[..., *upper] - curve[:, None]) ** 2, axis=-1)
        mean = np.mean(squares, axis=0)
        logs.append(0.5 * np.log(mean))
        scatter.append(0.5 * np.std(squares, axis=0, ddof=1) / np.sqrt(size) / mean)
    span = math.log(HIGH[1] / HIGH[0])
    return Estimates(
        (logs[1] - logs[0]) / span, np.hypot(*scatter) / span, [f"t = {t:g}" for t in WHEN],
        headline=2, freedom=float(size - 1),
        details={
            "n": listed(HIGH), "tokens": FEW, "β": BETA, "dt": 0.125, "starts": size,
            "series": [{"name": "order in n", "x": WHEN}],
        },
    )


def draw_high_dimension(axes: Axes, result: Result) -> None:
    curve = {"order in n": lambda t: np.full_like(t, -0.5)}
    figures.over_curves(axes, result, curve, "time", "order in n of the scatter of overlaps")


# Noise against attention

Setting = tuple[int, float, float]  # n, beta, gamma/kappa
SOFTMAX: tuple[Setting, ...] = ((3, 1.0, 2.0), (6, 2.0, 4.0), (3, 0.0, 0.5), (4, 1.0, 6.0))
SCALAR: tuple[Setting, ...] = ((3, 1.0, 1.0), (6, 2.0, 4.0), (3, 0.0, 0.5), (4, 1.0, 4.0))


def _field(setting: Setting, kind: Kind) -> Field:
    n, beta, ratio = setting
    return LinearLayer(n) + Attention(n, beta, ratio, kind)


def _labels(settings: tuple[Setting, ...], what: str) -> list[str]:
    return [f"{what}, n = {n}, β = {beta:g}, γ/κ = {ratio:g}" for n, beta, ratio in settings]


def _pull(setting: Setting, kind: Kind) -> float:
    """Rate at which the drift alone takes nearly antipodal pairs apart, per κ."""
    _, beta, ratio = setting
    if kind == "softmax":
        return 2.0 * ratio / (1.0 + math.exp(2.0 * beta))
    return ratio * math.exp(-beta)


def predict_against(settings: tuple[Setting, ...], kind: Kind) -> list[Array]:
    """P(antipodal) by the scale function, and the rates of the log distance."""
    return [
        np.array([hits(_field(setting, kind)) for setting in settings]),
        np.array([_pull(setting, kind) - 1.0 for setting in settings]),
    ]


def measure_against(
    settings: tuple[Setting, ...], kind: Kind, level: Level, seed: int
) -> Measurement:
    n, beta, gamma = np.array(settings).T
    layer = Layer(weight=softmax_share if kind == "softmax" else exponential_share)
    labels = _labels(settings, "P(antipodal)")
    fields = [_field(setting, kind) for setting in settings]
    where = ends(layer, n, beta, gamma, labels, level, stream(seed, "ends"), quick=320)
    fast = rates(fields, _labels(settings, "rate"), level, stream(seed, "rates"), quick=200)
    return Jointly([where, fast], details={**where.details, "rates": fast.details})


def draw_against(kind: Kind, settings: tuple[Setting, ...], axes: Axes, result: Result) -> None:
    """Rates against what the drift alone would do; antipodal pairs attract below 0."""
    rows = slice(len(settings), None)
    columns = (result.column(name)[rows] for name in ("predicted", "measured", "error"))
    pull = np.array([_pull(setting, kind) for setting in settings])
    series = figures.Series("κ = 1", pull, *columns)
    ends_ = np.array([0.0, 1.1 * np.max(pull)])
    axes.axhline(0.0, color="#8c8c8c", linewidth=0.8)
    figures.line(axes, ends_, ends_ - 1.0)
    figures.points(axes, series)
    name = "2γ/κ(1 + e^{2β})" if kind == "softmax" else "γ e^{-β}/κ = 2 e^{-β}/ε²"
    figures.finish(axes, name, "rate of log distance from antipodal / κ")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="attention.clusters",
        statement=(
            "SA and USA gather the tokens in one cluster from almost every start, for n >= 3 and"
            " β >= 0: all overlaps are at least 0.999 at t = 50, for β <= 1 and 8 tokens."
        ),
        source="Ge, theorems on SA and USA (Geshkovski et al. 2023)",
        predict=predict_clusters,
        measure=measure_clusters,
        draw=draw_clusters,
    ),
    Claim(
        id="attention.equiangular",
        statement=(
            "Tokens at equal angles stay so, ρ' = 2 e^{βρ}(1-ρ)((N-1)ρ+1)/(e^β + (N-1)e^{βρ}) for"
            " SA and 2 e^{βρ}(1-ρ)((N-1)ρ+1)/N for USA."
        ),
        source="Ge, equiangular (Geshkovski et al. 2023)",
        predict=predict_equiangular,
        measure=measure_equiangular,
        draw=draw_equiangular,
    ),
    Claim(
        id="attention.high_dimension",
        statement=(
            "In high dimension uniform tokens are nearly orthogonal and follow the curve ρ(t) of"
            " orthogonal ones: the overlaps scatter around it like n^{-1/2}."
        ),
        source="Ge, high dimension (Geshkovski et al. 2023)",
        predict=predict_high_dimension,
        measure=measure_high_dimension,
        draw=draw_high_dimension,
    ),
    Claim(
        id="attention.against_noise",
        statement=(
            "Under linear noise κ and softmax attention γ antipodal pairs attract if and only if"
            " κ > 2γ/(1 + e^{2β}), and two tokens end there as the scale function says."
        ),
        source="docs/attention.md, section 4; the drift is SA of Ge (Geshkovski et al. 2023)",
        predict=lambda: predict_against(SOFTMAX, "softmax"),
        measure=lambda level, seed: measure_against(SOFTMAX, "softmax", level, seed),
        draw=lambda axes, result: draw_against("softmax", SOFTMAX, axes, result),
    ),
    Claim(
        id="attention.hybrid",
        statement=(
            "Under attention with weights e^{βz} and linear noise ε, κ = ε² and γ = 2, antipodal"
            " pairs attract if and only if ε² > 2 e^{-β}."
        ),
        source="Fe, prop. 1 (Fedorov et al. 2026)",
        predict=lambda: predict_against(SCALAR, "unnormalised"),
        measure=lambda level, seed: measure_against(SCALAR, "unnormalised", level, seed),
        draw=lambda axes, result: draw_against("unnormalised", SCALAR, axes, result),
    ),
)
