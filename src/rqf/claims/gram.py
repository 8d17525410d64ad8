"""The Gram matrix of N tokens: its law is that of N tokens in R^N, however many dimensions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.lifts import Array
from rqf.claims.measurements import Estimates, Jointly, Measurement
from rqf.claims.tokens import MODEL
from rqf.fields import RandomQuadraticForm
from rqf.flow import simulate
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEME = "corrected-exponential"
FEW = 3
WIDE = FEW + 5
TIMES = (0.5, 1.0)
START = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [-0.3, 0.4, np.sqrt(0.75)]])
PAIRS = ((0, 1), (0, 2), (1, 2))


def predict_gram() -> list[Array]:
    """No difference between dimensions; pairs as in the closed two-point law."""
    pair = TwoPoint(RandomQuadraticForm(WIDE))
    overlaps = START @ START.T
    means = [[pair.mean(overlaps[i, j], t) for i, j in PAIRS] for t in TIMES]
    return [np.zeros(len(TIMES) * 4), np.array(means).ravel()]


def _observed(gram: Array) -> tuple[Array, list[str]]:
    """Functions of Gram matrices (R, times, N, N) that see more than pairs: (R, times · 4)."""
    z = [gram[..., i, j] for i, j in PAIRS]
    functions = {
        "det Z": 1.0 + 2.0 * z[0] * z[1] * z[2] - z[0] ** 2 - z[1] ** 2 - z[2] ** 2,
        "Z12Z23Z13": z[0] * z[1] * z[2],
        "Z12Z13": z[0] * z[1],
        "Z12²": z[0] ** 2,
    }
    names = [f"{name}, t = {t:g}" for name in functions for t in TIMES]
    return np.concatenate(list(functions.values()), axis=1), names


def measure_gram(level: Level, seed: int) -> Measurement:
    """Three tokens in R^8 along a noise path, against three in law, which move in R^3."""
    size, field = amount(level, 4000), RandomQuadraticForm(WIDE)
    run = partial(
        simulate, field, t=TIMES[-1], dt=1 / 16, times=TIMES, realizations=size,
        scheme=SCHEME, x0=np.pad(START, ((0, 0), (0, WIDE - FEW))),
    )
    path = sphere.gram(run(seed=stream(seed, "path")).x.values)
    law = run(seed=stream(seed, "law"), law=True).gram.values
    (seen, names), (seen_in_law, _) = _observed(path), _observed(law)
    both = [Estimates.of_means(sample) for sample in (seen, seen_in_law)]
    difference = Estimates(
        np.subtract(both[0].values, both[1].values),
        np.hypot(both[0].errors, both[1].errors),
        [f"E {name}: n = {WIDE} less law" for name in names],
    )
    pairs = np.stack([law[..., i, j] for i, j in PAIRS], axis=-1).reshape(size, -1)
    means = Estimates.of_means(
        pairs, [f"E Z{i + 1}{j + 1} in law, t = {t:g}" for t in TIMES for i, j in PAIRS]
    )
    return Jointly(
        [difference, means],
        details={
            "scheme": SCHEME, "dt": 1 / 16, "tokens": FEW, "n": WIDE, "realizations": size,
            "path": both[0].values, "law": both[1].values,
            "path error": both[0].errors, "law error": both[1].errors, "names": names,
        },
    )


def draw_gram(axes: Axes, result: Result) -> None:
    """The same functions of the Gram matrix along a path and in law."""
    names = result.details["names"]
    at = np.arange(len(names), dtype=float)
    kinds = ((f"tokens in R^{WIDE}", "path"), (f"in law, R^{FEW}", "law"))
    for index, (name, kind) in enumerate(kinds):
        values, errors = (np.array(result.details[k]) for k in (kind, f"{kind} error"))
        series = figures.Series(name, at + 0.2 * (index - 0.5), values, values, errors)
        figures.points(axes, series, index)
    axes.set_xticks(at, [name.replace(", ", "\n") for name in names], fontsize="small")
    figures.finish(axes, "function of the Gram matrix Z of three tokens", "mean", legend=False)
    title = "points: measured ± 2 s.e.; predicted: no difference"
    axes.legend(title=title, fontsize="small", title_fontsize="small")


CLAIMS = (
    Claim(
        id="many_tokens.gram",
        statement=(
            "The Gram matrix of N tokens has a law that does not depend on the dimension n >= N:"
            " tokens in R^{N+5} and in R^N, N = 3."
        ),
        source=f"{MODEL}, section 7",
        predict=predict_gram,
        measure=measure_gram,
        draw=draw_gram,
    ),
)
