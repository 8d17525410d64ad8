"""Engel and Shalova, Random Quadratic Form on a Sphere, arXiv:2603.06187."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow
from rqf.noise import Wiener
from rqf.reproductions.base import Paper, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOKENS, TIME, DT = 48, 8.0, 1 / 64
ANGLES = "angle on the circle"


def draw_circle(figure: Figure, seed: int) -> None:
    """Tokens on the circle in space and time, and the same noise from three pasts."""
    flow = Flow(RandomQuadraticForm(2, sigma=2**0.5), dt=DT)
    omega = Wiener(seed)
    phi = 2.0 * np.pi * (np.arange(TOKENS) + 0.5) / TOKENS
    x = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    forward, pulled = figure.subplots(1, 2, sharey=True)
    times = np.arange(0.0, TIME + DT, DT)
    _trace(forward, times, flow.path(omega, x, times), "#1b3a5c")
    for past, colour in ((2.0, "#b9c4d0"), (4.0, "#5f86ad"), (8.0, "#e0952f")):
        since = np.arange(0.0, past + DT, DT)
        _trace(pulled, since - past, flow.path(omega.shift(-past), x[::4], since), colour)
    forward.set_xlabel("time")
    pulled.set_xlabel("time, released at -2, -4, -8")
    forward.set_ylabel(ANGLES)
    forward.set_yticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])


def _trace(axes, times, x, colour) -> None:  # type: ignore[no-untyped-def]
    """Angles against time, lines broken where they pass π."""
    angles = np.arctan2(x[..., 1], x[..., 0])
    jumps = np.abs(np.diff(angles, axis=0)) > np.pi
    angles[1:][jumps] = np.nan
    axes.plot(times, angles, color=colour, linewidth=0.7)


PAPER = Paper(
    "engel",
    "ES",
    (
        Picture(
            "circle",
            "Tokens on the circle under one noise, and their pullback",
            "Left: 48 tokens gather in two opposite points that keep moving. Right: tokens released"
            " further and further in the past under the same noise stand at the same two points at"
            " time 0.",
            draw_circle,
            (9.0, 3.9),
        ),
    ),
)
