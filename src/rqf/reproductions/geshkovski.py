"""Geshkovski et al., A mathematical perspective on Transformers, arXiv:2312.10794."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf.claims.attention import CLUSTERED, NAMES
from rqf.claims.base import stream
from rqf.claims.figures import COLOURS, LINES
from rqf.fields import Attention
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.reproductions.base import Paper, Picture
from rqf.theory import equiangular_overlap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOKENS, DIMENSIONS = 32, (2, 8, 32, 128)
BETAS = np.linspace(0.0, 9.0, 19)
TIMES = np.arange(0.0, 30.5, 0.5)
STARTS, DT = 24, 0.25


def draw_phases(figure: Figure, seed: int) -> None:
    """P(all cosines >= 0.999) over (β, t) for several dimensions."""
    panels = figure.subplots(1, len(DIMENSIONS), sharey=True)
    for axes, n in zip(panels, DIMENSIONS, strict=True):
        shares = [_clustered(n, float(beta), stream(seed, n, beta)) for beta in BETAS]
        mesh = axes.pcolormesh(TIMES, BETAS, shares, cmap="cividis", vmin=0.0, vmax=1.0,
                               shading="nearest")  # fmt: skip
        line = [_crossing(float(beta)) for beta in BETAS]
        axes.plot(line, BETAS, color="white", linestyle="--", linewidth=1.4)
        axes.set_xlim(TIMES[0], TIMES[-1])
        axes.set_ylim(BETAS[0], BETAS[-1])
        axes.set_title(f"dimension {n}", fontsize="medium")
        axes.set_xlabel("t")
    panels[0].set_ylabel("β")
    figure.colorbar(mesh, ax=list(panels), label="P(all cosines ≥ 0.999)")


def _clustered(n: int, beta: float, seed: int) -> np.ndarray:
    x = simulate(
        Attention(n, beta), tokens=TOKENS, t=TIMES[-1], dt=DT, times=TIMES, realizations=STARTS,
        seed=seed,
    ).x.values
    return np.mean(np.min(x @ np.swapaxes(x, -1, -2), axis=(-1, -2)) >= CLUSTERED, axis=0)


def _crossing(beta: float) -> float:
    """Time at which orthogonal tokens reach the overlap 0.999, inf if later than drawn."""
    t = np.linspace(0.0, TIMES[-1], 2000)
    reached = equiangular_overlap(0.0, t, TOKENS, beta) >= CLUSTERED
    return float(t[np.argmax(reached)]) if np.any(reached) else np.inf


def draw_equiangular(figure: Figure, seed: int) -> None:
    """Overlaps of orthogonal tokens, simulated, over the solution of the equation."""
    panels = figure.subplots(1, len(NAMES), sharey=True)
    fine, times = np.linspace(0.0, 8.0, 300), np.arange(0.0, 8.25, 0.5)
    for axes, (kind, name) in zip(panels, NAMES.items(), strict=True):
        for index, beta in enumerate((0.0, 1.0, 4.0)):
            curve = equiangular_overlap(0.0, fine, TOKENS, beta, kind=kind)
            axes.plot(fine, curve, color=COLOURS[index], linestyle=LINES[index], linewidth=1.2,
                      label=f"β = {beta:g}")  # fmt: skip
            flow = Flow(Attention(TOKENS, beta, kind=kind), 1 / 64)
            x = flow.path(Wiener(seed), np.eye(TOKENS), times)
            rho = np.sum(x[:, 0] * x[:, 1], axis=-1)
            axes.plot(times, rho, "o", color=COLOURS[index], markerfacecolor="white", markersize=4)
        axes.set_title(name)
        axes.set_xlabel("time")
    panels[0].set_ylabel("common overlap ρ")
    panels[-1].legend(fontsize="small", loc="lower right")


PAPER = Paper(
    "geshkovski",
    "Ge",
    (
        Picture(
            "phases",
            "How often 32 tokens are one cluster, over time and inverse temperature",
            "Share of 24 uniform starts whose 32 tokens have all cosines at least 0.999 under SA."
            " Dashed: the time at which orthogonal tokens do, the limit of high dimension. In low"
            " dimension several clusters last for times exponential in β.",
            draw_phases,
            (11.0, 3.6),
        ),
        Picture(
            "equiangular",
            "Tokens at equal angles",
            "32 orthogonal tokens under SA and USA: simulated (circles) and the equation of their"
            " common overlap (lines).",
            draw_equiangular,
            (9.0, 3.9),
        ),
    ),
)
