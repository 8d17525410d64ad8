"""A fixed quadratic form: the relative without noise, whose trajectories are known exactly.

dx/dt = -P_x M x. The claims are about many random symmetric matrices of known spectrum, whose
eigenvectors a random rotation places; nothing here is left to chance but their choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, stream
from rqf.claims.measurements import Identity, Jointly, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import QuadraticForm
from rqf.flow import Flow
from rqf.noise import Wiener

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
DIMENSIONS = (2, 3, 6, 10)
STARTS = 32
DT = 1 / 16
ENDLESS = 64.0  # 64 e-folds: what is left is rounding
ENDS = (("smallest of M", 1.0, 0), ("largest of M, flow +PMx", -1.0, -1))
SILENT = Wiener(seed=0)  # a form without noise does not look at it


def _few(level: Level, quick: int) -> int:
    """How many matrices to try: there is no error bar that more of them would shorten."""
    return quick if level == "quick" else 4 * quick


def _symmetric(matrix: Array) -> Array:
    return np.asarray(0.5 * (matrix + matrix.T))


def _forms(n: int, levels: Array, size: int, seed: int) -> list[tuple[Array, Array]]:
    """Symmetric matrices with these eigenvalues, and their eigenvectors as columns."""
    frames = sphere.rotation(n, seed, size=(size,))
    return [(_symmetric((frame * levels) @ frame.T), frame) for frame in frames]


def _starts(n: int, seed: int) -> Array:
    return sphere.uniform(STARTS, n, seed)


def measure_limit(level: Level, seed: int) -> Measurement:
    """How far tokens are off the eigenvector that they should reach, for M and for -M."""
    size, labels, off = _few(level, 6), [], []
    for n in DIMENSIONS:
        forms = _forms(n, np.arange(1.0, n + 1.0), size, stream(seed, n))
        start = _starts(n, stream(seed, n, "starts"))
        for name, sign, column in ENDS:
            worst = 0.0
            for matrix, frame in forms:
                flow = Flow(QuadraticForm(sign * matrix), dt=DT)
                distance = sphere.projective_distance(
                    flow(SILENT, start, ENDLESS), frame[:, column]
                )
                worst = max(worst, float(np.max(distance)))
            labels.append(f"largest distance to ± eigenvector, {name}, n = {n}")
            off.append(worst)
    return Identity(
        off,
        1e-9,
        labels,
        because="64 e-folds, the rest is rounding",
        details={
            "n": ", ".join(map(str, DIMENSIONS)), "matrices": size, "starts": STARTS,
            "time": ENDLESS, "dt": DT, **_decay(stream(seed, "figure")),
        },
    )


def _decay(seed: int) -> dict[str, Array]:
    """Distances of some tokens to their limit against time, for the figure."""
    [(matrix, frame)] = _forms(3, np.array([1.0, 2.0, 3.0]), 1, seed)
    times = np.arange(0.0, 16.01, 0.5)
    x = Flow(QuadraticForm(matrix), dt=DT).path(SILENT, _starts(3, seed)[:8], times)
    return {"times": times, "distances": sphere.projective_distance(x, frame[:, 0])}


def draw_limit(axes: Axes, result: Result) -> None:
    """Distance to the eigenvector against time: straight lines down to rounding."""
    times, distances = (np.array(result.details[name]) for name in ("times", "distances"))
    for index, distance in enumerate(distances.T):
        axes.semilogy(
            times, distance, color="#8c8c8c", linewidth=1.0,
            label="measured, 8 starts" if index == 0 else None,
        )
    middle = float(np.median(distances[0]))
    figures.line(axes, times, middle * np.exp(-times), 0, "slope of the gap, e^{-t}")
    axes.set_xlabel("time t, n = 3, eigenvalues 1, 2, 3")
    axes.set_ylabel("distance to ± eigenvector (radians)")
    axes.legend()


def measure_degenerate(level: Level, seed: int) -> Measurement:
    """How far tokens are off their normalised projection on a lowest eigenspace of dimension 2."""
    size, off = _few(level, 6), []
    dimensions = DIMENSIONS[1:]
    for n in dimensions:
        levels = np.concatenate([[1.0, 1.0], np.arange(2.0, n)])
        start = _starts(n, stream(seed, n, "starts"))
        worst = 0.0
        for matrix, frame in _forms(n, levels, size, stream(seed, n)):
            flow = Flow(QuadraticForm(matrix), dt=DT)
            plane = frame[:, :2]
            expected = sphere.normalize(start @ plane @ plane.T)
            distance = sphere.angle(flow(SILENT, start, ENDLESS), expected)
            worst = max(worst, float(np.max(distance)))
        off.append(worst)
    return Identity(
        off,
        1e-9,
        [f"largest distance to the projection, n = {n}" for n in dimensions],
        because="64 e-folds, the rest is rounding",
        details={
            "n": ", ".join(map(str, dimensions)), "matrices": size, "starts": STARTS,
            "time": ENDLESS, "dt": DT, **_plane(stream(seed, "figure")),
        },
    )


def _plane(seed: int) -> dict[str, Array]:
    """Paths in the frame of the eigenvectors, seen along the third, for the figure."""
    times = np.arange(0.0, 12.01, 1 / 8)
    flow = Flow(QuadraticForm(np.diag([1.0, 1.0, 2.0])), dt=DT)
    return {"paths": flow.path(SILENT, _starts(3, seed)[:12], times)[..., :2]}


def draw_degenerate(axes: Axes, result: Result) -> None:
    """Paths run straight away from the axis of the other eigenvector to the unit circle."""
    paths = np.array(result.details["paths"])
    phi = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(np.cos(phi), np.sin(phi), "--", color="#8c8c8c", label="lowest eigenspace")
    for index, path in enumerate(np.swapaxes(paths, 0, 1)):
        first = index == 0
        axes.plot(*path.T, color="#111111", linewidth=1.0, label="path" if first else None)
        axes.plot(*path[0], "o", color="#111111", markerfacecolor="white",
                  label="start" if first else None)
        aim = path[0] / np.linalg.norm(path[0])
        axes.plot(*aim, "x", color="#b5420e", label="predicted end" if first else None)
    axes.set_aspect("equal")
    axes.set_xlim(-1.1, 2.9)
    axes.set_xlabel("first coordinate, n = 3, eigenvalues 1, 1, 2")
    axes.set_ylabel("second coordinate")
    axes.legend(loc="center right")


def measure_trajectory(level: Level, seed: int) -> Measurement:
    """The flow against an adaptive solver of the equation itself (DOP853, Hairer et al.)."""
    size, off = _few(level, 3), []
    for n in DIMENSIONS:
        start = _starts(n, stream(seed, n, "starts"))[:4]
        worst = 0.0
        for matrix, _ in _forms(n, np.linspace(-1.0, 1.0, n), size, stream(seed, n)):
            moved = Flow(QuadraticForm(matrix), dt=DT)(SILENT, start, 4.0)
            for x, end in zip(start, moved, strict=True):
                worst = max(worst, float(np.linalg.norm(_solved(matrix, x, 4.0) - end)))
        off.append(worst)
    return Identity(
        off,
        1e-9,
        [f"largest distance between flow and solver, n = {n}" for n in DIMENSIONS],
        because="relative tolerance 1e-12 of the solver over 4 units of time",
        details={
            "n": ", ".join(map(str, DIMENSIONS)), "matrices": size, "starts": 4, "time": 4.0,
            "dt": DT,
        },
    )


def _solved(matrix: Array, start: Array, time: float) -> Array:
    """The solution of dx/dt = -P_x M x at a time, step by step."""

    def velocity(_: float, x: Array) -> Array:
        pushed = matrix @ x
        return np.asarray(-pushed + (x @ pushed) / (x @ x) * x)

    found = solve_ivp(velocity, (0.0, time), start, method="DOP853", rtol=1e-12, atol=1e-14)
    return np.asarray(found.y[:, -1])


def draw_trajectory(axes: Axes, result: Result) -> None:
    figures.exact(axes, result, DIMENSIONS, "dimension n", "flow less solver at t = 4")


def measure_energy(level: Level, seed: int) -> Measurement:
    """How often the energy rises from one time to the next, and the balance of what is lost.

    The loss is ∫ |P_x M x|² dt, by Gauss–Legendre quadrature on each interval.
    """
    size, time = _few(level, 6), 8.0
    times = np.linspace(0.0, time, 129)
    rises, imbalance = [], []
    for n in DIMENSIONS:
        start = _starts(n, stream(seed, n, "starts"))
        risen, worst = 0, 0.0
        for matrix, _ in _forms(n, np.arange(1.0, n + 1.0), size, stream(seed, n)):
            form = QuadraticForm(matrix)
            path = Flow(form, dt=DT).path(SILENT, start, times)
            energy = form.energy(path)
            risen += int(np.sum(np.diff(energy, axis=0) > 1e-14 * n))
            lost = energy[0] - energy[-1] - _dissipated(matrix, start, time)
            worst = max(worst, float(np.max(np.abs(lost))))
        rises.append(risen)
        imbalance.append(worst)
    return Jointly(
        [
            Identity(rises, 1e-9, [f"rises of the energy, n = {n}" for n in DIMENSIONS],
                     because="whole numbers: not one rise beyond rounding may occur"),
            Identity(imbalance, 1e-9, [f"largest imbalance, n = {n}" for n in DIMENSIONS],
                     because="quadrature"),
        ],
        details={
            "n": ", ".join(map(str, DIMENSIONS)), "matrices": size, "starts": STARTS, "time": time,
            "dt": DT, "times": times, "energies": energy[:, :8],
        },
    )


def _dissipated(matrix: Array, start: Array, time: float) -> Array:
    """∫ |P_x M x|² dt over [0, time] along the closed solution e^{-Mt} x / |e^{-Mt} x|."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    values, vectors = np.linalg.eigh(matrix)
    width = 1 / 8
    moments = (np.arange(0.0, time, width)[:, None] + 0.5 * width * (nodes + 1.0)).ravel()
    x = sphere.normalize(np.exp(-values * moments[:, None, None]) * (start @ vectors))
    mean = np.sum(values * x**2, axis=-1)
    speed = np.sum((values - mean[..., None]) ** 2 * x**2, axis=-1)
    return np.asarray(np.tile(0.5 * width * weights, len(moments) // 16) @ speed)


def draw_energy(axes: Axes, result: Result) -> None:
    times, energies = (np.array(result.details[name]) for name in ("times", "energies"))
    for index, energy in enumerate(energies.T):
        axes.plot(times, energy, color="#111111", linewidth=1.0,
                  label="measured, 8 starts" if index == 0 else None)
    axes.axhline(0.5, color="#b5420e", linestyle="--", label="predicted limit, half the lowest")
    axes.set_xlim(0.0, 4.0)
    axes.set_xlabel(f"time t, n = {DIMENSIONS[-1]}, eigenvalues 1, 2, …, {DIMENSIONS[-1]}")
    axes.set_ylabel("energy ½ x·Mx")
    axes.legend()


CLAIMS = (
    Claim(
        id="deterministic.limit",
        statement=(
            "For a fixed form, dx/dt = -P_x M x converges from almost every start to ± the"
            " eigenvector of the smallest eigenvalue of M; with the other sign, of the largest."
        ),
        source="ES 1.3 (Engel–Shalova 2026)",
        predict=lambda: np.zeros(2 * len(DIMENSIONS)),
        measure=measure_limit,
        draw=draw_limit,
    ),
    Claim(
        id="deterministic.degenerate",
        statement=(
            "If the smallest eigenvalue is multiple, x converges to its normalised projection on"
            " the eigenspace."
        ),
        source="ES 1.3 (Engel–Shalova 2026)",
        predict=lambda: np.zeros(len(DIMENSIONS) - 1),
        measure=measure_degenerate,
        draw=draw_degenerate,
    ),
    Claim(
        id="deterministic.trajectory",
        statement="The trajectory is x(t) = e^{-Mt}x/|e^{-Mt}x|: the solution of dx/dt = -P_x M x.",
        source=f"{MODEL}, section 2",
        predict=lambda: np.zeros(len(DIMENSIONS)),
        measure=measure_trajectory,
        draw=draw_trajectory,
    ),
    Claim(
        id="deterministic.energy",
        statement=(
            "The energy ½ x·Mx never rises along a trajectory, and what is lost is"
            " ∫ |P_x M x|² dt."
        ),
        source="ES 1.3 (Engel–Shalova 2026)",
        predict=lambda: [np.zeros(len(DIMENSIONS)), np.zeros(len(DIMENSIONS))],
        measure=measure_energy,
        draw=draw_energy,
    ),
)
