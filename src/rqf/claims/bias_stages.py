"""A weak bias acts in two stages: tokens first stand near ±a, later at one point.

How long the first stage lasts, and how near to the attractor ±a of the unbiased form tokens stay.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import beta

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.biased import Array, biased, distance_to_attractor
from rqf.claims.lifts import lifts, top_left
from rqf.claims.measurements import Bounds, Estimates, Jointly, Measurement, joined
from rqf.claims.tokens import UNIT_SPEED, step, to_poles
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.noise.grid import cell_for
from rqf.observe import passage_time
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N = 3

# Lifetime

LIFETIMES = ((0.1, 500, 1 / 16), (0.3, 1000, 1 / 16), (1.0, 1500, 1 / 64))
FOREVER = 4096.0


def lifetime_constant(n: int) -> float:
    """lim γ E[time from Z = -1 to 0] as γ → 0."""
    return math.pi / 8.0 * float(beta(0.5 * (n - 1), 0.5))


def predict_lifetime() -> Array:
    """γ times the mean time at each γ."""
    return np.array([
        gamma * TwoPoint(biased(N, gamma)).exit_time(-1.0, -1.0, 0.0) for gamma, *_ in LIFETIMES
    ])


def measure_lifetime(level: Level, seed: int) -> Measurement:
    """First passages with steps dt and dt/2, the step taken out."""
    parts = []
    for gamma, quick, longest in LIFETIMES:
        coarse, fine = (
            passage_time(
                Flow(biased(N, gamma), dt=dt), realizations=amount(level, quick),
                seed=stream(seed, gamma), t_max=FOREVER,
            ).times
            for dt in (step(level, longest), 0.5 * step(level, longest))
        )
        parts.append(Estimates.of_means(gamma * (2.0 * fine - coarse)[:, None]))
    gammas = [gamma for gamma, *_ in LIFETIMES]
    return joined(
        parts, [f"γ E[time from Z = -1 to 0], γ = {gamma:g}" for gamma in gammas],
        details={
            "scheme": "heun, extrapolated", "n": N, "dt": [dt for *_, dt in LIFETIMES],
            "series": [{"name": "measured", "x": gammas}],
        },
    )


def draw_lifetime(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    gamma = np.geomspace(1e-3, 2.0, 30)
    exact = [g * TwoPoint(biased(N, g)).exit_time(-1.0, -1.0, 0.0) for g in gamma]
    figures.line(axes, gamma, exact, 0, "exact")
    figures.line(axes, gamma, np.full(30, lifetime_constant(N)), 1, "(π/8) Beta((n-1)/2, ½)")
    figures.points(axes, series, 0)
    axes.set_xscale("log")
    figures.finish(axes, "bias γ, n = 3", "γ × mean time from Z = -1 to 0")


# Near the attractor of the unbiased form

GAMMAS = (0.05, 0.1, 0.3)
PAST = 10.0  # a is known to e^{-20}: the gap of the exponents is 2
LOOKS = (2.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
SHOWN = 0.1


def paper_bound(t: Array, gamma: float, n: int = N) -> Array:
    """(π/√2) e^{-t/2} + (π √(n-1)/4) γ √(e^{4t} - 1)."""
    grown = np.sqrt(np.expm1(4.0 * t))
    return np.asarray(
        np.pi / np.sqrt(2.0) * np.exp(-0.5 * t) + 0.25 * np.pi * np.sqrt(n - 1) * gamma * grown
    )


def predict_near() -> list[Array]:
    """The equilibrium of dist(X, ±a), and the bound at 2, 5 and 10."""
    return [
        np.array([distance_to_attractor(N, gamma) for gamma in GAMMAS]),
        paper_bound(np.array([2.0, 5.0, 10.0]), SHOWN),
    ]


def distances(dt: float, size: int, seed: int) -> Array:
    """dist(X^γ_t, ±a(θ_t ω)) for every γ at the times LOOKS, shape (GAMMAS, size, times).

    a(ω) is pulled back along the past of the noise, every X starts there; all move along the same
    future, by one scheme, so that only the bias parts them.
    """
    omega = Wiener(seed, cell_for(dt))
    flow = Flow(RandomQuadraticForm(N, UNIT_SPEED), dt=1 / 8)
    a = top_left(lifts(flow, omega.shift(-PAST), size, PAST))[:, None]
    y, *tokens = (
        simulate(
            biased(N, gamma), t=LOOKS[-1], dt=dt, times=LOOKS, x0=a, realizations=size, seed=seed
        ).x.values[:, :, 0]
        for gamma in (0.0, *GAMMAS)
    )
    return np.stack([to_poles(x, y) for x in tokens])


def measure_near(level: Level, seed: int) -> Measurement:
    """Equilibrium: the mean over the times from 5 to 10 in each realisation."""
    size, dt = amount(level, 200), step(level, 1 / 16)
    found = 2.0 * distances(0.5 * dt, size, seed) - distances(dt, size, seed)
    shown = Estimates.of_means(found[GAMMAS.index(SHOWN)][:, [0, 1, -1]])
    return Jointly(
        [
            Estimates.of_means(
                np.mean(found[:, :, 1:], axis=2).T, [f"E dist, γ = {gamma:g}" for gamma in GAMMAS]
            ),
            Bounds(
                shown.values, shown.errors,
                [f"E dist, γ = {SHOWN:g}, t = {t:g}" for t in (2.0, 5.0, 10.0)],
            ),
        ],
        headline=1,
        details={
            "scheme": "heun, extrapolated", "dt": dt, "n": N, "realizations": size,
            "series": [{"name": "5 <= t <= 10", "x": GAMMAS}],
        },
    )


def draw_near(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    gamma = np.geomspace(0.02, 0.6, 40)
    exact = [distance_to_attractor(N, g) for g in gamma]
    figures.line(axes, gamma, exact, 0, "exact equilibrium")
    small = gamma < 1.0 / math.e
    leading = gamma * np.log(1.0 / gamma) / beta(0.5 * (N - 1), 0.5)
    figures.line(axes, gamma[small], leading[small], 1, "γ log(1/γ)/Beta((n-1)/2, ½)")
    figures.points(axes, series, 0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    figures.finish(axes, "bias γ, n = 3", "E dist(X, ±a)")


CLAIMS = (
    Claim(
        "bias.lifetime",
        "Antipodal tokens take a mean time of order 1/γ to an overlap of 0:"
        " γ E[time from Z = -1 to 0] tends to (π/8) Beta((n-1)/2, ½), by quadrature at finite γ.",
        "docs/bias.md, in the units of Sh (Shalova 2026)",
        predict_lifetime, measure_lifetime, draw_lifetime,
    ),
    Claim(
        "bias.near_attractor",
        "A biased token stays near ±a of the unbiased form for all time: E dist ~"
        " γ log(1/γ)/Beta((n-1)/2, ½), far within the bound that grows like γ exp(2t).",
        "Sh 3.9 (Shalova 2026); docs/bias.md",
        predict_near, measure_near, draw_near,
    ),
)
