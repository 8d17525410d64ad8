"""One token alone: Brownian motion on the sphere, with generator (a(1)/2) Δ.

Every isotropic field gives this one-point motion. Spherical harmonics of degree l are its
eigenfunctions, so the overlap of a token with its start is known in mean, degree by degree:

    E h_l(X_t·X_0) = e^{-κ_l t},   κ_l = l (l + n - 2) a(1)/2,

h_l the zonal harmonic that is 1 at the pole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.fields import Field
from rqf.theory.arguments import isotropic, overlaps, times


def decay_rate(field: Field, degree: int) -> float:
    """The rate at which spherical harmonics of a degree are forgotten, l (l + n - 2) a(1)/2.

    Parameters
    ----------
    field : Field
        Isotropic noise.
    degree : int >= 0
        l.

    Returns
    -------
    float, per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field has a deterministic drift or the degree is negative.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.decay_rate(rqf.RandomQuadraticForm(n=3), degree=2)
    1.5
    """
    n, a = isotropic(field).n, float(field.a(1.0))
    degree = checks.integer("degree", degree, 0)
    return degree * (degree + n - 2) * 0.5 * a


def expected_overlap(field: Field, t: ArrayLike) -> NDArray[np.float64]:
    """E[X_t·X_0] = exp(-(n-1) a(1) t/2), the mean overlap of a token with its own start.

    Parameters
    ----------
    field : Field
        Isotropic noise.
    t : array >= 0
        Times.

    Returns
    -------
    array of the shape of t

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field has a deterministic drift or a time is negative.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.expected_overlap(rqf.RandomQuadraticForm(n=3), [0.0, 2.0]).round(4)
    array([1.    , 0.3679])
    """
    return np.exp(-decay_rate(field, 1) * times("t", t))


def harmonic(degree: int, n: int, z: ArrayLike) -> NDArray[np.float64]:
    """The zonal harmonic h_l of S^{n-1}: the Gegenbauer polynomial in z that is 1 at z = 1.

    Chebyshev's polynomial cos(lθ) for n = 2, Legendre's for n = 3. By the three-term recurrence
    `(l + n - 2) h_{l+1} = (2l + n - 2) z h_l - l h_{l-1}`, stable on [-1, 1].

    Parameters
    ----------
    degree : int >= 0
        l.
    n : int >= 2
        Dimension of the ambient space.
    z : array in [-1, 1]
        Overlaps.

    Returns
    -------
    array of the shape of z

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> float(rqf.theory.harmonic(2, 3, 0.5))
    -0.125
    """
    degree = checks.integer("degree", degree, 0)
    n = checks.integer("n", n, 2)
    z = overlaps("z", z)
    before, here = np.ones_like(z), z
    if degree == 0:
        return before
    for level in range(1, degree):
        after = ((2 * level + n - 2) * z * here - level * before) / (level + n - 2)
        before, here = here, after
    return here
