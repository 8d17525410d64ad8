"""Ninomiya–Victoir for the lift of one random quadratic form, of a dimension known when compiled.

The same elementary flows in the same order as in `ninomiya_victoir`, which takes any field; with
loops of known length a step costs little more than its exponentials. For the circle, S² and S³.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

LARGEST = 4
_ROOT_HALF = math.sqrt(0.5)


@cache
def lift_kernel(n: int) -> Callable[..., Any]:
    """The kernel for n×n lifts, compiled when first called."""

    pairs = n * (n - 1) // 2

    @njit(nogil=True, cache=True, error_model="numpy")
    def advance(states, z, backward, amplitude, every):  # type: ignore[no-untyped-def]
        scale = np.empty(n)
        cosh = np.empty(pairs)
        sinh = np.empty(pairs)
        for r in range(states.shape[0]):
            state = states[r]
            left = every
            for step in range(z.shape[1]):
                for i in range(n):
                    scale[i] = math.exp(-amplitude * z[r, step, i])
                for p in range(pairs):
                    grow = math.exp(-amplitude * _ROOT_HALF * z[r, step, n + p])
                    shrink = 1.0 / grow
                    cosh[p] = 0.5 * (grow + shrink)
                    sinh[p] = 0.5 * (grow - shrink)
                if backward[r, step]:
                    p = pairs
                    for i in range(n - 2, -1, -1):
                        for j in range(n - 1, i, -1):
                            p -= 1
                            for k in range(n):
                                x = state[i, k]
                                y = state[j, k]
                                state[i, k] = cosh[p] * x + sinh[p] * y
                                state[j, k] = cosh[p] * y + sinh[p] * x
                    for i in range(n):
                        for k in range(n):
                            state[i, k] *= scale[i]
                else:
                    for i in range(n):
                        for k in range(n):
                            state[i, k] *= scale[i]
                    p = 0
                    for i in range(n - 1):
                        for j in range(i + 1, n):
                            for k in range(n):
                                x = state[i, k]
                                y = state[j, k]
                                state[i, k] = cosh[p] * x + sinh[p] * y
                                state[j, k] = cosh[p] * y + sinh[p] * x
                            p += 1
                left -= 1
                if left == 0 or step == z.shape[1] - 1:
                    left = every
                    largest = 0.0
                    for i in range(n):
                        for k in range(n):
                            largest = max(largest, abs(state[i, k]))
                    factor = 1.0 / largest
                    for i in range(n):
                        for k in range(n):
                            state[i, k] *= factor

    return advance
