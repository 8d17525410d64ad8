"""The attractor in time: it moves as Brownian motion, carried by the flow, and draws every token.

Here ω is followed forwards from time 0, where a(ω) is known from the past; what is measured of the
future does not depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import figures
from rqf.claims.attractor import (
    DISTANT,
    PAST,
    ROUNDING,
    SCHEME,
    N,
    log_sine,
    mean_log_sine,
    model,
    moved,
    rate,
)
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.lifts import Array, lifts, top_left
from rqf.claims.measurements import Estimates, Identity, Jointly, Measurement
from rqf.claims.tokens import MODEL, UNIT_SPEED
from rqf.noise import Wiener
from rqf.observe import forward_convergence, pullback_attractor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = "σ = √2"  # those of Engel and Shalova
LATER = (0.5, 1.0, 2.0)
FORWARD = (0.5, 1.0, 2.0, 4.0)
FAR = (8.0, 64.0)


# Motion


def predict_motion() -> Array:
    """exp(-ℓ(ℓ+n-2)t/4) for degree 1, then for degree 2."""
    times = np.array(LATER)
    return np.concatenate([np.exp(-degree * (degree + N - 2) * times / 4.0) for degree in (1, 2)])


def measure_motion(level: Level, seed: int) -> Measurement:
    """Zonal harmonics of a_t·a_0, a_t = a(θ_t ω); its sign is carried along by the flow."""
    flow, omega, size = model(dt=1 / 32), Wiener(seed), amount(level, 1000)
    past = lifts(model(), omega.shift(-PAST), size, PAST)
    a = top_left(past)
    overlaps = []
    for t in LATER:
        future = lifts(flow, omega, size, t)
        later = top_left(future @ past)  # of the lift over [-PAST, t]
        carried = moved(future, a[:, None])[:, 0]
        sign = np.sign(np.sum(later * carried, axis=1))
        overlaps.append(sign * np.sum(later * a, axis=1))
    z = np.stack(overlaps, axis=1)
    second = (N * z**2 - 1.0) / (N - 1.0)
    return Estimates.of_means(
        np.column_stack([z, second]),
        [f"degree {degree}, t = {t:g}" for degree in (1, 2) for t in LATER],
        headline=4,
        details={
            "scheme": SCHEME, "dt": flow.dt, "n": N, "past": PAST, "realizations": size,
            "series": [{"name": f"degree {degree}", "x": LATER} for degree in (1, 2)],
        },
    )


def draw_motion(axes: Axes, result: Result) -> None:
    figures.over_curves(
        axes, result,
        {"degree 1": lambda t: np.exp(-t / 2.0), "degree 2": lambda t: np.exp(-3.0 * t / 2.0)},
        "time t", "mean harmonic of a(θ_t ω)·a(ω), n = 3", start=0.0,
    )


def measure_carried(level: Level, seed: int) -> Measurement:
    """The angle between φ(t, ω, a(ω)) and ±a(θ_t ω), each found from its own past."""
    times, flow, size = (0.5, 2.0, 8.0), model(), 8 if level == "quick" else 32
    off = np.zeros((size, len(times)))
    for realization in range(size):
        omega = Wiener(seed, realization=realization)
        carried = flow.path(omega, pullback_attractor(flow, omega, DISTANT).points[0], times)
        later = [pullback_attractor(flow, omega.shift(t), DISTANT).points[0] for t in times]
        off[realization] = sphere.projective_distance(carried, np.stack(later))
    return Identity(
        np.max(off, axis=0),
        ROUNDING,
        [f"largest ∠(φ(t, ω, a(ω)), ±a(θ_t ω)), t = {t:g}" for t in times],
        because="120 e-folds of past, the rest is rounding",
        details={
            "scheme": SCHEME, "dt": flow.dt, "n": N, "past": DISTANT, "realizations": size,
            "times": times,
        },
    )


def draw_carried(axes: Axes, result: Result) -> None:
    """How far the two ways to a(θ_t ω) differ."""
    figures.exact(axes, result, result.details["times"], "time t", "angle (radians)")


# Forward attraction, in the paper's units


def predict_forward() -> list[Array]:
    """Rate -2 and the mean log distance at each time; the same for one path followed for long."""
    near, far = (mean_log_sine(N) - 2.0 * np.array(times) for times in (FORWARD, FAR))
    return [np.array([-2.0, *near]), np.array([-2.0, *far])]


def measure_forward(level: Level, seed: int) -> Measurement:
    """log sin of the angle between φ(t, ω, x) and ±a(θ_t ω).

    At first from many realisations; then for some of them far below rounding, by the graded lift.
    """
    flow = model(dt=1 / 16, sigma=UNIT_SPEED)
    omega, size, few = Wiener(seed), amount(level, 1000), amount(level, 24)
    starts = sphere.rotation(N, 1)
    a = top_left(lifts(flow, omega.shift(-PAST / 2.0), size, PAST / 2.0))[:, None]
    near = np.empty((size, len(FORWARD)))
    for column, t in enumerate(FORWARD):
        future = lifts(flow, omega, size, t)
        near[:, column] = np.mean(log_sine(moved(future, starts), moved(future, a)), axis=1)
    far = np.empty((few, len(FAR)))
    for realization in range(few):
        path = Wiener(stream(seed, "far"), realization=realization)
        logs = forward_convergence(flow, path, starts, FAR, past=PAST / 2.0)
        far[realization] = np.mean(logs, axis=1)
    parts = [
        Estimates.of_means(
            np.column_stack([rate(times, logs), logs]),
            [f"rate up to t = {times[-1]:g}", *(f"E log sin ∠, t = {t:g}" for t in times)],
        )
        for times, logs in ((FORWARD, near), (FAR, far))
    ]
    return Jointly(
        parts,
        details={
            "scheme": SCHEME, "dt": flow.dt, "n": N, "starts": len(starts), "units": UNITS,
            "realizations": size, "realizations followed for long": few,
        },
    )


def draw_forward(axes: Axes, result: Result) -> None:
    """All times, the few realisations followed for long apart."""
    predicted, measured, error = (
        result.column(name) for name in ("predicted", "measured", "error")
    )
    end = 1 + len(FORWARD)
    parts = (
        ("many realizations", FORWARD, slice(1, end)),
        ("some, for long", FAR, slice(end + 1, None)),
    )
    for index, (name, times, rows) in enumerate(parts):
        series = figures.Series(
            name, np.array(times), -predicted[rows], -measured[rows], error[rows]
        )
        figures.points(axes, series, index)
    t = np.geomspace(FORWARD[0], FAR[-1], 200)
    figures.line(axes, t, 2.0 * t - mean_log_sine(N))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    figures.finish(axes, f"time t ({UNITS})", "-E log sin ∠(X_t(x), ±a(θ_t ω))")


CLAIMS = (
    Claim(
        id="attractor.motion",
        statement=(
            "Along the noise a(θ_t ω) moves as Brownian motion with generator ¼Δ: a harmonic of"
            " degree ℓ of a(θ_t ω)·a(ω) decays as exp(-ℓ(ℓ+n-2)t/4)."
        ),
        source=f"ES 4.3 (Engel–Shalova 2026); {MODEL}, section 8",
        predict=predict_motion,
        measure=measure_motion,
        draw=draw_motion,
    ),
    Claim(
        id="attractor.carried",
        statement="The flow carries the attractor along: φ(t, ω, a(ω)) = ±a(θ_t ω).",
        source="ES 4.8 (Engel–Shalova 2026)",
        predict=lambda: np.zeros(3),
        measure=measure_carried,
        draw=draw_carried,
    ),
    Claim(
        id="attractor.forward",
        statement=(
            "Strong forward point attractor: dist(X_t(x), ±a(θ_t ω)) → 0 for every x, with"
            " E log sin ∠ = c_n - 2t for σ = √2."
        ),
        source="ES 4.8 (Engel–Shalova 2026)",
        predict=predict_forward,
        measure=measure_forward,
        draw=draw_forward,
    ),
)
