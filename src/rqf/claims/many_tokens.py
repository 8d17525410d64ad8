"""Many tokens: a random hyperplane splits them in two groups.

Splitting is exact at every step size for a scheme whose steps have a law that rotations leave
unchanged, so that long times can be reached with long steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from rqf import sphere
from rqf.claims import figures
from rqf.claims.base import Claim, Level, Result, amount, stream
from rqf.claims.lifts import Array, lifts
from rqf.claims.measurements import Counts, Identity, Measurement, Proportions
from rqf.claims.tokens import MODEL
from rqf.fields import RandomQuadraticForm
from rqf.flow import Flow, simulate
from rqf.noise import Wiener
from rqf.observe import clusters, polar_clusters
from rqf.theory import all_together, group_size_pmf

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEME = "corrected-exponential"  # its law does not change under rotations
LONG = 60.0  # 60 ± 11 e-folds between the two largest singular values of G
ENOUGH = 40.0  # 40 ± 9 of them, where a rare late realization does not matter
HALF_TURN = 0.5 * np.pi


# The hyperplane


def measure_hemispheres(level: Level, seed: int) -> Measurement:
    """Tokens whose group is not their side of the hyperplane, over all realisations.

    The groups are found from where the tokens stand in the end, the hyperplane from G alone.
    """
    tokens, dimensions, size = 64, (2, 3, 5), amount(level, 40)
    wrong = []
    for n in dimensions:
        flow = Flow(RandomQuadraticForm(n), dt=1 / 8, scheme=SCHEME)
        omega = Wiener(stream(seed, n))
        start = sphere.uniform((size, tokens), n, stream(seed, n, "starts"))
        lifted = lifts(flow, omega, size, LONG)
        final = sphere.normalize(start @ np.swapaxes(lifted, 1, 2))
        group = polar_clusters(final).labels
        normal = np.linalg.svd(lifted)[2][:, 0]
        side = np.einsum("rkn,rn->rk", start, normal) > 0.0
        wrong.append(int(np.sum((group != group[:, :1]) != (side != side[:, :1]))))
    return Identity(
        wrong,
        1e-9,
        [f"tokens on the wrong side, n = {n}" for n in dimensions],
        because="whole numbers: not one token may be on the wrong side",
        details={
            "scheme": SCHEME, "dt": 1 / 8, "tokens": tokens, "realizations": size, "time": LONG,
            **_circle_example(stream(seed, "figure")),
        },
    )


def _circle_example(seed: int) -> dict[str, Array]:
    """Tokens on the circle under one noise: at the start, after a while, and the hyperplane."""
    flow, omega = Flow(RandomQuadraticForm(2), dt=1 / 16, scheme=SCHEME), Wiener(seed)
    phi = 2.0 * np.pi * (np.arange(36) + 0.5) / 36
    start = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    normal = np.linalg.svd(flow.lift(omega, 40.0))[2][0]
    return {"start": start, "later": flow(omega, start, 3.0), "normal": normal}


def draw_hemispheres(axes: Axes, result: Result) -> None:
    """Where tokens on the circle start and where they are at t = 3, marked by their side."""
    start, later, normal = (np.array(result.details[k]) for k in ("start", "later", "normal"))
    along = np.array([-normal[1], normal[0]])
    for side, mark, name in ((True, "o", "one side"), (False, "s", "the other side")):
        chosen = (start @ normal > 0.0) == side
        fill = "#111111" if side else "white"
        for points, radius in ((start, 1.0), (later, 0.72)):
            axes.plot(
                *(radius * points[chosen].T), mark, color="#111111", markerfacecolor=fill,
                label=f"tokens that start on {name}" if radius == 1.0 else None,
            )
    axes.plot(*np.outer(along, [-1.15, 1.15]), "--", color="#b5420e", label="hyperplane from G")
    axes.set_aspect("equal")
    axes.set_xlim(-1.2, 3.4)
    axes.set_xlabel("first coordinate; outer circle: t = 0, inner circle: t = 3")
    axes.set_ylabel("second coordinate, n = 2")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.legend(loc="center right")


# Group sizes

TOKENS = 8


def _final(tokens: int, n: int, realizations: int, seed: int) -> xr.DataArray:
    """Where independent uniform tokens stand after all have come together."""
    ds = simulate(
        RandomQuadraticForm(n), tokens=tokens, t=ENOUGH, dt=0.25, realizations=realizations,
        seed=seed, times=[ENOUGH], scheme=SCHEME,
    )
    return ds.x.isel(time=0)


def measure_binomial(level: Level, seed: int) -> Measurement:
    """Tokens in the cluster that has the larger first coordinate."""
    dimensions, size = (2, 3, 4), amount(level, 1000)
    counts = []
    for n in dimensions:
        x = _final(TOKENS, n, size, stream(seed, n))
        labels = clusters(x, resolution=HALF_TURN).labels.values
        top = np.argmax(x.values[..., 0], axis=1)
        group = np.sum(labels == labels[np.arange(size), top][:, None], axis=1)
        group = np.where(np.max(x.values[..., 0], axis=1) > 0.0, group, 0)
        counts.append(np.bincount(group, minlength=TOKENS + 1))
    return Counts(
        counts,
        [f"{k} of {TOKENS} tokens, n = {n}" for n in dimensions for k in range(TOKENS + 1)],
        headline=(TOKENS + 1) + TOKENS // 2,
        details={
            "scheme": SCHEME, "dt": 0.25, "tokens": TOKENS, "realizations": size, "time": ENOUGH,
            "series": [{"name": f"n = {n}", "x": np.arange(TOKENS + 1)} for n in dimensions],
        },
    )


def draw_binomial(axes: Axes, result: Result) -> None:
    every = list(figures.series_of(result))
    axes.bar(every[0].x, every[0].predicted, width=0.8, color="#e2e2e2", edgecolor="#8c8c8c")
    for index, series in enumerate(every):
        figures.points(axes, series._replace(x=series.x + 0.2 * (index - 1)), index)
    axes.set_xticks(every[0].x)
    xlabel = f"tokens in one group, of {TOKENS}"
    figures.finish(axes, xlabel, "share of realizations", legend=False)
    title = "points: measured ± 2 s.e.; bars: predicted"
    axes.legend(title=title, fontsize="small", title_fontsize="small")


def measure_together(level: Level, seed: int) -> Measurement:
    """Realisations in which the first N tokens are one cluster."""
    numbers, n, size = (2, 3, 4, 5, 6), 3, amount(level, 3000)
    x = _final(numbers[-1], n, size, seed)
    single = [
        int(np.sum(clusters(x.isel(token=slice(0, k)), resolution=HALF_TURN).count == 1))
        for k in numbers
    ]
    return Proportions(
        single,
        size,
        [f"N = {k}" for k in numbers],
        headline=2,
        details={
            "scheme": SCHEME, "dt": 0.25, "n": n, "realizations": size, "time": ENOUGH,
            "series": [{"name": "n = 3", "x": numbers}],
        },
    )


def draw_together(axes: Axes, result: Result) -> None:
    figures.over_curves(
        axes, result, {"n = 3": lambda k: 2.0 ** (1.0 - k)}, "tokens N",
        "share of realizations with one cluster",
    )
    axes.set_yscale("log", base=2)
    axes.set_xticks(next(figures.series_of(result)).x)


CLAIMS = (
    Claim(
        id="many_tokens.hemispheres",
        statement=(
            "The two groups are exactly the two sides of the hyperplane orthogonal to the top right"
            " singular vector of G."
        ),
        source=f"{MODEL}, section 7",
        predict=lambda: np.zeros(3),
        measure=measure_hemispheres,
        draw=draw_hemispheres,
    ),
    Claim(
        id="many_tokens.binomial",
        statement=(
            "Of N independent uniform tokens a Binomial(N, ½) number ends in one of the two groups."
        ),
        source=f"{MODEL}, section 7",
        predict=lambda: np.tile(group_size_pmf(TOKENS), (3, 1)),
        measure=measure_binomial,
        draw=draw_binomial,
    ),
    Claim(
        id="many_tokens.together",
        statement="N independent uniform tokens end in one cluster with probability 2^{1-N}.",
        source=f"{MODEL}, section 7",
        predict=lambda: np.array([all_together(k) for k in (2, 3, 4, 5, 6)]),
        measure=measure_together,
        draw=draw_together,
    ),
)
