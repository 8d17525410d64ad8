"""Corrected exponential: one step with the law of the flow to second order, rotations and all.

The heat kernel of GL(n)/O(n) is to leading order a Gaussian whose traceless part is wider by
`1 + n h/6` than that of the symmetric increment (h the variance of the noise in a step), and the
Lévy areas turn the frame by a skew Gaussian of entry variance `(n + 2) h²/16`. On SO(n) itself the
heat kernel is narrower than the Gaussian by `1 - (n - 2) h/24`. So a step is

    exp(½ drift) · exp(areas + skew part) · exp(trace part + wider traceless part) · exp(½ drift).

Invariant under rotations and weak order 2; the areas are drawn afresh, not taken from the path.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from rqf.flow.linear_noise import Advance, Array, LinearNoise
from rqf.flow.schemes.matrices import assemble, exponential, replace_by_image, rescale


@njit(nogil=True, cache=True, error_model="numpy")
def _part(matrix, areas, r, step, widen, narrow, area, part, skew):  # type: ignore[no-untyped-def]
    """`part` = the corrected symmetric part of the matrix, or its corrected skew part + areas."""
    n = matrix.shape[0]
    trace = 0.0
    for i in range(n):
        trace += matrix[i, i] / n
    at = 0
    for i in range(n):
        part[i, i] = 0.0 if skew else trace + widen * (matrix[i, i] - trace)
        for j in range(i + 1, n):
            if skew:
                value = 0.5 * narrow * (matrix[i, j] - matrix[j, i]) + area * areas[r, step, at]
                part[i, j] = value
                part[j, i] = -value
                at += 1
            else:
                value = 0.5 * widen * (matrix[i, j] + matrix[j, i])
                part[i, j] = value
                part[j, i] = value


@njit(nogil=True, cache=True, error_model="numpy")
def advance(states, z, areas, kinds, amplitudes, half_drift, drifts, law, every, tokens):  # type: ignore[no-untyped-def]
    """Carry states (R, n, m) through the steps of z (R, steps, components), in place."""
    n = states.shape[1]
    widen, narrow, area = law
    matrix = np.empty((n, n))
    part = np.empty((n, n))
    no_drift = np.zeros((n, n))
    power = np.empty(states.shape[1:])
    image = np.empty(states.shape[1:])
    for r in range(states.shape[0]):
        state = states[r]
        for step in range(z.shape[1]):
            if drifts:
                replace_by_image(half_drift, state, image)
            assemble(z, r, step, kinds, amplitudes, no_drift, matrix)
            _part(matrix, areas, r, step, widen, narrow, area, part, False)
            exponential(part, state, power, image)
            _part(matrix, areas, r, step, widen, narrow, area, part, True)
            exponential(part, state, power, image)
            if drifts:
                replace_by_image(half_drift, state, image)
            if step % every == every - 1:
                rescale(state, tokens)
        rescale(state, tokens)


def prepare(noise: LinearNoise) -> Advance:
    """The scheme made ready for one field and step."""
    n = noise.n
    half_drift = noise.drift_flow(0.5)
    symmetric = noise.symmetric_strength * noise.dt
    skew = noise.skew_strength * noise.dt
    widen = math.sqrt(1.0 + n * symmetric / 6.0)
    narrow = math.sqrt(max(0.0, 1.0 - (n - 2) * skew / 24.0))
    area = math.sqrt((n + 2) / 16.0) * symmetric
    every = noise.rescale_every

    def run(states: Array, z: Array, auxiliary: Any, tokens: bool) -> None:
        advance(
            states, z, auxiliary, noise.kinds, noise.amplitudes, half_drift, noise.has_drift,
            (widen, narrow, area), every, tokens,
        )

    return run
