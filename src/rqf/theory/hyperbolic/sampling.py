"""Exact samples of the overlap at any time, without time steps.

The distance r that Brownian motion on H² has gone is a mixture. McKean's kernel makes 2π sinh(r)
p_t(r) the r-marginal of a joint law of 0 < r < s; in it

- s is the norm of a Gaussian vector of R³ with mean (0, 0, t) and variance 2t per component:
  s² = (t + √(2t) g)² + 4t e, g standard normal, e standard exponential;
- given s, sinh²(r/2) = (1 - U²) sinh²(s/2), U uniform on (0, 1).

The direction φ is uniform, and with c = cos(φ/2) the signed distance from the geodesic is

    sinh u_t = c² sinh(u_0 + r) + (1 - c²) sinh(u_0 - r),

which loses no digits however far out u_0 is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 15
FAR_RADIUS = 400.0
FAR_START = 150.0
"""Beyond these, hyperbolic functions are exponentials to the last digit; the rest is an excess."""


def sample(start: NDArray[np.float64], time: float, size: int, seed: int) -> NDArray[np.float64]:
    """`size` independent samples of u_t given u_0 = start (a scalar, or one start per sample)."""
    result = np.empty(size)
    for part, sinh, excess in _blocks(start, time, size, seed):
        result[part] = np.copysign(np.arcsinh(np.abs(sinh)) + excess, sinh)
    return result


def sample_overlap(
    start: NDArray[np.float64], time: float, size: int, seed: int
) -> NDArray[np.float64]:
    """`size` independent samples of z_t = tanh u_t given u_0 = start; start may be ±inf."""
    result = np.empty(size)
    for part, sinh, _ in _blocks(start, time, size, seed):
        result[part] = sinh / np.hypot(1.0, sinh)
    return result


def _blocks(
    start: NDArray[np.float64], time: float, size: int, seed: int
) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
    """Blocks of (where, x, k): sinh u = x where k = 0, and |u| = log|2x| + k where k > 0."""
    generator = np.random.Generator(np.random.Philox(seed))
    for first in range(0, size, BLOCK):
        part = slice(first, min(first + BLOCK, size))
        m = part.stop - part.start
        u0 = start if start.ndim == 0 else start[part]

        along = time + np.sqrt(2.0 * time) * generator.standard_normal(m)
        s = np.hypot(along, 2.0 * np.sqrt(time) * np.sqrt(generator.standard_exponential(m)))
        complement = generator.random(m)  # 1 - U
        cosine_squared = np.cos(0.5 * np.pi * generator.random(m)) ** 2

        near_s = np.minimum(s, FAR_RADIUS)
        h = np.sinh(0.5 * near_s) * np.sqrt(complement * (2.0 - complement))  # sinh(r/2)
        cosh = np.sqrt(1.0 + h * h)
        growth = (h + cosh) ** 2  # e^r
        shrink = -4.0 * h * cosh / growth  # e^{-2r} - 1

        near_u0 = np.minimum(np.abs(u0), FAR_START)
        narrow = np.expm1(-2.0 * np.abs(u0))  # e^{-2|u_0|} - 1
        sinh = (1.0 - cosine_squared) * (shrink - narrow)
        sinh -= cosine_squared * (shrink + narrow + shrink * narrow)
        sinh *= growth * (0.5 * np.exp(near_u0) * np.copysign(1.0, u0))
        yield part, sinh, (s - near_s) + (np.abs(u0) - near_u0)
