"""Heun's method, for a linear field Taylor's of order 2: G ← (I + M + ½ M²) G.

What general solvers of Stratonovich equations do. Weak order 1, with a large constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from rqf.flow.linear_noise import Advance, Array, LinearNoise
from rqf.flow.schemes.matrices import assemble, multiply, rescale


@njit(nogil=True, cache=True, error_model="numpy")
def advance(states, z, kinds, amplitudes, drift, every, tokens):  # type: ignore[no-untyped-def]
    """Carry states (R, n, m) through the steps of z (R, steps, components), in place."""
    matrix = np.empty((states.shape[1], states.shape[1]))
    image = np.empty(states.shape[1:])
    second = np.empty(states.shape[1:])
    for r in range(states.shape[0]):
        state = states[r]
        for step in range(z.shape[1]):
            assemble(z, r, step, kinds, amplitudes, drift, matrix)
            multiply(matrix, state, image)
            multiply(matrix, image, second)
            for i in range(state.shape[0]):
                for k in range(state.shape[1]):
                    state[i, k] += image[i, k] + 0.5 * second[i, k]
            if step % every == every - 1:
                rescale(state, tokens)
        rescale(state, tokens)


def prepare(noise: LinearNoise) -> Advance:
    """The scheme made ready for one field and step."""
    drift = noise.drift_matrix * noise.dt
    every = noise.rescale_every

    def run(states: Array, z: Array, auxiliary: Any, tokens: bool) -> None:
        advance(states, z, noise.kinds, noise.amplitudes, drift, every, tokens)

    return run
