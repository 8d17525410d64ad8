"""The long run of the overlap: ends, scale, where a pair ends, exit times, stationary density."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.theory.arguments import artanh, overlaps, times
from rqf.theory.two_point import diffusion, panels
from rqf.theory.two_point.boundaries import Boundary, boundary

Array = NDArray[np.float64]
END = 60.0  # |u| beyond which the coefficients are taken at their limits
BELOW = 40.0  # the entrance is cut so far below the crossover: its measure there is e^{-40 (n-1)}


class LongRun:
    """Drift, variance and what follows from the scale and the speed; see `TwoPoint`."""

    field: Field

    @property
    def closed(self) -> bool:
        """Whether the field is linear noise, whose two-point law has closed forms."""
        return isinstance(self.field, LinearField)

    def drift(self, z: ArrayLike) -> Array:
        """The drift of Z per unit time, any field.

        `(n-1)(a_12 - z a_11) - (1-z²)(a_12 + z b - 2 pull)`, the kernels those of the pair; for
        isotropic noise without interaction `a_11 = a(1)`, `a_12 = a(z)` and `pull = 0`.

        Parameters
        ----------
        z : array in [-1, 1]

        Returns
        -------
        array of the shape of z, to full relative precision near z = ±1 (n - 1 roundings if the
        field is not linear)
        """
        z = overlaps("z", z)
        if self.closed:
            return -self._strength() * z * ((1.0 - z) * (1.0 + z))
        return diffusion.in_z(self.field, z)[0][()]

    def variance(self, z: ArrayLike) -> Array:
        """The variance of dZ per unit time, 2(1-z²)[a_11 - z a_12 + b(1-z²)], any field.

        Parameters
        ----------
        z : array in [-1, 1]

        Returns
        -------
        array of the shape of z, to full relative precision near z = ±1
        """
        z = overlaps("z", z)
        if self.closed:
            return 2.0 * self._strength() * ((1.0 - z) * (1.0 + z)) ** 2
        return diffusion.in_z(self.field, z)[1][()]

    @property
    def boundaries(self) -> dict[float, Boundary]:
        """Feller's classification of the ends: {-1.0: Boundary, 1.0: Boundary}.

        Examples
        --------
        >>> import rqf
        >>> field = rqf.RandomQuadraticForm(n=3) + rqf.Bias(n=3, sigma=0.1)
        >>> ends = rqf.theory.TwoPoint(field).boundaries
        >>> ends[-1.0].kind, ends[1.0].kind, ends[1.0].attracting
        ('entrance', 'natural', True)
        """
        return {end: boundary(self.field, end) for end in (-1.0, 1.0)}

    @property
    def poles(self) -> tuple[float, ...]:
        """The overlaps that attract, among -1 and 1: the attracting ends of the diffusion."""
        return tuple(end for end, found in self.boundaries.items() if found.attracting)

    @property
    def almost_sure_rate(self) -> float:
        """The rate of log dist(X_t, Y_t) along almost every pair that comes together, λ_1.

        Minus the symmetric strength for linear noise, where dist(X_t, -Y_t) falls alike.
        """
        return -self._strength() if self.closed else self.boundaries[1.0].exponent

    @property
    def mean_rate(self) -> float:
        """The rate of log E dist(X_t, ±Y_t) for linear noise, -symmetric_strength/4.

        The bottom of the spectrum of the hyperbolic plane: the mean is carried by the rare pairs
        that stay near the equator.
        """
        return -0.25 * self._strength()

    def scale_function(self, z: ArrayLike) -> Array:
        """The scale function S(z), S(0) = 0 and S'(0) = 1: S(Z_t) is a local martingale.

        arcsin z for linear noise; otherwise ∫ exp(-∫ 2 drift/variance) by quadrature.

        Parameters
        ----------
        z : array in [-1, 1]; each overlap costs a quadrature

        Returns
        -------
        array of the shape of z; ±inf at an end that is not attracting

        Examples
        --------
        >>> import rqf
        >>> field = rqf.RandomQuadraticForm(n=3) + rqf.Bias(n=3, sigma=0.1)
        >>> rqf.theory.TwoPoint(field).scale_function([-1.0, 0.0]).tolist()
        [-inf, 0.0]
        """
        z = overlaps("z", z)
        if self.closed:
            self._strength()
            return np.arcsin(z)
        return np.reshape([self._scale(float(u)) for u in artanh(z).flat], z.shape)[()]

    def together(self, z0: ArrayLike) -> Array:
        """The probability that the pair ends together, at Z = 1, rather than antipodal, at Z = -1.

        With two attracting ends (S(z0) - S(-1))/(S(1) - S(-1)), S the scale function; ½ +
        arcsin(z0)/π = 1 - θ/π for linear noise, the probability that a random hyperplane does not
        separate the two. With one attracting end it is reached almost surely. Without a symmetric
        part linear noise moves no pair: 1 for z0 = 1 and 0 otherwise.

        Parameters
        ----------
        z0 : array in [-1, 1]
            Overlap at time 0.

        Returns
        -------
        array of the shape of z0, of full relative precision down to 0 for linear noise

        Raises
        ------
        rqf.errors.InvalidArgument
            If no end attracts: the pair then goes on for ever.

        Examples
        --------
        >>> import rqf
        >>> rqf.theory.TwoPoint(rqf.LinearLayer(n=7)).together([-1.0, 0.0, 1.0])
        array([0. , 0.5, 1. ])
        >>> field = rqf.LinearLayer(n=7) + rqf.Bias(n=7, sigma=0.1)
        >>> float(rqf.theory.TwoPoint(field).together(-1.0))
        1.0
        """
        z0 = overlaps("z0", z0)
        if self.closed:
            if self._strength() == 0.0:
                return np.where(z0 == 1.0, 1.0, 0.0)[()]
            return np.arccos(-z0) / np.pi
        if self.poles == (1.0,):
            stuck = self.boundaries[-1.0].kind == "natural"
            return np.where((z0 == -1.0) & stuck, 0.0, 1.0)[()]
        if self.poles == (-1.0,):
            return np.where(z0 == 1.0, 1.0, 0.0)[()]
        if not self.poles:
            raise InvalidArgument(
                "field: neither Z = 1 nor Z = -1 attracts, a pair does not end anywhere;"
                " see stationary_density"
            )
        low, high = self._scale(-np.inf), self._scale(np.inf)
        return (self.scale_function(z0) - low) / (high - low)

    def exit_time(self, z0: float, lower: float, upper: float) -> float:
        """The mean time at which Z leaves (lower, upper), from z0.

        Parameters
        ----------
        z0 : float in [lower, upper]
            Overlap at time 0.
        lower : float in [-1, 1)
            Lower end. It may be -1 where antipodal pairs move: Z then enters there, is reflected,
            and leaves at `upper` alone.
        upper : float in (lower, 1)
            Upper end.

        Returns
        -------
        float, by quadrature of the scale and the speed, relative error about 1e-10

        Raises
        ------
        rqf.errors.InvalidArgument
            If the three are out of order, or an end is never reached (Z = 1, or Z = -1 where
            antipodal pairs stay antipodal).

        Notes
        -----
        Karlin and Taylor, A Second Course in Stochastic Processes, 15.3. For a quadratic form of
        sigma = √2 with a bias γ → 0 the time from Z = -1 to 0 is (π/8) Beta((n-1)/2, ½)/γ.

        Examples
        --------
        >>> import math, rqf
        >>> field = rqf.RandomQuadraticForm(3, math.sqrt(2.0)) + rqf.Bias(3, 1e-3)
        >>> round(1e-3 * rqf.theory.TwoPoint(field).exit_time(-1.0, -1.0, 0.0), 4)
        0.7818
        """
        start = checks.real("z0", z0, -1.0, 1.0)
        low, high = checks.real("lower", lower, -1.0, 1.0), checks.real("upper", upper, -1.0, 1.0)
        if not low <= start <= high or low == high:
            raise InvalidArgument(f"z0 = {start:g}: must be in [lower, upper], lower < upper")
        wall = diffusion.antipodal_noise(self.field) > 0.0
        if high == 1.0 or (low == -1.0 and not wall):
            raise InvalidArgument(
                f"lower = {low:g}, upper = {high:g}: an end at which pairs stay is never reached;"
                " give one inside (-1, 1)"
            )
        ends = artanh(np.asarray([start, low, high]))
        if low == -1.0:
            ends = np.maximum(ends, min(diffusion.crossover(self.field), ends[2]) - BELOW)
        begin, first, last = map(float, ends)
        return panels.exit_time(self.field, begin, first, last, low == -1.0)

    def stationary_density(self, z: ArrayLike) -> Array:
        """The density of the stationary overlap, where no end attracts: the speed, normalised.

        Parameters
        ----------
        z : array in (-1, 1)

        Returns
        -------
        array of the shape of z

        Raises
        ------
        rqf.errors.InvalidArgument
            If an end attracts, or is critical: then there is no stationary density.
        """
        z = overlaps("z", z)
        inside = np.abs(z) < 1.0
        found, total = self._stationary()
        u = artanh(np.where(inside, z, 0.0))
        values = np.exp(found.log_speed(u) - total) * np.cosh(u) ** 2
        return np.where(inside, values, 0.0)[()]

    def stationary_mean(self) -> float:
        """E Z under the stationary density; arguments and errors as there."""
        found, total = self._stationary()
        return float(np.sum(np.exp(found.mass_at_nodes() - total) * np.tanh(found.nodes)))

    def _stationary(self) -> tuple[panels.Panels, float]:
        """Panels that hold the stationary density, and the log of its mass."""
        ends = self.boundaries
        if any(end.kind == "natural" and end.exponent <= 0.0 for end in ends.values()):
            raise InvalidArgument(
                "field: has an end Z = ±1 that attracts or is critical, there is no stationary"
                " density; see together"
            )
        low, high = (self._tail(end) for end in (-1.0, 1.0))
        found = panels.Panels(self.field, low, high)
        return found, float(np.logaddexp.reduce(found.mass()))

    def _tail(self, end: float) -> float:
        """The u beyond which the stationary mass is below e^{-40}."""
        if end < 0.0 and diffusion.antipodal_noise(self.field) > 0.0:
            return diffusion.crossover(self.field) - BELOW
        drift, variance = diffusion.in_u(self.field, np.asarray(end * diffusion.FAR))
        reach = 10.0 + BELOW * float(variance / (2.0 * abs(drift)))
        if reach > diffusion.FAR:
            raise InvalidArgument("field: is too near a critical point for its stationary density")
        return end * reach

    def _scale(self, u: float) -> float:
        """S at u, in u; beyond END the rate is constant."""
        end = np.copysign(1.0, u)
        attracting = self.boundaries[end].attracting
        if np.isinf(u) and not attracting:
            return float(end * np.inf)
        if u == 0.0:
            return 0.0
        reach = float(end * min(abs(u), END))
        found = panels.Panels(self.field, min(0.0, reach), max(0.0, reach))
        at_zero = found.psi[0] if end > 0.0 else found.psi[-1]
        total = float(np.exp(np.logaddexp.reduce(found.scale()) + at_zero))
        if abs(u) > END:
            drift, variance = diffusion.in_u(self.field, np.asarray(end * diffusion.FAR))
            rate = float(2.0 * end * drift / variance)
            last = float(np.exp(at_zero - (found.psi[-1] if end > 0.0 else found.psi[0])))
            far = abs(u) - END
            total += last * (far if rate == 0.0 else -np.expm1(-rate * far) / rate)
        return float(end * total)

    def _strength(self) -> float:
        """The symmetric strength s of linear noise: one unit of hyperbolic time takes 1/s."""
        if not isinstance(self.field, LinearField):
            raise InvalidArgument(
                f"field: {type(self.field).__name__} is not linear, its two-point law has no"
                " closed form"
            )
        return self.field.symmetric_strength

    def _clocks(self, t: ArrayLike) -> Array:
        """Times t in units of hyperbolic time."""
        return self._strength() * times("t", t)

    def _clock(self, t: float) -> float:
        return float(self._clocks(checks.real("t", t, 0.0)))
