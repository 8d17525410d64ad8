"""Koubbi, Geshkovski and Rigollet, Homogenized Transformers, arXiv:2604.01978."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf.claims.base import stream
from rqf.claims.figures import COLOURS, LINES, MARKERS
from rqf.claims.tokens import at_overlaps
from rqf.fields import AttentionNoise, LinearLayer
from rqf.flow import simulate
from rqf.reproductions.base import Paper, Picture
from rqf.theory import TwoPoint, small_beta_overlap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE, N, START = 1e4, 4, 0.3
PATHS, SAMPLES, MOMENTS = 12, 2000, (0.25, 1.0, 4.0)
TOKENS, RUNS, SIZES, SMALL, END = 8, 60, (8, 32, 10**5), 1e-4, 8.0


def draw_large_beta(figure: Figure, seed: int) -> None:
    """Paths of the overlap on the clock s = σ² t, and its law at three times."""
    paths, laws = figure.subplots(1, 2)
    field = AttentionNoise(N, LARGE, heads=2)
    ds = simulate(
        field, t=4.0, dt=1 / 64, times=257, x0=at_overlaps(N, [START]), realizations=PATHS,
        seed=stream(seed, "paths"),
    )
    z = np.sum(ds.x.values[:, :, 0] * ds.x.values[:, :, 1], axis=-1)
    paths.plot(ds.time.values, z.T, linewidth=0.7, color=COLOURS[2])
    paths.set_xlabel("time s")
    paths.set_ylabel("overlap u")
    ds = simulate(
        field, t=MOMENTS[-1], dt=1 / 64, times=MOMENTS, x0=at_overlaps(N, [START]),
        realizations=SAMPLES, seed=stream(seed, "law"),
    )
    z = np.sum(ds.x.values[:, :, 0] * ds.x.values[:, :, 1], axis=-1)
    pair, grid = TwoPoint(LinearLayer(N)), np.linspace(-0.9999, 0.9999, 400)
    shares = (np.arange(20) + 0.5) / 20
    for index, s in enumerate(MOMENTS):
        colour = COLOURS[index]
        laws.plot(grid, pair.cdf(grid, START, s), color=colour, linestyle=LINES[index],
                  linewidth=1.2)  # fmt: skip
        laws.plot(
            np.quantile(z[:, index], shares), shares, linestyle="none", marker=MARKERS[index],
            color=colour, markerfacecolor="white", markersize=5, label=f"s = {s:g}",
        )
    laws.axhline(0.5 - np.arcsin(START) / np.pi, color="#8c8c8c", linewidth=0.8)
    laws.set_xticks([-1.0, -0.5, 0.0, 0.5, 1.0])
    laws.set_xlabel("overlap u")
    laws.set_ylabel("distribution function")
    laws.legend(fontsize="small", loc="upper left")


def draw_small_beta(figure: Figure, seed: int) -> None:
    """The mean overlap against the logistic curve, for three dimensions."""
    axes = figure.add_subplot()
    times = np.arange(0.0, END + 0.5, 0.5)
    fine = np.linspace(0.0, END, 200)
    axes.plot(fine, small_beta_overlap(1.0 / TOKENS, fine), color="#111111", linewidth=1.2,
              label="u' = u (1-u)")  # fmt: skip
    for index, n in enumerate(SIZES, start=1):
        mean = simulate(
            AttentionNoise(n, SMALL, sigma=n**-0.5), tokens=TOKENS, t=END, dt=1 / 64, times=times,
            realizations=RUNS, seed=stream(seed, n), law=True,
        ).gram.values.mean(axis=(-1, -2))
        axes.errorbar(
            times, mean.mean(axis=0), yerr=2.0 * mean.std(axis=0) / np.sqrt(len(mean)),
            linestyle="none", marker=MARKERS[index], color=COLOURS[index], markersize=5,
            markerfacecolor="white", label=f"n = {n}",
        )
    axes.set_xlabel("time s = σ² n t")
    axes.set_ylabel("mean overlap")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))


PAPER = Paper(
    "koubbi",
    "Ko",
    (
        Picture(
            "large-beta",
            "Large β: the overlap forgets attention",
            "Left: 12 paths of the overlap of two tokens, β = 10⁴, two heads, n = 4. Right: its law"
            " from 2000 runs (points) and du = -u(1-u²)ds + √2(1-u²)dB (lines); the grey line is"
            " P(u → -1) = ½ - arcsin(u_0)/π.",
            draw_large_beta,
            (9.0, 3.9),
        ),
        Picture(
            "small-beta",
            "Small β: the mean overlap grows like a logistic curve",
            "Mean over all pairs of 8 uniform tokens, 60 runs, ± 2 standard errors. The logistic"
            " curve is the limit of high dimension; at n = 8 the growth is visibly slower.",
            draw_small_beta,
        ),
    ),
)
