"""Bias beside the quadratic form: one cluster, however small the bias, and its pace.

Units of Shalova: the quadratic form has sigma = √2, the bias sigma = γ.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import bias_stages, figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.biased import Array, biased, extrapolated
from rqf.claims.measurements import Bounds, Estimates, Identity, Jointly, Measurement, joined
from rqf.claims.tokens import at_overlaps, step
from rqf.flow import Flow, simulate
from rqf.observe import lyapunov_spectrum
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# One token

CASES = ((3, 0.5), (3, 2.0), (5, 1.0))
CLOCK = (0.25, 0.5, 1.0)


def predict_one_point() -> Array:
    """E X·X_0 of unit-speed Brownian motion."""
    return np.concatenate([np.exp(-0.5 * (n - 1) * np.array(CLOCK)) for n, _ in CASES])


def measure_one_point(level: Level, seed: int) -> Measurement:
    """Mean over n orthogonal starts in each realisation, at times t/(1 + γ²)."""
    size, dt = amount(level, 800), step(level, 1 / 32)
    parts = []
    for n, gamma in CASES:
        pace = 1.0 + gamma**2
        kept = extrapolated(
            lambda x: np.einsum("rtii->rt", x) / x.shape[-1], biased(n, gamma), np.eye(n),
            [t / pace for t in CLOCK], dt / pace, size, stream(seed, n, gamma),
        )
        parts.append(Estimates.of_means(kept))
    names = [f"n = {n}, γ = {gamma:g}" for n, gamma in CASES]
    return joined(
        parts, [f"E X·X_0, {name}, t = {t:g}" for name in names for t in CLOCK],
        details={
            "scheme": "heun, extrapolated", "dt": f"{dt:g}/(1 + γ²)", "realizations": size,
            "series": [{"name": name, "x": CLOCK} for name in names],
        },
    )


def draw_one_point(axes: Axes, result: Result) -> None:
    def decay(n: int) -> figures.Curve:
        return lambda t: np.exp(-0.5 * (n - 1) * t)

    curves = {f"n = {n}, γ = {gamma:g}": decay(n) for n, gamma in CASES}
    figures.over_curves(axes, result, curves, "(1 + γ²) × time", "E X·X_0", start=0.0)


# Generator of a pair

STARTS = (-1.0, -0.5, 0.0, 0.5, 0.9)
PAIR_N, PAIR_GAMMA = 3, 1.0


def predict_generator() -> list[Array]:
    """Drift and variance from the printed generator; its second coefficient is half a variance.

    The variance vanishes at z = -1, where it is not looked at: that of a finite step does not.
    """
    z, square = np.array(STARTS), PAIR_GAMMA**2
    drift = (1 - z) * (square * (PAIR_N - 2 - z) - 2 * z * (1 + z))
    return [drift, (2 * (1 - z) ** 2 * (1 + z) * (2 * (1 + z) + square))[1:]]


def measure_generator(level: Level, seed: int) -> Measurement:
    """Mean and mean square of what one step h, and one step h/2, adds to Z."""
    size, h = amount(level, 20_000), step(level, 1 / 64)
    x0, start = at_overlaps(PAIR_N, STARTS), np.array(STARTS)
    moments = []
    for dt in (h, 0.5 * h):
        x = simulate(
            biased(PAIR_N, PAIR_GAMMA), t=dt, dt=dt, times=[dt], x0=x0, realizations=size,
            seed=stream(seed),
        ).x.values[:, 0]
        gain = np.sum(x[:, :1] * x[:, 1:], axis=-1) - start
        moments.append(np.stack([gain / dt, gain**2 / dt], axis=1))
    samples = 2.0 * moments[1] - moments[0]
    return Jointly(
        [
            Estimates.of_means(samples[:, 0], [f"drift, z = {z:g}" for z in STARTS]),
            Estimates.of_means(samples[:, 1, 1:], [f"variance, z = {z:g}" for z in STARTS[1:]]),
        ],
        details={
            "scheme": "heun, extrapolated", "dt": h, "n": PAIR_N, "gamma": PAIR_GAMMA,
            "realizations": size,
            "series": [
                {"name": "drift", "x": STARTS}, {"name": "variance", "x": STARTS[1:]},
            ],
        },
    )


def draw_generator(axes: Axes, result: Result) -> None:
    z, square = np.linspace(-1.0, 1.0, 101), PAIR_GAMMA**2
    drift = (1 - z) * (square * (PAIR_N - 2 - z) - 2 * z * (1 + z))
    variance = 2 * (1 - z) ** 2 * (1 + z) * (2 * (1 + z) + square)
    for index, (series, curve) in enumerate(
        zip(figures.series_of(result), (drift, variance), strict=True)
    ):
        figures.line(axes, z, curve, index, series.name)
        figures.points(axes, series, index)
    figures.finish(axes, "overlap z, n = 3, γ = 1", "per unit time")


# One point attracts everything

MEETING_TIMES = (0.0625, 1.0, 2.0, 4.0)
MEETING_STARTS = (-1.0, 0.0)
LATE, TOGETHER = 24.0, 0.01  # E θ at 24 is about 1e-9


def paper_rate(n: int, gamma: float) -> float:
    """λ of Shalova's bound π e^{-λt}."""
    return 2.0 * gamma**2 * (n - 1) / (gamma**2 + 4.0)


def predict_meeting() -> list[Array]:
    """The bound, the exact mean, and that all pairs end together."""
    pair = TwoPoint(biased(PAIR_N, PAIR_GAMMA))
    times = np.array(MEETING_TIMES)
    bound = np.pi * np.exp(-paper_rate(PAIR_N, PAIR_GAMMA) * times)
    means = [pair.mean_angle(z, times) for z in MEETING_STARTS]
    return [np.tile(bound, len(MEETING_STARTS)), np.concatenate(means), np.ones(2)]


def measure_meeting(level: Level, seed: int) -> Measurement:
    size, dt = amount(level, 1200), step(level, 1 / 16)
    field, x0 = biased(PAIR_N, PAIR_GAMMA), at_overlaps(PAIR_N, MEETING_STARTS)
    angles = extrapolated(
        lambda x: sphere.between(x[:, :, :1], x[:, :, 1:]), field, x0, MEETING_TIMES, dt, size,
        stream(seed),
    )
    angles = np.swapaxes(angles, 1, 2)
    late = simulate(
        field, t=LATE, dt=dt, times=[LATE], x0=x0, realizations=size // 10,
        seed=stream(seed, "late"),
    ).x.values[:, 0]
    share = np.mean(sphere.between(late[:, :1], late[:, 1:]) < TOGETHER, axis=0)
    means = Estimates.of_means(angles.reshape(size, -1))
    return Jointly(
        [
            Bounds(
                means.values, means.errors,
                [f"E dist, z_0 = {z:g}, t = {t:g}" for z in MEETING_STARTS for t in MEETING_TIMES],
            ),
            Estimates(
                means.values, means.errors,
                [f"E θ, z_0 = {z:g}, t = {t:g}" for z in MEETING_STARTS for t in MEETING_TIMES],
            ),
            Identity(
                share, np.full(2, 1e-9), [f"share together, z_0 = {z:g}" for z in MEETING_STARTS],
                because="E θ at the end is 1e-9, so one pair in a million is further off",
            ),
        ],
        headline=2 * len(MEETING_TIMES),
        details={
            "scheme": "heun, extrapolated", "dt": dt, "n": PAIR_N, "gamma": PAIR_GAMMA,
            "realizations": size, "late": LATE,
            "series": [{"name": f"z_0 = {z:g}", "x": MEETING_TIMES} for z in MEETING_STARTS],
        },
    )


def draw_meeting(axes: Axes, result: Result) -> None:
    t = np.linspace(0.0, MEETING_TIMES[-1], 33)
    pair = TwoPoint(biased(PAIR_N, PAIR_GAMMA))
    for index, series in enumerate(figures.series_of(result)):
        z = MEETING_STARTS[index]
        figures.line(axes, t, pair.mean_angle(z, t), index, f"exact, {series.name}")
        figures.points(axes, series, index)
    bound = np.pi * np.exp(-paper_rate(PAIR_N, PAIR_GAMMA) * t)
    figures.line(axes, t, bound, 2, "bound π exp(-λt)")
    axes.set_yscale("log")
    figures.finish(axes, "time t, n = 3, γ = 1", "E dist(X_t, Y_t)")


# A strong bias

STRONG = ((6, 3.0, (0.05, 0.1, 0.15), 1 / 320), (4, 2.5, (0.05, 0.1, 0.2), 1 / 160))
CLOSE = 0.02


def predict_strong() -> list[Array]:
    """θ_0 exp(-(n-2)γ²t/2), for the mean angle, and as a bound from opposite starts."""
    decay = [np.exp(-0.5 * (n - 2) * g * g * np.array(times)) for n, g, times, _ in STRONG]
    return [CLOSE * np.concatenate(decay), np.pi * np.concatenate(decay)]


def measure_strong(level: Level, seed: int) -> Measurement:
    size = amount(level, 1000)
    close, far = [], []
    for n, gamma, times, quick in STRONG:
        angles = extrapolated(
            lambda x: sphere.between(x[:, :, :1], x[:, :, 1:]), biased(n, gamma),
            at_overlaps(n, [math.cos(CLOSE), -1.0]), times, step(level, quick), size,
            stream(seed, n),
        )
        close.append(Estimates.of_means(angles[..., 0]))
        far.append(Estimates.of_means(angles[..., 1]))
    labels = [f"n = {n}, γ = {g:g}, t = {t:g}" for n, g, times, _ in STRONG for t in times]
    opposite = joined(far, labels)
    return Jointly(
        [
            joined(close, [f"E θ, {label}" for label in labels]),
            Bounds(opposite.values, opposite.errors, [f"from θ_0 = π, {x}" for x in labels]),
        ],
        details={
            "scheme": "heun, extrapolated", "realizations": size, "theta_0": CLOSE,
            "series": [
                {"name": f"{name}, n = {n}, γ = {g:g}", "x": times}
                for name in ("θ_0 = 0.02", "θ_0 = π") for n, g, times, _ in STRONG
            ],
        },
    )


def draw_strong(axes: Axes, result: Result) -> None:
    for index, series in enumerate(figures.series_of(result)):
        n, gamma, times, _ = STRONG[index % 2]
        t = np.linspace(0.0, times[-1], 51)
        first = CLOSE if index < 2 else math.pi
        kind = "mean" if index < 2 else "bound"
        figures.line(
            axes, t, first * np.exp(-0.5 * (n - 2) * gamma**2 * t), index,
            f"{kind}, n = {n}, γ = {gamma:g}",
        )
        figures.points(axes, series, index)
    axes.set_yscale("log")
    figures.finish(axes, "time t", "E θ")


# Exponent

EXPONENTS = ((2, 1.0), (3, 1.0), (4, 0.5))


def predict_exponent() -> Array:
    return np.array([-2.0 - 0.5 * (n - 1) * gamma**2 for n, gamma in EXPONENTS])


def measure_exponent(level: Level, seed: int) -> Measurement:
    """The top exponent of the tangent flow, the step taken out along one noise path."""
    size, dt, span = amount(level, 100), step(level, 1 / 32), 4.0
    values = []
    for n, gamma in EXPONENTS:
        coarse, fine = (
            lyapunov_spectrum(
                Flow(biased(n, gamma), dt=h), t=span, realizations=size, seed=stream(seed, n)
            ).sample.values[:, 0]
            for h in (dt, 0.5 * dt)
        )
        values.append(2.0 * fine - coarse)
    return Estimates.of_means(
        np.stack(values, axis=1), [f"λ_1, n = {n}, γ = {g:g}" for n, g in EXPONENTS], headline=1,
        details={
            "scheme": "heun, extrapolated", "dt": dt, "time": span, "realizations": size,
            "series": [{"name": "λ_1", "x": np.arange(len(EXPONENTS))}],
        },
    )


def draw_exponent(axes: Axes, result: Result) -> None:
    [series] = figures.series_of(result)
    figures.line(axes, series.x, series.predicted, 0, "-2 - (n-1)γ²/2")
    figures.points(axes, series, 0)
    axes.set_xticks(series.x, [f"n = {n}, γ = {gamma:g}" for n, gamma in EXPONENTS])
    figures.finish(axes, "case", "top exponent")


CLAIMS = (
    Claim(
        "bias.one_point",
        "With a bias γ a token at time t/(1+γ²) is Brownian motion at unit speed:"
        " E X·X_0 = exp(-(n-1)t/2).",
        "Sh 3.1 (Shalova 2026)",
        predict_one_point, measure_one_point, draw_one_point,
    ),
    Claim(
        "bias.generator",
        "The overlap of two tokens has the generator"
        " (1-z)[γ²(n-2-z) - 2z(1+z)]∂ + (1-z)²(1+z)[2(1+z)+γ²]∂².",
        "Sh 3.11 (Shalova 2026)",
        predict_generator, measure_generator, draw_generator,
    ),
    Claim(
        "bias.meeting",
        "With any bias all pairs come together, opposite ones included, and"
        " E dist <= π exp(-λt), λ = 2γ²(n-1)/(γ²+4).",
        "Sh 3.4 (Shalova 2026); the exact mean from rqf.theory.TwoPoint",
        predict_meeting, measure_meeting, draw_meeting,
    ),
    Claim(
        "bias.strong",
        "The mean distance falls at the rate (n-2)γ²/2 where a pair is close, and at least so"
        " fast from every start: E θ_t <= θ_0 exp(-(n-2)γ²t/2).",
        "Sh 3.4 (Shalova 2026), large γ; docs/bias.md",
        predict_strong, measure_strong, draw_strong,
    ),
    Claim(
        "bias.exponent",
        "The top Lyapunov exponent with bias is λ_1 = -2 - (n-1)γ²/2.",
        "docs/bias.md, in the units of Sh (Shalova 2026)",
        predict_exponent, measure_exponent, draw_exponent,
    ),
    *bias_stages.CLAIMS,
)
