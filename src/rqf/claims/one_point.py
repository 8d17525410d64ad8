"""One token: Brownian motion on the sphere, the uniform law, the Itô form of the equation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import (
    CDF,
    SHARES,
    Directions,
    Estimates,
    Measurement,
    Samples,
    joined,
)
from rqf.claims.tokens import MODEL, SCHEME, UNIT_SPEED, Array, at_overlaps, listed, step
from rqf.fields import RandomQuadraticForm
from rqf.flow import simulate
from rqf.theory import decay_rate, harmonic

if TYPE_CHECKING:
    from matplotlib.axes import Axes



# Decay of harmonics

DECAY = ((2, (0.5, 2.0), 8000), (3, (0.5, 2.0), 6000), (8, (0.25, 0.75), 2000))
DEGREES = (1, 2)


def _decay_names() -> list[tuple[int, int, float]]:
    return [(n, degree, t) for n, times, _ in DECAY for degree in DEGREES for t in times]


def predict_decay() -> Array:
    return np.array([
        math.exp(-degree * (degree + n - 2) * t / 4.0) for n, degree, t in _decay_names()
    ])


def measure_decay(level: Level, seed: int) -> Measurement:
    """The tokens of an orthonormal frame, averaged in every realisation."""
    dt = step(level, 1 / 32)
    parts = []
    for n, times, quick in DECAY:
        ds = simulate(
            RandomQuadraticForm(n), t=times[-1], dt=dt, times=times, x0=np.eye(n),
            realizations=amount(level, quick), seed=stream(seed, n), scheme=SCHEME,
        )
        own = np.clip(np.diagonal(ds.x.values, axis1=2, axis2=3), -1.0, 1.0)
        for degree in DEGREES:
            parts.append(Estimates.of_means(np.mean(harmonic(degree, n, own), axis=-1)))
    return joined(
        parts,
        [f"n = {n}, degree {degree}, t = {t:g}" for n, degree, t in _decay_names()],
        details={
            "scheme": SCHEME, "dt": dt, "realizations": listed(amount(level, q) for *_, q in DECAY),
            "series": [
                {"name": f"n = {n}, degree {degree}", "x": times}
                for n, times, _ in DECAY for degree in DEGREES
            ],
        },
    )


def draw_decay(axes: Axes, result: Result) -> None:
    def curve(n: int, degree: int) -> figures.Curve:
        rate = decay_rate(RandomQuadraticForm(n), degree)
        return lambda t: np.exp(-rate * t)

    curves = {
        f"n = {n}, degree {degree}": curve(n, degree) for n, *_ in DECAY for degree in DEGREES
    }
    figures.over_curves(axes, result, curves, "time t", "E C(X_t·X_0)", start=0.0)


# Unit speed

SPEED = ((2, (0.25, 1.0), 6000), (3, (0.25, 1.0), 5000), (8, (0.125, 0.25), 2500))


def brownian_overlap_cdf(n: int, t: float) -> CDF:
    """The distribution function of X_t·X_0 for unit-speed Brownian motion on S^{n-1}.

    The heat kernel as a series of zonal harmonics h_l of S^{n-1}, of which there are d_l:
    d_l e^{-l(l+n-2)t/2} h_l, integrated term by term against (1-z²)^{(n-3)/2} with the help of
    ∫_{-1}^z h_l = -(1-z²)^{(n-1)/2} h̃_{l-1}(z) / (n-1), h̃ the harmonics of S^{n+1}.
    """
    half = 0.5 * (n - 1)
    total = math.exp(math.lgamma(half) + math.lgamma(0.5) - math.lgamma(half + 0.5))

    def cdf(z: Array) -> ArrayLike:
        series = np.zeros_like(z)
        degree = 1
        while (decay := 0.5 * degree * (degree + n - 2) * t) < 40.0:
            count = math.comb(degree + n - 1, n - 1)
            count -= math.comb(degree + n - 3, n - 1) if degree > 1 else 0
            series += count * math.exp(-decay) * harmonic(degree - 1, n + 2, z)
            degree += 1
        weight = ((1.0 - z) * (1.0 + z)) ** half
        return special.betainc(half, half, 0.5 * (1.0 + z)) - weight * series / ((n - 1) * total)

    return cdf


def predict_speed() -> list[CDF]:
    return [brownian_overlap_cdf(n, t) for n, times, _ in SPEED for t in times]


def measure_speed(level: Level, seed: int) -> Measurement:
    dt = step(level, 1 / 64)
    groups = []
    for n, times, quick in SPEED:
        start = np.eye(n)[0]
        ds = simulate(
            RandomQuadraticForm(n, sigma=UNIT_SPEED), t=times[-1], dt=dt, times=times,
            x0=start[None], realizations=amount(level, quick), seed=stream(seed, n), scheme=SCHEME,
        )
        groups += list(np.clip(ds.x.values[:, :, 0, 0].T, -1.0, 1.0))
    labels = [f"n = {n}, t = {t:g}" for n, times, _ in SPEED for t in times]
    return Samples(
        groups, labels,
        details={
            "scheme": SCHEME, "dt": dt, "sigma": "√2",
            "realizations": listed(amount(level, q) for *_, q in SPEED),
            "series": [{"name": label, "x": SHARES} for label in labels],
        },
        headline=2,
    )


# The uniform law

UNIFORM = ((3, 1.0), (5, 1.0))
CONVERGENCE = ((2, 40.0), (3, 20.0))  # degree 1 is down to e^{-10}


def predict_uniform() -> list[Array]:
    return [np.eye(n) for n, _ in UNIFORM]


def predict_convergence() -> list[Array]:
    return [np.eye(n) for n, _ in CONVERGENCE]


def measure_uniform(level: Level, seed: int) -> Measurement:
    """One token of every realisation, released from a uniform point."""
    return _directions(level, seed, UNIFORM, step(level, 1 / 32), at_one_point=False)


def measure_convergence(level: Level, seed: int) -> Measurement:
    """One token of every realisation, all released from one point, in no special direction."""
    return _directions(level, seed, CONVERGENCE, step(level, 1 / 16), at_one_point=True)


def _directions(
    level: Level, seed: int, cases: Sequence[tuple[int, float]], dt: float, at_one_point: bool
) -> Measurement:
    realizations = amount(level, 4000)
    groups = []
    for n, t in cases:
        start = sphere.normalize(np.arange(1.0, n + 1.0))[None]
        ds = simulate(
            RandomQuadraticForm(n), tokens=1, t=t, dt=dt, times=[t], scheme=SCHEME,
            x0=start if at_one_point else None, realizations=realizations, seed=stream(seed, n),
        )
        groups.append(ds.x.values[:, 0, 0])
    return Directions(
        groups, [f"n = {n}" for n, _ in cases],
        details={
            "scheme": SCHEME, "dt": dt, "t": listed(t for _, t in cases),
            "realizations": realizations,
            "series": [
                {"name": f"n = {n}: {what}", "x": np.arange(1, n + 1)}
                for n, _ in cases for what in ("mean coordinates", "n · mean squares")
            ],
        },
        headline=cases[0][0],
    )


def draw_directions(axes: Axes, result: Result) -> None:
    figures.departures(axes, result, "coordinate", "measured - value of the uniform law")
    axes.locator_params(axis="x", integer=True)


# Itô form

ITO = (2, 3, 5, 8)
ITO_OVERLAPS = (-0.8, -0.3, 0.0, 0.4, 0.9)
ITO_STEP = 2.0**-16  # E|ΔX|²/h is n - 1 up to a factor 1 - (n-1)h/2: 5e-5 for n = 8


def covariation_trace(n: int, z: ArrayLike) -> Array:
    """The trace of the covariation density of X and Y at X·Y = z, sigma = √2: nz - 3z + 2z³."""
    z = np.asarray(z, dtype=np.float64)
    return n * z - 3.0 * z + 2.0 * z**3


def predict_ito() -> Array:
    """For each n: q(z) at the overlaps, n - 1 on the diagonal, the drift along X."""
    return np.concatenate([
        [*covariation_trace(n, ITO_OVERLAPS), n - 1.0, -0.5 * (n - 1.0)] for n in ITO
    ])


def measure_ito(level: Level, seed: int) -> Measurement:
    """Products of increments over one very short step, divided by its length."""
    parts = []
    for n in ITO:
        x0 = at_overlaps(n, ITO_OVERLAPS)
        ds = simulate(
            RandomQuadraticForm(n, sigma=UNIT_SPEED), t=ITO_STEP, dt=ITO_STEP,
            times=[ITO_STEP], x0=x0, realizations=amount(level, 8000), seed=stream(seed, n),
            scheme=SCHEME,
        )
        increments = ds.x.values[:, 0] - x0
        first = increments[:, 0]
        products = np.einsum("rki,ri->rk", increments[:, 1:], first)
        square = np.sum(first * first, axis=-1)
        along = first @ x0[0]
        samples = np.column_stack([products, square, along]) / ITO_STEP
        parts.append(Estimates.of_means(samples))
    return joined(
        parts,
        [
            f"n = {n}: {name}" for n in ITO
            for name in (
                *(f"ΔX·ΔY/h at X·Y = {z:g}" for z in ITO_OVERLAPS), "|ΔX|²/h", "X·ΔX/h",
            )
        ],
        details={
            "scheme": SCHEME, "dt": ITO_STEP, "sigma": "√2",
            "realizations": amount(level, 8000),
            "series": [
                entry for n in ITO for entry in (
                    {"name": f"n = {n}", "x": [*ITO_OVERLAPS, 1.0]},
                    {"name": f"n = {n}: drift along X", "x": [1.0]},
                )
            ],
        },
        headline=len(ITO_OVERLAPS),
    )


def draw_ito(axes: Axes, result: Result) -> None:
    z = np.linspace(-1.0, 1.0, 201)
    drawn = [s for s in figures.series_of(result) if "drift" not in s.name]
    for index, (n, series) in enumerate(zip(ITO, drawn, strict=True)):
        figures.line(axes, z, covariation_trace(n, z), index)
        figures.points(axes, series, index)
    figures.finish(axes, "overlap z = X·Y (z = 1: the diagonal)", "trace of covariation density")


CLAIMS = (
    Claim(
        "one_point.decay",
        "A single token forgets its start harmonic by harmonic, E[C_l(X_t·X_0)] ="
        " exp(-l(l+n-2)t/4) with C_l the zonal harmonic of degree l, C_l(1) = 1 (sigma = 1).",
        f"{MODEL}, section 3",
        predict_decay, measure_decay, draw_decay,
    ),
    Claim(
        "one_point.unit_speed",
        "With sigma = √2 a single token is Brownian motion at unit speed: X_t·X_0 has the law"
        " given by the heat kernel of ½Δ on the sphere.",
        "ES 4.3 (Engel–Shalova 2026)",
        predict_speed, measure_speed, figures.draw_shares,
    ),
    Claim(
        "one_point.uniform",
        "The uniform law is invariant: a token released uniformly is uniform at any later time.",
        "ES 4.3 (Engel–Shalova 2026)",
        predict_uniform, measure_uniform, draw_directions,
    ),
    Claim(
        "one_point.convergence",
        "From any point the law of a token tends to the uniform law, the only invariant one.",
        "ES 4.3 (Engel–Shalova 2026)",
        predict_convergence, measure_convergence, draw_directions,
    ),
    Claim(
        "one_point.ito",
        "In Itô form, with sigma = √2, X has drift -(n-1)/2 X, and two tokens with X·Y = z have a"
        " covariation whose density has trace q(z) = nz - 3z + 2z³, which is n - 1 on the"
        " diagonal.",
        "ES 4.9 (Engel–Shalova 2026)",
        predict_ito, measure_ito, draw_ito,
    ),
)
