"""Feller's classification of the two ends Z = ±1, from the exponents of the diffusion there.

At an end that the noise leaves alone (always Z = 1; Z = -1 if the noise is odd) the distance is
e^{-|u|} and u has constant drift μ and variance s² in the limit: the end is natural, and attracting
iff the outward μ > 0. Where the even part of the noise moves antipodal pairs, 1 + Z behaves as a
squared Bessel process of dimension n - 1: the end is an entrance for n >= 3, and for n = 2 regular,
with instantaneous reflection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rqf.fields import Field
from rqf.theory.two_point.diffusion import FAR, antipodal_noise, in_u

ROUNDING = 1e-13  # of the terms whose sum is the drift at an end: below it the drift counts as 0

Kind = Literal["regular", "exit", "entrance", "natural"]


@dataclass(frozen=True)
class Boundary:
    """One end of the overlap.

    Attributes
    ----------
    kind : "regular", "exit", "entrance" or "natural"
        In the sense of Karlin and Taylor, A Second Course in Stochastic Processes, 15.6.
    attracting : bool
        Whether pairs converge to the end with positive probability from inside. A critical end
        (exponent 0) is not attracting.
    exponent : float
        The rate of log distance near the end, per unit time; +inf at an end that repels at once.
    """

    kind: Kind
    attracting: bool
    exponent: float


def boundary(field: Field, end: float) -> Boundary:
    """The end Z = 1 or Z = -1 of the overlap of two tokens in `field`."""
    if end < 0.0 and antipodal_noise(field) > 0.0:
        return Boundary("regular" if field.n == 2 else "entrance", False, np.inf)
    outward = end * float(in_u(field, np.asarray(end * FAR))[0])
    pair = field.pair(1.0 - end, 1.0 + end)
    terms = field.n * (abs(float(pair.own)) + abs(float(field.a_prime(end)))) + abs(float(pair.b))
    if abs(outward) <= ROUNDING * (terms + 2.0 * abs(float(pair.pull))):
        outward = 0.0
    return Boundary("natural", outward > 0.0, -outward)
