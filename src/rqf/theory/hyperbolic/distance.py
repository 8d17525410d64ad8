"""The mean distance to synchronization, E min(θ, π - θ), θ the angle between the two tokens.

θ is a martingale, so min(θ, π - θ) = 2 arctan e^{-|u|} changes in mean only through its kink at
the equator u = 0, and it tends to 0. Hence, with p_s the transition density,

    E min(θ_t, π - θ_t) = 2 ∫_t^∞ p_s(0 | u_0) ds.

In p_s (see `density`) the integral over s is the first passage of drifted Brownian motion:

    ∫_t^∞ x (4π)^{-1/2} s^{-3/2} e^{-s/4 - x²/4s} ds
        = ½ e^{-x/2} erfc((t - x)/2√t) - ½ e^{x/2} erfc((t + x)/2√t),

and what is left is one integral over x >= |u_0| of that, divided by AGM(1, √(1 + w)).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.theory.hyperbolic.panels import composite

BREAKS = np.array([0.0, 2.5, 10.0, 35.0, 110.0])
FRONT = np.array([-8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0])
"""Breakpoints in x - |u_0|, and around x = t in units of √(2t)."""


def mean_distance(start: NDArray[np.float64], time: NDArray[np.float64]) -> NDArray[np.float64]:
    """E min(θ_t, π - θ_t) given u_0 = start, to a relative error of 1e-9 (1e-12 to t = 100).

    Parameters
    ----------
    start, time : arrays that broadcast together; time >= 0

    Returns
    -------
    array of the common shape, angles in radians
    """
    from scipy.special import ellipkm1, erfc, erfcx

    u0, t = np.broadcast_arrays(np.abs(start), time)
    result = np.asarray(2.0 * np.arctan(np.exp(-u0)))
    moving = (t > 0.0) & np.isfinite(u0)
    u0, t = u0[moving][:, None], t[moving][:, None]

    front = np.clip(t - u0 + np.sqrt(2.0 * t) * FRONT, 0.0, BREAKS[-1])
    breaks = np.concatenate([np.broadcast_to(BREAKS, (u0.size, BREAKS.size)), front], axis=1)
    delta, weights = composite(np.sort(breaks, axis=1))
    x = u0 + delta

    w = np.exp(delta) * np.expm1(-delta) * np.expm1(-2.0 * u0 - delta)
    w /= 2.0 * (1.0 + np.exp(-2.0 * u0))
    mean = ellipkm1(1.0 / (1.0 + w)) / np.sqrt(1.0 + w)
    # Both terms times e^{t/4}; each branch where it does not overflow.
    width = 2.0 * np.sqrt(t)
    gaussian = np.exp(-x * x / (4.0 * t))
    behind = gaussian * erfcx(np.maximum(t - x, 0.0) / width)
    ahead = np.exp(0.25 * t - 0.5 * np.maximum(x, t)) * erfc(np.minimum(t - x, 0.0) / width)
    passage = np.where(x < t, behind, ahead) - gaussian * erfcx((t + x) / width)

    integral = np.sum(weights * mean * passage, axis=1)
    cosh_root = np.exp(-0.5 * u0) / np.sqrt(0.5 * (1.0 + np.exp(-2.0 * u0)))
    result[moving] = (np.exp(-0.25 * t) * cosh_root)[:, 0] * integral / np.pi
    return result
