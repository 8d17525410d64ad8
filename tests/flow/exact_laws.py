"""What the orders of schemes are measured against: a step by quadrature, pairs by an equation.

*One step.* Let S be the step of a scheme whose law is invariant under rotations: S = R g(Λ) Rᵀ with
R uniform, Λ the eigenvalues of a random symmetric matrix with variances h on and h/2 off the
diagonal, density ∝ Π|λ_i - λ_j| exp(-Σλ²/2h), and possibly a random rotation exp(Ω) after it. Then
E[X_h·X_0] = κ E[Σ g(λ_i) x_i² / √Σ g(λ_i)² x_i²], x uniform, E exp(Ω) = κ I. By invariance the
steps form a random walk on a homogeneous space, and E[X_t·X_0] is the power t/h of that number.

*Pairs.* With Z = tanh u the overlap of a pair has the generator L = ∂² + tanh(u) ∂. On the circle
the sum s of the two angles, given the path of Z, is Gaussian of variance 2∫Z² dt (the noises of sum
and difference are uncorrelated): E cos(s_t - s_0) = E exp(-∫Z²) solves v' = L v - tanh² v.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_banded
from scipy.special import roots_genlaguerre, roots_legendre

MAPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "euler": lambda x: 1 - x,
    "heun": lambda x: 1 - x + x * x / 2,
    "exponential": lambda x: np.exp(-x),
    "corrected-exponential": lambda x: np.exp(-x),
}


def overlap_after_a_step(scheme: str, n: int, h: float) -> float:
    """E[X_h·X_0] of an invariant scheme under the random quadratic form, n = 2 or 3."""
    corrected = scheme == "corrected-exponential"
    scale = 2 * h * (1 + n * h / 6 if corrected else 1)
    if n == 2:  # eigenvalues ±d around their mean, density d exp(-d²/h)
        q, weights = roots_genlaguerre(30, 0)
        traceless = np.sqrt(scale * q / 2)[:, None] * [1, -1]
        angles = (np.arange(80) + 0.5) * math.pi / 80
        squares = np.stack([np.cos(angles) ** 2, np.sin(angles) ** 2])
        share = np.full(80, 1 / 80)
    else:  # polar coordinates in the plane of trace 0, where the differences are r³ |cubic(φ)|
        q, radial = roots_genlaguerre(30, 1.5)
        node, angular = roots_legendre(24)
        phi = (node + 1) * math.pi / 6
        directions = np.outer(np.cos(phi), [1, -1, 0]) / math.sqrt(2)
        directions += np.outer(np.sin(phi), [1, 1, -2]) / math.sqrt(6)
        x, y, z = directions.T
        weights = np.outer(radial, angular * abs((x - y) * (y - z) * (z - x))).ravel()
        half = (np.sqrt(scale * q)[:, None, None] * directions).reshape(-1, 3)
        traceless, weights = np.concatenate([half, -half]), np.tile(weights, 2)
        node, polar = roots_legendre(24)
        height = (node[:, None] + 1) / 2
        azimuth = (np.arange(24) + 0.5) * math.pi / 48
        flat = 1 - height**2
        squares = np.stack([flat * np.cos(azimuth) ** 2, flat * np.sin(azimuth) ** 2,
                            height**2 + 0 * azimuth]).reshape(3, -1)  # fmt: skip
        share = np.repeat(polar / 48, 24)
    weights = weights / weights.sum()
    mean, gaussian = np.polynomial.hermite_e.hermegauss(20)
    if scheme.endswith("exponential"):  # where the trace is a factor
        mean, gaussian = np.zeros(1), np.ones(1)
    overlap = 0.0
    for m, probability in zip(mean, gaussian / gaussian.sum(), strict=True):
        g = MAPS[scheme](traceless + m * math.sqrt(h / n))
        overlap += probability * (weights @ (g @ squares / np.sqrt(g**2 @ squares)) @ share)
    if corrected:
        v = (n + 2) / 16 * h**2
        overlap *= math.exp(-v / 2) if n == 2 else (1 + 2 * (1 - v) * math.exp(-v / 2)) / 3
    return float(overlap)


def pair_mean(
    function: Callable[[np.ndarray], np.ndarray], z0: float, t: float, killing: bool = False
) -> float:
    """E f(Z_t), or E f(Z_t) exp(-∫Z²), from Z_0 = z0: Crank–Nicolson, extrapolated twice."""
    coarse, fine = (_crank_nicolson(function, z0, t, killing, size) for size in (400, 800))
    return (4 * fine - coarse) / 3


def _crank_nicolson(
    function: Callable[[np.ndarray], np.ndarray], z0: float, t: float, killing: bool, size: int
) -> float:
    start = math.atanh(z0)
    u = start + np.linspace(-9, 9, 2 * size + 1)
    step = u[1] - u[0]
    drift = np.tanh(u) / (2 * step)
    bands = np.zeros((3, u.size))
    bands[0, 1:] = 1 / step**2 + drift[:-1]
    bands[1] = -2 / step**2 - (np.tanh(u) ** 2 if killing else 0.0)
    bands[2, :-1] = 1 / step**2 - drift[1:]
    bands[1, [0, -1]] += 1 / step**2 + np.array([-1, 1]) * drift[[0, -1]]
    v, half = function(np.tanh(u)), t / size / 2
    for _ in range(size):
        right = v + half * bands[1] * v
        right[:-1] += half * bands[0, 1:] * v[1:]
        right[1:] += half * bands[2, :-1] * v[:-1]
        left = -half * bands
        left[1] += 1
        v = solve_banded((1, 1), left, right)
    return float(v[size])
