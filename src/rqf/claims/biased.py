"""What claims on the bias share: the field in Shalova's units, and runs with the step taken out.

Schemes of fields that are not linear have weak order 1. Each realisation is run with dt and with
dt/2 along one noise path; the mean of 2 f(dt/2) - f(dt) is off by order dt² only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from rqf.claims.tokens import UNIT_SPEED
from rqf.fields import Bias, Field, RandomQuadraticForm
from rqf.flow import simulate

Array = NDArray[np.float64]


def biased(n: int, gamma: float) -> Field:
    """A quadratic form of sigma = √2, under which a token is unit-speed Brownian motion, and γ."""
    return RandomQuadraticForm(n, UNIT_SPEED) + Bias(n, gamma)


def extrapolated(
    observe: Callable[[Array], Array], field: Field, x0: Array, times: Sequence[float], dt: float,
    realizations: int, seed: int,
) -> Array:  # fmt: skip
    """2 f(dt/2) - f(dt) of each realisation, f = observe(x) of tokens x (R, times, N, n)."""
    coarse, fine = (
        observe(
            simulate(
                field, t=times[-1], dt=h, times=times, x0=x0, realizations=realizations, seed=seed
            ).x.values
        )
        for h in (dt, 0.5 * dt)
    )
    return 2.0 * fine - coarse


def angle_density(alpha: Array, n: int, gamma: float) -> Array:
    """The stationary density, up to a factor, of the angle α between a token and the attractor a.

    The attractor a of the unbiased form moves by the form alone, the token by form and bias, so
    that Z = cos α has the drift -2Z(1-Z²) - (n-1)γ²Z/2 and the variance 4(1-Z²)² + γ²(1-Z²). The
    speed measure is sin^{n-2} α (4 sin² α + γ²)^{-n/2} dα.
    """
    s = np.sin(alpha)
    return np.asarray(s ** (n - 2) * (4.0 * s * s + gamma * gamma) ** (-0.5 * n))


def distance_to_attractor(n: int, gamma: float) -> float:
    """E dist(X^γ, ±a) in equilibrium: ~ γ log(1/γ)/Beta((n-1)/2, ½) as γ → 0."""
    cuts = [k * gamma for k in (0.5, 2.0, 10.0) if k * gamma < 1.5]
    moments = [
        quad(lambda s, p=p: s**p * angle_density(s, n, gamma), 0, np.pi / 2, points=cuts)[0]
        for p in (0, 1)
    ]
    return moments[1] / moments[0]
