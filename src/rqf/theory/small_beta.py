"""Attention inside the noise between its two limits, beta → 0 and beta → ∞, many tokens.

As beta → 0 every token attends to the mean token, m_i = X̄, and noise of variance sigma² moves all
tokens by one vector. Where all overlaps are u, each has the drift and, at n - 2 ≫ 1, small noise

    sigma² a (1-u) (n-2-u),   a = |X̄|² = u + (1-u)/N,   variance 2 sigma² a (1+u) (1-u)²,

so that on the clock s = sigma² n t, as N and n → ∞, u' = u (1-u): the logistic equation of Koubbi,
Geshkovski and Rigollet, arXiv:2604.01978, whose value matrices have entries of variance 1/n.

As beta → ∞ a token attends to itself, m_i = X_i, and the field is a linear layer. On the clock
sigma² t, theirs times n, du = -u (1-u²) dt + √2 (1-u²) dB: `TwoPoint(LinearLayer(n, sigma))`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.theory.arguments import times


def small_beta_overlap(u0: float, s: ArrayLike) -> NDArray[np.float64]:
    """The mean overlap of many tokens under `AttentionNoise` as beta → 0 and n → ∞: u' = u (1-u).

    Parameters
    ----------
    u0 : float in [0, 1]
        Mean overlap of infinitely many tokens at the start.
    s : array >= 0
        Time sigma² n t of `AttentionNoise(n, beta, sigma=sigma)`.

    Returns
    -------
    array of the shape of s, u0/(u0 + (1 - u0) e^{-s})

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.small_beta_overlap(0.5, [0.0, 1.0]).round(4)
    array([0.5   , 0.7311])
    """
    u0 = checks.real("u0", u0, 0.0, 1.0)
    s = times("s", s)
    if u0 == 0.0:
        return np.zeros_like(s)
    return u0 / (u0 + (1.0 - u0) * np.exp(-s))
