"""Figures of the circle: harmonics and their cascades."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf.fields import Harmonic
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.reproductions.base import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOKENS = 42
SINGLE = (1, 3, 7)
CASCADE = ((7, 1.0), (3, 0.05), (1, 0.0025))
HORIZON, MOMENTS = 200.0, 400


def _circle(tokens: int) -> np.ndarray:
    phi = 2.0 * np.pi * (np.arange(tokens) + 0.5) / tokens
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1)


def draw_harmonics(figure: Figure, seed: int) -> None:
    """Tokens on the circle under one harmonic, for three of them."""
    panels = figure.subplots(1, len(SINGLE), sharey=True)
    for axes, k in zip(panels, SINGLE, strict=True):
        dt = 2.0 ** -np.ceil(np.log2(16 * k * k))
        horizon = dt * round(12.0 / k / dt)
        times = np.linspace(0.0, horizon, 401)
        times = np.unique(np.rint(times / dt)) * dt
        x = Flow(Harmonic(k, 1.0 / k), dt).path(Wiener(seed), _circle(TOKENS), times)
        angles = np.arctan2(x[..., 1], x[..., 0])
        angles[1:][np.abs(np.diff(angles, axis=0)) > np.pi] = np.nan
        axes.plot(times, angles, color="#1b3a5c", linewidth=0.6)
        axes.set_title(f"k = {k}", fontsize=10)
        axes.set_xlabel("time")
    panels[0].set_ylabel("angle on the circle")
    panels[0].set_yticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])


def draw_cascade(figure: Figure, seed: int) -> None:
    """Angles of tokens to the first one against the logarithm of time, under the cascade."""
    field = sum(
        (s * s * Harmonic(k, 1.0 / k) for k, s in CASCADE[1:]), start=Harmonic(7, 1.0 / 7)
    )
    dt = 1.0 / 64.0
    steps = np.unique(np.rint(np.geomspace(1.0, HORIZON / dt, MOMENTS)))
    ds = simulate(
        field, t=HORIZON, dt=dt, realizations=1, seed=seed, times=steps * dt, x0=_circle(TOKENS)
    )
    x = ds.x.values[0]
    z = x[..., 0] + 1j * x[..., 1]
    angles = np.angle(z * np.conj(z[:, :1]))
    angles[1:][np.abs(np.diff(angles, axis=0)) > np.pi] = np.nan
    axes = figure.add_subplot()
    axes.plot(ds.time, angles, color="#1b3a5c", linewidth=0.8, alpha=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("time")
    axes.set_ylabel("angle to the first token")
    axes.set_yticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])


CIRCLE = (
    Picture(
        "harmonics",
        "Tokens on the circle under one harmonic",
        "Forty-two tokens under the harmonics 1, 3 and 7, each at unit speed: they end in as many"
        " equidistant points. Time is scaled with 1/k.",
        draw_harmonics,
        (9.0, 3.6),
    ),
    Picture(
        "cascade",
        "A cascade of harmonics 7, 3, 1: iterated metastability",
        "The noise of harmonics 3 and 1 is 0.05 and 0.0025 times that of harmonic 7. Tokens stand"
        " at up to seven places, then at up to three, then at one. With this step the fastest"
        " harmonic is only roughly resolved; the places are exact at any step.",
        draw_cascade,
    ),
)
