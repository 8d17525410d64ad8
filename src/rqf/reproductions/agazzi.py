"""Agazzi et al., Stochastic Scaling Limits and Synchronization by Noise, arXiv:2604.26898."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rqf import sphere
from rqf.claims.base import stream
from rqf.claims.mlp import COMPUTED, NAMES, PRINTED, row_of
from rqf.claims.mlp_clusters import energy
from rqf.fields import MLP, Attention, Field
from rqf.flow import simulate
from rqf.reproductions.base import Paper, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOKENS = 64
DARK, WARM, LIGHT = "#1b3a5c", "#e0952f", "#8c8c8c"

# Figure 1

LAYERS, TIME, WIDTH = 2000, 20.0, 2048
MOMENTS = (0.0, 5.0, 20.0)


def draw_points(figure: Figure, seed: int) -> None:
    """Tokens on S³, three of their coordinates, at three depths under ReLU and under tanh."""
    axes: Any = figure.subplots(2, len(MOMENTS), subplot_kw={"projection": "3d"})
    for row, name in zip(axes, ("relu", "tanh"), strict=True):
        field = MLP(4, name, width=WIDTH)
        ds = simulate(field, TOKENS, TIME, TIME / LAYERS, 1, seed, MOMENTS, scheme="euler")
        for ax, t, x in zip(row, MOMENTS, ds.x.values[0], strict=True):
            _ball(ax)
            ax.scatter(*x[:, :3].T, c=x[:, 3], cmap="viridis", vmin=-1.0, vmax=1.0, s=16,
                       edgecolors="black", linewidths=0.3)  # fmt: skip
            ax.set_title(f"{name}, layer {round(t / TIME * LAYERS)}", fontsize="medium")
    figure.subplots_adjust(0.0, 0.02, 1.0, 0.94, wspace=0.0, hspace=0.1)


def _ball(axes: Any) -> None:
    """The unit ball, in outline."""
    around = np.linspace(0.0, 2.0 * np.pi, 90)
    circle, nil = np.array([np.cos(around), np.sin(around)]), np.zeros_like(around)
    for ring in (
        [*circle, nil], [circle[0], nil, circle[1]], [nil, *circle]
    ):  # fmt: skip
        axes.plot(*ring, color=LIGHT, linewidth=0.5)
    axes.set(xlim=(-0.8, 0.8), ylim=(-0.8, 0.8), zlim=(-0.8, 0.8))
    axes.set_box_aspect((1, 1, 1))
    axes.set_axis_off()


# Cosines and energy

DIMENSIONS = (5, 64, 128)
SIGMAS = (0.0, 0.1)
SCALES = (1.0, 0.0, -1.0)
DEPTH, LONG, BETA = 150, 5.0, 1.0
STYLES = {1.0: ("-", DARK), 0.0: ("--", WARM), -1.0: (":", "#5f8a3a")}


class Run(NamedTuple):
    """One realisation against depth, each of shape (DEPTH + 1,): of pairs, and the energy."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    energy: np.ndarray


@lru_cache
def run(n: int, sigma: float, scale: float, seed: int) -> Run:
    """ReLU layers, and attention of a scale, from one start for each n."""
    field: Field = MLP(n, "relu", sigma_u=sigma, sigma_w=sigma)
    if scale:
        field = field + Attention(n, BETA, scale)
    start = sphere.uniform(TOKENS, n, np.random.default_rng(stream(seed, n)))
    key = stream(seed, n, sigma, scale)
    ds = simulate(field, None, LONG, LONG / DEPTH, 1, key, DEPTH + 1, start, law=True)
    gram = ds.gram.values[0]
    pairs = gram[:, *np.triu_indices(TOKENS, 1)]
    low, high = np.quantile(pairs, (0.1, 0.9), axis=1)
    return Run(np.mean(pairs, axis=1), low, high, energy(gram))


def _small_multiples(
    figure: Figure, seed: int, name: str, draw: Callable[[Axes, Run, float], None]
) -> Any:
    axes: Any = figure.subplots(len(SIGMAS), len(DIMENSIONS), sharex=True, sharey=True)
    for row, sigma in zip(axes, SIGMAS, strict=True):
        for ax, n in zip(row, DIMENSIONS, strict=True):
            for scale in SCALES:
                draw(ax, run(n, sigma, scale, seed), scale)
            ax.set_title(f"n = {n}, σ = {sigma:g}", fontsize="small")
    lines, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="upper center", ncols=len(SCALES), fontsize="small")
    figure.supxlabel("layer")
    for ax in axes[:, 0]:
        ax.set_ylabel(name)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.94))
    return axes


def _line(axes: Axes, values: np.ndarray, scale: float) -> None:
    line, colour = STYLES[scale]
    axes.plot(values, line, color=colour, label=f"attention, scale {scale:g}")


def _cosines(axes: Axes, found: Run, scale: float) -> None:
    """Mean of the overlaps of pairs, and the band that holds eight tenths of them."""
    layers = np.arange(DEPTH + 1)
    axes.fill_between(
        layers, found.low, found.high, color=STYLES[scale][1], alpha=0.15, linewidth=0.0
    )
    _line(axes, found.mean, scale)


def draw_cosines(figure: Figure, seed: int) -> None:
    """Overlaps of pairs against depth, a panel for each n and σ."""
    _small_multiples(figure, seed, "x·y: mean, eight tenths", _cosines)


def draw_energy(figure: Figure, seed: int) -> None:
    """Energy against depth, a panel for each n and σ."""
    axes = _small_multiples(figure, seed, "energy", lambda ax, found, scale: _line(
        ax, found.energy, scale
    ))  # fmt: skip
    axes[0, 0].set_yscale("log")


# Table 1


def draw_table(figure: Figure, seed: int) -> None:
    """The four numbers of every layer; those printed in the paper as rings around ours."""
    axes: Any = figure.subplots(1, len(NAMES), sharey=True)
    places = np.arange(len(COMPUTED))
    ours = np.array([row_of(case) for case in COMPUTED])
    printed = np.array([PRINTED.get(case, (np.nan,) * len(NAMES)) for case in COMPUTED])
    for index, (ax, name) in enumerate(zip(axes, NAMES, strict=True)):
        ax.axvline(0.0, color=LIGHT, linewidth=0.6)
        ax.plot(printed[:, index], places, "o", markersize=9, markerfacecolor="none",
                color=WARM, label="printed")  # fmt: skip
        ax.plot(ours[:, index], places, ".", color=DARK, label="computed")
        ax.set_xscale("symlog", linthresh=1e-3)
        ax.set_xlabel(name)
        least = min(0.0, np.min(ours[:, index]))
        ticks = [tick for tick in (-10.0, -0.1, 0.0, 0.01, 1.0) if least <= tick]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize="small")
        ax.grid(axis="y", linewidth=0.3)
    names = [f"{name}, n = {n}, σ = {sigma:g}" for name, n, sigma in COMPUTED]
    axes[0].set_yticks(places, names, fontsize="x-small")
    axes[0].invert_yaxis()
    rings, dots = axes[0].get_legend_handles_labels()
    figure.legend(rings, dots, loc="upper center", ncols=2, fontsize="small")
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.95))


PAPER = Paper(
    "agazzi",
    "Ag",
    (
        Picture(
            "points",
            "Figure 1: layers of ReLU draw tokens to one point, layers of tanh to two",
            "64 tokens on S³ in 2000 layers of width 2048 without bias, T = 20; three coordinates,"
            " the fourth in colour. After this time ReLU, whose exponent is -1/8, has come far but"
            " not all the way.",
            draw_points,
            (8.4, 5.8),
        ),
        Picture(
            "cosines",
            "Cosines of 64 tokens against depth",
            "ReLU layers, L = 150, T = 5, β = 1, one realisation each, drawn in law; lines: mean"
            " over pairs, bands: eight tenths of them. Biases make one cluster, quickly in high"
            " dimension; attention of scale 1 helps, of scale -1 keeps tokens apart.",
            draw_cosines,
            (8.4, 5.0),
        ),
        Picture(
            "energy",
            "Energy of 64 tokens against depth",
            "The same runs. Where λ̄ < 0 (n = 64, 128 with σ = 0.1) energy decays exponentially"
            " without attention and with scale 1; with scale -1 it does not.",
            draw_energy,
            (8.4, 5.0),
        ),
        Picture(
            "table",
            "Table 1: kernels, exponents and coercivity of random layers",
            "Rings: as printed for ReLU and SiLU. Dots: closed forms and quadratures of this"
            " package, for sigmoid and tanh too. λ_1 < 0 throughout; λ̄ < 0 only with biases, or"
            " with sigmoid.",
            draw_table,
            (9.0, 6.0),
        ),
    ),
)
