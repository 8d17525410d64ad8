"""Layers of a network: x ← N(x + √h W x) with independent Gaussian W tends to the flow as h → 0.

The stacks are written here in NumPy, layer by layer, apart from the schemes of the package, which
they shall confirm. One layer turns a token to N(x + √h w), w standard Gaussian, so that
E[X_k·X_0] = c^k with c = E[(1 + √h w_1)/|e_1 + √h w|]. Expanding to second order,

    log c = -(n-1) h/2 + (n-1)(n-4) h²/4 + O(h³),

the stack is off the flow, at time t = k h, by t e^{-(n-1)t/2} (n-1)(n-4)/4 · h: order 1, but for
n = 4, where this one observable happens to be of order 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.measurements import Estimates, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import LinearLayer
from rqf.flow.threads import ranges, run_each
from rqf.theory import TwoPoint, expected_overlap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
N = 3
BLOCK = 5000


def _in_blocks(
    simulate: Callable[[int, np.random.Generator], Array], samples: int, seed: int
) -> Array:
    """Samples (samples, ...) drawn block by block, every block from a stream of its own."""
    parts = ranges(samples, BLOCK)
    found: list[Array] = [np.empty(0)] * len(parts)

    def task(index: int) -> Iterator[int]:
        size = parts[index].stop - parts[index].start
        found[index] = simulate(size, np.random.default_rng(stream(seed, index)))
        yield 1

    run_each(task, range(len(parts)))
    return np.concatenate(found)


def _unit(x: Array) -> Array:
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


# Order

TIME = 2.0
DEPTHS = (32, 64, 128)
STEPS = TIME / np.array(DEPTHS)


def predict_order() -> Array:
    """Order 1, and the error per h in the limit of thin layers."""
    rate = 0.5 * (N - 1)
    return np.array([1.0, TIME * np.exp(-rate * TIME) * (N - 1) * (N - 4) / 4.0])


def one_token(depth: int, samples: int, rng: np.random.Generator) -> Array:
    """X_k·X_0 after `depth` layers, less terms of mean zero, so that the mean is seen clearly.

    At every layer what W does to first order in √h, and the noise of what it does to second
    order, is taken off; the first by trying -W as well. Each term counts as much as of it is left
    at the end: any factor leaves the mean as it is, this one leaves the least scatter.
    """
    h, rate = TIME / depth, 0.5 * (N - 1)
    x = np.tile(np.eye(N)[0], (samples, 1))
    terms = np.zeros(samples)
    for layer in range(depth):
        pushed = np.sqrt(h) * np.einsum("sij,sj->si", rng.standard_normal((samples, N, N)), x)
        along = np.sum(pushed * x, axis=1, keepdims=True)
        across = pushed - along * x
        excess = np.sum(across**2, axis=1, keepdims=True) - (N - 1) * h
        ahead, back = _unit(x + pushed), _unit(x - pushed)
        odd = 0.5 * (ahead - back)
        second = -along * across - 0.5 * excess * x
        terms += np.exp(-rate * (TIME - (layer + 1) * h)) * (odd + second)[:, 0]
        x = ahead
    return x[:, 0] - terms


def measure_order(level: Level, seed: int) -> Measurement:
    """Slope of the log error between the thickest and the thinnest layers, and error per h.

    The error is taken to the exact value of the flow. The second number combines the two thinnest
    so that what is of second order in h drops out.
    """
    size = amount(level, 30_000)
    exact = float(expected_overlap(LinearLayer(N), TIME))
    seen = [_in_blocks(partial(one_token, depth), size, stream(seed, depth)) for depth in DEPTHS]
    errors = np.array([np.mean(values) for values in seen]) - exact
    scatter = np.array([np.std(values, ddof=1) for values in seen]) / np.sqrt(size)
    span = np.log(STEPS[0] / STEPS[-1])
    order = np.log(errors[0] / errors[-1]) / span if errors[0] * errors[-1] > 0.0 else np.nan
    order_error = np.hypot(scatter[0] / errors[0], scatter[-1] / errors[-1]) / span
    weights = np.array([-1.0 / STEPS[1], 2.0 / STEPS[2]])
    return Estimates(
        np.array([order, weights @ errors[1:]]),
        np.array([order_error, np.linalg.norm(weights * scatter[1:])]),
        ["order in h", "error of E[X·X_0] per h, h → 0"],
        details={
            "n": N, "time": TIME, "layers": ", ".join(map(str, DEPTHS)), "samples": size,
            "errors": errors, "scatter": scatter,
        },
    )


def draw_order(axes: Axes, result: Result) -> None:
    errors, scatter = (np.array(result.details[name]) for name in ("errors", "scatter"))
    slope = predict_order()[1]
    series = figures.Series("stacks", STEPS, slope * STEPS, -errors, scatter)
    h = np.geomspace(STEPS[-1] / 1.5, STEPS[0] * 1.5, 50)
    figures.line(axes, h, -slope * h)
    figures.points(axes, series)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(STEPS, [f"1/{1 / h:.0f}" for h in STEPS])
    figures.finish(axes, "variance h of a layer", f"-error of E[X·X_0] at t = {TIME:g}, n = {N}")


# Limit

PAIR_TIME = 1.0
FINEST = 64
COARSER = (4, 2, 1)
EXTRAPOLATE = np.array([1.0, -6.0, 8.0]) / 3.0  # takes off the terms in h and h²
START = 0.5


def predict_limit() -> Array:
    """E[X·X_0], E Z and E Z² of the flow."""
    layer = LinearLayer(N)
    pair = TwoPoint(layer)
    return np.array(
        [
            expected_overlap(layer, PAIR_TIME),
            pair.mean(START, PAIR_TIME),
            pair.second_moment(START, PAIR_TIME),
        ]
    )


def two_tokens(samples: int, rng: np.random.Generator) -> Array:
    """X·X_0, Z and Z² after the same time in layers of three thicknesses: (samples, 3, 3).

    The W of a thick layer is the sum of those of the thin ones over its time, which makes what
    the three have in common cancel in differences.
    """
    h = PAIR_TIME / FINEST
    start = np.array([[1.0, 0.0, 0.0], [START, np.sqrt(1.0 - START**2), 0.0]])
    tokens = [np.tile(start, (samples, 1, 1)) for _ in COARSER]
    summed = [np.zeros((samples, N, N)) for _ in COARSER]
    for layer in range(1, FINEST + 1):
        thin = np.sqrt(h) * rng.standard_normal((samples, N, N))
        for which, thickness in enumerate(COARSER):
            summed[which] += thin
            if layer % thickness == 0:
                x = tokens[which]
                tokens[which] = _unit(x + x @ np.swapaxes(summed[which], 1, 2))
                summed[which][:] = 0.0
    z = [np.sum(x[:, 0] * x[:, 1], axis=1) for x in tokens]
    own = [x[:, 0, 0] for x in tokens]
    return np.stack([np.stack([a, b, b * b], axis=1) for a, b in zip(own, z, strict=True)], axis=1)


def measure_limit(level: Level, seed: int) -> Measurement:
    """Means extrapolated to h = 0 from layers of three thicknesses."""
    size = amount(level, 20_000)
    seen = _in_blocks(two_tokens, size, seed)
    extrapolated = np.einsum("l,slq->sq", EXTRAPOLATE, seen)
    steps = PAIR_TIME / FINEST * np.array(COARSER)
    return Estimates.of_means(
        extrapolated,
        [f"{name}, h → 0" for name in ("E[X·X_0]", "E Z", "E Z²")],
        headline=2,
        details={
            "n": N, "time": PAIR_TIME, "z_0": START, "samples": size,
            "layers": ", ".join(str(FINEST // thickness) for thickness in COARSER),
            "steps": steps, "means": np.mean(seen, axis=0),
            "scatter": np.std(seen, axis=0) / np.sqrt(size),
        },
    )


def draw_limit(axes: Axes, result: Result) -> None:
    """Means against h, those extrapolated at 0, and what the flow says."""
    steps, means, scatter = (
        np.array(result.details[name]) for name in ("steps", "means", "scatter")
    )
    columns = [result.column(name) for name in ("predicted", "measured", "error")]
    for index, name in enumerate(("E[X·X_0]", "E Z", "E Z²")):
        row = slice(index, index + 1)
        limit = figures.Series(name, np.zeros(1), *(column[row] for column in columns))
        figures.line(axes, [0.0, steps[0]], np.repeat(limit.predicted, 2), index)
        figures.points(axes, limit, index)
        stacks = figures.Series(name, steps, steps, means[:, index], scatter[:, index])
        figures.points(axes, stacks, index, label="_stacks")
    ticks = [0.0, *steps]
    axes.set_xticks(ticks, ["0", *(f"1/{1 / h:.0f}" for h in steps)])
    figures.finish(axes, "variance h of a layer (0: extrapolated)", f"mean at t = {PAIR_TIME:g}")


CLAIMS = (
    Claim(
        id="layers.order",
        statement=(
            "A stack of layers x ← N(x + √h W x) is off the flow by an error of order 1 in h; for"
            " E[X·X_0] it is t e^{-(n-1)t/2} (n-1)(n-4)/4 · h."
        ),
        source=f"{MODEL}, section 10; Ag 1 (Agazzi et al. 2026)",
        predict=predict_order,
        measure=measure_order,
        draw=draw_order,
    ),
    Claim(
        id="layers.limit",
        statement=(
            "As h → 0 a stack of linear layers has the law of the flow at t = k h: means of one"
            " token and of a pair tend to the closed forms."
        ),
        source=f"Ag 1 (Agazzi et al. 2026); {MODEL}, section 5",
        predict=predict_limit,
        measure=measure_limit,
        draw=draw_limit,
    ),
)
