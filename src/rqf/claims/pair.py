"""Two tokens: the diffusion of their overlap, its exact law, and what leaves it alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Polynomial

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import (
    CDF,
    SHARES,
    Estimates,
    Identity,
    Jointly,
    Measurement,
    Samples,
    joined,
)
from rqf.claims.tokens import MODEL, SCHEME, UNIT_SPEED, Array, at_overlaps, overlap, step
from rqf.fields import LinearLayer, RandomQuadraticForm, Skew
from rqf.flow import simulate
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Drift and variance

DIFFUSION = (2, 3, 5, 10)
OVERLAPS = (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9)
MOMENT = 2.0**-16  # so short that what is of higher order in it is below 1e-4
DRIFT = Polynomial([0.0, -2.0, 0.0, 2.0])
VARIANCE = 4.0 * Polynomial([1.0, 0.0, -1.0]) ** 2


def predict_diffusion() -> list[Array]:
    """Drift and variance at the overlaps, the same for every n."""
    z = np.array(OVERLAPS)
    return [np.tile(function(z), len(DIFFUSION)) for function in (DRIFT, VARIANCE)]


def measure_diffusion(level: Level, seed: int) -> Measurement:
    """Increments over one very short step, by independent pairs released at each overlap.

    The increment itself is nearly all noise: ΔZ = y·ΔX + x·ΔY + ΔX·ΔY, where the first two terms
    are of order √h. Their means are those of displacements along x and y, by symmetry about these
    axes, so that z(x·ΔX) and z(y·ΔY), of order h, take their place in the drift.
    """
    pairs = amount(level, 4000)
    z = np.repeat(OVERLAPS, pairs)
    drifts, variances = [], []
    for n in DIFFUSION:
        tokens = at_overlaps(n, OVERLAPS)
        x = np.broadcast_to(tokens[0], (z.size, n))
        y = np.repeat(tokens[1:], pairs, axis=0)
        ds = simulate(
            RandomQuadraticForm(n, sigma=UNIT_SPEED), t=MOMENT, dt=MOMENT, times=[MOMENT],
            x0=np.stack([x, y], axis=1), realizations=z.size, seed=stream(seed, n), scheme=SCHEME,
        )
        dx, dy = ds.x.values[:, 0, 0] - x, ds.x.values[:, 0, 1] - y
        along = np.sum(x * dx + y * dy, axis=-1)
        product = np.sum(dx * dy, axis=-1)
        across = np.sum(y * dx + x * dy, axis=-1)
        drifts.append(_by_overlap((product + z * along) / MOMENT))
        variances.append(_by_overlap((product + across) ** 2 / MOMENT))
    return Jointly(
        [
            joined(found, [f"n = {n}: {name} at z = {z:g}" for n in DIFFUSION for z in OVERLAPS],
                   rule="chi-square")
            for name, found in (("drift", drifts), ("variance", variances))
        ],
        details={
            "scheme": SCHEME, "dt": MOMENT, "sigma": "√2", "realizations": pairs,
            "series": [
                {"name": f"{name}, n = {n}", "x": OVERLAPS}
                for name in ("drift", "variance") for n in DIFFUSION
            ],
        },
        headline=1,
    )


def _by_overlap(samples: Array) -> Estimates:
    return Estimates.of_means(samples.reshape(len(OVERLAPS), -1).T)


def draw_diffusion(axes: Axes, result: Result) -> None:
    z = np.linspace(-1.0, 1.0, 201)
    figures.line(axes, z, DRIFT(z), 0, "drift -2z(1-z²)")
    figures.line(axes, z, VARIANCE(z), 1, "variance 4(1-z²)²")
    for index, series in enumerate(figures.series_of(result)):
        member = index % len(DIFFUSION)
        shifted = series._replace(x=series.x + 0.02 * (member - 1.5))
        label = f"n = {DIFFUSION[member]}" if index < len(DIFFUSION) else "_"
        figures.points(axes, shifted, member, label)
    figures.finish(axes, "overlap z", "per unit time")


# The exact law

LAW_TIMES = (0.3, 1.2, 4.0)
LAW_START = 0.5


def predict_law() -> list[CDF]:
    """Of the random quadratic form, in any dimension."""
    pair = TwoPoint(RandomQuadraticForm(3))

    def cdf(t: float) -> CDF:
        return lambda z: pair.cdf(z, LAW_START, t)

    return [cdf(t) for t in LAW_TIMES]


def measure_law(level: Level, seed: int) -> Measurement:
    return _law(RandomQuadraticForm(3), level, seed, 6000, step(level, 0.05))


def measure_linear_layer(level: Level, seed: int) -> Measurement:
    return _law(LinearLayer(5), level, seed, 2500, step(level, 0.05))


def _law(
    field: RandomQuadraticForm | LinearLayer, level: Level, seed: int, quick: int, dt: float
) -> Measurement:
    realizations = amount(level, quick)
    ds = simulate(
        field, t=LAW_TIMES[-1], dt=dt, times=LAW_TIMES, x0=at_overlaps(field.n, [LAW_START]),
        realizations=realizations, seed=stream(seed), scheme=SCHEME,
    )
    z = overlap(ds.x.values[:, :, 0], ds.x.values[:, :, 1])
    labels = [f"t = {t:g}" for t in LAW_TIMES]
    return Samples(
        list(z.T), labels,
        details={
            "field": repr(field), "scheme": SCHEME, "dt": dt, "realizations": realizations,
            "series": [{"name": label, "x": SHARES} for label in labels],
        },
        headline=7,
    )


# Rotations

SKEW_ANGLES = tuple(math.pi * part for part in (1 / 90, 1 / 4, 1 / 2, 2 / 3, 17 / 18))
SKEW_TIME, SKEW_STEP, SKEW_N = 8.0, 1 / 16, 4
# A step is a product of rotations in the n(n-1)/2 coordinate planes, each off by 4 roundings at
# most; the errors of all steps add up.
SKEW_ROTATIONS = SKEW_N * (SKEW_N - 1) // 2 * int(SKEW_TIME / SKEW_STEP)
SKEW_TOLERANCE = 4.0 * SKEW_ROTATIONS * float(np.finfo(np.float64).eps)


def predict_skew() -> Array:
    return np.array(SKEW_ANGLES)


def measure_skew(level: Level, seed: int) -> Measurement:
    """Angles of tokens with one of them, where they are furthest off in all realisations."""
    realizations = amount(level, 500)
    ds = simulate(
        Skew(SKEW_N), t=SKEW_TIME, dt=SKEW_STEP, times=17, realizations=realizations,
        x0=at_overlaps(SKEW_N, np.cos(SKEW_ANGLES)), seed=stream(seed), scheme=SCHEME,
    )
    x = ds.x.values
    angles = sphere.between(x[:, :, :1], x[:, :, 1:])
    off = np.abs(angles - np.array(SKEW_ANGLES)).reshape(-1, len(SKEW_ANGLES))
    worst = np.take_along_axis(
        angles.reshape(-1, len(SKEW_ANGLES)), np.argmax(off, axis=0)[None], axis=0
    )[0]
    return Identity(
        worst, SKEW_TOLERANCE, [f"θ_0 = {math.degrees(a):.0f}°, furthest off" for a in SKEW_ANGLES],
        because=f"four roundings in each of {SKEW_ROTATIONS} plane rotations",
        details={
            "scheme": SCHEME, "dt": SKEW_STEP, "n": SKEW_N, "t": SKEW_TIME,
            "realizations": realizations, "times": ds.time.values,
            "departure": np.max(np.abs(angles - np.array(SKEW_ANGLES)), axis=(0, 2)),
        },
        headline=2,
    )


def draw_skew(axes: Axes, result: Result) -> None:
    times = np.asarray(result.details["times"])
    departure = np.maximum(np.asarray(result.details["departure"]), 1e-17)
    axes.plot(times, departure, "o", color="#111111", label="largest |θ_t - θ_0|", markersize=5)
    axes.axhline(SKEW_TOLERANCE, color="#b5420e", linestyle="--", label="allowed for rounding")
    axes.set_yscale("log")
    axes.set_ylim(1e-17, 1e-10)
    axes.legend(fontsize="small")
    figures.finish(axes, "time t", "change of angles (radians)", legend=False)


CLAIMS = (
    Claim(
        "pair.diffusion",
        "With sigma = √2 the overlap of two tokens is a diffusion that does not depend on n:"
        " dZ = -2Z(1-Z²)dt + 2(1-Z²)dW.",
        "ES, proof of 4.8 (Engel–Shalova 2026)",
        predict_diffusion, measure_diffusion, draw_diffusion,
    ),
    Claim(
        "pair.law",
        "artanh Z_t is the distance of Brownian motion on the hyperbolic plane from a geodesic,"
        " sinh u_t = sinh u_0 cosh r + cosh u_0 sinh r cos φ, which gives the law of Z_t.",
        f"{MODEL}, section 5",
        predict_law, measure_law, figures.draw_shares,
    ),
    Claim(
        "pair.linear_layer",
        "A linear layer with independent entries moves the overlap of two tokens with the law of"
        " the random quadratic form: its skew part only turns the frame.",
        f"{MODEL}, sections 4 and 5",
        predict_law, measure_linear_layer, figures.draw_shares,
    ),
    Claim(
        "pair.rotations",
        "Under skew noise alone all angles stay as they are: common noise as such does not"
        " synchronize.",
        f"{MODEL}, section 9",
        predict_skew, measure_skew, draw_skew,
    ),
)
