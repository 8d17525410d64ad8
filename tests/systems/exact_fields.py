"""The systems of README.md: a field, where tokens start, what to look at, and its exact mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

import rqf
from rqf.fields import LinearField
from rqf.sphere import rotation, uniform

Observable = Callable[[np.ndarray, np.ndarray], np.ndarray]
PAIRS = 8


@dataclass(frozen=True)
class System:
    """`observe(start, end)` of tokens (R, N, n) gives values (R, K) of exact mean `mean`."""

    name: str
    field: LinearField
    t: float
    start: Callable[[int], np.ndarray]
    observe: Observable
    mean: float
    martingale: bool = False

    def __str__(self) -> str:
        return self.name


def points(n: int) -> Callable[[int], np.ndarray]:
    """Sixteen tokens in fixed directions, the same for all realisations."""
    return lambda realizations: uniform(16, n, rng=0)


def pairs(n: int, theta: float) -> Callable[[int], np.ndarray]:
    """x, y, x, y, …, eight pairs of angle θ in fixed directions."""
    frames = rotation(n, 1, size=PAIRS)
    y = math.cos(theta) * frames[:, :, 0] + math.sin(theta) * frames[:, :, 1]
    both = rqf.normalize(np.stack([frames[:, :, 0], y], axis=1).reshape(-1, n))
    return lambda realizations: both


def bingham(form: rqf.QuadraticForm, a: float) -> Callable[[int], np.ndarray]:
    """Independent tokens of density ∝ exp(-x·Mx / a), by rejection from the uniform law."""
    lowest = float(np.linalg.eigvalsh(form.matrix)[0])

    def start(realizations: int) -> np.ndarray:
        rng = np.random.default_rng(1)
        kept: list[np.ndarray] = []
        while sum(map(len, kept)) < 8 * realizations:
            x = uniform(8 * realizations, form.n, rng)
            height = np.exp((lowest - 2 * form.energy(x)) / a)
            kept.append(x[rng.random(len(x)) < height])
        return np.concatenate(kept)[: 8 * realizations].reshape(realizations, 8, form.n)

    return start


def overlap(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return np.sum(end[:, ::2] * end[:, 1::2], axis=-1)


def angles(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return rqf.angle(end[:, ::2], end[:, 1::2])


def moved(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return np.sum(start * end, axis=-1)


def both_angles(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    first, last = np.broadcast_to(start, end.shape) @ [1, 1j], end @ [1, 1j]
    return (last[:, ::2] * last[:, 1::2] / (first[:, ::2] * first[:, 1::2])).real


def diffusion(function: Callable[[np.ndarray], np.ndarray], z0: float, t: float,
              killing: bool = False) -> float:  # fmt: skip
    """E f(Z_t) or E f(Z_t) exp(-∫Z²) from Z_0 = z0: the matrix exponential of the generator.

    Central differences on 200 and 400 intervals of u in [-9, 9] + artanh z0, extrapolated.
    """
    results = []
    for size in (100, 200):
        u = math.atanh(z0) + np.linspace(-9, 9, 2 * size + 1)
        d = u[1] - u[0]
        generator = (
            np.diag(np.full(2 * size, 1 / d**2) + np.tanh(u[:-1]) / (2 * d), 1)
            + np.diag(np.full(2 * size, 1 / d**2) - np.tanh(u[1:]) / (2 * d), -1)
        )
        generator -= np.diag(generator.sum(axis=1) + (np.tanh(u) ** 2 if killing else 0.0))
        results.append((expm(t * generator) @ function(np.tanh(u)))[size])
    return float(4 * results[1] - results[0]) / 3


def _one_point(name: str, field: LinearField, t: float, clock: float) -> list[System]:
    """(1) and (2) with a(1) t = clock."""
    n = field.n
    return [
        System(f"{name}, first harmonic", field, t, points(n), moved,
               math.exp(-(n - 1) * clock / 2)),
        System(f"{name}, second harmonic", field, t, points(n),
               lambda start, end: moved(start, end) ** 2,
               (1 + (n - 1) * math.exp(-n * clock)) / n),
    ]  # fmt: skip


def _pair(name: str, field: LinearField, t: float, s: float) -> list[System]:
    """(3) to (5)."""
    n, theta = field.n, math.pi / 3
    start = pairs(n, theta)
    return [
        System(f"{name}, E Z", field, t, start, overlap, diffusion(lambda z: z, 0.5, s * t)),
        System(f"{name}, E Z²", field, t, start, lambda x, y: overlap(x, y) ** 2,
               diffusion(np.square, 0.5, s * t)),
        System(f"{name}, angle", field, t, start, angles, theta, martingale=True),
        System(f"{name}, log sine", field, t, start,
               lambda x, y: np.log(np.sin(angles(x, y))), math.log(math.sin(theta)) - s * t),
    ]  # fmt: skip


def _bingham(name: str, noise: LinearField, values: list[float]) -> System:
    """(7)."""
    n, a = noise.n, float(noise.a(1.0))
    turn = rotation(n, 5)
    form = rqf.QuadraticForm(turn @ np.diag(values) @ turn.T)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    azimuth = (np.arange(240) + 0.5) * math.pi / 120
    if n == 2:
        squares, share = np.stack([np.cos(azimuth) ** 2, np.sin(azimuth) ** 2]), np.ones(240)
    else:
        flat = 1 - nodes[:, None] ** 2
        squares = np.stack([flat * np.cos(azimuth) ** 2, flat * np.sin(azimuth) ** 2,
                            nodes[:, None] ** 2 + 0 * azimuth]).reshape(3, -1)  # fmt: skip
        share = np.repeat(weights, 240)
    energy = np.array(values) @ squares
    density = share * np.exp(-energy / a)
    return System(
        name, noise + form, 1.0, bingham(form, a), lambda start, end: 2 * form.energy(end),
        float(density @ energy / density.sum()),
    )  # fmt: skip


def systems() -> list[System]:
    """All of them."""
    layered = rqf.RandomQuadraticForm(3, 0.8) + rqf.Skew(3, 0.5) + rqf.LinearLayer(3, 0.6)
    return [
        *_one_point("one point, n = 2", rqf.RandomQuadraticForm(2), 1.0, 0.5),
        *_one_point("one point, n = 3", rqf.RandomQuadraticForm(3, 1.2), 0.75, 0.75 * 0.72),
        *_one_point("one point, n = 6", rqf.RandomQuadraticForm(6, 0.6), 1.0, 0.18),
        *_one_point("layer, n = 3", rqf.LinearLayer(3, 0.7), 1.0, 0.49),
        *_one_point("rotation, n = 4", rqf.Skew(4, 0.9), 1.0, 0.405),
        *_one_point("clock, n = 3", 0.5 * rqf.RandomQuadraticForm(3), 1.0, 0.25),
        *_pair("pair, n = 3", rqf.RandomQuadraticForm(3), 1.0, 1.0),
        *_pair("pair, n = 5, layer", rqf.LinearLayer(5, 0.7), 1.0, 0.49),
        *_pair("pair, sum", layered, 1.0, 1.0),
        System("circle", rqf.RandomQuadraticForm(2), 1.0, pairs(2, math.pi / 3), both_angles,
               diffusion(np.ones_like, 0.5, 1.0, killing=True)),
        _bingham("Bingham law, n = 2", rqf.RandomQuadraticForm(2), [0.5, -0.5]),
        _bingham("Bingham law, n = 3", rqf.LinearLayer(3, 0.9), [0.6, 0.1, -0.5]),
        _bingham("Bingham law, rotation", rqf.Skew(3, 1.1), [0.6, 0.1, -0.5]),
    ]  # fmt: skip
