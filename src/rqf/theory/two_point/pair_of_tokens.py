"""Two tokens: their overlap Z = X·Y is a one-dimensional diffusion, for linear noise an exact law.

Isotropy of the noise makes Z autonomous for any field. For linear noise

    dZ = -s Z (1 - Z²) dt + √(2s) (1 - Z²) dW,   s the symmetric strength,

whatever the dimension and the skew part: the signed distance u = artanh Z of Brownian motion on
the hyperbolic plane from a geodesic, run for a time s t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.fields import Field
from rqf.theory import hyperbolic
from rqf.theory.arguments import artanh, isotropic, overlaps, times
from rqf.theory.two_point.law import TransitionLaw

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TwoPoint(TransitionLaw):
    """The law of the overlap Z_t = X_t·Y_t of two tokens that feel the same noise.

    Closed forms for linear noise; quadrature and the Fokker–Planck equation for every other field,
    also for those in which tokens interact: the kernels of a pair are all that it takes.

    Overlaps z are numbers in [-1, 1]. Methods named `…_u` take and return u = artanh z instead,
    which tells pairs apart that are closer together (or closer to antipodal) than z can express:
    the angle is θ = 2 arctan e^{-u}.

    Parameters
    ----------
    field : Field
        Isotropic noise without deterministic drift.

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field has a deterministic drift.

    Notes
    -----
    Engel and Shalova, arXiv:2603.06187, for the diffusion; McKean's heat kernel of the hyperbolic
    plane for its law. Their unit of time is that of sigma = √2.

    Examples
    --------
    >>> import rqf
    >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
    >>> float(pair.together(0.5).round(6))
    0.666667
    >>> float(pair.mean(0.5, t=1.2).round(4))
    0.3727
    """

    field: Field

    def __post_init__(self) -> None:
        isotropic(self.field)

    def mean_angle(self, z0: ArrayLike, t: ArrayLike) -> Array:
        """E θ_t, given Z_0 = z0; arccos z0 at every t for linear noise, where θ is a martingale.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.
        t : array >= 0
            Time; z0 and t broadcast together.

        Returns
        -------
        array of the common shape, radians

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range.
        """
        start, time = np.broadcast_arrays(overlaps("z0", z0), times("t", t))
        if self.closed:
            return np.arccos(start) + 0.0 * time
        return self._each(lambda u: 2.0 * np.arctan(np.exp(-u)), start, time)

    def mean_distance(self, z0: ArrayLike, t: ArrayLike) -> Array:
        """E dist(X_t, ±Y_t) = E min(θ_t, π - θ_t), in closed form for linear noise.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.
        t : array >= 0
            Time; z0 and t broadcast together.

        Returns
        -------
        array of the common shape, radians; relative error 1e-9 for linear noise, absolute error
        about 1e-8 otherwise

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range.

        Notes
        -----
        Since the angle of linear noise is a martingale, the mean distance is twice the time that
        the pair is still to spend at the equator: `2 ∫_t^∞ p_s(0 | u_0) ds`.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.mean_distance(0.0, [0.0, 1.0, 100.0])
        array([1.57079633e+00, 5.96038610e-01, 1.85605963e-13])
        """
        if self.closed:
            return hyperbolic.mean_distance(artanh(overlaps("z0", z0)), self._clocks(t))[()]
        start, time = np.broadcast_arrays(overlaps("z0", z0), times("t", t))
        return self._each(lambda u: 2.0 * np.arctan(np.exp(-np.abs(u))), start, time, [0.0])

    def mean_distance_bound(self, t: ArrayLike, z0: ArrayLike | None = None) -> Array:
        """An upper bound of E dist(X_t, ±Y_t).

        Without a start, Shalova's `(π/√2) e^{-s t/4}`, s the symmetric strength, which holds from
        every start. With one, the sharper `(π/2) (1 - z0²)^{1/4} e^{-s t/4}`, an equality for
        z0 = 0, t = 0: in u = artanh z the function (cosh u)^{-1/2} decays in mean at least like
        e^{-t/4}, and min(θ, π - θ) <= (π/2) (cosh u)^{-1/2}.

        Parameters
        ----------
        t : array >= 0
            Time.
        z0 : array in [-1, 1], optional
            Overlap at time 0; broadcasts with t.

        Returns
        -------
        array of the common shape, radians

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise.

        Notes
        -----
        Shalova, arXiv:2608.16664, theorem 3.8, there with sigma = √2 and for the distance of a
        token to the attractor ±a: the pair (x, a), a uniform and independent of x at time 0.
        """
        decay = np.exp(-0.25 * self._clocks(t))
        if z0 is None:
            return np.pi / np.sqrt(2.0) * decay
        start = overlaps("z0", z0)
        return 0.5 * np.pi * ((1.0 - start) * (1.0 + start)) ** 0.25 * decay
