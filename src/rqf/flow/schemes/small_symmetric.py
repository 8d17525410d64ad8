"""Ninomiya–Victoir for the lift of one random quadratic form, of a dimension known when compiled.

The same elementary flows in the same order as in `ninomiya_victoir`, which takes any field; with
loops of known length a step costs little more than its exponentials. For the circle, S² and S³.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import njit

LARGEST = 4
_ROOT_HALF = math.sqrt(0.5)


@cache
def lift_kernel(n: int) -> Callable[..., Any]:
    """The kernel for n×n lifts, compiled when first called."""

    @njit(nogil=True, cache=True, error_model="numpy")
    def advance(states, z, backward, amplitude, every):  # type: ignore[no-untyped-def]
        for r in range(states.shape[0]):
            state = states[r]
            for step in range(z.shape[1]):
                reverse = backward[r, step]
                for half in range(2):
                    if (half == 0) != reverse:
                        for i in range(n):
                            factor = math.exp(-amplitude * z[r, step, i])
                            for k in range(n):
                                state[i, k] *= factor
                        continue
                    for row in range(n - 1):
                        i = n - 2 - row if reverse else row
                        first = n + i * (2 * n - i - 1) // 2
                        for column in range(n - 1 - i):
                            place = n - 2 - i - column if reverse else column
                            j = i + 1 + place
                            grow = math.exp(-amplitude * _ROOT_HALF * z[r, step, first + place])
                            shrink = 1.0 / grow
                            cosh = 0.5 * (grow + shrink)
                            sinh = 0.5 * (grow - shrink)
                            for k in range(n):
                                x = state[i, k]
                                y = state[j, k]
                                state[i, k] = cosh * x + sinh * y
                                state[j, k] = cosh * y + sinh * x
                if step % every == every - 1 or step == z.shape[1] - 1:
                    largest = 0.0
                    for i in range(n):
                        for k in range(n):
                            largest = max(largest, abs(state[i, k]))
                    factor = 1.0 / largest
                    for i in range(n):
                        for k in range(n):
                            state[i, k] *= factor

    return advance
