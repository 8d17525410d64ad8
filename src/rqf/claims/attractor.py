"""The random attractor: two opposite points ±a(ω), reached from every start at rate 1.

Everything here follows one noise path: a(ω) is found in its past, what comes after is its future.
The past is pulled back by the lift G over [-T, 0], whose top left singular vector tends to a like
e^{-T}. Where the pair (x, a) is followed from a uniform a independent of the noise to come, the
mean logarithm of the sine of its angle falls at exactly the rate 1, from

    E log sin ∠(x, a) = ½ [ψ((n-1)/2) - ψ(n/2)],   ψ the digamma function:

log cosh u grows at rate 1 in mean if u moves by ∂²_u + tanh u ∂_u, and sin ∠ = 1/cosh u.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.lifts import Array, lifts, top_left
from rqf.claims.measurements import Directions, Estimates, Identity, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow
from rqf.noise import Wiener
from rqf.observe import pullback_attractor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N = 3
SCHEME = "corrected-exponential"
PAST = 24.0  # e^{-24}: how well a is known where more would not show
SETTLED = 16.0  # enough where a is only looked at
DISTANT = 120.0  # 120 ± 15 e-folds: every realization has collapsed to rounding
ROUNDING = 1e-7  # of a token that starts close to the hyperplane between the two basins
WHOLE = 1e-9  # numbers of points are whole numbers

PULLED_BACK = (1.0, 2.0, 4.0, 8.0)


def mean_log_sine(n: int) -> float:
    """E log sin of the angle between two independent uniform points of S^{n-1}."""
    return 0.5 * float(digamma(0.5 * (n - 1)) - digamma(0.5 * n))


def model(n: int = N, dt: float = 1 / 8, sigma: float = 1.0) -> Flow:
    return Flow(RandomQuadraticForm(n, sigma=sigma), dt=dt, scheme=SCHEME)


def log_sine(x: Array, a: Array) -> Array:
    """log sin of the angle between unit rows, small angles included."""
    along = np.sum(x * a, axis=-1, keepdims=True)
    return np.asarray(np.log(np.linalg.norm(x - along * a, axis=-1)))


def moved(lifted: Array, starts: Array) -> Array:
    """Tokens (R, N, n) that start at (N, n) or (R, N, n)."""
    return sphere.normalize(starts @ np.swapaxes(lifted, -1, -2))


def rate(times: Sequence[float], logs: Array) -> Array:
    """The slope of logs (R, times) between the first time and the last."""
    return (logs[:, -1] - logs[:, 0]) / (times[-1] - times[0])


# Two points


def measure_two_points(level: Level, seed: int) -> Measurement:
    """How far 64 tokens from a distant past are off ±a, and how many of the two they occupy."""
    dimensions, tokens, size = (2, 3, 5), 64, 16 if level == "quick" else 64
    values: list[float] = []
    for n in dimensions:
        flow = model(n)
        off, occupied = 0.0, []
        for realization in range(size):
            omega = Wiener(stream(seed, n), realization=realization)
            a = pullback_attractor(flow, omega, t=DISTANT).points[0]
            start = sphere.uniform(tokens, n, stream(seed, n, "starts", realization))
            x = flow(omega.shift(-DISTANT), start, t=DISTANT)
            off = max(off, float(np.max(sphere.projective_distance(x, a))))
            occupied.append(len(np.unique(x @ a > 0.0)))
        values += [min(occupied), max(occupied), off]
    return Identity(
        values,
        np.tile([WHOLE, WHOLE, ROUNDING], len(dimensions)),
        [
            f"{what}, n = {n}"
            for n in dimensions
            for what in ("fewest points", "most points", "largest distance to ±a")
        ],
        because="120 e-folds to within rounding; 64 tokens on one side have probability 2^-63",
        details={
            "scheme": SCHEME, "dt": flow.dt, "tokens": tokens, "past": DISTANT,
            "realizations": size, "paths": _paths(seed),
        },
    )


def _paths(seed: int) -> dict[str, Array]:
    """Tokens on the circle under one noise, for the figure."""
    flow = model(2, dt=1 / 16)
    phi = 2.0 * np.pi * (np.arange(24) + 0.5) / 24
    times = np.arange(0, 12.01, 1 / 16)
    x = flow.path(Wiener(seed), np.stack([np.cos(phi), np.sin(phi)], -1), times)
    return {"time": times, "angle": np.arctan2(x[..., 1], x[..., 0])}


def draw_two_points(axes: Axes, result: Result) -> None:
    """Tokens of one realisation on the circle, on their way to two opposite points."""
    paths = result.details["paths"]
    angle = np.array(paths["angle"])
    for index, token in enumerate(angle.T):
        broken = np.where(np.abs(np.diff(token, append=token[-1])) > np.pi, np.nan, token)
        axes.plot(
            paths["time"], broken, color="#111111", linewidth=0.8,
            label=None if index else "24 tokens; predicted: two angles, π apart",
        )
    axes.set_ylim(-np.pi, 1.4 * np.pi)
    axes.legend(loc="upper right")
    axes.set_yticks([-np.pi, 0.0, np.pi], ["−π", "0", "π"])
    axes.set_xlabel("time t, one realization, n = 2")
    axes.set_ylabel("angle of the token")


# Pullback


def predict_pullback() -> Array:
    """The mean log error at each time, and the rate."""
    return np.array([*(mean_log_sine(N) - np.array(PULLED_BACK)), -1.0])


def measure_pullback(level: Level, seed: int) -> Measurement:
    """log sin of the angle between φ(T, θ_{-T} ω, x) and a(ω), a found from much further back."""
    flow, omega, size = model(), Wiener(seed), amount(level, 1000)
    a = top_left(lifts(flow, omega.shift(-PAST), size, PAST))[:, None]
    starts = sphere.rotation(N, 0)
    logs = np.stack(
        [
            np.mean(log_sine(moved(lifts(flow, omega.shift(-t), size, t), starts), a), axis=1)
            for t in PULLED_BACK
        ],
        axis=1,
    )
    return Estimates.of_means(
        np.column_stack([logs, rate(PULLED_BACK, logs)]),
        [*(f"E log sin ∠, T = {t:g}" for t in PULLED_BACK), "rate"],
        headline=len(PULLED_BACK),
        details={
            "scheme": SCHEME, "dt": flow.dt, "n": N, "realizations": size, "starts": len(starts),
            "series": [{"name": "n = 3", "x": PULLED_BACK}],
        },
    )


def draw_pullback(axes: Axes, result: Result) -> None:
    figures.over_curves(
        axes, result, {"n = 3": lambda t: mean_log_sine(N) - t}, "time T since release",
        "E log sin ∠(token, ±a)", start=0.0,
    )


# Position


def measure_uniform(level: Level, seed: int) -> Measurement:
    """One of the two points of each realisation, chosen by a coin."""
    size, groups = amount(level, 800), []
    for n in (2, 3, 5):
        omega = Wiener(stream(seed, n)).shift(-SETTLED)
        a = top_left(lifts(model(n), omega, size, SETTLED))
        coin = np.random.default_rng(stream(seed, n, "coin")).integers(0, 2, size)
        groups.append(a * (2.0 * coin - 1.0)[:, None])
    return Directions(
        groups,
        [f"n = {n}" for n in (2, 3, 5)],
        headline=6,
        details={
            "scheme": SCHEME, "dt": 1 / 8, "past": SETTLED, "realizations": size,
            "points": groups[1][:1000],
        },
    )


def draw_uniform(axes: Axes, result: Result) -> None:
    """Distribution of each coordinate of a for n = 3, where uniform means uniform on [-1, 1]."""
    points = np.array(result.details["points"])
    height = (np.arange(len(points)) + 0.5) / len(points)
    axes.plot([-1, 1], [0, 1], "-", color="0.6", linewidth=3, label="uniform on the sphere")
    for i in range(N):
        figures.line(axes, np.sort(points[:, i]), height, i, f"coordinate {i + 1}")
    axes.set_xlabel(f"coordinate of a, n = 3, {len(points)} realizations")
    axes.set_ylabel("share of realizations below")
    axes.legend()


CLAIMS = (
    Claim(
        id="attractor.two_points",
        statement=(
            "The pullback attractor is two opposite points ±a(ω): whatever their starts in the"
            " far past, tokens now stand at one of the two, and both are taken."
        ),
        source="ES 4.8 (Engel–Shalova 2026)",
        predict=lambda: np.tile([2.0, 2.0, 0.0], 3),
        measure=measure_two_points,
        draw=draw_two_points,
    ),
    Claim(
        id="attractor.pullback",
        statement=(
            "A token released at -T is off ±a(ω) at time 0 by an angle that falls like e^{-T}:"
            " E log sin ∠ = c_n - T, exactly."
        ),
        source=f"{MODEL}, section 8",
        predict=predict_pullback,
        measure=measure_pullback,
        draw=draw_pullback,
    ),
    Claim(
        id="attractor.uniform",
        statement="The point a(ω), one of the two chosen by a coin, is uniform on the sphere.",
        source="ES 4.3 and 4.8 (Engel–Shalova 2026)",
        predict=lambda: [np.eye(n) for n in (2, 3, 5)],
        measure=measure_uniform,
        draw=draw_uniform,
    ),
)
