"""Two tokens: their overlap Z = X·Y is a one-dimensional diffusion, for linear noise an exact law.

Isotropy of the noise makes Z autonomous for any field. For linear noise

    dZ = -s Z (1 - Z²) dt + √(2s) (1 - Z²) dW,   s the symmetric strength,

whatever the dimension and the skew part: the signed distance u = artanh Z of Brownian motion on
the hyperbolic plane from a geodesic, run for a time s t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.theory import hyperbolic
from rqf.theory.arguments import artanh, isotropic, overlaps, times
from rqf.theory.phases import phase


@dataclass(frozen=True)
class TwoPoint:
    """The law of the overlap Z_t = X_t·Y_t of two tokens that feel the same noise.

    `drift` and `variance` are defined for any isotropic field, `poles` wherever `phase` knows the
    field. Everything else is the closed form for linear noise, and raises `InvalidArgument` for
    another field.

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

    # Any isotropic field

    def drift(self, z: ArrayLike) -> NDArray[np.float64]:
        """The drift of Z per unit time.

        `-(n-1) a(1) z + a(z)(n-2+z²) - b(z) z (1-z²)`, with the terms that cancel at z = ±1 for an
        odd field taken together.

        Parameters
        ----------
        z : array in [-1, 1]

        Returns
        -------
        array of the shape of z
        """
        z, gap, excess = self._kernel(z)
        return (self.field.n - 1) * excess - gap * (self.field.a(z) + z * self.field.b(z))

    def variance(self, z: ArrayLike) -> NDArray[np.float64]:
        """The variance of dZ per unit time, 2(1-z²)[a(1) - z a(z) + b(z)(1-z²)].

        Parameters
        ----------
        z : array in [-1, 1]

        Returns
        -------
        array of the shape of z
        """
        z, gap, excess = self._kernel(z)
        return 2.0 * gap * (gap * (self.field.a(1.0) + self.field.b(z)) - z * excess)

    @property
    def poles(self) -> tuple[float, ...]:
        """The overlaps that attract: (-1, 1) if bipolar, (1,) if monopolar, () if chaotic."""
        return {"bipolar": (-1.0, 1.0), "monopolar": (1.0,), "chaotic": ()}[phase(self.field)]

    # Linear noise: the long run

    @property
    def almost_sure_rate(self) -> float:
        """The rate of log dist(X_t, ±Y_t) along almost every realisation, -symmetric_strength."""
        return -self._strength()

    @property
    def mean_rate(self) -> float:
        """The rate of log E dist(X_t, ±Y_t), -symmetric_strength/4.

        The bottom of the spectrum of the hyperbolic plane: the mean is carried by the rare pairs
        that stay near the equator.
        """
        return -0.25 * self._strength()

    def scale_function(self, z: ArrayLike) -> NDArray[np.float64]:
        """The scale function arcsin z: arcsin Z_t is a martingale.

        Parameters
        ----------
        z : array in [-1, 1]

        Returns
        -------
        array of the shape of z, radians
        """
        self._strength()
        return np.arcsin(overlaps("z", z))

    def together(self, z0: ArrayLike) -> NDArray[np.float64]:
        """The probability that the pair ends together rather than antipodal, ½ + arcsin(z0)/π.

        Equal to 1 - θ/π, the probability that a random hyperplane does not separate the two.
        Without a symmetric part no pair moves: 1 for z0 = 1 and 0 otherwise.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.

        Returns
        -------
        array of the shape of z0, of full relative precision down to 0

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.LinearLayer(n=7))
        >>> pair.together([-1.0, 0.0, 1.0])
        array([0. , 0.5, 1. ])
        """
        z0 = overlaps("z0", z0)
        if self._strength() == 0.0:
            return np.where(z0 == 1.0, 1.0, 0.0)[()]
        return np.arccos(-z0) / np.pi

    # Linear noise: the law at time t

    def sample(self, z0: ArrayLike, t: float, size: int, seed: int) -> NDArray[np.float64]:
        """Independent samples of Z_t, exact in law at any t: there is no time step.

        Parameters
        ----------
        z0 : float in [-1, 1], or array of shape (size,)
            Overlap at time 0, one for all samples or one for each.
        t : float >= 0
            Time.
        size : int >= 0
            Number of samples.
        seed : int >= 0
            Seed of the Philox stream; the same seed at another t gives the same driving numbers.

        Returns
        -------
        array of shape (size,)

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise.

        Notes
        -----
        Brownian motion on the hyperbolic plane: its radius is drawn as a mixture that follows from
        McKean's kernel, its direction is uniform.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> z = pair.sample(z0=0.5, t=1.2, size=1_000_000, seed=0)
        >>> bool(abs(z.mean() - pair.mean(0.5, 1.2)) < 4e-3)
        True
        """
        size = checks.integer("size", size, 0)
        start = artanh(_starts("z0", overlaps("z0", z0), size))
        seed = checks.integer("seed", seed, 0)
        return hyperbolic.sample_overlap(start, self._clock(t), size, seed)

    def sample_u(self, u0: ArrayLike, t: float, size: int, seed: int) -> NDArray[np.float64]:
        """Independent samples of u_t = artanh Z_t; as `sample`, for any finite u0.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> u = pair.sample_u(u0=1e4, t=100.0, size=1000, seed=0)
        >>> bool(abs(u.mean() - 1e4 - 100.0) < 2.0)
        True
        """
        size = checks.integer("size", size, 0)
        start = _starts("u0", checks.finite_array("u0", u0), size)
        return hyperbolic.sample(start, self._clock(t), size, checks.integer("seed", seed, 0))

    def density(self, z: ArrayLike, z0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """The transition density of Z at z, given Z_0 = z0.

        Parameters
        ----------
        z : array in [-1, 1]
            Overlap at time t; the density is 0 at ±1.
        z0 : array in (-1, 1)
            Overlap at time 0.
        t : array > 0
            Time; z, z0 and t broadcast together.

        Returns
        -------
        array of the common shape; relative error below 1e-12 for t from 1e-6 to 1e3, besides what
        the rounding of z and z0 makes

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise with a symmetric
            part: the law of a pair that does not move has no density.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.density([0.0, 0.9], z0=0.5, t=1.2).round(4)
        array([0.134 , 1.0325])
        """
        z, start = overlaps("z", z), artanh(overlaps("z0", z0))
        if not np.all(np.isfinite(start)):
            raise InvalidArgument("z0: must be in (-1, 1), a pair at a pole has no density")
        inside = np.abs(z) < 1.0
        u = artanh(np.where(inside, z, 0.0))
        logs = hyperbolic.log_density(u - start, start, self._moving_clock(t))
        jacobian = 2.0 * (np.logaddexp(u, -u) - np.log(2.0))  # -log(1 - z²)
        return np.where(inside, np.exp(logs + jacobian), 0.0)[()]

    def density_u(self, u: ArrayLike, u0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """The transition density of u = artanh Z at u, given u_0 = u0; as `density`, finite u, u0.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> float(pair.density_u(0.0, u0=0.0, t=1e-6).round(3))
        282.095
        """
        u, start = checks.finite_array("u", u), checks.finite_array("u0", u0)
        return np.exp(hyperbolic.log_density(u - start, start, self._moving_clock(t)))[()]

    def cdf(self, z: ArrayLike, z0: float, t: float) -> NDArray[np.float64]:
        """P(Z_t <= z | Z_0 = z0), to an absolute error of 1e-13.

        Parameters
        ----------
        z : array in [-1, 1]
            Overlaps; 10⁵ of them cost little more than one.
        z0 : float in [-1, 1]
            Overlap at time 0.
        t : float >= 0
            Time, up to 1e6 / symmetric_strength.

        Returns
        -------
        array of the shape of z

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> float(pair.cdf(0.9, z0=0.5, t=1.2).round(4))
        0.5442
        """
        start = float(artanh(overlaps("z0", checks.real("z0", z0))))
        return self._cdf(artanh(overlaps("z", z)), start, t)

    def cdf_u(self, u: ArrayLike, u0: float, t: float) -> NDArray[np.float64]:
        """P(u_t <= u | u_0 = u0), to an absolute error of 1e-13; as `cdf`, for finite u and u0."""
        return self._cdf(checks.finite_array("u", u), checks.real("u0", u0), t)

    def expectation(
        self,
        f: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        z0: float,
        t: float,
        breaks: Sequence[float] = (),
    ) -> NDArray[np.float64]:
        """E f(Z_t), given Z_0 = z0, by quadrature against the density.

        Parameters
        ----------
        f : function from overlaps (m,) to values (m,) or (..., m)
            Bounded, and smooth between the breaks. Overlaps resolve angles down to 1e-8 only; for
            the distance to the poles there is `mean_distance`.
        z0 : float in [-1, 1]
            Overlap at time 0.
        t : float >= 0
            Time, up to 1e6 / symmetric_strength.
        breaks : sequence of float in (-1, 1)
            Overlaps at which f has a kink or a jump.

        Returns
        -------
        array of shape () or (...), absolute error about 1e-13 times the range of f

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise.

        Examples
        --------
        >>> import numpy as np, rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.expectation(lambda z: np.stack([z, z**2]), z0=0.5, t=1.2).round(4)
        array([0.3727, 0.7238])
        """
        start = overlaps("z0", checks.real("z0", z0))
        time = self._clock(t)
        if time == 0.0 or np.abs(start) == 1.0:
            return np.asarray(f(start[None]))[..., 0]
        law = _transition(float(artanh(start)), time, artanh(overlaps("breaks", breaks)))
        return law.expectation(lambda u: f(np.tanh(u)))[()]

    def mean(self, z0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """E Z_t, given Z_0 = z0, to an absolute error of 1e-13.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.
        t : array >= 0
            Time, up to 1e6 / symmetric_strength; z0 and t broadcast together, each pair of them
            costs a quadrature.

        Returns
        -------
        array of the common shape

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the field is not linear noise.
        """
        return self._mean_of(lambda z: z, z0, t)

    def second_moment(self, z0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """E Z_t², given Z_0 = z0; arguments, shape and errors as in `mean`."""
        return self._mean_of(np.square, z0, t)

    def mean_angle(self, z0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """E θ_t = arccos z0 at every t: the angle between two tokens is a martingale.

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
            If an argument is out of its range or the field is not linear noise.
        """
        self._strength()
        start, time = np.broadcast_arrays(overlaps("z0", z0), times("t", t))
        return np.arccos(start) + 0.0 * time

    def mean_distance(self, z0: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """E dist(X_t, ±Y_t) = E min(θ_t, π - θ_t), to a relative error of 1e-9 at any t.

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
            If an argument is out of its range or the field is not linear noise.

        Notes
        -----
        Since the angle is a martingale, the mean distance is twice the time that the pair is still
        to spend at the equator: `2 ∫_t^∞ p_s(0 | u_0) ds`.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.mean_distance(0.0, [0.0, 1.0, 100.0])
        array([1.57079633e+00, 5.96038610e-01, 1.85605963e-13])
        """
        return hyperbolic.mean_distance(artanh(overlaps("z0", z0)), self._clocks(t))[()]

    def mean_distance_bound(self, t: ArrayLike, z0: ArrayLike | None = None) -> NDArray[np.float64]:
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

    def _kernel(
        self, z: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """z, 1 - z², and a(z) - z a(1), which vanishes for linear fields."""
        z = overlaps("z", z)
        return z, (1.0 - z) * (1.0 + z), self.field.a(z) - z * self.field.a(1.0)

    def _strength(self) -> float:
        """The symmetric strength s of linear noise: one unit of hyperbolic time takes 1/s."""
        if not isinstance(self.field, LinearField):
            raise InvalidArgument(
                f"field: {type(self.field).__name__} is not linear, its two-point law has no"
                " closed form"
            )
        return self.field.symmetric_strength

    def _clocks(self, t: ArrayLike) -> NDArray[np.float64]:
        """Times t in units of hyperbolic time."""
        return self._strength() * times("t", t)

    def _clock(self, t: float) -> float:
        return float(self._clocks(checks.real("t", t, 0.0)))

    def _moving_clock(self, t: ArrayLike) -> NDArray[np.float64]:
        clock = self._clocks(t)
        if np.any(clock == 0.0):
            raise InvalidArgument(
                "t: must be > 0, and the field must have a symmetric part; the law of a pair that"
                " has not moved has no density"
            )
        return clock

    def _cdf(self, u: NDArray[np.float64], start: float, t: float) -> NDArray[np.float64]:
        time = self._clock(t)
        if time == 0.0 or not np.isfinite(start):
            return np.where(u >= start, 1.0, 0.0)[()]
        return _transition(start, time).cdf(u)[()]

    def _mean_of(
        self,
        f: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        z0: ArrayLike,
        t: ArrayLike,
    ) -> NDArray[np.float64]:
        start, time = np.broadcast_arrays(overlaps("z0", z0), times("t", t))
        values = [self.expectation(f, *at) for at in zip(start.flat, time.flat, strict=True)]
        return np.reshape(values, start.shape)[()]


def _transition(start: float, time: float, breaks: ArrayLike = ()) -> hyperbolic.Transition:
    if time > hyperbolic.LONGEST:
        raise InvalidArgument(
            f"t: symmetric_strength · t = {time:g} must be at most {hyperbolic.LONGEST:g}; long"
            " before, a pair is at a pole, and `together` says which"
        )
    return hyperbolic.Transition(start, time, breaks)


def _starts(name: str, value: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """`value`, one start for all samples or one for each."""
    if value.shape not in ((), (size,)):
        raise InvalidArgument(f"{name} has shape {value.shape}: must be () or (size,) = ({size},)")
    return value
