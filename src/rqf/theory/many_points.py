"""Many tokens in the long run: a uniformly random hyperplane splits them into two clusters.

The hyperplane passes through the centre, orthogonal to the top right singular direction of the
linear lift; tokens on one side end together, tokens on opposite sides end antipodal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rqf import checks


def group_size_pmf(tokens: int) -> NDArray[np.float64]:
    """The law of the number of tokens on one side of the hyperplane: Binomial(N, ½).

    For N independent uniform tokens under linear noise with a symmetric part.

    Parameters
    ----------
    tokens : int >= 1
        N.

    Returns
    -------
    array of shape (N + 1,), the probabilities of 0, 1, ..., N

    Raises
    ------
    rqf.errors.InvalidArgument
        If tokens < 1.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.group_size_pmf(2)
    array([0.25, 0.5 , 0.25])
    """
    n = checks.integer("tokens", tokens, 1)
    k = np.arange(n // 2, n)
    upper = np.concatenate([[1.0], np.cumprod((n - k) / (k + 1.0))])  # from the mode outwards
    weights = np.concatenate([upper[::-1][: n // 2 + n % 2], upper[n % 2 :]])
    return weights / np.sum(weights)


def all_together(tokens: int) -> float:
    """The probability 2^{1-N} that N independent uniform tokens end in one cluster.

    Parameters
    ----------
    tokens : int >= 1
        N.

    Returns
    -------
    float

    Raises
    ------
    rqf.errors.InvalidArgument
        If tokens < 1.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.all_together(3)
    0.25
    """
    return math.ldexp(1.0, 1 - checks.integer("tokens", tokens, 1))


def invariant_pair(
    alpha: float, size: int, n: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Samples of the invariant law ρ_α of a pair of tokens under linear noise.

    ρ_α(dx, dy) = σ(dx) (α δ_x + (1-α) δ_{-x})(dy), σ the uniform law: the second token sits on the
    first with probability α, opposite to it otherwise.

    Parameters
    ----------
    alpha : float in [0, 1]
        Probability that the pair is together.
    size : int >= 0
        Number of pairs.
    n : int >= 2
        Dimension of the ambient space.
    seed : int >= 0
        Seed of the Philox stream.

    Returns
    -------
    x, y : arrays of shape (size, n), unit rows

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> x, y = rqf.theory.invariant_pair(alpha=1.0, size=5, n=3, seed=0)
    >>> bool((x == y).all())
    True
    """
    alpha = checks.real("alpha", alpha, 0.0, 1.0)
    size = checks.integer("size", size, 0)
    n = checks.integer("n", n, 2)
    generator = np.random.Generator(np.random.Philox(checks.integer("seed", seed, 0)))
    x = generator.standard_normal((size, n))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    sign = np.where(generator.random(size) < alpha, 1.0, -1.0)
    return x, sign[:, None] * x
