"""A linear field in the form that the kernels take: kinds, amplitudes and offsets of its noises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rqf.fields import LinearField, LinearLayer, RandomQuadraticForm, Skew

Array = NDArray[np.float64]
Advance = Callable[[Array, Array, Any, bool], None]
STRONG = 16.0  # n · variance of a step, or drift of a step, that few steps in a row may overflow
RESCALE_EVERY = 8


@dataclass(frozen=True)
class LinearNoise:
    """The noises of a linear field over steps dt whose increments come in units of one tick.

    `kinds[i]`, `amplitudes[i]` and `sizes[i]` belong to summand i, whose normals stand at columns
    `offsets[i]` … of the increments.
    """

    n: int
    dt: float
    kinds: NDArray[np.int64]
    amplitudes: Array
    sizes: tuple[int, ...]
    offsets: NDArray[np.int64]
    drift_matrix: Array
    has_drift: bool
    symmetric_strength: float
    skew_strength: float

    @property
    def size(self) -> int:
        """Number of Brownian components of all summands together."""
        return sum(self.sizes)

    @property
    def rescale_every(self) -> int:
        """Steps after which a state is brought back to scale, so that nothing overflows."""
        noise = max(self.symmetric_strength, self.skew_strength) * self.dt * self.n
        drift = float(np.linalg.norm(self.drift_matrix, 2)) * self.dt
        return RESCALE_EVERY if max(noise, drift) <= STRONG else 1

    def drift_flow(self, steps: float) -> Array:
        """The exact flow of the drift over some steps: exp(steps · dt · drift), shape (n, n)."""
        if not self.has_drift:
            return np.eye(self.n)
        from scipy.linalg import expm

        return np.ascontiguousarray(expm(steps * self.dt * self.drift_matrix))


def linear_noise(field: LinearField, dt: float, tick: float) -> LinearNoise:
    """The noises of `field` for steps of length dt made of ticks of length `tick`."""
    from rqf.flow.schemes.matrices import GINIBRE, SKEW, SYMMETRIC

    n = field.n
    kinds, amplitudes, sizes = [], [], []
    for term in field.terms:
        match term:
            case RandomQuadraticForm():
                kind, size = SYMMETRIC, n * (n + 1) // 2
            case LinearLayer():
                kind, size = GINIBRE, n * n
            case Skew():
                kind, size = SKEW, n * (n - 1) // 2
            case _:
                raise TypeError(f"no kernel moves a {type(term).__name__}")
        kinds.append(kind)
        amplitudes.append(term.sigma * np.sqrt(tick))
        sizes.append(size)
    drift = field.drift
    return LinearNoise(
        n=n,
        dt=dt,
        kinds=np.array(kinds, dtype=np.int64),
        amplitudes=np.array(amplitudes, dtype=np.float64),
        sizes=tuple(sizes),
        offsets=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        if sizes
        else np.empty(0, np.int64),
        drift_matrix=np.zeros((n, n)) if drift is None else np.ascontiguousarray(drift),
        has_drift=drift is not None,
        symmetric_strength=field.symmetric_strength,
        skew_strength=field.skew_strength,
    )
