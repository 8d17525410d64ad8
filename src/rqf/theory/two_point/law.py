"""The law of the overlap at time t: hyperbolic for linear noise, Fokker–Planck otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.theory import hyperbolic
from rqf.theory.arguments import artanh, overlaps, times
from rqf.theory.two_point import fokker_planck
from rqf.theory.two_point.diffusion import antipodal_noise
from rqf.theory.two_point.long_run import LongRun

Array = NDArray[np.float64]
Function = Callable[[Array], Array]


class TransitionLaw(LongRun):
    """Samples, densities and expectations of Z_t given Z_0; see `TwoPoint`."""

    def sample(self, z0: ArrayLike, t: float, size: int, seed: int) -> Array:
        """Independent samples of Z_t: there is no time step.

        Exact in law for linear noise; for another field by inverting the distribution function,
        whose error is about 1e-6, at the cost of one Fokker–Planck solution per distinct start.

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
            If an argument is out of its range.

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
        if self.closed:
            return hyperbolic.sample_overlap(start, self._clock(t), size, seed)
        return np.tanh(self._draws(start, t, size, seed))

    def sample_u(self, u0: ArrayLike, t: float, size: int, seed: int) -> Array:
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
        seed = checks.integer("seed", seed, 0)
        if self.closed:
            return hyperbolic.sample(start, self._clock(t), size, seed)
        return self._draws(start, t, size, seed)

    def density(self, z: ArrayLike, z0: ArrayLike, t: ArrayLike) -> Array:
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
        array of the common shape; for linear noise to a relative error of 1e-12 for t from 1e-6 to
        1e3, besides what the rounding of z and z0 makes; for another field to about 1e-6 of its
        maximum in u, one Fokker–Planck solution for each pair (z0, t)

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range or the pair does not move, so that its law has no
            density.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.density([0.0, 0.9], z0=0.5, t=1.2).round(4)
        array([0.134 , 1.0325])
        """
        z, start = overlaps("z", z), artanh(overlaps("z0", z0))
        if np.any(np.isposinf(start)) or (np.any(np.isneginf(start)) and not self._walled()):
            raise InvalidArgument("z0: must be in (-1, 1), a pair at a pole has no density")
        inside = np.abs(z) < 1.0
        u = artanh(np.where(inside, z, 0.0))
        if self.closed:
            logs = hyperbolic.log_density(u - start, start, self._moving_clock(t))
        else:
            with np.errstate(divide="ignore"):
                logs = np.log(self._densities(u, start, t))
        jacobian = 2.0 * (np.logaddexp(u, -u) - np.log(2.0))  # -log(1 - z²)
        return np.where(inside, np.exp(logs + jacobian), 0.0)[()]

    def density_u(self, u: ArrayLike, u0: ArrayLike, t: ArrayLike) -> Array:
        """The transition density of u = artanh Z at u, given u_0 = u0; as `density`, finite u, u0.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> float(pair.density_u(0.0, u0=0.0, t=1e-6).round(3))
        282.095
        """
        u, start = checks.finite_array("u", u), checks.finite_array("u0", u0)
        if not self.closed:
            return self._densities(u, start, t)[()]
        return np.exp(hyperbolic.log_density(u - start, start, self._moving_clock(t)))[()]

    def cdf(self, z: ArrayLike, z0: float, t: float) -> Array:
        """P(Z_t <= z | Z_0 = z0).

        Parameters
        ----------
        z : array in [-1, 1]
            Overlaps; 10⁵ of them cost little more than one.
        z0 : float in [-1, 1]
            Overlap at time 0.
        t : float >= 0
            Time, for linear noise up to 1e6 / symmetric_strength.

        Returns
        -------
        array of the shape of z; absolute error 1e-13 for linear noise, about 1e-8 otherwise

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range.

        Examples
        --------
        >>> import rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> float(pair.cdf(0.9, z0=0.5, t=1.2).round(4))
        0.5442
        """
        start = float(artanh(overlaps("z0", checks.real("z0", z0))))
        return self._cdf(artanh(overlaps("z", z)), start, t)

    def cdf_u(self, u: ArrayLike, u0: float, t: float) -> Array:
        """P(u_t <= u | u_0 = u0), as `cdf`, for finite u and u0."""
        return self._cdf(checks.finite_array("u", u), checks.real("u0", u0), t)

    def expectation(
        self,
        f: Callable[[Array], Array],
        z0: float,
        t: float,
        breaks: Sequence[float] = (),
    ) -> Array:
        """E f(Z_t), given Z_0 = z0, by quadrature against the density.

        Parameters
        ----------
        f : function from overlaps (m,) to values (m,) or (..., m)
            Bounded, and smooth between the breaks. Overlaps resolve angles down to 1e-8 only; for
            the distance to the poles there is `mean_distance`.
        z0 : float in [-1, 1]
            Overlap at time 0.
        t : float >= 0
            Time, for linear noise up to 1e6 / symmetric_strength.
        breaks : sequence of float in (-1, 1)
            Overlaps at which f has a kink or a jump.

        Returns
        -------
        array of shape () or (...), absolute error about 1e-13 times the range of
        f for linear noise, 1e-8 otherwise

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range.

        Examples
        --------
        >>> import numpy as np, rqf
        >>> pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
        >>> pair.expectation(lambda z: np.stack([z, z**2]), z0=0.5, t=1.2).round(4)
        array([0.3727, 0.7238])
        """
        start = overlaps("z0", checks.real("z0", z0))
        cuts = artanh(overlaps("breaks", breaks))
        if self._still(float(artanh(start)), t):
            return np.asarray(f(start[None]))[..., 0]
        return self._expectation(lambda u: f(np.tanh(u)), float(artanh(start)), t, cuts)

    def mean(self, z0: ArrayLike, t: ArrayLike) -> Array:
        """E Z_t, given Z_0 = z0.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.
        t : array >= 0
            Time, for linear noise up to 1e6 / symmetric_strength; z0 and t broadcast together,
            each pair of them costs a quadrature.

        Returns
        -------
        array of the common shape

        Raises
        ------
        rqf.errors.InvalidArgument
            If an argument is out of its range.
        """
        return self._mean_of(lambda z: z, z0, t)

    def second_moment(self, z0: ArrayLike, t: ArrayLike) -> Array:
        """E Z_t², given Z_0 = z0; arguments, shape and errors as in `mean`."""
        return self._mean_of(np.square, z0, t)

    def _moving_clock(self, t: ArrayLike) -> Array:
        clock = self._clocks(t)
        if np.any(clock == 0.0):
            raise InvalidArgument(
                "t: must be > 0, and the field must have a symmetric part; the law of a pair that"
                " has not moved has no density"
            )
        return clock

    def _cdf(self, u: Array, start: float, t: float) -> Array:
        law = self._law(start, t)
        return np.where(u >= start, 1.0, 0.0)[()] if law is None else law.cdf(u)[()]

    def _mean_of(self, f: Function, z0: ArrayLike, t: ArrayLike) -> Array:
        start, time = np.broadcast_arrays(overlaps("z0", z0), times("t", t))
        values = [self.expectation(f, *at) for at in zip(start.flat, time.flat, strict=True)]
        return np.reshape(values, start.shape)[()]

    def _each(self, f: Function, z0: Array, t: Array, breaks: ArrayLike = ()) -> Array:
        """E f(u_t) for each start and time."""
        pairs = zip(artanh(z0).flat, t.flat, strict=True)
        return np.reshape([self._expectation(f, *at, breaks) for at in pairs], z0.shape)[()]

    def _expectation(self, f: Function, start: float, t: float, breaks: ArrayLike = ()) -> Array:
        law = self._law(start, t, breaks)
        if law is None:
            return np.asarray(f(np.asarray([start])))[..., 0]
        if isinstance(law, hyperbolic.Transition):
            return law.expectation(f)[()]
        u, weights = law.quadrature(np.asarray(breaks, np.float64))
        return np.sum(np.asarray(f(u)) * weights, axis=-1)[()]

    def _law(
        self, start: float, t: float, breaks: ArrayLike = ()
    ) -> hyperbolic.Transition | fokker_planck.Law | None:
        """The law of u_t; None if the pair has not moved."""
        if self._still(start, t):
            return None
        if self.closed:
            return _transition(start, self._clock(t), breaks)
        return fokker_planck.Law(self.field, start, float(t))

    def _still(self, start: float, t: float) -> bool:
        """Whether a pair has not moved by time t."""
        time = self._clock(t) if self.closed else checks.real("t", t, 0.0)
        return time == 0.0 or start == np.inf or (start == -np.inf and not self._walled())

    def _densities(self, u: Array, start: Array, t: ArrayLike) -> Array:
        """The density of u_t, one solution for each start and time."""
        u, start, time = np.broadcast_arrays(u, start, times("t", t))
        if np.any(time == 0.0):
            raise InvalidArgument("t: must be > 0; a pair that has not moved has no density")
        result = np.empty(u.shape)
        for at in {(float(s), float(r)) for s, r in zip(start.flat, time.flat, strict=True)}:
            here = (start == at[0]) & (time == at[1])
            result[here] = fokker_planck.Law(self.field, *at).density(u[here])
        return result

    def _draws(self, start: Array, t: float, size: int, seed: int) -> Array:
        """Samples of u_t by inverting the distribution function, one solution for each start."""
        uniform = np.random.Generator(np.random.Philox(seed)).random(size)
        starts = np.broadcast_to(start, (size,))
        result = starts.astype(np.float64)
        for u0 in np.unique(starts):
            law = self._law(float(u0), t)
            if isinstance(law, fokker_planck.Law):
                here = starts == u0
                result[here] = law.quantile(uniform[here])
        return result

    def _walled(self) -> bool:
        """Whether antipodal pairs move."""
        return not self.closed and antipodal_noise(self.field) > 0.0


def _transition(start: float, time: float, breaks: ArrayLike = ()) -> hyperbolic.Transition:
    if time > hyperbolic.LONGEST:
        raise InvalidArgument(
            f"t: symmetric_strength · t = {time:g} must be at most {hyperbolic.LONGEST:g}; long"
            " before, a pair is at a pole, and `together` says which"
        )
    return hyperbolic.Transition(start, time, breaks)


def _starts(name: str, value: Array, size: int) -> Array:
    """`value`, one start for all samples or one for each."""
    if value.shape not in ((), (size,)):
        raise InvalidArgument(f"{name} has shape {value.shape}: must be () or (size,) = ({size},)")
    return value
