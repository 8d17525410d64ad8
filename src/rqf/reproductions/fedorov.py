"""Fedorov et al., Clustering in Deep Stochastic Transformers, arXiv:2601.21942."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf.claims.attention_layers import Layer, Pairs, antipodal, softmax_share
from rqf.claims.base import stream
from rqf.claims.figures import COLOURS, LINES, MARKERS
from rqf.fields import AttentionNoise
from rqf.flow import simulate
from rqf.reproductions.base import Paper, Picture
from rqf.theory import attention_noise_antipodal, attention_noise_critical_beta

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIMENSIONS, PAIRS = (2, 3, 4, 8), 500
BETAS = np.array([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0])
TOKENS, RUNS, SHARE_BETAS = 8, 100, (0.0, 1.0, 2.0, 3.0, 4.0)
MOMENTS, CLOSE = (5.0, 20.0, 40.0), 0.99


def draw_antipodal(figure: Figure, seed: int) -> None:
    """P(antipodal) of two tokens: lines by quadrature, points through stacks of layers."""
    axes = figure.add_subplot()
    fine = np.linspace(0.02, 3.1, 200)
    for index, n in enumerate(DIMENSIONS):
        colour = COLOURS[index]
        line = [attention_noise_antipodal(n, beta) for beta in fine]
        axes.plot(fine, line, color=colour, linestyle=LINES[index], linewidth=1.2)
        beta = np.repeat(BETAS, PAIRS)
        one = np.ones(beta.size)
        pairs = Pairs.at(0.0 * one, n * one, beta, 0.0 * one, one / (16.0 * n))
        rng = np.random.default_rng(stream(seed, n))
        found = antipodal(pairs, Layer(mix=softmax_share), rng).reshape(BETAS.size, PAIRS)
        share = np.mean(found, axis=1)
        axes.errorbar(
            BETAS, share, yerr=2.0 * np.sqrt(share * (1.0 - share) / PAIRS), linestyle="none",
            marker=MARKERS[index], color=colour, markerfacecolor="white", markersize=5,
            label=f"n = {n}",
        )
        axes.plot([attention_noise_critical_beta(n)], [-0.02], marker=6, color=colour, markersize=8,
                  clip_on=False)  # fmt: skip
    axes.set_ylim(-0.02, 0.56)
    axes.set_xlabel("inverse temperature β (triangles: cosh 2β = n - 2)")
    axes.set_ylabel("P(antipodal) from right angles")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))


def draw_many(figure: Figure, seed: int) -> None:
    """Eight tokens: one cluster, two, or neither, as time goes on."""
    panels = figure.subplots(1, len(MOMENTS), sharey=True)
    shares = np.array([_shares(beta, stream(seed, beta)) for beta in SHARE_BETAS])
    for axes, time, share in zip(panels, MOMENTS, np.swapaxes(shares, 0, 1), strict=True):
        for kind, name in enumerate(("one cluster", "two, 4 + 4", "two, uneven", "not yet")):
            axes.plot(
                SHARE_BETAS, share[:, kind], color=COLOURS[kind], linestyle=LINES[kind],
                marker=MARKERS[kind], markerfacecolor="white", markersize=5, label=name,
            )
        axes.set_title(f"t = {time:g}", fontsize="medium")
        axes.set_xlabel("β")
    panels[0].set_ylabel(f"share of {RUNS} runs, n = 3")
    panels[-1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))


def _shares(beta: float, seed: int) -> np.ndarray:
    """Shares (times, 4) of runs: one cluster, two even ones, two uneven ones, neither."""
    x = simulate(
        AttentionNoise(3, beta), tokens=TOKENS, t=MOMENTS[-1], dt=1 / 8, times=MOMENTS,
        realizations=RUNS, seed=seed,
    ).x.values
    gram = x @ np.swapaxes(x, -1, -2)
    gathered = np.all(np.abs(gram) > CLOSE, axis=(-1, -2))
    group = np.sum(gram[..., 0, :] > 0.0, axis=-1)
    one, even = gathered & (group == TOKENS), gathered & (2 * group == TOKENS)
    kinds = [one, even, gathered & ~one & ~even, ~gathered]
    return np.mean(np.stack(kinds, axis=-1), axis=0)


PAPER = Paper(
    "fedorov",
    "Fe",
    (
        Picture(
            "antipodal",
            "Two tokens under random value matrices: how often they end antipodal",
            "Lines: the scale function. Points: 500 pairs through layers of variance 1/16n, ± 2"
            " standard errors. Triangles: cosh 2β = n - 2, left of which the probability is 0.",
            draw_antipodal,
        ),
        Picture(
            "many",
            "Eight tokens: one cluster, or two that last",
            "Shares of 100 runs from uniform tokens (|cosine| > 0.99 within and between clusters)."
            " Uneven pairs of clusters dissolve in time, even ones stay: only two equal clusters"
            " are opposite for good.",
            draw_many,
            (9.0, 3.9),
        ),
    ),
)
