"""Tokens at equal angles under an attention drift: their common overlap obeys one equation.

N tokens with X_i·X_j = ρ for all i ≠ j stay so under the drift of `Attention`, and

    ρ' = 2 gamma w(ρ) (1 - ρ) (1 + (N-1) ρ),

w the weight of each of the others: e^{beta ρ}/(e^beta + (N-1) e^{beta ρ}) for softmax weights,
e^{beta ρ}/N for unnormalised ones. Geshkovski et al., arXiv:2312.10794 (SA and USA).

In v = log[(1 + (N-1) ρ)/(1 - ρ)], from -∞ at the simplex ρ = -1/(N-1) to ∞ at the cluster, the
equation is v' = 2 gamma N w, and 1 - ρ = N/(e^v + N - 1) has no cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.fields.attention import KINDS, STEEPEST
from rqf.fields.base import MOST
from rqf.theory.arguments import times

Array = NDArray[np.float64]
Kind = Literal["softmax", "unnormalised"]
NODES, WEIGHTS = leggauss(12)
PANEL = 0.25  # longest panel of the quadrature in v
STEP = 0.5  # greatest change of the logarithm of the pace within a panel
LATEST = 1e300  # time at unit strength
FAR = 1e9  # way in v after which 1 - ρ is 0 or at its most
NEWTON = 9  # iterations; the error squares from a few per cent


def equiangular_rate(
    rho: ArrayLike, tokens: int, beta: float, gamma: float = 1.0, kind: Kind = "softmax"
) -> Array:
    """The rate ρ' at which the overlap of tokens at equal angles grows under attention.

    Parameters
    ----------
    rho : array in [-1/(tokens-1), 1]
        Overlap.
    tokens : int >= 2
        N.
    beta : float, at most 600 in size
        Inverse temperature.
    gamma : float, at most 1e100 in size
        Strength of the drift, per unit time.
    kind : "softmax" or "unnormalised"
        The weights of attention.

    Returns
    -------
    array of the shape of rho, per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.equiangular_rate([-1.0, 0.0, 1.0], tokens=2, beta=0.0)
    array([0., 1., 0.])
    """
    tokens, beta, gamma = _drift(tokens, beta, gamma, kind)
    rho = _overlaps("rho", rho, tokens)
    growth = _growth(1.0 - rho, tokens, beta, kind)
    return gamma * growth / tokens * (1.0 - rho) * np.maximum(0.0, 1.0 + (tokens - 1) * rho)


def equiangular_overlap(
    rho0: float, t: ArrayLike, tokens: int, beta: float, gamma: float = 1.0, kind: Kind = "softmax"
) -> Array:
    """The overlap ρ(t) of tokens at equal angles under attention.

    Parameters
    ----------
    rho0 : float in [-1/(tokens-1), 1]
        Overlap at time 0; at both ends it stays.
    t : array >= 0
        Times, in any order.
    tokens, beta, gamma, kind
        As for `equiangular_rate`.

    Returns
    -------
    array of the shape of t; absolute error below 1e-9

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Notes
    -----
    The time t(v) = ∫ dv/(2 gamma N w) by Gauss quadrature over panels, inverted by Newton's method
    in v, see the head of this module.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.equiangular_overlap(0.0, [0.0, 1.0, 5.0], tokens=32, beta=1.0).round(4)
    array([0.    , 0.1518, 0.9983])
    """
    tokens, beta, gamma = _drift(tokens, beta, gamma, kind)
    rho = float(_overlaps("rho0", checks.real("rho0", rho0), tokens))
    t = times("t", t)
    rest = 1.0 + (tokens - 1) * rho
    if gamma == 0.0 or rho == 1.0 or rest <= 0.0:
        return np.full(t.shape, rho)

    def pace(v: Array) -> Array:
        """dt/|dv| at gamma = ±1; where it is beyond LATEST nothing moves in time."""
        growth = _growth(_distance(v, tokens), tokens, beta, kind)
        return 1.0 / np.maximum(growth, 1.0 / LATEST)

    clock = np.minimum(abs(gamma) * t.ravel(), LATEST)
    v = _coordinate(pace, math.log(rest / (1.0 - rho)), math.copysign(1.0, gamma), clock,
                    reach=40.0 + math.log(tokens) + math.log1p(abs(beta)))  # fmt: skip
    return np.asarray(1.0 - _distance(v, tokens)).reshape(t.shape)


def _coordinate(
    pace: Callable[[Array], Array], v0: float, sign: float, t: Array, reach: float
) -> Array:
    """v(t) from v(0) = v0 in the direction `sign`; beyond |v| = reach the pace is constant."""
    length = max(reach - sign * v0, 1.0)
    edges = np.append(np.arange(0.0, length, PANEL), length)
    parts = np.ceil(np.abs(np.diff(np.log(pace(v0 + sign * edges)))) / STEP)
    edges = np.concatenate([
        np.linspace(left, right, int(max(1, part)), endpoint=False)
        for left, right, part in zip(edges, edges[1:], parts, strict=False)
    ] + [[length]])  # fmt: skip

    def taken(start: Array, way: Array) -> Array:
        """The time from `start` to `start` + `way`, both distances from v0."""
        nodes = start[:, None] + way[:, None] * (0.5 + 0.5 * NODES)
        return 0.5 * way * (pace(v0 + sign * nodes) @ WEIGHTS)

    passed = np.concatenate([[0.0], np.cumsum(taken(edges[:-1], np.diff(edges)))])
    panel = np.searchsorted(passed, t, side="right") - 1
    start, left = edges[panel], t - passed[panel]
    way = np.zeros_like(left)
    with np.errstate(over="ignore"):
        for _ in range(NEWTON):
            change = (left - taken(start, way)) / pace(v0 + sign * (start + way))
            way = np.minimum(way + change, FAR)
    return v0 + sign * (start + way)


def _growth(e: Array, tokens: int, beta: float, kind: Kind) -> Array:
    """v' = 2 N w at 1 - ρ = e."""
    if kind == "unnormalised":
        return 2.0 * np.exp(beta * (1.0 - e))
    return 2.0 * tokens * np.exp(-np.logaddexp(beta * e, np.log(tokens - 1)))


def _distance(v: Array, tokens: int) -> Array:
    """1 - ρ."""
    return tokens * np.exp(-np.logaddexp(v, np.log(tokens - 1)))


def _drift(tokens: int, beta: float, gamma: float, kind: str) -> tuple[int, float, float]:
    checks.choice("kind", kind, KINDS)
    return (
        checks.integer("tokens", tokens, 2),
        checks.real("beta", beta, -STEEPEST, STEEPEST),
        checks.real("gamma", gamma, -MOST, MOST),
    )


def _overlaps(name: str, value: ArrayLike, tokens: int) -> Array:
    """`value` in [-1/(N-1), 1], between which N vectors can have equal overlaps."""
    rho = checks.finite_array(name, value)
    least = -1.0 / (tokens - 1)
    for end in (float(np.min(rho, initial=1.0)), float(np.max(rho, initial=least))):
        checks.real(name, end, least - 1e-12, 1.0 + 1e-12)
    return np.clip(rho, least, 1.0)
