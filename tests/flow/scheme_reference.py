"""The one-step maps once more, in plain NumPy: matrices of the noises, exponentials by SciPy."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import expm

import rqf
from rqf.fields import LinearField


def single_noises(field: LinearField, normals: np.ndarray) -> list[np.ndarray]:
    """The matrices of the Brownian components, in order, for unit normals; field a single noise."""
    n = field.n
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    if isinstance(field, rqf.LinearLayer):
        places = [((i, j, 1.0),) for i in range(n) for j in range(n)]
    elif isinstance(field, rqf.Skew):
        places = [((i, j, -math.sqrt(0.5)), (j, i, math.sqrt(0.5))) for i, j in pairs]
    else:
        places = [((i, i, -1.0),) for i in range(n)]
        places += [((i, j, -math.sqrt(0.5)), (j, i, -math.sqrt(0.5))) for i, j in pairs]
    matrices = []
    for entries, normal in zip(places, normals, strict=True):
        matrix = np.zeros((n, n))
        for i, j, value in entries:
            matrix[i, j] = value * field.sigma * normal
        matrices.append(matrix)
    return matrices


def step(
    scheme: str, field: LinearField, dt: float, normals: list[np.ndarray], auxiliary: object
) -> np.ndarray:
    """The matrix of one step; `normals[i]` belong to term i, `auxiliary` is a coin or areas."""
    n = field.n
    drift = np.zeros((n, n)) if field.drift is None else dt * field.drift
    noises = [
        math.sqrt(dt) * matrix
        for term, own in zip(field.terms, normals, strict=True)
        for matrix in single_noises(term, own)
    ]
    noise = np.sum(noises, axis=0) if noises else np.zeros((n, n))
    m = noise + drift
    if scheme == "euler":
        return np.eye(n) + m
    if scheme == "heun":
        return np.eye(n) + m + m @ m / 2
    if scheme == "exponential":
        return expm(m)
    if scheme == "ninomiya-victoir":
        result = expm(drift / 2)
        for matrix in noises[::-1] if auxiliary else noises:
            result = expm(matrix) @ result
        return expm(drift / 2) @ result
    s, k = field.symmetric_strength * dt, field.skew_strength * dt
    areas = np.zeros((n, n))
    areas[np.triu_indices(n, 1)] = np.asarray(auxiliary) * s * math.sqrt((n + 2) / 16)
    symmetric = (noise + noise.T) / 2
    trace = np.trace(noise) / n * np.eye(n)
    wider = trace + math.sqrt(1 + n * s / 6) * (symmetric - trace)
    narrower = math.sqrt(1 - (n - 2) * k / 24) * (noise - noise.T) / 2
    turned = expm(narrower + areas - areas.T) @ expm(wider)
    return expm(drift / 2) @ turned @ expm(drift / 2)
