"""Shalova, RQF with random forcing: metastable synchronization by noise, arXiv:2608.16664.

Units of the paper: a quadratic form of sigma = √2, a bias of sigma = γ.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import figures
from rqf.claims.bias import paper_rate
from rqf.claims.bias_stages import lifetime_constant
from rqf.claims.biased import biased
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.observe import passage_time
from rqf.reproductions.base import Paper, Picture
from rqf.reproductions.circle_pictures import CIRCLE
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMMA, TOKENS, DT = 0.1, 40, 1 / 64


def draw_stages(figure: Figure, seed: int) -> None:
    """Overlaps with the first token on S², and angles on the circle, γ = 0.1."""
    circle, overlaps = figure.subplots(1, 2)
    times = np.arange(0.0, 40.0 + DT, 4 * DT)
    phi = 2.0 * np.pi * (np.arange(TOKENS) + 0.5) / TOKENS
    x = Flow(biased(2, GAMMA), dt=DT).path(
        Wiener(seed), np.stack([np.cos(phi), np.sin(phi)], axis=-1), times
    )
    angles = np.arctan2(x[..., 1], x[..., 0])
    angles[1:][np.abs(np.diff(angles, axis=0)) > np.pi] = np.nan
    circle.plot(times, angles, color="#1b3a5c", linewidth=0.7)
    circle.set_yticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])
    circle.set_ylabel("angle on the circle")
    circle.set_xlabel("time, n = 2")
    start = sphere.uniform(TOKENS, 3, seed)
    y = Flow(biased(3, GAMMA), dt=DT).path(Wiener(seed + 1), start, times)
    overlaps.plot(times, np.sum(y[:, :1] * y[:, 1:], axis=-1), color="#1b6ca8", linewidth=0.7)
    overlaps.set_ylabel("overlap with the first token")
    overlaps.set_xlabel("time, n = 3")


def draw_distance(figure: Figure, seed: int) -> None:
    """E dist of two tokens from opposite starts, beside the bound and the exact mean."""
    axes = figure.subplots()
    times = np.array([0.25, 0.5, 1.0, 2.0, 3.0, 4.0])
    t = np.linspace(0.0, 4.0, 41)
    for index, gamma in enumerate((0.3, 1.0, 2.0)):
        field = biased(3, gamma)
        x0 = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
        ds = simulate(field, t=4.0, dt=DT, times=times, x0=x0, realizations=1500, seed=seed)
        angles = sphere.between(ds.x.values[:, :, 0], ds.x.values[:, :, 1])
        error = np.std(angles, axis=0) / math.sqrt(len(angles))
        look = figures.style(index)
        axes.errorbar(
            times, np.mean(angles, axis=0), yerr=2.0 * error, linestyle="none", capsize=2,
            marker=look["marker"], color=look["color"], markerfacecolor="white",
        )
        axes.plot(t, TwoPoint(field).mean_angle(-1.0, t), "-", color=look["color"],
                  label=f"γ = {gamma:g}: exact mean")
        axes.plot(t, np.pi * np.exp(-paper_rate(3, gamma) * t), "--", color=look["color"],
                  label=f"γ = {gamma:g}: bound")
    axes.set_yscale("log")
    axes.set_ylim(1e-3, 5.0)
    axes.set_xlabel("time")
    axes.set_ylabel("E dist(X, Y), n = 3")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title="points: measured ± 2 s.e.")


def draw_lifetime(figure: Figure, seed: int) -> None:
    """γ times the mean lifetime of opposite tokens against γ, for three dimensions."""
    axes = figure.subplots()
    gammas = np.geomspace(1e-3, 2.0, 30)
    for index, n in enumerate((2, 3, 5)):
        look = figures.style(index)
        exact = [g * TwoPoint(biased(n, g)).exit_time(-1.0, -1.0, 0.0) for g in gammas]
        axes.plot(gammas, exact, "-", color=look["color"], label=f"n = {n}: exact")
        axes.axhline(lifetime_constant(n), color=look["color"], linestyle=":", linewidth=1.0)
        for gamma in (0.1, 0.3, 1.0):
            found = passage_time(
                Flow(biased(n, gamma), dt=1 / 128 if gamma == 1.0 else 1 / 64), realizations=400,
                seed=seed,
            )
            axes.errorbar(
                gamma, gamma * found.mean, yerr=2.0 * gamma * found.stderr, capsize=2,
                marker=look["marker"], color=look["color"], markerfacecolor="white",
            )
    axes.set_xscale("log")
    axes.set_xlabel("bias γ")
    axes.set_ylabel("γ × mean time from Z = -1 to 0")
    axes.legend(title="dotted: (π/8) Beta((n-1)/2, ½)\npoints: measured ± 2 s.e.")


PAPER = Paper(
    "shalova",
    "Sh",
    (
        Picture(
            "two-stages",
            "Two stages of synchronization, γ = 0.1",
            "Tokens first gather at two opposite points; after a time of order 1/γ one of the two"
            " gives way and all stand at one point.",
            draw_stages,
            (9.0, 3.9),
        ),
        Picture(
            "mean-distance",
            "Mean distance of two tokens against its bound",
            "From opposite starts on S². The bound π exp(-λt), λ = 2γ²(n-1)/(γ²+4), holds and is"
            " far from sharp at small γ.",
            draw_distance,
        ),
        Picture(
            "lifetime",
            "Lifetime of opposite tokens",
            "The mean time from Z = -1 to 0, times γ, tends to a constant as γ falls; steps of"
            " 1/64 (1/128 at γ = 1) make the measured times a few hundredths too long.",
            draw_lifetime,
        ),
        *CIRCLE,
    ),
)
