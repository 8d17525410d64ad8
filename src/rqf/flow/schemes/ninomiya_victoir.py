"""Ninomiya–Victoir: the exact flows of the single noises, one after the other, or in reverse.

Ninomiya and Victoir (2008): half a step of the drift, then the flow of every noise for its own
Brownian increment, in a fixed order or its reverse with probability ½ each, then half a step of
the drift. Weak order 2. Here every elementary flow touches one or two rows: a diagonal noise
scales a row, a symmetric one mixes two rows by cosh and sinh, a skew one rotates them, an entry of
a Ginibre matrix shears one by the other. A step costs about one matrix product.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from rqf.flow.linear_noise import Advance, Array, LinearNoise
from rqf.flow.schemes.matrices import GINIBRE, SYMMETRIC, replace_by_image, rescale
from rqf.flow.schemes.small_symmetric import LARGEST, lift_kernel

_ROOT_HALF = math.sqrt(0.5)


@njit(nogil=True, cache=True, error_model="numpy")
def _symmetric(state, z, r, step, at, amplitude, backward):  # type: ignore[no-untyped-def]
    """Flows of the noises of a symmetric matrix: rows scaled, pairs of them mixed by cosh, sinh."""
    n, m = state.shape
    if not backward:
        for i in range(n):
            factor = math.exp(-amplitude * z[r, step, at + i])
            for k in range(m):
                state[i, k] *= factor
    for row in range(n - 1):
        i = n - 2 - row if backward else row
        first = at + n + i * (2 * n - i - 1) // 2
        for column in range(n - 1 - i):
            place = n - 2 - i - column if backward else column
            j = i + 1 + place
            angle = -amplitude * _ROOT_HALF * z[r, step, first + place]
            grow = math.exp(angle)
            shrink = 1.0 / grow
            cosh = 0.5 * (grow + shrink)
            sinh = 0.5 * (grow - shrink)
            for k in range(m):
                x = state[i, k]
                y = state[j, k]
                state[i, k] = cosh * x + sinh * y
                state[j, k] = cosh * y + sinh * x
    if backward:
        for i in range(n):
            factor = math.exp(-amplitude * z[r, step, at + i])
            for k in range(m):
                state[i, k] *= factor


@njit(nogil=True, cache=True, error_model="numpy")
def _skew(state, z, r, step, at, amplitude, backward):  # type: ignore[no-untyped-def]
    """Flows of the noises of a skew matrix: pairs of rows rotated."""
    n, m = state.shape
    for row in range(n - 1):
        i = n - 2 - row if backward else row
        first = at + i * (2 * n - i - 1) // 2
        for column in range(n - 1 - i):
            place = n - 2 - i - column if backward else column
            j = i + 1 + place
            angle = -amplitude * _ROOT_HALF * z[r, step, first + place]
            cosine = math.cos(angle)
            sine = math.sin(angle)
            for k in range(m):
                x = state[i, k]
                y = state[j, k]
                state[i, k] = cosine * x + sine * y
                state[j, k] = cosine * y - sine * x


@njit(nogil=True, cache=True, error_model="numpy")
def _ginibre(state, z, r, step, at, amplitude, backward):  # type: ignore[no-untyped-def]
    """Flows of the noises of a matrix with independent entries: rows scaled or sheared."""
    n, m = state.shape
    for index in range(n * n):
        place = n * n - 1 - index if backward else index
        i = place // n
        j = place - i * n
        shear = amplitude * z[r, step, at + place]
        if i == j:
            factor = math.exp(shear)
            for k in range(m):
                state[i, k] *= factor
        else:
            for k in range(m):
                state[i, k] += shear * state[j, k]


@njit(nogil=True, cache=True, error_model="numpy")
def advance(states, z, backward, kinds, offsets, amplitudes, half_drift, drifts, every, tokens):  # type: ignore[no-untyped-def]
    """Carry states (R, n, m) through the steps of z (R, steps, components), in place."""
    terms = kinds.size
    image = np.empty(states.shape[1:])
    for r in range(states.shape[0]):
        state = states[r]
        for step in range(z.shape[1]):
            reverse = backward[r, step]
            if drifts:
                replace_by_image(half_drift, state, image)
            for index in range(terms):
                term = terms - 1 - index if reverse else index
                at = offsets[term]
                if kinds[term] == SYMMETRIC:
                    _symmetric(state, z, r, step, at, amplitudes[term], reverse)
                elif kinds[term] == GINIBRE:
                    _ginibre(state, z, r, step, at, amplitudes[term], reverse)
                else:
                    _skew(state, z, r, step, at, amplitudes[term], reverse)
            if drifts:
                replace_by_image(half_drift, state, image)
            if step % every == every - 1:
                rescale(state, tokens)
        rescale(state, tokens)


def prepare(noise: LinearNoise) -> Advance:
    """The scheme made ready for one field and step."""
    every = noise.rescale_every
    if noise.kinds.tolist() == [SYMMETRIC] and not noise.has_drift and noise.n <= LARGEST:
        amplitude = float(noise.amplitudes[0])
        kernel = lift_kernel(noise.n)

        def run_small(states: Array, z: Array, auxiliary: Any, tokens: bool) -> None:
            kernel(states, z, auxiliary, amplitude, every)

        return run_small
    half_drift = noise.drift_flow(0.5)

    def run(states: Array, z: Array, auxiliary: Any, tokens: bool) -> None:
        advance(
            states, z, auxiliary, noise.kinds, noise.offsets, noise.amplitudes, half_drift,
            noise.has_drift, every, tokens,
        )

    return run
