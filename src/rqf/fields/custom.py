"""A field of the user's own: two kernels, or a function that draws one step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebinterpolate, chebval
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Parity
from rqf.fields.positive import check_covariance

Array = NDArray[np.float64]
Map = Callable[..., Any]
PARITIES = ("odd", "even", "mixed")
KEY = 4  # normals whose bits are the key of a step
DEGREES = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class CustomField(Field):
    """Your own field: its law, by the kernels a and b, or its realisations, by a step, or both.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    a, b : callable, optional
        Kernels per unit time, `E[F(x) F(y)ᵀ] = a(z) I + b(z) y xᵀ` with z = x·y: vectorised
        functions on [-1, 1]. b is 0 if a alone is given.
    a_prime : callable, optional
        a'(z). Without it the Chebyshev interpolant of a, of degree up to 512, is differentiated:
        good for kernels smooth on [-1, 1]; others are refused when a' is asked for.
    step : callable, optional
        step(x, rng) -> F(x) per square root of unit time, for all tokens x (N, n) of one
        realisation at once: displacements of shape (N, n) before projection. rng is a
        `numpy.random.Generator` of the step; the same step sees the same numbers whenever it is
        asked again, so draw from it in an order that does not depend on x.
    parity : "odd", "even" or "mixed", optional
        Whether F(-x) = -F(x), F(-x) = F(x), or neither. Found from the kernels, to 1e-12 of a(1);
        "mixed" if there are none.
    derivative : callable, optional
        derivative(x, v, rng) -> DF(x) v of `step`, for tangent maps.
    strength : float >= 0
        Multiplies a and b.

    Raises
    ------
    rqf.errors.InvalidArgument
        If neither a nor step is given; if a kernel is not finite or keeps no shape; if a is not
        positive definite on S^{n-1}, or on S^{n-2} beside a b (a Gegenbauer coefficient of degree
        <= 40 is negative, Schoenberg 1942), or the kernels are no covariance of tangent vectors at
        some 24 points.

    Notes
    -----
    A step is not refined by smaller ones: `step` draws afresh, so a path of step dt is not the
    path of step dt/2. Laws at a fixed dt are right.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> field = rqf.CustomField(3, a=lambda z: z**3, step=lambda x, rng:
    ...     np.einsum("ijkl,tj,tk,tl->ti", rng.normal(size=(3, 3, 3, 3)), x, x, x))
    >>> field.parity, round(float(field.a_prime(1.0)), 9)
    ('odd', 3.0)
    """

    n: int
    a_function: Map | None
    b_function: Map | None
    a_prime_function: Map | None
    step: Map | None
    derivative: Map | None
    strength: float
    parity_given: Parity | None

    def __init__(
        self,
        n: int,
        a: Map | None = None,
        b: Map | None = None,
        a_prime: Map | None = None,
        step: Map | None = None,
        parity: Parity | None = None,
        derivative: Map | None = None,
        strength: float = 1.0,
    ) -> None:
        given = {"a": a, "b": b, "a_prime": a_prime, "step": step, "derivative": derivative}
        for name, value in given.items():
            if value is not None and not callable(value):
                raise InvalidArgument(f"{name} = {checks.shown(value)}: must be a function")
        if a is None and step is None:
            raise InvalidArgument("a, step: give the kernel a(z), or step(x, rng), or both")
        if a is None and (b is not None or a_prime is not None):
            raise InvalidArgument("a: must be given where b or a_prime is; a = 0 is a kernel too")
        if step is None and derivative is not None:
            raise InvalidArgument("derivative: is that of a step, and there is none; give step too")
        put = object.__setattr__
        put(self, "n", checks.integer("n", n, 2))
        put(self, "a_function", a)
        put(self, "b_function", b)
        put(self, "a_prime_function", a_prime)
        put(self, "step", step)
        put(self, "derivative", derivative)
        put(self, "strength", checks.real("strength", strength, 0.0, MOST))
        if parity is not None:
            checks.choice("parity", parity, PARITIES)
        put(self, "parity_given", parity)
        if a is not None:
            check_covariance(self.n, self._kernel("a", a), self._kernel("b", b) if b else None)

    # Law

    def a(self, z: ArrayLike) -> Array:
        return self.strength * self._kernel("a", self._known())(_overlap(z))

    def b(self, z: ArrayLike) -> Array:
        self._known()
        return self.strength * self._kernel("b", self.b_function)(_overlap(z))

    def a_prime(self, z: ArrayLike) -> Array:
        z = _overlap(z)
        if self.a_prime_function is not None:
            return self.strength * self._kernel("a_prime", self.a_prime_function)(z)
        return np.asarray(self.strength * chebval(z, self._slope))

    @cached_property
    def _slope(self) -> Array:
        """Chebyshev coefficients of a' in z."""
        a = self._kernel("a", self._known())
        z = np.linspace(-1.0, 1.0, 201)
        values = a(z)
        for degree in DEGREES:
            series = np.asarray(chebinterpolate(a, degree))  # type: ignore[type-var]
            missed = np.max(np.abs(chebval(z, series) - values))
            if missed <= 1e-14 * np.max(np.abs(values)):
                kept = np.flatnonzero(np.abs(series) > 2e-15 * np.max(np.abs(series)))
                return np.asarray(chebder(series[: kept[-1] + 1 if kept.size else 1]))
        raise InvalidArgument("a_prime: is needed, a is not smooth enough to be differentiated")

    def _known(self) -> Map:
        if self.a_function is None:
            raise InvalidArgument(
                "a: is not known, only a step of the field is; give CustomField(n, a=..., step=...)"
                " to use its law"
            )
        return self.a_function

    def _kernel(self, name: str, function: Map | None) -> Callable[[Array], Array]:
        """A kernel of the user's with its values checked; 0 for None."""
        if function is None:
            return np.zeros_like

        def kernel(z: Array) -> Array:
            with np.errstate(all="ignore"):
                values = np.asarray(function(z), np.float64)
            if values.shape == ():
                values = np.full_like(z, values)
            if values.shape != z.shape:
                raise InvalidArgument(
                    f"{name}: makes shape {values.shape} of {z.shape}; it must keep the shape"
                )
            if name != "a_prime" and not np.all(np.isfinite(values)):
                bad = float(z[~np.isfinite(values)].ravel()[0])
                raise InvalidArgument(f"{name}: is not finite at z = {bad:.6g}; it must be")
            return values

        return kernel

    @property
    def parity(self) -> Parity:
        return self.parity_given or self._parity

    @cached_property
    def _parity(self) -> Parity:
        if self.a_function is None:
            return "mixed"
        z = np.linspace(0.0, 1.0, 201)
        a, b = self._kernel("a", self.a_function), self._kernel("b", self.b_function)
        small = 1e-12 * max(float(np.max(np.abs(a(z)))), float(np.max(np.abs(b(z)))))
        for name, sign in (("odd", 1.0), ("even", -1.0)):
            wrong = max(np.max(np.abs(a(z) + sign * a(-z))), np.max(np.abs(b(z) - sign * b(-z))))
            if wrong <= small:
                return cast(Parity, name)
        return "mixed"

    def scaled(self, factor: float) -> Self:
        return type(self)(
            self.n, self.a_function, self.b_function, self.a_prime_function, self.step,
            self.parity_given, self.derivative, self.strength * factor,
        )  # fmt: skip

    # One realisation

    @property
    def fresh(self) -> int:
        return 0 if self.step is None else KEY

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Frozen:
        if self.step is None:
            return super().frozen(dw, fresh, dt)
        return Step(self.step, self.derivative, fresh.copy(), math.sqrt(self.strength * dt))


@dataclass(frozen=True, eq=False)
class Step(Frozen):
    """size · step(x, rng) for each realisation; the bits of its normals `keys` (R, 4) seed rng."""

    step: Map
    derivative: Map | None
    keys: Array
    size: float

    def __call__(self, x: Array) -> Array:
        return self._each("step", self.step, x)

    def push(self, x: Array, v: Array) -> Array:
        if self.derivative is None:
            raise InvalidArgument(
                "derivative: is needed here; give CustomField(n, step=..., derivative=...) with"
                " derivative(x, v, rng) = DF(x) v"
            )
        return self._each("derivative", self.derivative, x, v)

    def _each(self, name: str, function: Map, *arrays: Array) -> Array:
        out = np.empty_like(arrays[0])
        for r, key in enumerate(self.keys):
            rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(key.view(np.uint64))))
            values = np.asarray(function(*(array[r] for array in arrays), rng), np.float64)
            if values.shape != out[r].shape:
                raise InvalidArgument(
                    f"{name}: makes shape {values.shape} for tokens of shape {out[r].shape};"
                    " it must keep the shape"
                )
            if not np.all(np.isfinite(values)):
                raise InvalidArgument(f"{name}: makes displacements that are not finite")
            out[r] = self.size * values
        return out


def _overlap(z: ArrayLike) -> Array:
    """z on [-1, 1]: overlaps of unit vectors leave it by rounding, kernels need not be defined."""
    return np.clip(np.asarray(z, np.float64), -1.0, 1.0)
