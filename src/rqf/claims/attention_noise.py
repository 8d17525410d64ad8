"""Attention inside the noise: antipodal pairs, and the two limits of the overlap.

Fedorov et al. draw the value matrices of a deep residual network at random; Koubbi, Geshkovski and
Rigollet do so for many heads, in units in which an entry has variance 1/n per unit time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rqf.claims import figures
from rqf.claims.attention_layers import Layer, Pairs, ends, hits, softmax_share
from rqf.claims.attention_rates import rates
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Estimates, Jointly, Measurement, Proportions, Samples
from rqf.claims.tokens import at_overlaps, listed, overlap
from rqf.fields import AttentionNoise, LinearLayer
from rqf.flow import simulate
from rqf.flow.threads import ranges, run_each
from rqf.theory import TwoPoint, small_beta_overlap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# Where two tokens end

NINE = (
    (2, 1.0), (3, 0.5), (3, 1.5), (4, 0.6), (4, 1.0), (4, 2.0), (8, 1.0), (8, 1.5), (8, 2.5),
)  # fmt: skip


def _named(settings: tuple[tuple[int, float], ...]) -> list[str]:
    return [f"n = {n}, β = {beta:g}" for n, beta in settings]


def _of_dimension(result: Result, settings: Array, n: int) -> figures.Series:
    """The rows of one n, over beta."""
    rows = settings[:, 0] == n
    columns = (result.column(name)[rows] for name in ("predicted", "measured", "error"))
    return figures.Series(f"n = {n}", settings[rows, 1], *columns)


def predict_antipodal() -> Array:
    return np.array([hits(AttentionNoise(n, beta)) for n, beta in NINE])


def measure_antipodal(level: Level, seed: int) -> Measurement:
    """Two tokens at right angles, through layers until they are at a pole."""
    n, beta = np.array(NINE).T
    layer = Layer(mix=softmax_share)
    return ends(layer, n, beta, 0.0, _named(NINE), level, seed, quick=200)


def draw_antipodal(axes: Axes, result: Result) -> None:
    from rqf.theory import attention_noise_antipodal

    settings = np.array(NINE)
    beta = np.linspace(0.05, 2.6, 160)
    for index, n in enumerate(sorted({n for n, _ in NINE})):
        series = _of_dimension(result, settings, n)
        figures.line(axes, beta, [attention_noise_antipodal(n, b) for b in beta], index)
        figures.points(axes, series, index)
    figures.finish(axes, "inverse temperature β", "P(antipodal) from right angles")


# Which side of the transition

SIDES = tuple((n, beta) for n in (3, 4, 8) for beta in (0.3, 1.0, 2.0))


def predict_transition() -> Array:
    """(n-2) R - S = (n - 2 - cosh 2β)/(1 + cosh 2β), negative where antipodal pairs attract."""
    n, beta = np.array(SIDES).T
    steep = np.cosh(2.0 * beta)
    return np.asarray((n - 2.0 - steep) / (1.0 + steep))


def measure_transition(level: Level, seed: int) -> Measurement:
    fields = [AttentionNoise(n, beta) for n, beta in SIDES]
    return rates(fields, _named(SIDES), level, seed, quick=150)


def draw_transition(axes: Axes, result: Result) -> None:
    settings = np.array(SIDES)
    beta = np.linspace(0.2, 2.1, 100)
    axes.axhline(0.0, color="#8c8c8c", linewidth=0.8)
    for index, n in enumerate(sorted({n for n, _ in SIDES})):
        series = _of_dimension(result, settings, n)
        steep = np.cosh(2.0 * beta)
        figures.line(axes, beta, (n - 2.0 - steep) / (1.0 + steep), index)
        figures.points(axes, series, index)
    figures.finish(axes, "inverse temperature β", "rate of log distance from antipodal")


# Layers tend to the flow

FLOW, START, TIME = AttentionNoise(4, 1.0), 0.2, 0.5
DEPTHS = (8, 16, 32)
EXTRAPOLATE = np.array([1.0, -6.0, 8.0]) / 3.0  # takes off the terms in h and h²


def predict_layers() -> Array:
    """E Z and E Z² of the flow, by the Fokker–Planck equation."""
    pair = TwoPoint(FLOW)
    return np.array([pair.mean(START, TIME), pair.second_moment(START, TIME)])


def measure_layers(level: Level, seed: int) -> Measurement:
    """Means of Z and Z² after stacks of three depths, extrapolated to h = 0."""
    size = amount(level, 12_000)
    means, scatter = np.empty((2, len(DEPTHS), 2))
    for which, depth in enumerate(DEPTHS):
        z = _stacks(depth, size, stream(seed, depth))
        values = np.stack([z, z * z], axis=1)
        means[which] = np.mean(values, axis=0)
        scatter[which] = np.std(values, axis=0, ddof=1) / np.sqrt(size)
    return Estimates(
        EXTRAPOLATE @ means,
        np.sqrt(EXTRAPOLATE**2 @ scatter**2),
        ["E Z, h → 0", "E Z², h → 0"],
        details={
            "n": FLOW.n, "β": FLOW.beta, "z_0": START, "time": TIME, "samples": size,
            "layers": listed(DEPTHS), "steps": TIME / np.array(DEPTHS), "means": means,
            "scatter": scatter,
        },
    )


def _stacks(depth: int, size: int, seed: int) -> Array:
    """Overlaps after `depth` layers, block by block, each from a stream of its own."""
    parts = ranges(size, 4000)
    found = np.empty(size)

    def task(index: int) -> Iterator[int]:
        each = np.ones(parts[index].stop - parts[index].start)
        settings = (START, FLOW.n, FLOW.beta, 0.0, TIME / depth)
        pairs = Pairs.at(*(setting * each for setting in settings))
        rng = np.random.default_rng(stream(seed, index))
        for _ in range(depth):
            pairs.through(Layer(mix=softmax_share), rng)
        found[parts[index].start : parts[index].stop] = pairs.overlap
        yield 1

    run_each(task, range(len(parts)))
    return found


def draw_layers(axes: Axes, result: Result) -> None:
    """Means against h, those extrapolated at 0, and what the flow says."""
    steps, means, scatter = (
        np.array(result.details[name]) for name in ("steps", "means", "scatter")
    )
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    for index, name in enumerate(("E Z", "E Z²")):
        limit = figures.Series(name, np.zeros(1), *(c[index : index + 1] for c in columns))
        figures.line(axes, [0.0, steps[0]], np.repeat(limit.predicted, 2), index)
        figures.points(axes, limit, index)
        stacks = figures.Series(name, steps, steps, means[:, index], scatter[:, index])
        figures.points(axes, stacks, index, label="_stacks")
    axes.set_xticks([0.0, *steps], ["0", *(f"1/{1 / h:.0f}" for h in steps)])
    figures.finish(axes, "variance h of a layer (0: extrapolated)", f"mean at t = {TIME:g}")


# Large beta

LARGE = 1e4
OVERLAPS = (-0.6, 0.0, 0.5)
LAW_START, LAW_TIMES = 0.3, (0.25, 1.0)


def predict_large_beta() -> list[Any]:
    """½ + arcsin(u_0)/π, and the law of u at two times."""
    split = np.array([0.5 + math.asin(u) / math.pi for u in OVERLAPS])
    pair = TwoPoint(LinearLayer(3))
    return [split, [lambda z, s=s: pair.cdf(z, LAW_START, s) for s in LAW_TIMES]]


def measure_large_beta(level: Level, seed: int) -> Measurement:
    """Where pairs end through layers; overlaps under two heads with σ = n^{-1/2} at time n s."""
    n, dt = 3, 1 / 16 if level == "quick" else 1 / 128
    labels = [f"P(u → 1), u_0 = {u:g}" for u in OVERLAPS]
    apart = ends(
        Layer(mix=softmax_share), 3, LARGE, 0.0, labels, level, stream(seed, "ends"), quick=200,
        overlaps=OVERLAPS,
    )
    together = Proportions(np.subtract(apart.trials, apart.successes), apart.trials, labels)
    ds = simulate(
        AttentionNoise(n, LARGE, heads=2, sigma=n**-0.5), t=n * LAW_TIMES[-1], dt=dt,
        times=[n * s for s in LAW_TIMES], x0=at_overlaps(n, [LAW_START]),
        realizations=amount(level, 500), seed=stream(seed),
    )
    z = overlap(ds.x.values[:, :, 0], ds.x.values[:, :, 1])
    law = Samples(list(z.T), [f"s = {s:g}" for s in LAW_TIMES])
    return Jointly(
        [together, law],
        details={
            "n": n, "β": LARGE, "heads": 2, "dt": dt, "u_0 of the law": LAW_START,
            "layers": apart.details,
        },
    )


def draw_large_beta(axes: Axes, result: Result) -> None:
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    split = figures.Series("P(u → 1)", np.array(OVERLAPS), *(c[: len(OVERLAPS)] for c in columns))
    u = np.linspace(-1.0, 1.0, 201)
    figures.line(axes, u, 0.5 + np.arcsin(u) / np.pi)
    figures.points(axes, split)
    figures.finish(axes, "overlap u_0 at the start", "P(together)")


# Small beta

TOKENS, MANY, SMALL = 4, 10**5, 1e-4
CLOCK = (1.0, 2.0, 3.0, 4.0, 6.0)
CLOCK_STEPS = (1 / 32, 1 / 64)


def predict_small_beta() -> Array:
    return small_beta_overlap(1.0 / TOKENS, CLOCK)


def measure_small_beta(level: Level, seed: int) -> Measurement:
    """|X̄|², the mean over all pairs, each token with itself among them, from uniform tokens.

    In law, at two steps; what is of first order in the step is taken off.
    """
    halvings = 0 if level == "quick" else 1
    steps = [dt / 2**halvings for dt in CLOCK_STEPS]
    field = AttentionNoise(MANY, SMALL, sigma=MANY**-0.5)
    coarse, fine = (
        simulate(
            field, tokens=TOKENS, t=CLOCK[-1], dt=dt, times=CLOCK, law=True,
            realizations=amount(level, 12), seed=stream(seed, dt),
        ).gram.values.mean(axis=(-1, -2))
        for dt in steps
    )
    return Estimates.of_means(
        2.0 * fine - coarse, [f"s = {s:g}" for s in CLOCK], headline=2,
        details={
            "n": MANY, "tokens": TOKENS, "β": SMALL, "dt": listed(steps), "scheme": "euler, in law",
            "series": [{"name": "mean overlap", "x": CLOCK}],
        },
    )


def draw_small_beta(axes: Axes, result: Result) -> None:
    curve: dict[str, figures.Curve] = {
        "mean overlap": lambda s: small_beta_overlap(1.0 / TOKENS, s)
    }
    figures.over_curves(axes, result, curve, "time s = σ² n t", "mean overlap", start=0.0)


# More than two tokens

CLUSTERS = ((1, 1), (2, 2), (1, 2), (1, 3), (3, 5))
N, BETA, SHORT = 3, 1.0, 1 / 128


def predict_clusters() -> Array:
    """½ (n-1) (a-b)², a and b the lengths of what tokens of the two clusters attend to."""
    first, second = np.array(CLUSTERS, np.float64).T
    a, b = (
        (own - other * math.exp(-2.0 * BETA)) / (own + other * math.exp(-2.0 * BETA))
        for own, other in ((first, second), (second, first))
    )
    return np.asarray(0.5 * (N - 1) * (a - b) ** 2)


def measure_clusters(level: Level, seed: int) -> Measurement:
    """d/dt E[1 + Z] at time 0 of two opposite clusters, from one step and from half of one.

    Even splits rest exactly; their error is a bound for rounding.
    """
    values, errors = np.zeros(len(CLUSTERS)), np.full(len(CLUSTERS), 1e-9)
    size = amount(level, 2000)
    for index, (first, second) in enumerate(CLUSTERS):
        x0 = np.repeat([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], (first, second), axis=0)
        slopes = []
        for dt in (SHORT, SHORT / 2):
            x = simulate(
                AttentionNoise(N, BETA), t=dt, dt=dt, times=[dt], x0=x0, realizations=size,
                seed=stream(seed, index, dt),
            ).x.values[:, 0]
            slopes.append(0.5 * np.sum((x[:, 0] + x[:, -1]) ** 2, axis=-1) / dt)
        slope = 2.0 * slopes[1] - slopes[0]
        values[index] = np.mean(slope)
        errors[index] = max(np.std(slope, ddof=1) / np.sqrt(size), 1e-9)
    return Estimates(
        values, errors, [f"clusters of {a} and {b}" for a, b in CLUSTERS], headline=2,
        details={"n": N, "β": BETA, "times": listed((SHORT / 2, SHORT)), "scheme": "heun"},
    )


def draw_clusters(axes: Axes, result: Result) -> None:
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    series = figures.Series("splits", np.arange(float(len(CLUSTERS))), *columns)
    figures.line(axes, series.x, series.predicted)
    figures.points(axes, series)
    axes.set_xticks(series.x, [f"{a}+{b}" for a, b in CLUSTERS])
    figures.finish(axes, "sizes of two opposite clusters", "d/dt E[1 + Z] at time 0")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="attention_noise.antipodal",
        statement=(
            "Two tokens under random value matrices end antipodal with the probability that the"
            " scale function of dZ = (1-Z²)[(n-2)R - S Z]dt + √(2S)(1-Z²)dW gives."
        ),
        source="Fe 2 (Fedorov et al. 2026)",
        predict=predict_antipodal,
        measure=measure_antipodal,
        draw=draw_antipodal,
    ),
    Claim(
        id="attention_noise.transition",
        statement=(
            "Antipodal pairs attract if and only if n - 2 < cosh 2β: the log distance from them"
            " changes at the rate (n - 2 - cosh 2β)/(1 + cosh 2β)."
        ),
        source="Fe 2 (Fedorov et al. 2026)",
        predict=predict_transition,
        measure=measure_transition,
        draw=draw_transition,
    ),
    Claim(
        id="attention_noise.layers",
        statement=(
            "Normalised residual attention x_i ← N(x_i + √h V m_i) with random values has, as"
            " h → 0, the law of the flow at t = k h: E Z and E Z² of two tokens."
        ),
        source="Fe 1 (Fedorov et al. 2026)",
        predict=predict_layers,
        measure=measure_layers,
        draw=draw_layers,
    ),
    Claim(
        id="attention_noise.clusters",
        statement=(
            "Of many tokens only two equal clusters can stay opposite: unequal ones leave at"
            " d/dt E Z = ½ (n-1)(a-b)², a = (k - l e^{-2β})/(k + l e^{-2β}), b with k and l"
            " exchanged."
        ),
        source="docs/attention.md; Fe 2 (Fedorov et al. 2026) is the case k = l = 1",
        predict=predict_clusters,
        measure=measure_clusters,
        draw=draw_clusters,
    ),
    Claim(
        id="attention_noise.large_beta",
        statement=(
            "At large β the overlap on the clock s = t/n follows du = -u(1-u²)ds + √2(1-u²)dB, and"
            " tends to 1 with probability ½ + arcsin(u_0)/π."
        ),
        source="Ko, large β (Koubbi et al. 2026); Fe 2 (Fedorov et al. 2026), β → ∞",
        predict=predict_large_beta,
        measure=measure_large_beta,
        draw=draw_large_beta,
    ),
    Claim(
        id="attention_noise.small_beta",
        statement="At small β and large n the mean overlap follows u' = u(1-u).",
        source="Ko, small β (Koubbi et al. 2026)",
        predict=predict_small_beta,
        measure=measure_small_beta,
        draw=draw_small_beta,
    ),
)
