"""The kernel of a random hidden layer: the numbers of table 1 of Agazzi et al.

For tokens x, y of R^n the covariance of a layer is k(z) = E[φ(U) φ(V)] + σ_W², where a hidden value
U = W₁·x/√n + b is Gaussian of variance 1/n + σ_U². At coinciding tokens

    k(1) = E φ(U)² + σ_W²,    k'(1) = E φ'(U)²/n,
    λ_1 = ½ [(n-3) k'(1) - (n-1) k(1)],    λ̄ = (n-1) k'(1) - (n-3) k(1).

λ_1 tells whether tokens meet along one noise, the coercivity λ̄ whether they do in the mean: it is
the rate of E[1 - Z] near Z = 1. Measured from random hidden units, whose slopes and squares are
averaged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Array, Estimates, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import MLP
from rqf.fields.activations import activation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Case = tuple[str, int, float]
T = TypeVar("T", float, Array)
NAMES = ("k(1)", "k'(1)", "λ_1", "λ̄")
PAIRS = 50_000  # hidden units, two opposite ones at a time
PILOT = 1000
BLOCK = 100_000
SOURCE = "Ag, table 1 (Agazzi et al. 2026, arXiv:2604.26898)"

# Table 1 as printed: activation, n, σ_U = σ_W; k(1), k'(1), λ_1, λ̄, to three digits.
PRINTED: dict[Case, tuple[float, float, float, float]] = {
    ("relu", 5, 0.0): (1.00e-01, 1.00e-01, -1.00e-01, 2.00e-01),
    ("relu", 5, 0.1): (1.15e-01, 1.00e-01, -1.30e-01, 1.70e-01),
    ("relu", 64, 0.0): (7.81e-03, 7.81e-03, -7.81e-03, 1.56e-02),
    ("relu", 64, 0.1): (2.28e-02, 7.81e-03, -4.80e-01, -8.99e-01),
    ("relu", 128, 0.0): (3.91e-03, 3.91e-03, -3.91e-03, 7.81e-03),
    ("relu", 128, 0.1): (1.89e-02, 3.91e-03, -9.56e-01, -1.87e00),
    ("silu", 5, 0.0): (5.65e-02, 5.84e-02, -5.45e-02, 1.21e-01),
    ("silu", 5, 0.1): (6.96e-02, 5.87e-02, -8.04e-02, 9.57e-02),
    ("silu", 64, 0.0): (3.95e-03, 3.97e-03, -3.50e-03, 8.84e-03),
    ("silu", 64, 0.1): (1.65e-02, 4.00e-03, -3.98e-01, -7.56e-01),
    ("silu", 128, 0.0): (1.96e-03, 1.97e-03, -1.73e-03, 4.41e-03),
    ("silu", 128, 0.1): (1.45e-02, 1.99e-03, -7.97e-01, -1.56e00),
}
COMPUTED: tuple[Case, ...] = tuple(
    (name, n, sigma)
    for name in ("relu", "silu", "sigmoid", "tanh") for n in (5, 64, 128) for sigma in (0.0, 0.1)
)


def row_of(case: Case) -> tuple[float, float, float, float]:
    """k(1), k'(1), λ_1, λ̄ from the kernels of the package."""
    name, n, sigma = case
    field = MLP(n, name, sigma_u=sigma, sigma_w=sigma)
    k, slope = float(field.a(1.0)), float(field.a_prime(1.0))
    return k, slope, *_combined(n, k, slope)


def _combined(n: int, k: T, slope: T) -> tuple[T, T]:
    return 0.5 * ((n - 3) * slope - (n - 1) * k), (n - 1) * slope - (n - 3) * k


def sampled(case: Case, pairs: int, seed: int) -> tuple[Array, Array]:
    """Means and standard errors of the four numbers over hidden units, opposite ones paired.

    λ_1 and λ̄ are averaged as numbers of each unit, so that their errors know how k and k' cancel.
    What goes with the square of the hidden value, whose mean is known, is taken off, as much of it
    as units of their own tell.
    """
    rng = np.random.default_rng(seed)
    pilot, squares = _units(case, PILOT, rng)
    weight = np.mean((pilot - np.mean(pilot, axis=1, keepdims=True)) * squares, axis=1)
    weight /= np.mean(squares**2)
    sums = np.zeros((2, 4))
    for first in range(0, pairs, BLOCK):
        values, squares = _units(case, min(BLOCK, pairs - first), rng)
        values -= weight[:, None] * squares
        sums += [np.sum(values, axis=1), np.sum(values**2, axis=1)]
    mean, square = sums / pairs
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / (pairs - 1))


def _units(case: Case, pairs: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The four numbers of random pairs of units, (4, pairs); U² less its mean, (pairs,)."""
    name, n, sigma = case
    phi = activation(name)
    variance = 1.0 / n + sigma**2
    u = math.sqrt(variance) * rng.standard_normal(pairs)
    both = np.stack([u, -u])
    k = np.mean(phi(both) ** 2, axis=0) + sigma**2
    slope = np.mean(phi.derivative(both) ** 2, axis=0) / n
    return np.stack([k, slope, *_combined(n, k, slope)]), u * u - variance


def _measured(
    cases: Sequence[Case], level: Level, seed: int, rounding: Array | None = None
) -> Measurement:
    pairs = amount(level, PAIRS)
    found = [sampled(case, pairs, stream(seed, *case)) for case in cases]
    errors = np.stack([error for _, error in found])
    # opposite units of ReLU have what U² tells and no more: nothing but rounding is left
    errors = np.hypot(errors, 1e-9 if rounding is None else rounding)
    return Estimates(
        np.stack([mean for mean, _ in found]).ravel(),
        errors.ravel(),
        [f"{name}, {_shown(case)}" for case in cases for name in NAMES],
        headline=NAMES.index("λ_1"),
        details={"hidden units": 2 * pairs},
    )


def _shown(case: Case) -> str:
    return f"{case[0]}, n = {case[1]}, σ = {case[2]:g}"


def measure_printed(level: Level, seed: int) -> Measurement:
    """The printed numbers are rounded to three digits, which counts as an error of theirs.

    A number rounded to the unit u is off by u/√12 in the mean square, at most by √3 times that.
    """
    size = np.abs(np.array(list(PRINTED.values())))
    unit = 10.0 ** (np.floor(np.log10(size)) - 2.0)
    return _measured(tuple(PRINTED), level, seed, unit / math.sqrt(12.0))


def measure_computed(level: Level, seed: int) -> Measurement:
    return _measured(COMPUTED, level, seed)


def draw(axes: Axes, result: Result) -> None:
    """Measured over predicted, as a ratio."""
    predicted, measured, error = (
        result.column(name) for name in ("predicted", "measured", "error")
    )
    axes.axhline(1.0, color="#111111", linewidth=1.0)
    cases = np.arange(len(predicted) // len(NAMES))
    for index, name in enumerate(NAMES):
        rows = slice(index, None, len(NAMES))
        ratio = np.asarray(measured[rows] / predicted[rows], np.float64)
        spread = np.asarray(np.abs(error[rows] / predicted[rows]), np.float64)
        shifted = np.asarray(cases + 0.16 * (index - 1.5), np.float64)
        series = figures.Series(name, shifted, np.ones_like(ratio), ratio, spread)
        figures.points(axes, series, index)
    names = [label.removeprefix("k(1), ") for label in result.labels[:: len(NAMES)]]
    axes.set_xticks(cases, names, rotation=90, fontsize="x-small")
    figures.finish(axes, "layer", "measured / predicted")


CLAIMS = (
    Claim(
        id="mlp.table",
        statement=(
            "Table 1 as printed: k(1), k'(1), λ_1 and λ̄ of ReLU and SiLU layers, n = 5, 64, 128,"
            " σ_U = σ_W = 0, 0.1."
        ),
        source=SOURCE,
        predict=lambda: np.array(list(PRINTED.values())).ravel(),
        measure=measure_printed,
        draw=draw,
    ),
    Claim(
        id="mlp.kernels",
        statement=(
            "The same four numbers of ReLU, SiLU, sigmoid and tanh layers from the closed forms and"
            " quadratures of the package."
        ),
        source=f"Ag, kernel (Agazzi et al. 2026); {MODEL}",
        predict=lambda: np.array([row_of(case) for case in COMPUTED]).ravel(),
        measure=measure_computed,
        draw=draw,
    ),
)
