"""Two tokens in a residual network of attention layers with random values, layer by layer.

A layer is x_i ← N(x_i + √h V m_i + h Σ_j w_ij x_j), V a matrix of independent standard normals, new
at every layer, m_i what the noise acts on and w_ij the weights of a drift. The stack is written
here in NumPy, apart from the fields and the schemes of the package. Two tokens x, y meet V in
their plane only: with V e_1 and V e_2, and of the n - 2 components across the plane all that
lengths and angles know of, a 2×2 triangle of chi variables (Bartlett). So a layer draws seven
numbers in any dimension, and stacks of different settings run side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.claims.base import Level, amount, stream
from rqf.claims.measurements import Proportions
from rqf.fields import Field
from rqf.theory import TwoPoint

Array = NDArray[np.float64]
Weights = Callable[[Array, Array], Array]

RESOLVED = 1e-4  # angle to a pole at which a pair is counted there
LATEST = 100.0  # time at which a pair between the poles is counted at the nearer one
THIN = 16.0  # variance 1/(THIN n) of a layer at level "quick", a quarter at "full"


def softmax_share(beta: Array, z: Array) -> Array:
    """What each of two tokens gives to the other: 1/(1 + e^{beta (1-z)})."""
    return 1.0 / (1.0 + np.exp(np.minimum(beta * (1.0 - z), 700.0)))


def exponential_share(beta: Array, z: Array) -> Array:
    """e^{beta z}/2, not normalised."""
    return 0.5 * np.exp(beta * z)


def own(beta: Array, z: Array) -> Array:
    """Nothing: the noise of a plain linear layer acts on the token itself."""
    return np.zeros_like(z)


@dataclass(frozen=True)
class Layer:
    """What a layer adds: noise on (1 - mix) x + mix y, and the drift gamma weight y."""

    mix: Weights = own
    weight: Weights = own


@dataclass
class Pairs:
    """Pairs of tokens in stacks of their own, arrays of one shape (R,).

    `gamma` is the strength of the drift per unit variance of the noise; `angle` in [0, π/2] that
    between x and ±y, `sign` tells which.
    """

    n: Array
    beta: Array
    gamma: Array
    h: Array
    angle: Array
    sign: Array

    @classmethod
    def at(cls, overlap: Array, n: Array, beta: Array, gamma: Array, h: Array) -> Pairs:
        """Pairs at overlaps in (-1, 1)."""
        return cls(n, beta, gamma, h, np.arccos(np.abs(overlap)), np.where(overlap < 0, -1.0, 1.0))

    @property
    def overlap(self) -> Array:
        return np.asarray(self.sign * np.cos(self.angle))

    def take(self, which: NDArray[np.bool_]) -> Pairs:
        """Some of them."""
        return Pairs(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def through(self, layer: Layer, rng: np.random.Generator) -> None:
        """Carry every pair through one more layer, in place."""
        size = self.n.size
        c, s, sign = np.cos(self.angle), np.sin(self.angle), self.sign
        q = layer.mix(self.beta, sign * c)
        p = 1.0 - q
        first, second = np.zeros((4, size)), np.zeros((4, size))  # V e_1 and V e_2
        first[:2], second[:3] = rng.standard_normal((2, size)), rng.standard_normal((3, size))
        second[2][self.n < 3.0] = 0.0
        first[2] = np.sqrt(2.0 * rng.standard_gamma(0.5 * (self.n - 2.0)))
        second[3] = np.sqrt(2.0 * rng.standard_gamma(0.5 * np.maximum(0.0, self.n - 3.0)))
        root = np.sqrt(self.h)
        x = root * ((p + q * sign * c) * first + q * sign * s * second)
        y = root * ((p * c + q * sign) * first + p * s * second)  # y stands at sign times this
        pull = self.h * self.gamma * sign * layer.weight(self.beta, sign * c)
        x[0] += 1.0 + pull * c
        x[1] += pull * s
        y[0] += c + pull
        y[1] += s
        x /= np.sqrt(np.sum(x * x, axis=0))
        y /= np.sqrt(np.sum(y * y, axis=0))
        apart, along = (np.sqrt(np.sum((x + way * y) ** 2, axis=0)) for way in (-1.0, 1.0))
        self.sign = np.where(apart > along, -sign, sign)
        self.angle = 2.0 * np.arctan2(np.minimum(apart, along), np.maximum(apart, along))


def antipodal(pairs: Pairs, layer: Layer, rng: np.random.Generator) -> Array:
    """Whether each pair comes within RESOLVED of antipodal first, not of its like: 0 or 1."""
    ends = np.zeros(pairs.n.size)
    alive = np.arange(pairs.n.size)
    time = np.zeros(pairs.n.size)
    while alive.size:
        for _ in range(8):
            pairs.through(layer, rng)
        time = time + 8.0 * pairs.h
        done = (pairs.angle < RESOLVED) | (time >= LATEST)
        ends[alive[done]] = pairs.sign[done] < 0.0
        alive, time, pairs = alive[~done], time[~done], pairs.take(~done)
    return ends


def ends(
    layer: Layer, n: ArrayLike, beta: ArrayLike, gamma: ArrayLike, labels: list[str], level: Level,
    seed: int, quick: int, overlaps: ArrayLike = 0.0,
) -> Proportions:  # fmt: skip
    """How many pairs end antipodal, one entry for each setting."""
    size, thin = amount(level, quick), THIN if level == "quick" else 4.0 * THIN
    settings = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (overlaps, n, beta, gamma)))
    z0, n_, beta_, gamma_ = (np.repeat(setting, size) for setting in settings)
    pairs = Pairs.at(z0, n_, beta_, gamma_, 1.0 / (thin * n_))
    found = antipodal(pairs, layer, np.random.default_rng(stream(seed)))
    counts = np.sum(found.reshape(-1, size), axis=1)
    details = {
        "variance of a layer": f"1/({thin:g} n)", "pairs": size,
        "counted at a pole from": f"{RESOLVED:g} rad",
    }
    return Proportions(counts, np.full(counts.shape, float(size)), labels, details=details)


def hits(field: Field) -> float:
    """P(within RESOLVED of antipodal before as near to together), from right angles.

    By the scale function. It tends to P(antipodal) as RESOLVED → 0.
    """
    edge = 1.0 - np.cos(RESOLVED)
    left, middle, right = TwoPoint(field).scale_function([-1.0 + edge, 0.0, 1.0 - edge])
    return float((right - middle) / (right - left))
