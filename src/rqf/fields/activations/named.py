"""The activations that have names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.activations import closed, numeric
from rqf.fields.activations.base import Activation, Part
from rqf.fields.activations.function import Function

Array = NDArray[np.float64]
Map = Callable[[Array], Array]
Parts = tuple[Part | None, Part | None]


@dataclass(frozen=True)
class LeakyReLU(Activation):
    """φ(x) = x for x > 0 and alpha x for x < 0; "leaky_relu:0.1" in words. alpha = 0 is the ReLU.

    Examples
    --------
    >>> import rqf
    >>> from rqf.fields.activations import LeakyReLU
    >>> field = rqf.MLP(n=3, activation=LeakyReLU(0.1))
    >>> bool(field.a(1.0) == rqf.MLP(n=3, activation="leaky_relu:0.1").a(1.0))
    True
    """

    alpha: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, -1e3, 1e3))

    def __call__(self, x: Array) -> Array:
        return np.where(x > 0.0, x, self.alpha * x)

    def derivative(self, x: Array) -> Array:
        return np.where(x > 0.0, 1.0, self.alpha)

    def parts(self, q: float) -> Parts:
        plus, minus = 0.5 * (1.0 + self.alpha), 0.5 * (1.0 - self.alpha)
        return (
            closed.linear(q, plus) if plus else None,
            closed.absolute(q, minus) if minus else None,
        )


@dataclass(frozen=True)
class Named(Activation):
    """An activation of the table below; `activation(name)` hands it out."""

    name: str

    def __call__(self, x: Array) -> Array:
        return _TABLE[self.name][0](x)

    def derivative(self, x: Array) -> Array:
        return _TABLE[self.name][1](x)

    def parts(self, q: float) -> Parts:
        return _TABLE[self.name][2](q)


def activation(value: Any) -> Activation:
    """The activation that `value` means: a name, an `Activation` or a Python function."""
    if isinstance(value, Activation):
        return value
    if callable(value):
        return Function(value)
    if value == "relu":
        return LeakyReLU(0.0)
    if isinstance(value, str) and value.startswith("leaky_relu"):
        _, colon, alpha = value.partition(":")
        try:
            return LeakyReLU(float(alpha)) if colon else LeakyReLU()
        except ValueError:
            pass
    elif isinstance(value, str) and value in _TABLE:
        return Named(value)
    raise InvalidArgument(
        f"activation = {checks.shown(value)}: must be one of {', '.join(NAMES)}, leaky_relu:0.1,"
        " or a function of an array"
    )


def erf(x: Array) -> Array:
    """The error function; SciPy is loaded when it is first needed."""
    from scipy import special

    return np.asarray(special.erf(x))


def expit(x: Array) -> Array:
    """The logistic sigmoid 1/(1 + e^{-x})."""
    from scipy import special

    return np.asarray(special.expit(x))


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1.0 + erf(x / np.sqrt(2.0)))


def _gelu_slope(x: Array) -> Array:
    density = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0))) + x * density


def _half_tanh(x: Array) -> Array:
    return 0.5 * np.tanh(0.5 * x)


def _even_silu(x: Array) -> Array:
    return 0.5 * x * np.tanh(0.5 * x)


def _erf_slope(x: Array) -> Array:
    return 2.0 / np.sqrt(np.pi) * np.exp(-x * x)


def _tanh_slope(x: Array) -> Array:
    small = np.exp(-2.0 * np.abs(x))
    return 4.0 * small / (1.0 + small) ** 2


def _sigmoid_slope(x: Array) -> Array:
    return expit(x) * expit(-x)


def _silu_slope(x: Array) -> Array:
    return expit(x) * (1.0 + x * expit(-x))


# name: φ, φ', the kernels of its odd and even part at variance q
_TABLE: dict[str, tuple[Map, Map, Callable[[float], Parts]]] = {
    "erf": (erf, _erf_slope, lambda q: (closed.error_function(q), None)),
    "gelu": (_gelu, _gelu_slope, lambda q: (closed.linear(q, 0.5), closed.times_erf(q, 0.5))),
    "identity": (np.asarray, np.ones_like, lambda q: (closed.linear(q), None)),
    "linear": (np.asarray, np.ones_like, lambda q: (closed.linear(q), None)),
    "quadratic": (np.square, lambda x: 2.0 * x, lambda q: (None, closed.square(q))),
    "sigmoid": (
        expit,
        _sigmoid_slope,
        lambda q: (numeric.parts(_half_tanh, None, q)[0], closed.constant(0.5)),
    ),
    "silu": (
        lambda x: x * expit(x),
        _silu_slope,
        lambda q: (closed.linear(q, 0.5), numeric.parts(None, _even_silu, q)[1]),
    ),
    "sin": (np.sin, np.cos, lambda q: (closed.sine(q), None)),
    "tanh": (np.tanh, _tanh_slope, lambda q: numeric.parts(np.tanh, None, q)),
}
NAMES = ("relu", "leaky_relu", *_TABLE)
