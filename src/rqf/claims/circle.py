"""The circle, as the paper writes it: dφ = cos 2φ ∘dB¹ + sin 2φ ∘dB².

Solved here on its own, without the matrices and schemes of the package, which it shall confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rqf.claims import figures
from rqf.claims.attractor import DISTANT, ROUNDING, WHOLE
from rqf.claims.attractor_in_time import UNITS
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.lifts import Array
from rqf.claims.measurements import Estimates, Identity, Jointly, Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMES = (0.5, 1.0, 2.0, 4.0)


def _sine(x: Array, y: Array, noise: Array) -> tuple[Array, Array]:
    """sin 2φ ∘dB solved exactly: the tangent of φ grows by the factor e^{2 dB}."""
    x, y = x * np.exp(-noise), y * np.exp(noise)
    size = np.hypot(x, y)
    return x / size, y / size


def _cosine(x: Array, y: Array, noise: Array) -> tuple[Array, Array]:
    """cos 2φ ∘dB solved exactly: it is sin 2ψ with ψ = φ + π/4."""
    root = 0.5**0.5
    u, v = _sine(root * (x - y), root * (x + y), noise)
    return root * (u + v), root * (v - u)


def solve(start: Array, times: Sequence[float], dt: float, realizations: int, seed: int) -> Array:
    """Angles (times, realizations, starts) that solve the equation on the circle.

    Each step is cos 2φ over the first half of dB¹, sin 2φ over dB², cos 2φ over the second half
    of dB¹: a symmetric splitting, of second order in law.
    """
    rng = np.random.default_rng(seed)
    angles = np.broadcast_to(start, (realizations, np.size(start)))
    x, y = np.cos(angles), np.sin(angles)
    seen, done = [], 0
    for t in times:
        for _ in range(done, round(t / dt)):
            noise = np.sqrt(dt) * rng.standard_normal((3, realizations, 1))
            x, y = _cosine(x, y, noise[0] * 0.5**0.5)
            x, y = _sine(x, y, noise[1])
            x, y = _cosine(x, y, noise[2] * 0.5**0.5)
        done = round(t / dt)
        seen.append(np.arctan2(y, x))
    return np.stack(seen)


def predict_circle() -> list[Array]:
    """Rate -2 and the Brownian motion of one angle; then two points, opposite to each other."""
    times = np.array(TIMES)
    return [np.array([-2.0]), np.exp(-times / 2.0), np.array([2.0, 2.0, 0.0])]


def measure_circle(level: Level, seed: int) -> Measurement:
    """The equation of the paper on its own, without the matrices of this package."""
    dt, size = 1 / 64, amount(level, 2000)
    pair = np.array([0.0, 0.5 * np.pi])
    moving = solve(pair, TIMES, dt, size, stream(seed, "rate"))
    with np.errstate(divide="ignore"):
        log_sine = np.log(np.abs(np.sin(moving[..., 1] - moving[..., 0])))
    rate = Estimates.of_means(log_sine[-1][:, None] / TIMES[-1], ["rate"])
    turned = Estimates.of_means(
        np.cos(moving[..., 0] - pair[0]).T, [f"E cos(φ_t - φ_0), t = {t:g}" for t in TIMES]
    )
    tokens, runs = 32, amount(level, 16)
    start = 2.0 * np.pi * (np.arange(tokens) + 0.5) / tokens
    final = solve(start, [DISTANT / 2.0], dt, runs, stream(seed, "points"))[0]
    half_turns = (final - final[:, :1]) / np.pi
    off = float(np.max(np.abs(half_turns - np.rint(half_turns))) * np.pi)
    occupied = [len(set(np.rint(row).astype(int) % 2)) for row in half_turns]
    points = Identity(
        [min(occupied), max(occupied), off],
        [WHOLE, WHOLE, ROUNDING],
        ["fewest points", "most points", "largest distance to them"],
        because="120 e-folds to within rounding; 32 tokens",
    )
    return Jointly(
        [rate, turned, points],
        details={
            "scheme": "symmetric splitting", "dt": dt, "realizations": size, "units": UNITS,
            "log sine": np.mean(log_sine, axis=1), "error": np.std(log_sine, axis=1) / size**0.5,
        },
    )


def draw_circle(axes: Axes, result: Result) -> None:
    """Mean log sine of the angle of a pair that starts at a right angle."""
    times = np.array(TIMES)
    measured, error = (np.array(result.details[name]) for name in ("log sine", "error"))
    series = figures.Series("E log |sin(φ_t - φ'_t)|", times, -2.0 * times, measured, error)
    figures.line(axes, [0.0, times[-1]], [0.0, -2.0 * times[-1]])
    figures.points(axes, series)
    figures.finish(axes, f"time t ({UNITS})", "E log |sin(φ_t - φ'_t)|")


CLAIMS = (
    Claim(
        id="attractor.circle",
        statement=(
            "On the circle, with σ = √2, dφ = cos 2φ ∘dB¹ + sin 2φ ∘dB² moves one angle as"
            " Brownian motion and all of them to two opposite points, pairs at the rate 2."
        ),
        source="ES 5.1 (Engel–Shalova 2026)",
        predict=predict_circle,
        measure=measure_circle,
        draw=draw_circle,
    ),
)
