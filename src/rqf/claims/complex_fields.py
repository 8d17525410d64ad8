"""Attractors of k points on S^{2m-1} ⊂ C^m: a Hermitian form beside a holomorphic potential.

A Hermitian form of strength sigma² = k(k-1) c beside the potential of degree k and strength c moves
a token as round Brownian motion, by k² c/2 in every direction; see docs/points.md. The flow
commutes with e^{2πi/k}, so that a token released with all its k phases leaves a whole orbit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Estimates, Identity, Measurement, joined
from rqf.fields import round_pair
from rqf.fields.complex_space import to_complex, to_real
from rqf.flow import Flow, simulate
from rqf.observe import lyapunov_spectrum
from rqf.observe.clusters import clusters
from rqf.theory import unitary_exponents

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
PAGE = "docs/points.md"
QUICK = ((2, 3), (2, 4), (3, 3))
FULL = (*((2, k) for k in range(3, 9)), (3, 3), (3, 4), (3, 5))


def step(k: int, size: float) -> float:
    """A power of two with k⁴ dt at most `size`: k times the angle of a step stays small."""
    return float(2.0 ** math.floor(math.log2(size / k**4)))


def cases(level: Level) -> tuple[tuple[int, int], ...]:
    return QUICK if level == "quick" else FULL


# One token

DECAYS = (0.5, 1.0)  # of the mean overlap, in e-folds


def predict_brownian() -> Array:
    """E[X_t·X_0] = exp(-(2m-1) k² t/4), at times after so many e-folds."""
    return np.tile(np.exp(-np.array(DECAYS)), len(QUICK))


def measure_brownian(level: Level, seed: int) -> Measurement:
    """Mean overlaps from a random start, extrapolated to dt = 0 from two steps on one path."""
    size = amount(level, 500)
    found = []
    for m, k in QUICK:
        start = sphere.uniform(1, 2 * m, stream(seed, m, k))
        rate = (2 * m - 1) * k * k / 4.0
        dt = step(k, 0.25)
        stops = np.array([round(decay / rate / dt) for decay in DECAYS])
        runs = []
        for fine in (1, 2):
            ds = simulate(
                round_pair(m, k), t=stops[-1] * dt, dt=dt / fine, realizations=size,
                seed=stream(seed, m, k), times=stops * dt, x0=start,
            )
            runs.append(ds.x.values[:, :, 0] @ start[0])
        exact = np.exp(-np.array(DECAYS)) / np.exp(-rate * stops * dt)
        found.append(Estimates.of_means((2.0 * runs[1] - runs[0]) * exact))
    return joined(
        found,
        [f"m = {m}, k = {k}: after {decay:g} e-folds" for m, k in QUICK for decay in DECAYS],
        details={
            "samples": size, "dt": "2^-j <= 1/(4k⁴) and half of it, extrapolated",
            "series": [{"name": f"m = {m}, k = {k}", "x": DECAYS} for m, k in QUICK],
        },
    )


def draw_brownian(axes: Axes, result: Result) -> None:
    decay = np.linspace(0.0, 1.1, 50)
    figures.line(axes, decay, np.exp(-decay), 0, "e^{-(2m-1)k²t/4}")
    for index, series in enumerate(figures.series_of(result)):
        figures.points(axes, series._replace(x=series.x + 0.02 * (index - 1)), index)
    figures.finish(axes, "(2m-1)k²t/4", "E[X_t·X_0]")


# Exponents


def predict_exponents() -> Array:
    """The largest exponent, the smallest and the sum of all, in closed form."""
    return np.ravel([unitary_exponents(round_pair(m, k)) for m, k in QUICK])


def measure_exponents(level: Level, seed: int) -> Measurement:
    """Exponents of the tangent flow, extrapolated to dt = 0 from two steps on one path."""
    size = amount(level, 16)
    found, labels, series = [], [], []
    for m, k in QUICK:
        dt = step(k, 0.125)
        runs = [
            lyapunov_spectrum(
                Flow(round_pair(m, k), h), 128 * dt, size, stream(seed, m, k), burn_in=32 * dt
            )["sample"].values
            for h in (dt, dt / 2.0)
        ]
        spectrum = 2.0 * runs[1] - runs[0]
        three = [spectrum[:, 0], spectrum[:, -1], np.sum(spectrum, axis=1)]
        found.append(Estimates.of_means(np.stack(three, axis=1)))
        labels += [f"m = {m}, k = {k}: {name}" for name in ("λ_1", f"λ_{2 * m - 1}", "sum")]
        series.append({"name": f"m = {m}, k = {k}", "x": [1, 2, 3]})
    return joined(
        found, labels, freedom=None if size > 100 else size - 1.0,
        details={
            "realizations": size, "dt": "2^-j <= 1/(8k⁴) and half of it, extrapolated",
            "series": series,
        },
    )


def draw_exponents(axes: Axes, result: Result) -> None:
    axes.axhline(0.0, color="#111111", linewidth=1.0)
    for index, series in enumerate(figures.series_of(result)):
        figures.line(axes, series.x, series.predicted, index)
        figures.points(axes, series, index)
    axes.set_xticks([1, 2, 3], ["largest", "smallest", "sum"])
    figures.finish(axes, "exponent", "per unit time")


# Points

TOKENS = 12  # besides the k phases of the first one
PATIENCE = 100  # times m: stretches of 1/k² that a realisation is waited for
REST = 1e-6
APART = 1e-2  # an angle far above the rest of a point, far below the distance of two


def predict_points() -> Array:
    return np.array([1.0, 0.0])


def measure_points(level: Level, seed: int) -> Measurement:
    """The share of realisations that end in exactly k points, and how far those are off an orbit.

    A realisation is waited for until its tokens have gathered, within a fixed patience; one that
    has not counts against the claim.
    """
    size = 4 if level == "quick" else 200
    gathered, off, tried = 0, 0.0, 0
    example: dict[str, Array] = {}
    for m, k in cases(level):
        final, counts = ends(m, k, size, stream(seed, m, k))
        tried += size
        gathered += int(np.sum(counts == k))
        z = to_complex(final)
        turned = (np.einsum("rti,ri->rt", z, np.conj(z[:, 0]))) ** k
        off = max(off, float(np.max(np.abs(turned[counts == k] - 1.0), initial=0.0)))
        example[f"m = {m}, k = {k}"] = counts / k
    return Identity(
        [gathered / tried, off], [1e-9, 1e-3],
        ["share of realisations with exactly k points", "departure of (z·w*)^k from 1"],
        because="k points or not; tokens at rest to 1e-6, k of them in a phase",
        details={
            "cases": ", ".join(f"({m}, {k})" for m, k in cases(level)),
            "realizations": size, "counts": example,
        },
    )


def ends(m: int, k: int, size: int, seed: int) -> tuple[Array, NDArray[np.int64]]:
    """Tokens at rest, shape (size, TOKENS + k - 1, 2m), and the number of points of each run."""
    dt = step(k, 0.25)
    steps = round(1.0 / k**2 / dt)
    start = sphere.uniform(TOKENS, 2 * m, stream(seed, "starts"))
    phases = np.exp(2j * np.pi * np.arange(1, k) / k)[:, None] * to_complex(start[:1])
    x = np.broadcast_to(np.concatenate([start, to_real(phases)]), (size, TOKENS + k - 1, 2 * m))
    x = np.array(x)
    waiting = np.arange(size)
    for stretch in range(PATIENCE * m):
        ds = simulate(
            round_pair(m, k), t=steps * dt, dt=dt, realizations=waiting.size,
            seed=stream(seed, stretch), times=[steps * dt], x0=x[waiting], scheme="euler",
        )
        x[waiting] = sphere.normalize(ds.x.values[:, 0])
        waiting = np.array([r for r in waiting if not _at_rest(x[r], k)], dtype=np.int64)
        if waiting.size == 0:
            break
    return x, np.asarray(clusters(x, resolution=APART).count, np.int64)


def _at_rest(x: Array, k: int) -> bool:
    """Whether every token is within 1e-6 of a phase of the first one."""
    z = to_complex(x)
    turned = z @ np.conj(z[0])
    return bool(np.max(np.abs(np.abs(turned) - 1.0)) < REST) and bool(
        np.max(np.abs(turned**k - 1.0)) < k * REST
    )


def draw_points(axes: Axes, result: Result) -> None:
    counts = result.details["counts"]
    for index, ratio in enumerate(counts.values()):
        values, numbers = np.unique(ratio, return_counts=True)
        axes.scatter(
            np.full(values.size, index), values, s=4.0 * numbers + 20, color=figures.COLOURS[2],
            label="realisations (area)" if index == 0 else None,
        )
    axes.axhline(1.0, color="#111111", linewidth=1.0)
    axes.set_xticks(range(len(counts)), list(counts), rotation=45, ha="right", fontsize="small")
    axes.legend()
    figures.finish(axes, "", "points found / k", legend=False)
    axes.set_xlabel("complex dimension m, degree k")


CLAIMS = (
    Claim(
        id="complex.brownian",
        statement=(
            "On S^{2m-1} a Hermitian form of strength k(k-1)c beside a holomorphic potential of"
            " degree k and strength c moves a token as round Brownian motion: E[X_t·X_0] ="
            " exp(-(2m-1)k²ct/4)."
        ),
        source=f"{PAGE}, section 3",
        predict=predict_brownian,
        measure=measure_brownian,
        draw=draw_brownian,
    ),
    Claim(
        id="complex.exponents",
        statement=(
            "Its largest and smallest Lyapunov exponents and their sum are those of the closed"
            " form; the largest is negative for m = 2, k <= 18 and m = 3, k <= 7."
        ),
        source=f"{PAGE}, section 3",
        predict=predict_exponents,
        measure=measure_exponents,
        draw=draw_exponents,
    ),
    Claim(
        id="complex.points",
        statement=(
            "Where its exponents are negative its attractor is exactly k points, one orbit of"
            " e^{2πi/k}: Brownian motion on a sphere of more than two dimensions can have it."
        ),
        source=f"{PAGE}, section 3; the question left open in Sh 4 (Shalova 2026)",
        predict=predict_points,
        measure=measure_points,
        draw=draw_points,
    ),
)
