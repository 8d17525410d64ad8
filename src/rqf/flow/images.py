"""Tokens read off from states: moved by a lift or carried along themselves, and put on the sphere.

Every token is computed on its own, in one fixed order of operations. So its numbers do not depend
on which other tokens, times or realisations are computed with it, equal tokens stay equal and
antipodes stay antipodes to the last bit; a matrix product of a library promises none of this.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _to_unit(out, r, s, k):  # type: ignore[no-untyped-def]
    """out[r, s, k] / |out[r, s, k]|, in place; neither large nor tiny entries spoil the norm."""
    n = out.shape[3]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(out[r, s, k, i]))
    square = 0.0
    for i in range(n):
        out[r, s, k, i] /= largest
        square += out[r, s, k, i] * out[r, s, k, i]
    norm = math.sqrt(square)
    for i in range(n):
        out[r, s, k, i] /= norm


@njit(nogil=True, cache=True, error_model="numpy")
def by_lifts(lifts, starts, out):  # type: ignore[no-untyped-def]
    """out[r, s, k] = lifts[r, s] @ starts[r, k] at unit length.

    lifts (R, S, n, n), starts (R, N, n), out (R, S, N, n).
    """
    n = lifts.shape[2]
    turned = np.empty((n, n))
    for r in range(lifts.shape[0]):
        for s in range(lifts.shape[1]):
            for i in range(n):
                for j in range(n):
                    turned[j, i] = lifts[r, s, i, j]
            for k in range(starts.shape[1]):
                for i in range(n):
                    out[r, s, k, i] = turned[0, i] * starts[r, k, 0]
                for j in range(1, n):
                    factor = starts[r, k, j]
                    for i in range(n):
                        out[r, s, k, i] += turned[j, i] * factor
                _to_unit(out, r, s, k)


@njit(nogil=True, cache=True, error_model="numpy")
def of_columns(states, out):  # type: ignore[no-untyped-def]
    """out[r, s, k] = column k of states[r, s] at unit length.

    states (R, S, n, N), out (R, S, N, n).
    """
    for r in range(states.shape[0]):
        for s in range(states.shape[1]):
            for k in range(states.shape[3]):
                for i in range(states.shape[2]):
                    out[r, s, k, i] = states[r, s, i, k]
                _to_unit(out, r, s, k)
