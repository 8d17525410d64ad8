"""Infinitely many tokens under one noise: their density in closed form.

The prediction is for one realisation of the noise, the same at every seed; what is drawn anew are
the tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import PchipInterpolator

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount
from rqf.claims.lifts import Array
from rqf.claims.measurements import CDF, Estimates, Jointly, Measurement, Samples
from rqf.claims.tokens import MODEL
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow
from rqf.noise import Wiener
from rqf.theory import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OMEGA = Wiener(seed=2026)
FLOW = Flow(RandomQuadraticForm(3), dt=1 / 16, scheme="corrected-exponential")
TIMES = (0.25, 0.5, 1.0)
HALF_TURN = 0.5 * np.pi


def marginal_cdf(law: MeanField, axis: int) -> CDF:
    """The distribution function of one coordinate under a density on S², by quadrature.

    The density relative to the uniform law, averaged over the circle of one height, is that of
    the height relative to the uniform law on [-1, 1].
    """
    height = np.sin(np.linspace(-HALF_TURN, HALF_TURN, 801))
    phi = 2.0 * np.pi * np.arange(256) / 256
    radius = np.sqrt(1.0 - height**2)
    points = [np.outer(height, np.ones_like(phi))]
    points += [np.outer(radius, np.cos(phi)), np.outer(radius, np.sin(phi))]
    density = law.pdf(np.roll(np.stack(points, axis=-1), axis, axis=-1))
    curve = PchipInterpolator(height, 0.5 * np.mean(density, axis=1)).antiderivative()
    return lambda z: np.asarray(curve(z))


def predict_mean_field() -> list[list[CDF] | Array]:
    """The law of each coordinate at each time, and its second moments, from the density."""
    laws = [MeanField(FLOW.lift(OMEGA, t)) for t in TIMES]
    moments = np.stack([law.second_moment()[np.triu_indices(3)] for law in laws])
    return [[marginal_cdf(law, axis) for law in laws for axis in range(3)], moments]


def measure_mean_field(level: Level, seed: int) -> Measurement:
    """Independent uniform tokens, moved by the one noise."""
    size = amount(level, 20_000)
    moved = FLOW.path(OMEGA, sphere.uniform(size, 3, seed), TIMES)
    i, j = np.triu_indices(3)
    names = [f"t = {t:g}" for t in TIMES]
    coordinates = [moved[k, :, axis] for k in range(len(names)) for axis in range(3)]
    labels = [f"x{axis + 1}, {name}" for name in names for axis in range(3)]
    marginals = Samples(coordinates, labels)
    moments = Estimates.of_means(
        np.swapaxes(moved[..., i] * moved[..., j], 0, 1),
        [f"E x{a + 1} x{b + 1}, {name}" for name in names for a, b in zip(i, j, strict=True)],
    )
    return Jointly(
        [marginals, moments],
        headline=len(coordinates) * 5 + 6,
        details={
            "scheme": FLOW.scheme, "dt": FLOW.dt, "n": 3, "tokens": size,
            "noise": repr(OMEGA), "sample": moved[:, :2000, 0],
        },
    )


def draw_mean_field(axes: Axes, result: Result) -> None:
    """The first coordinate of tokens at each time: histograms over the predicted densities."""
    edges = np.linspace(-1.0, 1.0, 41)
    middle, fine = 0.5 * (edges[1:] + edges[:-1]), np.linspace(-1.0, 1.0, 801)
    samples = np.array(result.details["sample"])
    for index, (t, sample) in enumerate(zip(TIMES, samples, strict=True)):
        cdf = np.asarray(marginal_cdf(MeanField(FLOW.lift(OMEGA, t)), 0)(fine))
        figures.line(axes, fine, np.gradient(cdf, fine), index)
        seen, _ = np.histogram(sample, edges)
        scale = sample.size * (edges[1] - edges[0])
        series = figures.Series(f"t = {t:g}", middle, middle, seen / scale, np.sqrt(seen) / scale)
        figures.points(axes, series, index)
    figures.finish(axes, "first coordinate of a token, n = 3, one noise", "density")


CLAIMS = (
    Claim(
        id="many_tokens.mean_field",
        statement=(
            "For one noise, infinitely many tokens that start uniformly have at time t the angular"
            " central Gaussian density |det G|^{-1} |G^{-1}x|^{-n}."
        ),
        source=f"{MODEL}, section 7; Tyler 1987",
        predict=predict_mean_field,
        measure=measure_mean_field,
        draw=draw_mean_field,
    ),
)
