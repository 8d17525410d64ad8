"""The weights of attention, softmax_j(beta s_ij), and their derivative; in batches (..., N, N)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def softmax(scores: Array, *, causal: bool = False) -> Array:
    """Rows that add up to one, ∝ exp(scores); token i attends to j <= i only if `causal`.

    The largest score of a row is taken out first, so that no exponential overflows.
    """
    if causal:
        scores = np.where(visible(scores.shape[-1]), scores, -np.inf)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights /= np.sum(weights, axis=-1, keepdims=True)
    return weights


def softmax_rate(weights: Array, rate: Array) -> Array:
    """The derivative of the weights when the scores change at `rate` (..., N, N)."""
    weighted = weights * rate
    return weighted - weights * np.sum(weighted, axis=-1, keepdims=True)


def visible(tokens: int) -> NDArray[np.bool_]:
    """The causal mask (N, N): whether token i attends to token j, j <= i."""
    return np.tri(tokens, dtype=np.bool_)


def inner(x: Array, y: Array) -> Array:
    """The products x_i·y_j of two batches (..., N, n) of rows, shape (..., N, N)."""
    return x @ np.swapaxes(y, -1, -2)
