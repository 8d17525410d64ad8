"""Draws the pictures of the documentation, each from a real simulation.

python docs/make_images.py            all of them, into docs/images
python docs/make_images.py sphere     one of them
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import NDArray

import rqf
from rqf.sphere import uniform

Array = NDArray[np.float64]

HERE = Path(__file__).parent / "images"
DARK, WARM = "#1b3a5c", "#e0952f"  # of different lightness: told apart in grey as well
LINE, PAPER, INK = "#9aa3ad", "#f4f5f6", "#22272c"

SEED = 245
MOMENTS = (0.0, 0.5, 1.5, 4.0)
TOKENS = 700
EYE = (-0.79, 0.59, 0.16)


def camera(eye: tuple[float, float, float]) -> Array:
    """Rows right, up and towards the eye of a camera that keeps the third axis upright."""
    towards = np.array(eye) / np.linalg.norm(eye)
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def circle(normal: Array, offset: float = 0.0, points: int = 361) -> Array:
    """The circle {x : x·normal = offset} on the sphere, shape (points, 3)."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    angle = np.linspace(0.0, 2.0 * np.pi, points)
    ring = np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second)
    return offset * normal + np.sqrt(1.0 - offset**2) * ring


def curve(axes: Axes, points: Array, eye: Array, front: bool, **style: object) -> None:
    """The part of a curve on the sphere that lies in front, or the part behind."""
    seen = points @ eye.T
    hidden = seen[:, 2] < 0.0 if front else seen[:, 2] > 0.0
    seen[hidden] = np.nan
    axes.plot(seen[:, 0], seen[:, 1], **style)  # type: ignore[arg-type]


def tokens(axes: Axes, points: Array, colour: str, eye: Array, front: bool) -> None:
    """Tokens in front as discs with a light rim, tokens behind as small open rings."""
    seen = points @ eye.T
    seen = seen[seen[:, 2] >= 0.0] if front else seen[seen[:, 2] < 0.0]
    order = np.argsort(seen[:, 2])
    x, y = seen[order, 0], seen[order, 1]
    if front:
        axes.scatter(x, y, s=15, c="white", linewidths=0.0, zorder=4.9)
        axes.scatter(x, y, s=9, c=colour, linewidths=0.0, zorder=5)
    else:
        axes.scatter(
            x, y, s=6, facecolors="none", edgecolors=colour, linewidths=0.5, alpha=0.7, zorder=1
        )


def globe(axes: Axes, eye: Array) -> None:
    """A pale ball with meridians and parallels, fainter behind."""
    outline = np.linspace(0.0, 2.0 * np.pi, 361)
    axes.fill(np.cos(outline), np.sin(outline), color=PAPER, zorder=0)
    axes.plot(np.cos(outline), np.sin(outline), color=LINE, lw=0.8, zorder=6)
    angles = np.deg2rad(np.arange(0, 180, 30))
    meridians = [circle(np.array([np.sin(a), -np.cos(a), 0.0])) for a in angles]
    heights = np.sin(np.deg2rad([-60, -30, 0, 30, 60]))
    parallels = [circle(np.array([0.0, 0.0, 1.0]), height) for height in heights]
    for line in (*meridians, *parallels):
        curve(axes, line, eye, False, color=LINE, lw=0.3, alpha=0.35, zorder=0.5)
        curve(axes, line, eye, True, color=LINE, lw=0.4, alpha=0.6, zorder=2)
    axes.set(xlim=(-1.04, 1.04), ylim=(-1.04, 1.04), aspect="equal")
    axes.axis("off")


def sphere(path: Path) -> None:
    """700 tokens on S² at four times under one noise.

    The two colours are the two sides of the great circle orthogonal to the lift's top right
    singular vector, which is known at the end only; the dark line is that circle, carried along.
    """
    omega = rqf.Wiener(seed=SEED)
    flow = rqf.Flow(rqf.RandomQuadraticForm(n=3), dt=1 / 256)
    start = uniform(TOKENS, 3, rng=1)
    normal = np.linalg.svd(flow.lift(omega, t=12.0))[2][0]
    points = flow.path(omega, start, MOMENTS)
    normals = [np.linalg.solve(flow.lift(omega, t).T, normal) for t in MOMENTS]
    one_side = start @ normal > 0.0
    eye = camera(EYE)

    figure, panels = plt.subplots(1, len(MOMENTS), figsize=(10.0, 2.85))
    figure.subplots_adjust(left=0.005, right=0.995, bottom=0.09, top=0.995, wspace=0.04)
    for axes, moment, where, turned in zip(panels, MOMENTS, points, normals, strict=True):
        globe(axes, eye)
        divide = circle(turned / np.linalg.norm(turned))
        for front in (False, True):
            tokens(axes, where[one_side], DARK, eye, front)
            tokens(axes, where[~one_side], WARM, eye, front)
        curve(axes, divide, eye, False, color=INK, lw=0.7, ls=(0, (2, 2)), alpha=0.5, zorder=1.5)
        curve(axes, divide, eye, True, color=INK, lw=1.1, zorder=4)
        axes.text(0.0, -1.16, f"$t = {moment:g}$", ha="center", va="center", color=INK, size=11)
    figure.savefig(path, dpi=180, pil_kwargs={"optimize": True})
    plt.close(figure)


def points(path: Path) -> None:
    """Sixty tokens on S³ under a Hermitian form and a holomorphic potential of degree 5."""
    k, moments = 5, (0.0, 0.04, 1.0)
    field = rqf.HermitianForm(2, 40**0.5) + rqf.HolomorphicPotential(2, k)
    flow = rqf.Flow(field, dt=1 / 4096)
    times = [round(t * 4096) / 4096 for t in moments]
    x = flow.path(rqf.Wiener(seed=4), uniform(60, 4, rng=2), times)
    z = x[..., :2] + 1j * x[..., 2:]
    cross = 2.0 * z[..., 0] * np.conj(z[..., 1])
    height = np.abs(z[..., 0]) ** 2 - np.abs(z[..., 1]) ** 2
    figure, panels = plt.subplots(2, len(moments), figsize=(9.0, 5.0), layout="constrained")
    for above, below, t, there, up, phase in zip(
        panels[0], panels[1], moments, cross, height, np.angle(z[..., 0]), strict=True
    ):
        above.scatter(np.angle(there), up, s=16, c=DARK, linewidths=0.0)
        above.set(xlim=(-np.pi, np.pi), ylim=(-1.05, 1.05), title=f"$t = {t:g}$")
        above.set_xlabel("longitude of the circle")
        below.scatter(phase, np.arange(60), s=16, c=WARM, linewidths=0.0)
        below.set(xlim=(-np.pi, np.pi))
        below.set_xlabel("phase along it")
        for axes in (above, below):
            axes.set_xticks([-np.pi, 0.0, np.pi], ["-π", "0", "π"])
            axes.grid(color=LINE, lw=0.3)
    panels[0, 0].set_ylabel("height of the circle")
    panels[1, 0].set_ylabel("token")
    figure.savefig(path, dpi=120)
    plt.close(figure)


PICTURES: dict[str, Callable[[Path], None]] = {"sphere": sphere, "points": points}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="pictures to draw; all by default")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the pictures")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(PICTURES)
    if unknown:
        parser.error(f"no picture is called {', '.join(sorted(unknown))}")
    plt.switch_backend("agg")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or PICTURES:
        path = arguments.out / f"{name}.png"
        PICTURES[name](path)
        print(path)


if __name__ == "__main__":
    main()
