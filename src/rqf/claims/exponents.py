"""Lyapunov spectra of every kind of field, measured on the tangent flow.

For isotropic noise with kernels a and b the flow on S^{n-1} has the exponents

    λ_p = ½ [(n-1-2p) a'(1) - (n-1) a(1) - 2p b(1)],   p = 1, …, n-1;

without b that is Raimond's formula (1999). Frames of tangent vectors are carried by the exact
derivative of the one-step map. What a step does to first order in the noise has mean zero and is
taken off, so that errors do not depend on the step, which can be so short, SHORT of the time in
which a token forgets where it was, that its bias, of order 1, is below 1 % of the exponents.
Activations have hidden values of variance 1 (gain √n) unless another gain is stated, in layers of
16 units: kernels, and with them exponents, are those of every width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rqf import theory
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Estimates, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import (
    MLP,
    Bias,
    Field,
    LinearLayer,
    RandomPotential,
    RandomQuadraticForm,
    Skew,
)
from rqf.flow import Flow
from rqf.observe import lyapunov_spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIMENSIONS = (3, 6, 12)
WIDTH = 16
SHORT = 1 / 512  # (n - 1) a(1) dt, at most
STEPS = 24
REALIZATIONS = 24
SCHEME = "heun"


def layer(activation: str, gain: float = 1.0) -> Callable[[int], MLP]:
    """A random layer with hidden values of variance gain²."""
    return lambda n: MLP(n, activation, width=WIDTH, gain=gain * math.sqrt(n))


WITHOUT_B: Mapping[str, Callable[[int], Field]] = {
    "linear layer + bias": lambda n: LinearLayer(n) + Bias(n, 0.5),
    "relu": layer("relu"),
    "leaky relu": layer("leaky_relu:0.3"),
    "gelu": layer("gelu"),
    "silu": layer("silu"),
    "tanh": layer("tanh"),
    "erf": layer("erf"),
    "erf, gain 4": layer("erf", 4.0),
    "sigmoid": layer("sigmoid"),
    "sin": layer("sin"),
    "quadratic": layer("quadratic"),
    "linear potential": lambda n: RandomPotential(n, {1: 1.0}),
    "relu with biases": lambda n: MLP(
        n, "relu", width=WIDTH, gain=math.sqrt(n), sigma_u=0.5, sigma_w=0.5
    ),
}
WITH_B: Mapping[str, Callable[[int], Field]] = {
    "quadratic form + bias": lambda n: RandomQuadraticForm(n) + Bias(n, 0.5),
    "quadratic form + relu": lambda n: RandomQuadraticForm(n) + layer("relu")(n),
    "quadratic potential": lambda n: RandomPotential(n, {2: 0.5}),
    "cubic potential": lambda n: RandomPotential(n, {3: 0.5}),
    "potential of powers 1, 2, 3": lambda n: RandomPotential(n, {1: 0.5, 2: 0.5, 3: 0.5}),
    "rotation + bias": lambda n: Skew(n) + Bias(n, 0.5),
    "2 rotation + ½ quadratic form + 2 tanh": lambda n: (
        2.0 * Skew(n) + 0.5 * RandomQuadraticForm(n) + 2.0 * layer("tanh")(n)
    ),
}


def step_of(field: Field) -> float:
    """The longest power of two with (n - 1) a(1) dt <= SHORT."""
    pace = (field.n - 1) * float(field.a(1.0))
    return float(2.0 ** math.floor(math.log2(SHORT / pace)))


def _cases(fields: Mapping[str, Callable[[int], Field]]) -> list[tuple[str, Field]]:
    return [(name, make(n)) for n in DIMENSIONS for name, make in fields.items()]


def _predict(fields: Mapping[str, Callable[[int], Field]]) -> Callable[[], Array]:
    return lambda: np.concatenate(
        [theory.lyapunov_spectrum(field) for _, field in _cases(fields)]
    )


def _measure(
    fields: Mapping[str, Callable[[int], Field]], headline: str
) -> Callable[[Level, int], Measurement]:
    """Exponents of every field in every dimension, one spectrum after the other."""

    def measure(level: Level, seed: int) -> Measurement:
        size = amount(level, REALIZATIONS)
        cases, spectra = _cases(fields), []
        for name, field in cases:
            dt = step_of(field)
            spectra.append(
                lyapunov_spectrum(
                    Flow(field, dt=dt, scheme=SCHEME), t=STEPS * dt, realizations=size,
                    seed=stream(seed, name, field.n),
                )
            )
        labels = [f"{name}, n = {f.n}: λ_{p}" for name, f in cases for p in range(1, f.n)]
        return Estimates(
            np.concatenate([spectrum.exponent for spectrum in spectra]),
            np.concatenate([spectrum.stderr for spectrum in spectra]),
            labels,
            freedom=size - 1.0,
            headline=labels.index(headline),
            details={
                "scheme": SCHEME, "(n - 1) a(1) dt": f"at most {SHORT:g}", "steps": STEPS,
                "realizations": size, "n": ", ".join(map(str, DIMENSIONS)), "width": WIDTH,
                "fields": "; ".join(fields), "series": _series(fields),
            },
        )

    return measure


def _series(fields: Mapping[str, Callable[[int], Field]]) -> list[dict[str, Any]]:
    """One series for each dimension, over all fields."""
    return [
        {"name": f"n = {n}, {len(fields)} fields", "x": np.arange(len(fields) * (n - 1))}
        for n in DIMENSIONS
    ]


def draw(axes: Axes, result: Result) -> None:
    """Measured exponents over the predicted ones."""
    predicted = result.column("predicted")
    ends = [np.min(predicted), np.max(predicted)]
    figures.line(axes, ends, ends, label="measured = predicted")
    for index, series in enumerate(figures.series_of(result)):
        figures.points(axes, series._replace(x=series.predicted), index)
    axes.axhline(0.0, color="#8c8c8c", linewidth=0.6)
    figures.finish(axes, "predicted exponent", "measured exponent")


CLAIMS = (
    Claim(
        id="exponents.raimond",
        statement=(
            "Isotropic noise without a gradient part, b = 0, has the exponents"
            " λ_p = ½[(n-1-2p) a'(1) - (n-1) a(1)]: biases and random layers of nine activations."
        ),
        source=f"Raimond 1999; Ag (Agazzi et al. 2026) for λ_1; {MODEL}",
        predict=_predict(WITHOUT_B),
        measure=_measure(WITHOUT_B, "relu, n = 6: λ_1"),
        draw=draw,
    ),
    Claim(
        id="exponents.gradient",
        statement=(
            "With a kernel b the exponents are λ_p = ½[(n-1-2p) a'(1) - (n-1) a(1) - 2p b(1)]:"
            " random potentials of powers 1 to 3, sums of quadratic forms, rotations (b < 0),"
            " biases and layers."
        ),
        source=f"{MODEL}; derived for this package",
        predict=_predict(WITH_B),
        measure=_measure(WITH_B, "quadratic form + bias, n = 6: λ_1"),
        draw=draw,
    ),
)
