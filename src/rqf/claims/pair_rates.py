"""How fast two tokens synchronize: almost surely, in the mean, and the bound of the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Bounds, Estimates, Jointly, Measurement
from rqf.claims.tokens import MODEL, SCHEME, UNIT_SPEED, Array, step, to_poles
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.observe import log_separation
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How fast, almost surely

RATE_TIMES = (1.0, 2.0, 4.0, 8.0)
LONG = 128.0


def predict_almost_sure() -> list[Array]:
    """Mean of log sin θ_t, its variance added to that of θ_t, and the rate along a single path.

    log sin θ = -log cosh u, d log cosh u = dt + √2 cos θ dW and dθ = -√2 sin θ dW: the two
    variances grow by 2 cos²θ + 2 sin²θ = 2.
    """
    times = np.array(RATE_TIMES)
    return [-times, 2.0 * times, np.array([-1.0])]


def measure_almost_sure(level: Level, seed: int) -> Measurement:
    """Pairs that start orthogonal, and single paths followed for long, on a scale of logs."""
    dt, realizations = step(level, 1 / 32), amount(level, 6000)
    ds = simulate(
        RandomQuadraticForm(2), t=RATE_TIMES[-1], dt=dt, times=RATE_TIMES, x0=np.eye(2),
        realizations=realizations, seed=stream(seed), scheme=SCHEME,
    )
    x, y = ds.x.values[:, :, 0], ds.x.values[:, :, 1]
    logs, angles = np.log(np.sin(to_poles(x, y))), sphere.between(x, y)
    squares = (logs - np.mean(logs, axis=0)) ** 2 + (angles - np.mean(angles, axis=0)) ** 2
    paths, flow = amount(level, 24), Flow(RandomQuadraticForm(3), dt=2.0 * dt, scheme=SCHEME)
    long = np.array([
        log_separation(
            flow, Wiener(stream(seed, "paths"), realization=r), [1, 0, 0], [0, 1, 0], [LONG]
        )[0]
        for r in range(paths)
    ])
    return Jointly(
        [
            Estimates.of_means(logs, [f"mean of log sin θ at t = {t:g}" for t in RATE_TIMES]),
            Estimates.of_means(
                squares, [f"Var log sin θ + Var θ at t = {t:g}" for t in RATE_TIMES]
            ),
            Estimates.of_means(long[:, None] / LONG, [f"(log sin θ)/t at t = {LONG:g}, n = 3"]),
        ],
        details={
            "scheme": SCHEME, "dt": dt, "n": 2, "realizations": realizations, "paths": paths,
            "series": [
                {"name": name, "x": RATE_TIMES}
                for name in ("mean of log sin θ", "Var log sin θ + Var θ")
            ],
        },
        headline=len(RATE_TIMES) - 1,
    )


def draw_almost_sure(axes: Axes, result: Result) -> None:
    mean, variance = figures.series_of(result)
    ends = np.array([0.0, RATE_TIMES[-1]])
    figures.line(axes, ends, -ends, 0, "-t")
    figures.line(axes, ends, 2.0 * ends, 1, "2t")
    figures.points(axes, mean, 0)
    figures.points(axes, variance, 1)
    figures.finish(axes, "time t", "mean and variance")


# How fast, in the mean

MEAN_TIMES = (1.0, 2.0, 4.0, 8.0, 12.0)


def predict_mean_rate() -> list[Array]:
    """E dist at the times, and its rate of decay between the last two."""
    means = TwoPoint(RandomQuadraticForm(2)).mean_distance(0.0, MEAN_TIMES)
    span = MEAN_TIMES[-1] - MEAN_TIMES[-2]
    return [means, np.array([math.log(means[-2] / means[-1]) / span])]


def measure_mean_rate(level: Level, seed: int) -> Measurement:
    dt, realizations = step(level, 1 / 32), amount(level, 12000)
    ds = simulate(
        RandomQuadraticForm(2), t=MEAN_TIMES[-1], dt=dt, times=MEAN_TIMES, x0=np.eye(2),
        realizations=realizations, seed=stream(seed), scheme=SCHEME,
    )
    distances = to_poles(ds.x.values[:, :, 0], ds.x.values[:, :, 1])
    means = np.mean(distances, axis=0)
    span = MEAN_TIMES[-1] - MEAN_TIMES[-2]
    rate = math.log(means[-2] / means[-1]) / span
    influence = (distances[:, -2] / means[-2] - distances[:, -1] / means[-1]) / span
    return Jointly(
        [
            Estimates.of_means(distances, [f"E dist at t = {t:g}" for t in MEAN_TIMES]),
            Estimates(
                [rate], [np.std(influence) / math.sqrt(realizations)],
                [f"rate of E dist between t = {MEAN_TIMES[-2]:g} and {MEAN_TIMES[-1]:g}"],
            ),
        ],
        details={
            "scheme": SCHEME, "dt": dt, "n": 2, "realizations": realizations,
            "series": [{"name": "E dist(X_t, ±Y_t)", "x": MEAN_TIMES}],
        },
        headline=len(MEAN_TIMES),
    )


def draw_mean_rate(axes: Axes, result: Result) -> None:
    pair = TwoPoint(RandomQuadraticForm(2))
    [series] = figures.series_of(result)
    t = np.linspace(0.0, MEAN_TIMES[-1], 97)
    figures.line(axes, t, pair.mean_distance(0.0, t), 0, "exact law")
    figures.line(axes, t, pair.mean_distance_bound(t, 0.0), 1, "bound (π/2) exp(-t/4)")
    figures.line(axes, t, np.exp(-t), 2, "typical pair, exp(-t)")
    figures.points(axes, series)
    axes.set_yscale("log")
    axes.set_ylim(1e-3, 3.0)
    figures.finish(axes, "time t", "E dist(X_t, ±Y_t)")


# The bound

BOUND_TIMES = (0.0, 0.5, 1.0, 2.0, 4.0)


def predict_bound() -> Array:
    return np.tile(math.pi / math.sqrt(2.0) * np.exp(-0.5 * np.array(BOUND_TIMES)), 2)


def measure_bound(level: Level, seed: int) -> Measurement:
    """Distance of X to ±Y: Y uniform and independent of X at time 0, as ±a is, or orthogonal."""
    dt, realizations = step(level, 1 / 64), amount(level, 4000)
    field = RandomQuadraticForm(3, sigma=UNIT_SPEED)
    orthogonal = np.eye(3)[:2]
    distances = []
    for name, x0 in (("uniform", None), ("orthogonal", orthogonal)):
        ds = simulate(
            field, tokens=2, t=BOUND_TIMES[-1], dt=dt, times=BOUND_TIMES, x0=x0,
            realizations=realizations, seed=stream(seed, name), scheme=SCHEME,
        )
        distances.append(to_poles(ds.x.values[:, :, 0], ds.x.values[:, :, 1]))
    means = Estimates.of_means(np.concatenate(distances, axis=1))
    names = ("±a (uniform at 0)", "±Y (orthogonal at 0)")
    return Bounds(
        means.values, means.errors,
        [f"E dist to {name}, t = {t:g}" for name in names for t in BOUND_TIMES],
        details={
            "scheme": SCHEME, "dt": dt, "n": 3, "sigma": "√2", "realizations": realizations,
            "series": [{"name": f"to {name}", "x": BOUND_TIMES} for name in names],
        },
        headline=2,
    )


def draw_bound(axes: Axes, result: Result) -> None:
    t = np.linspace(0.0, BOUND_TIMES[-1], 101)
    figures.line(axes, t, math.pi / math.sqrt(2.0) * np.exp(-0.5 * t), 0, "(π/√2) exp(-t/2)")
    for index, series in enumerate(figures.series_of(result)):
        figures.points(axes, series, index)
    axes.set_yscale("log")
    figures.finish(axes, "time t (sigma = √2)", "E dist, to stay below the line")


CLAIMS = (
    Claim(
        "pair.almost_sure_rate",
        "Almost surely dist(X_t, ±Y_t) falls like exp(-t): E log sin θ_t = log sin θ_0 - t and"
        " Var log sin θ_t + Var θ_t = 2t at every time.",
        f"{MODEL}, section 6",
        predict_almost_sure, measure_almost_sure, draw_almost_sure,
    ),
    Claim(
        "pair.mean_rate",
        "In the mean the distance falls more slowly, like t^{-3/2} exp(-t/4), carried by the"
        " rare pairs that stay near the equator.",
        f"{MODEL}, section 6",
        predict_mean_rate, measure_mean_rate, draw_mean_rate,
    ),
    Claim(
        "pair.bound",
        "With sigma = √2, E dist(X_t, ±a) <= (π/√2) exp(-t/2), a the attractor.",
        "Sh 3.8 (Shalova 2026)",
        predict_bound, measure_bound, draw_bound,
    ),
)
