"""The overlap of two tokens as a diffusion: its drift and variance from the kernels of a pair.

In u = artanh Z, with e = 1 - Z = 2/(1 + e^{2u}) and f = 1 + Z, nothing cancels near the ends.
Writing `excess = a_12 - Z a_11`, which is e a_11 - gap near Z = 1 and total - f a_11 near Z = -1,

    var_u   = 2 [(a_11 - Z a_12)/(e f) + b],    a_11 - Z a_12 = gap + e a_12 = total - f a_12,
    drift_u = (n-1) excess/(e f) - a_12 - Z b + 2 pull + Z var_u.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.fields import Field

Array = NDArray[np.float64]
FAR = 300.0  # |u| at which the coefficients have reached their limits; e = 1e-260 is still a number


def in_u(field: Field, u: Array) -> tuple[Array, Array]:
    """Drift and variance of u = artanh Z per unit time; same shape as u, |u| at most 350."""
    with np.errstate(over="ignore"):
        e, f = 2.0 / (1.0 + np.exp(2.0 * u)), 2.0 / (1.0 + np.exp(-2.0 * u))
    z, pair = np.tanh(u), field.pair(e, f)
    near = u >= 0.0
    slope = np.where(near, pair.gap, pair.total) / np.where(near, e, f)
    across = np.where(near, f, e)
    variance = 2.0 * ((slope + np.where(near, 1.0, -1.0) * pair.cross) / across + pair.b)
    excess = np.where(near, 1.0, -1.0) * (pair.own - slope) / across
    drift = (field.n - 1.0) * excess - pair.cross - z * pair.b + 2.0 * pair.pull + z * variance
    return drift, np.maximum(variance, 0.0)


def in_z(field: Field, z: Array) -> tuple[Array, Array]:
    """Drift and variance of Z per unit time, z in [-1, 1]."""
    e, f = 1.0 - z, 1.0 + z
    pair = field.pair(e, f)
    near, ef = z >= 0.0, e * f
    excess = np.where(near, e * pair.own - pair.gap, pair.total - f * pair.own)
    apart = np.where(near, pair.gap + e * pair.cross, pair.total - f * pair.cross)
    drift = (field.n - 1.0) * excess - ef * (pair.cross + z * pair.b - 2.0 * pair.pull)
    return drift, 2.0 * ef * (apart + ef * pair.b)


def antipodal_noise(field: Field) -> float:
    """a_11 + a_12 at Z = -1: the even part of the noise, which moves antipodal pairs; 0 if odd."""
    return float(field.pair(2.0, 0.0).total)


def crossover(field: Field) -> float:
    """The u below which the even part dominates the variance; field has antipodal noise.

    Halves the bracket on which the variance of u passes four times its value at u = 0.
    """
    level = 4.0 * float(in_u(field, np.asarray(0.0))[1])
    low, high = -FAR, 0.0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if float(in_u(field, np.asarray(middle))[1]) > level:
            low = middle
        else:
            high = middle
    return high
