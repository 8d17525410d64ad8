"""Where two tokens end: together or antipodal, with which probability, in which laws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import (
    Directions,
    Estimates,
    Identity,
    Jointly,
    Measurement,
    Proportions,
)
from rqf.claims.tokens import (
    INVARIANT,
    MODEL,
    SCHEME,
    Array,
    at_overlaps,
    listed,
    overlap,
    step,
    to_poles,
)
from rqf.fields import RandomQuadraticForm
from rqf.flow import simulate
from rqf.theory import TwoPoint, invariant_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The angle is a martingale

MARTINGALE_ANGLES = tuple(math.pi * part for part in (1 / 9, 1 / 3, 1 / 2, 2 / 3, 8 / 9))
MARTINGALE_TIMES = (0.5, 2.0, 8.0)


def predict_martingale() -> Array:
    return np.repeat(MARTINGALE_ANGLES, len(MARTINGALE_TIMES))


def measure_martingale(level: Level, seed: int) -> Measurement:
    """Angles of five tokens with a sixth, by a scheme that keeps the mean angle at any step."""
    dt, realizations = 0.5, amount(level, 6000)
    ds = simulate(
        RandomQuadraticForm(3), t=MARTINGALE_TIMES[-1], dt=dt, times=MARTINGALE_TIMES,
        x0=at_overlaps(3, np.cos(MARTINGALE_ANGLES)), realizations=realizations,
        seed=stream(seed), scheme=INVARIANT, refine=False,
    )
    x = ds.x.values
    angles = np.swapaxes(sphere.between(x[:, :, :1], x[:, :, 1:]), 1, 2)
    return Estimates.of_means(
        angles.reshape(realizations, -1),
        [f"θ_0 = {math.degrees(a):.0f}°, t = {t:g}"
         for a in MARTINGALE_ANGLES for t in MARTINGALE_TIMES],
        details={
            "scheme": INVARIANT, "dt": dt, "n": 3, "realizations": realizations,
            "series": [
                {"name": f"θ_0 = {math.degrees(a):.0f}°", "x": MARTINGALE_TIMES}
                for a in MARTINGALE_ANGLES
            ],
        },
        headline=4,
    )


def draw_martingale(axes: Axes, result: Result) -> None:
    for index, (angle, series) in enumerate(
        zip(MARTINGALE_ANGLES, figures.series_of(result), strict=True)
    ):
        figures.line(axes, [0.0, series.x[-1]], [angle, angle], index)
        figures.points(axes, series, index)
    figures.finish(axes, "time t", "mean angle E θ_t (radians)")


# Pairs end at the poles

NEAR = 0.05
POLE_TIMES = (1.0, 2.0, 4.0, 8.0, 16.0)


def chance_near_poles(t: float) -> float:
    """P(dist(X_t, ±Y_t) < 0.05) from orthogonal tokens, by the exact law."""
    pair = TwoPoint(RandomQuadraticForm(2))
    upper, lower = pair.cdf([math.cos(NEAR), -math.cos(NEAR)], 0.0, t)
    return float(1.0 - upper + lower)


def predict_poles() -> Array:
    return np.array([chance_near_poles(t) for t in POLE_TIMES])


def measure_poles(level: Level, seed: int) -> Measurement:
    dt, realizations = step(level, 1 / 32), amount(level, 8000)
    ds = simulate(
        RandomQuadraticForm(50), t=POLE_TIMES[-1], dt=dt, times=POLE_TIMES, x0=np.eye(50)[:2],
        realizations=realizations, seed=stream(seed), law=True, scheme=SCHEME,
    )
    near = np.abs(ds.gram.values[:, :, 0, 1]) > math.cos(NEAR)
    return Proportions(
        np.sum(near, axis=0), realizations, [f"t = {t:g}" for t in POLE_TIMES],
        details={
            "scheme": SCHEME, "dt": dt, "n": 50, "law": True, "realizations": realizations,
            "series": [{"name": f"within {NEAR} of a pole", "x": POLE_TIMES}],
        },
        headline=3,
    )


def draw_poles(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    times = np.linspace(0.25, POLE_TIMES[-1], 64)
    figures.line(axes, times, [chance_near_poles(t) for t in times])
    axes.axhline(1.0, color="#8c8c8c", linewidth=0.8)
    figures.points(axes, series)
    figures.finish(axes, "time t", f"P(dist(X_t, ±Y_t) < {NEAR})")


# Together or apart

TOGETHER_ANGLES = tuple(math.pi * part for part in (1 / 12, 1 / 4, 1 / 2, 2 / 3, 11 / 12))
TOGETHER = (  # n, scheme, dt, t, law, realizations at "quick"
    (2, INVARIANT, 1.0, 24.0, False, 4000),
    (3, INVARIANT, 1.0, 32.0, False, 3000),
    (3, "corrected-exponential", 0.25, 24.0, False, 1000),
    (8, INVARIANT, 1.0, 40.0, False, 600),
    (100, INVARIANT, 1.0, 32.0, True, 600),
)


def predict_together() -> Array:
    return np.tile(1.0 - np.array(TOGETHER_ANGLES) / math.pi, len(TOGETHER))


def measure_together(level: Level, seed: int) -> Measurement:
    """Signs of late overlaps of five tokens with a sixth, at steps up to 1."""
    successes, trials, undecided = [], [], []
    for index, (n, scheme, dt, t, law, quick) in enumerate(TOGETHER):
        realizations = amount(level, quick)
        ds = simulate(
            RandomQuadraticForm(n), t=t, dt=dt, times=[t], law=law, scheme=scheme, refine=False,
            x0=at_overlaps(n, np.cos(TOGETHER_ANGLES)), realizations=realizations,
            seed=stream(seed, index),
        )
        if law:
            z = ds.gram.values[:, 0, 0, 1:]
        else:
            z = overlap(ds.x.values[:, 0, :1], ds.x.values[:, 0, 1:])
        successes.append(np.sum(z > 0.0, axis=0))
        trials.append(np.full(len(TOGETHER_ANGLES), realizations))
        undecided.append(float(np.mean(np.abs(z) < 0.99)))
    return Proportions(
        np.concatenate(successes), np.concatenate(trials),
        [f"{name}, θ = {math.degrees(a):.0f}°" for name in _cases() for a in TOGETHER_ANGLES],
        details={
            "scheme": ", ".join(case[1] for case in TOGETHER),
            "t": listed(case[3] for case in TOGETHER),
            "realizations": listed(amount(level, case[-1]) for case in TOGETHER),
            "undecided": undecided,
            "series": [{"name": name, "x": np.degrees(TOGETHER_ANGLES)} for name in _cases()],
        },
        headline=len(TOGETHER_ANGLES) + 1,
    )


def _cases() -> list[str]:
    return [
        f"n = {n}{' (in law)' if law else ''}, dt = {dt:g}" for n, _, dt, _, law, _ in TOGETHER
    ]


def draw_together(axes: Axes, result: Result) -> None:
    axes.plot([0.0, 180.0], [1.0, 0.0], color="#111111", linewidth=1.2, label="1 - θ/π")
    for index, series in enumerate(figures.series_of(result)):
        shifted = series._replace(x=series.x + 2.0 * (index - 2))
        figures.points(axes, shifted, index)
    figures.finish(axes, "angle θ between X_0 and Y_0 (degrees)", "share that ends together")


# Invariant laws

ALPHAS = (0.0, 0.3, 1.0)
INVARIANT_TIME = 2.0
LATE = 10.0


def mean_distance_from_uniform(t: float) -> float:
    """E dist(X_t, ±Y_t) for independent uniform tokens in R³, whose overlap is uniform."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    pair = TwoPoint(RandomQuadraticForm(3))
    # z = sin s takes out the roots at z = ±1
    s = 0.5 * math.pi * nodes
    return float(np.sum(0.25 * math.pi * weights * np.cos(s) * pair.mean_distance(np.sin(s), t)))


def predict_invariant() -> list[Array]:
    """Uniform X; no pair that leaves or changes its pole; the share α; α = ½ for another start."""
    return [
        np.stack([np.eye(3)] * len(ALPHAS)),
        np.zeros(2 * len(ALPHAS)),
        np.array([*ALPHAS, 0.5]),
        np.array([mean_distance_from_uniform(LATE)]),
    ]


def measure_invariant(level: Level, seed: int) -> Measurement:
    dt, realizations = step(level, 1 / 32), amount(level, 4000)
    field = RandomQuadraticForm(3)
    firsts, identities, counts = [], [], []
    for alpha in ALPHAS:
        x, y = invariant_pair(alpha, realizations, 3, seed=stream(seed, "start", alpha))
        before = overlap(x, y) > 0.0
        ds = simulate(
            field, t=INVARIANT_TIME, dt=dt, times=[INVARIANT_TIME], x0=np.stack([x, y], axis=1),
            realizations=realizations, seed=stream(seed, alpha), scheme=SCHEME,
        )
        x, y = ds.x.values[:, 0, 0], ds.x.values[:, 0, 1]
        after = overlap(x, y) > 0.0
        firsts.append(x)
        identities += [float(np.max(to_poles(x, y))), float(np.sum(before != after))]
        counts.append(int(np.sum(after)))
    late = amount(level, 2000)
    ds = simulate(
        field, tokens=2, t=LATE, dt=dt, times=[LATE], realizations=late,
        seed=stream(seed, "uniform"), scheme=SCHEME,
    )
    x, y = ds.x.values[:, 0, 0], ds.x.values[:, 0, 1]
    counts.append(int(np.sum(overlap(x, y) > 0.0)))
    names = [f"α = {alpha:g}" for alpha in ALPHAS]
    return Jointly(
        [
            Directions(firsts, [f"{name}, X" for name in names]),
            Identity(
                identities, np.tile([1e-14, 0.5], len(ALPHAS)),
                [
                    f"{name}: {what}" for name in names
                    for what in ("largest dist(X_t, ±Y_t)", "pairs that changed their pole")
                ],
                because="both tokens are images under one matrix: equal to a few roundings",
            ),
            Proportions(
                counts, [realizations] * len(ALPHAS) + [late],
                [*(f"{name}: share together" for name in names),
                 "independent uniform start: share together"],
            ),
            Estimates.of_means(
                to_poles(x, y)[:, None], [f"independent uniform start: E dist at t = {LATE:g}"]
            ),
        ],
        details={
            "scheme": SCHEME, "dt": dt, "n": 3, "t": INVARIANT_TIME, "realizations": realizations,
        },
        headline=8 * len(ALPHAS) + 1,
    )


def draw_invariant(axes: Axes, result: Result) -> None:
    shares = [row for row in result.rows if "share together" in row.label]
    at = np.arange(len(shares), dtype=np.float64)
    axes.hlines(
        [row.predicted for row in shares], at - 0.3, at + 0.3, color="#111111", linewidth=1.2
    )
    columns = ([getattr(row, name) for row in shares]
               for name in ("predicted", "measured", "error"))
    figures.points(
        axes, figures.Series(f"share at t = {INVARIANT_TIME:g}", at, *map(np.array, columns))
    )
    axes.set_xticks(at, [*(f"ρ, α = {alpha:g}" for alpha in ALPHAS), "independent\nuniform"])
    figures.finish(axes, "start", "share of pairs that are together")


CLAIMS = (
    Claim(
        "pair.martingale",
        "The angle between two tokens is a martingale: E θ_t = θ_0 at every time.",
        f"{MODEL}, section 4",
        predict_martingale, measure_martingale, draw_martingale,
    ),
    Claim(
        "pair.poles",
        "Every pair ends together or antipodal: P(dist(X_t, ±Y_t) < ε) tends to 1, as the exact"
        " law says at any time.",
        "ES 4.8 (Engel–Shalova 2026)",
        predict_poles, measure_poles, draw_poles,
    ),
    Claim(
        "pair.together",
        "Two tokens at the angle θ end together, not antipodal, with probability 1 - θ/π, in any"
        " dimension and at any step size of an invariant scheme.",
        f"{MODEL}, section 4",
        predict_together, measure_together, draw_together,
    ),
    Claim(
        "pair.invariant_laws",
        "The laws ρ_α, X uniform with Y = X with probability α and Y = -X otherwise, are"
        " invariant; an independent uniform pair is driven to α = ½.",
        "ES, invariant laws (Engel–Shalova 2026)",
        predict_invariant, measure_invariant, draw_invariant,
    ),
)
