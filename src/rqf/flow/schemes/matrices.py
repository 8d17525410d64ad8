"""Small compiled pieces that the schemes share: assembling M, multiplying, keeping the scale.

A state is an (n, m) array whose columns are carried along by one-step maps from the left: the
columns of the lift G (m = n) or the tokens themselves.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

SYMMETRIC, GINIBRE, SKEW = 0, 1, 2
BLAS_FROM = 12
_ROOT_HALF = math.sqrt(0.5)
_TINY, _HUGE = 1e-280, 1e280


@njit(nogil=True, cache=True, error_model="numpy")
def assemble(z, r, step, kinds, amplitudes, drift, matrix):  # type: ignore[no-untyped-def]
    """matrix = drift + the matrices of the noises with unit normals z[r, step]."""
    n = matrix.shape[0]
    for i in range(n):
        for j in range(n):
            matrix[i, j] = drift[i, j]
    at = 0
    for term in range(kinds.size):
        amplitude = amplitudes[term]
        if kinds[term] == GINIBRE:
            for i in range(n):
                for j in range(n):
                    matrix[i, j] += amplitude * z[r, step, at]
                    at += 1
        else:
            sign = -1.0
            if kinds[term] == SYMMETRIC:
                sign = 1.0
                for i in range(n):
                    matrix[i, i] -= amplitude * z[r, step, at]
                    at += 1
            for i in range(n):
                for j in range(i + 1, n):
                    value = amplitude * _ROOT_HALF * z[r, step, at]
                    matrix[i, j] -= value
                    matrix[j, i] -= sign * value
                    at += 1


@njit(nogil=True, cache=True, error_model="numpy")
def assemble_each(z, step, kinds, amplitudes, drift, matrices):  # type: ignore[no-untyped-def]
    """matrices[r] = what `assemble` makes of z[r, step]."""
    for r in range(matrices.shape[0]):
        assemble(z, r, step, kinds, amplitudes, drift, matrices[r])


@njit(nogil=True, cache=True, error_model="numpy")
def multiply(matrix, state, out):  # type: ignore[no-untyped-def]
    """out = matrix @ state; BLAS when the matrix is not small."""
    n, m = state.shape
    if n >= BLAS_FROM:
        np.dot(matrix, state, out)
    else:
        for i in range(n):
            for k in range(m):
                out[i, k] = matrix[i, 0] * state[0, k]
            for j in range(1, n):
                factor = matrix[i, j]
                for k in range(m):
                    out[i, k] += factor * state[j, k]


@njit(nogil=True, cache=True, error_model="numpy")
def replace_by_image(matrix, state, image):  # type: ignore[no-untyped-def]
    """state = matrix @ state; `image` is a work array."""
    multiply(matrix, state, image)
    for i in range(state.shape[0]):
        for k in range(state.shape[1]):
            state[i, k] = image[i, k]


@njit(nogil=True, cache=True, error_model="numpy")
def exponential(matrix, state, power, image):  # type: ignore[no-untyped-def]
    """state = exp(matrix) @ state by Taylor's series; `power`, `image` have the shape of `state`.

    A few columns are multiplied by the series, in parts of norm at most 1. For as many columns as
    rows it is cheaper to square: exp(matrix) = exp(matrix / 2^s)^(2^s), with norm / 2^s at most ½.
    """
    n, m = state.shape
    norm = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += abs(matrix[i, j])
        norm = max(norm, row)
    if m < n or norm <= 1.0:
        parts = max(1, math.ceil(norm))
        for _ in range(parts):
            _series(matrix, norm, 1.0 / parts, state, power, image)
        return
    squarings = 1
    while norm > 0.5 * 2.0**squarings:
        squarings += 1
    whole = np.zeros((n, n))
    for i in range(n):
        whole[i, i] = 1.0
    _series(matrix, norm, 0.5**squarings, whole, power, image)
    for _ in range(squarings):
        multiply(whole, whole, image)
        for i in range(n):
            for k in range(n):
                whole[i, k] = image[i, k]
    replace_by_image(whole, state, image)


@njit(nogil=True, cache=True, error_model="numpy")
def _series(matrix, norm, scale, state, power, image):  # type: ignore[no-untyped-def]
    """state = exp(scale · matrix) @ state; `norm` is that of the matrix."""
    n, m = state.shape
    for i in range(n):
        for k in range(m):
            power[i, k] = state[i, k]
    order = 0
    bound = 1.0  # of the terms of this order: the same for all columns, however small
    while bound > 1e-17:
        order += 1
        factor = scale / order
        bound *= norm * factor
        multiply(matrix, power, image)
        for i in range(n):
            for k in range(m):
                power[i, k] = image[i, k] * factor
                state[i, k] += power[i, k]


@njit(nogil=True, cache=True, error_model="numpy")
def rescale(state, tokens):  # type: ignore[no-untyped-def]
    """Columns to unit length if they are `tokens`, else the whole state to largest entry 1."""
    n, m = state.shape
    if tokens:
        for k in range(m):
            square = 0.0
            for i in range(n):
                square += state[i, k] * state[i, k]
            if not _TINY < square < _HUGE:
                largest = 0.0
                for i in range(n):
                    largest = max(largest, abs(state[i, k]))
                square = 0.0
                for i in range(n):
                    state[i, k] /= largest
                    square += state[i, k] * state[i, k]
            factor = 1.0 / math.sqrt(square)
            for i in range(n):
                state[i, k] *= factor
    else:
        largest = 0.0
        for i in range(n):
            for k in range(m):
                largest = max(largest, abs(state[i, k]))
        factor = 1.0 / largest
        for i in range(n):
            for k in range(m):
                state[i, k] *= factor
