"""A Python function as an activation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.activations import numeric
from rqf.fields.activations.base import Activation, Part

Array = NDArray[np.float64]
ROUNDING = 8.0 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Function(Activation):
    """A continuous function of the user's, smooth but for at most 16 kinks.

    Its kernels are found by quadrature, to about 1e-12 of K(1) if it is smooth and 1e-10 if it has
    kinks, once per field: in milliseconds if it is smooth, in seconds if it has kinks or is steep.
    It counts as odd or even if it is so to rounding within 8 standard deviations of its argument.

    Parameters
    ----------
    function : callable
        φ: array of floats -> array of the same shape, finite.
    derivative : callable, optional
        φ', likewise; only `push` (tangent maps, Lyapunov exponents along a realisation) needs it.

    Raises
    ------
    rqf.errors.InvalidArgument
        If one of the two cannot be called, or `function` fails on an array, jumps or is not finite.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> from rqf.fields.activations import Function
    >>> field = rqf.MLP(n=3, activation=Function(np.cos, derivative=lambda x: -np.sin(x)))
    >>> field.parity
    'even'
    """

    function: Callable[[Any], Any]
    derivative_of: Callable[[Any], Any] | None

    def __init__(
        self, function: Callable[[Any], Any], derivative: Callable[[Any], Any] | None = None
    ) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "derivative_of", derivative)
        for name, value in (("function", function), ("derivative", derivative)):
            if value is not None and not callable(value):
                raise InvalidArgument(
                    f"{name} = {checks.shown(value)}: must be a function of an array of floats"
                )

    def __call__(self, x: Array) -> Array:
        return _values("activation", self.function, x)

    def derivative(self, x: Array) -> Array:
        if self.derivative_of is None:
            raise InvalidArgument(
                "activation: its derivative is needed here;"
                " give rqf.fields.activations.Function(function, derivative=...)"
            )
        return _values("derivative", self.derivative_of, x)

    def parts(self, q: float) -> tuple[Part | None, Part | None]:
        x = np.sqrt(q) * np.linspace(0.0, 8.0, 4097)
        up, down = self(x), self(-x)
        size = ROUNDING * np.maximum(np.abs(up), np.abs(down))
        odd = None if np.all(np.abs(up - down) <= size) else self._odd
        even = None if np.all(np.abs(up + down) <= size) else self._even
        return numeric.parts(odd, even, q)

    def _odd(self, x: Array) -> Array:
        return 0.5 * (self(x) - self(-x))

    def _even(self, x: Array) -> Array:
        return 0.5 * (self(x) + self(-x))


def _values(name: str, function: Callable[[Any], Any], x: Array) -> Array:
    """function(x), with one line if it is not what it should be."""
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(function(x), np.float64)
    except Exception as error:
        raise InvalidArgument(
            f"{name} = {checks.shown(function)}: fails on an array of floats ({error});"
            " it must be vectorised, np.vectorize can make it so"
        ) from error
    if values.shape != x.shape:
        raise InvalidArgument(
            f"{name} = {checks.shown(function)}: makes shape {values.shape} of {x.shape};"
            " it must keep the shape"
        )
    if not np.all(np.isfinite(values)):
        raise InvalidArgument(
            f"{name} = {checks.shown(function)}: is not finite for some"
            f" |x| <= {float(np.max(np.abs(x))):.3g}; it must be"
        )
    return values
