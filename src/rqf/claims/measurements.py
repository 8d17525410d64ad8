"""Measurements: what was seen, with its error, and the rule that holds it against a prediction.

A measurement knows nothing of the theory; a prediction knows nothing of the simulation. `compare`
brings the two together and returns a p-value: the probability, if the prediction is true, of a
disagreement at least as large as the one seen (at most that, where a rule is conservative).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rqf import sphere

Array = NDArray[np.float64]
CDF = Callable[[Array], ArrayLike]

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
GINE = 1000
LEAST_EXPECTED = 10.0  # cells of a chi-square test that expect fewer are pooled


@dataclass(frozen=True)
class Row:
    """One number of a claim: its name, what the theory says, what was seen, the standard error.

    For an exact identity the error is the tolerance, a bound for rounding.
    """

    label: str
    predicted: float
    measured: float
    error: float


@dataclass(frozen=True)
class Comparison:
    """A measurement held against a prediction.

    `rule` says in words how the p-value was found and how far the worst entry is off.
    """

    rows: tuple[Row, ...]
    pvalue: float
    rule: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement(ABC):
    """What was seen.

    Attributes
    ----------
    details : mapping of str to anything that JSON or NumPy holds
        How it was measured (scheme, dt, sample sizes) and what the figure needs.
    headline : int
        Which row stands for the claim where there is room for one only. Fixed beforehand, not
        chosen by how well it fits.
    """

    details: Mapping[str, Any] = field(default_factory=dict)
    headline: int = 0

    @abstractmethod
    def compare(self, prediction: Any) -> Comparison:
        """Hold the measurement against a prediction."""


@dataclass(frozen=True, eq=False)
class Estimates(Measurement):
    """Numbers with standard errors; the prediction is an array of the same shape.

    "bonferroni": the largest |z|, its two-sided p-value times the number of entries; holds whether
    or not entries depend on each other. "chi-square": the sum of z² of *independent* entries, to
    see many small departures that agree. With `freedom` degrees of freedom in each standard error
    (a number of realisations less one), z follows Student's law instead of the normal one.
    """

    values: ArrayLike
    errors: ArrayLike
    labels: Sequence[str] = ()
    rule: Literal["bonferroni", "chi-square"] = "bonferroni"
    freedom: float | None = None

    @classmethod
    def of_means(cls, samples: ArrayLike, labels: Sequence[str] = (), **options: Any) -> Self:
        """Means over the first axis of independent samples (N, ...), with their errors."""
        data = np.asarray(samples, dtype=np.float64)
        size = len(data)
        errors = np.std(data, axis=0, ddof=1) / np.sqrt(size)
        freedom = None if size > 1000 else float(size - 1)
        return cls(np.mean(data, axis=0), errors, labels, freedom=freedom, **options)

    def compare(self, prediction: Any) -> Comparison:
        values, errors, predicted = _aligned(self.values, self.errors, prediction)
        z = _scores(values - predicted, errors)
        count = z.size
        if self.rule == "chi-square":
            statistic = float(np.sum(z * z))
            pvalue = float(special.chdtrc(count, statistic)) if np.isfinite(statistic) else 0.0
            text = f"chi-square of {count} independent z-scores = {statistic:.4g}"
        else:
            worst = float(np.max(np.abs(z)))
            if self.freedom is None:
                tail = 2.0 * float(special.ndtr(-worst))
            else:
                tail = 2.0 * float(special.stdtr(self.freedom, -worst))
            pvalue = min(1.0, count * tail)
            text = f"largest |z| of {count} = {worst:.3g}, two-sided, p-value times {count}"
        return Comparison(_rows(self.labels, predicted, values, errors), pvalue, text)


@dataclass(frozen=True, eq=False)
class Proportions(Measurement):
    """Numbers of successes in independent trials; the prediction is an array of probabilities.

    The p-value is the exact binomial one: twice the smaller tail, times the number of entries.
    """

    successes: ArrayLike
    trials: ArrayLike
    labels: Sequence[str] = ()

    def compare(self, prediction: Any) -> Comparison:
        successes, trials, predicted = _aligned(self.successes, self.trials, prediction)
        inside = np.clip(predicted, 0.0, 1.0)
        lower, upper = _binomial_tails(successes, trials, inside)
        tails = np.where(inside == predicted, np.minimum(1.0, 2.0 * np.minimum(lower, upper)), 0.0)
        share = successes / trials
        errors = np.sqrt(share * (1.0 - share) / trials)
        count = share.size
        pvalue = min(1.0, count * float(np.min(tails)))
        text = f"exact binomial tails, the smallest of {count} = {np.min(tails):.3g}, times {count}"
        return Comparison(_rows(self.labels, predicted, share, errors), pvalue, text)


@dataclass(frozen=True, eq=False)
class Samples(Measurement):
    """Groups of independent samples; the prediction is one distribution function for each group.

    Kolmogorov–Smirnov with the exact law of the distance, p-value times the number of groups.
    Rows show the share of samples below predicted quantiles.
    """

    groups: Sequence[ArrayLike]
    labels: Sequence[str] = ()

    def compare(self, prediction: Sequence[CDF]) -> Comparison:
        from scipy.stats import kstwo

        labels = _named(self.labels, len(self.groups))
        rows: list[Row] = []
        pvalues, distances = [], []
        for label, group, cdf in zip(labels, self.groups, prediction, strict=True):
            values = np.sort(np.asarray(group, dtype=np.float64).ravel())
            size = values.size
            heights = np.asarray(cdf(values), dtype=np.float64)
            steps = np.arange(size + 1) / size
            distance = float(max(np.max(steps[1:] - heights), np.max(heights - steps[:-1])))
            distances.append(distance)
            pvalues.append(float(kstwo.sf(distance, size)))
            for share in SHARES:
                below = float(np.mean(heights <= share))
                error = float(np.sqrt(share * (1.0 - share) / size))
                rows.append(Row(f"{label}: share below the {share:.0%} quantile".replace("%", " %"),
                                share, below, error))
        count = len(pvalues)
        worst = int(np.argmin(pvalues))
        text = (
            f"Kolmogorov–Smirnov, {count} samples, p-value times {count}; worst: {labels[worst]},"
            f" distance {distances[worst]:.3g}"
        )
        return Comparison(tuple(rows), min(1.0, count * pvalues[worst]), text)


@dataclass(frozen=True, eq=False)
class Counts(Measurement):
    """Independent counts in categories, shape (categories,) or (groups, categories).

    The prediction is an array of probabilities of the same shape. Chi-square of each group, the
    categories with the smallest expectations pooled until each expects at least 10; p-value times
    the number of groups. Labels name the entries.
    """

    counts: ArrayLike
    labels: Sequence[str] = ()

    def compare(self, prediction: Any) -> Comparison:
        counts = np.atleast_2d(np.asarray(self.counts, dtype=np.float64))
        predicted = np.broadcast_to(np.atleast_2d(np.asarray(prediction, float)), counts.shape)
        totals = np.sum(counts, axis=1, keepdims=True)
        pvalues, texts = [], []
        for seen, share, total in zip(counts, predicted, totals[:, 0], strict=True):
            statistic, freedom = _pooled_chi_square(seen, share * total)
            pvalues.append(float(special.chdtrc(freedom, statistic)) if freedom else 1.0)
            texts.append(f"{statistic:.4g} with {freedom} degrees of freedom")
        count = len(pvalues)
        worst = int(np.argmin(pvalues))
        share = counts / totals
        errors = np.sqrt(np.clip(share * (1.0 - share), 1.0 / totals, None) / totals)
        text = f"chi-square of {count} tables, p-value times {count}; worst: {texts[worst]}"
        return Comparison(
            _rows(self.labels, predicted.ravel(), share.ravel(), errors.ravel()),
            min(1.0, count * pvalues[worst]), text,
        )


@dataclass(frozen=True, eq=False)
class Bounds(Measurement):
    """Numbers with standard errors that the prediction bounds, from above or from below.

    One-sided: only a number on the wrong side of its bound speaks against the claim. The p-value
    of the worst entry, times the number of entries.
    """

    values: ArrayLike
    errors: ArrayLike
    labels: Sequence[str] = ()
    side: Literal["at most", "at least"] = "at most"

    def compare(self, prediction: Any) -> Comparison:
        values, errors, predicted = _aligned(self.values, self.errors, prediction)
        sign = 1.0 if self.side == "at most" else -1.0
        z = sign * _scores(values - predicted, errors)
        count, worst = z.size, float(np.max(z))
        pvalue = min(1.0, count * float(special.ndtr(-worst)))
        text = (
            f"each {self.side} its bound, one-sided; largest z of {count} = {worst:.3g},"
            f" p-value times {count}"
        )
        return Comparison(_rows(self.labels, predicted, values, errors), pvalue, text)


@dataclass(frozen=True, eq=False)
class Identity(Measurement):
    """Numbers that equal the prediction up to `tolerance`, which `because` derives in words.

    No chance is involved: the p-value is 1 or 0.
    """

    values: ArrayLike
    tolerance: ArrayLike
    labels: Sequence[str] = ()
    because: str = "rounding"

    def compare(self, prediction: Any) -> Comparison:
        values, tolerance, predicted = _aligned(self.values, self.tolerance, prediction)
        off = np.abs(values - predicted)
        agrees = bool(np.all(off <= tolerance))
        text = (
            f"exact: off by at most {np.max(off):.2g}, allowed {np.max(tolerance):.2g}"
            f" ({self.because})"
        )
        rows = _rows(self.labels, predicted, values, tolerance)
        return Comparison(rows, 1.0 if agrees else 0.0, text)


@dataclass(frozen=True, eq=False)
class Directions(Measurement):
    """Groups of independent points of a sphere, each (N, n); the prediction is the law of each.

    A law is told by a positive definite matrix A: that of A^{1/2} U / |A^{1/2} U|, U uniform, the
    angular central Gaussian law; the identity is the uniform law. The map is undone and what
    should then be uniform put to Rayleigh's, Bingham's and Giné's tests (the last on the first
    1000 points); the smallest p-value times their number. Rows show mean coordinates and mean
    squares times n, after the map is undone.
    """

    groups: Sequence[ArrayLike]
    labels: Sequence[str] = ()

    def compare(self, prediction: Sequence[ArrayLike]) -> Comparison:
        from rqf.observe.uniformity import bingham, gine, rayleigh

        labels = _named(self.labels, len(self.groups))
        rows: list[Row] = []
        tests = []
        for label, group, shape in zip(labels, self.groups, prediction, strict=True):
            points = np.asarray(group, dtype=np.float64)
            n = points.shape[1]
            root = np.linalg.cholesky(np.asarray(shape, dtype=np.float64))
            y = sphere.normalize(np.linalg.solve(root, points.T).T)
            tests += [(label, test) for test in (rayleigh(y), bingham(y), gine(y[:GINE]))]
            for i in range(n):
                name = f"{label}: mean of x{i + 1}"
                rows.append(Row(name, 0.0, *_mean_and_error(y[:, i])))
            for i in range(n):
                name = f"{label}: {n} · mean of x{i + 1}²"
                rows.append(Row(name, 1.0, *_mean_and_error(n * y[:, i] ** 2)))
        count = len(tests)
        label, worst = min(tests, key=lambda entry: entry[1].pvalue)
        text = (
            f"Rayleigh, Bingham and Giné, p-value times {count}; worst: {worst.name}, {label},"
            f" statistic {worst.statistic:.4g}"
        )
        return Comparison(tuple(rows), min(1.0, count * worst.pvalue), text)


@dataclass(frozen=True, eq=False)
class Jointly(Measurement):
    """Several measurements of one claim; the prediction is a sequence, one for each.

    The smallest p-value times the number of parts.
    """

    parts: Sequence[Measurement]

    def compare(self, prediction: Sequence[Any]) -> Comparison:
        pairs = zip(self.parts, prediction, strict=True)
        comparisons = [part.compare(predicted) for part, predicted in pairs]
        count = len(comparisons)
        return Comparison(
            tuple(row for comparison in comparisons for row in comparison.rows),
            min(1.0, count * min(comparison.pvalue for comparison in comparisons)),
            f"{count} parts, the smallest p-value times {count}: "
            + "; ".join(comparison.rule for comparison in comparisons),
        )


def _binomial_tails(successes: Array, trials: Array, p: Array) -> tuple[Array, Array]:
    """P(S <= successes) and P(S >= successes) for S binomial, as incomplete beta functions."""
    failures = trials - successes
    some, others = np.maximum(successes, 1.0), np.maximum(failures, 1.0)
    lower = np.where(failures > 0.0, special.betainc(others, successes + 1.0, 1.0 - p), 1.0)
    upper = np.where(successes > 0.0, special.betainc(some, failures + 1.0, p), 1.0)
    return lower, upper


def joined(parts: Sequence[Estimates], labels: Sequence[str], **options: Any) -> Estimates:
    """The entries of several estimates one after the other, as one measurement."""
    values = np.concatenate([np.ravel(part.values) for part in parts])
    errors = np.concatenate([np.ravel(part.errors) for part in parts])
    return Estimates(values, errors, labels, **options)


def _mean_and_error(samples: Array) -> tuple[float, float]:
    return float(np.mean(samples)), float(np.std(samples, ddof=1) / np.sqrt(len(samples)))


def _aligned(*arrays: Any) -> list[Array]:
    """The arrays flattened, all in the shape of the first."""
    first = np.asarray(arrays[0], dtype=np.float64)
    return [np.broadcast_to(np.asarray(a, dtype=np.float64), first.shape).ravel() for a in arrays]


def _scores(difference: Array, errors: Array) -> Array:
    """difference / error, where nothing over nothing is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = difference / errors
    z = np.where(difference == 0.0, 0.0, z)
    return np.where(np.isnan(z), np.inf, z)


def _named(labels: Sequence[str], count: int) -> Sequence[str]:
    if not labels:
        return [str(index + 1) for index in range(count)]
    if len(labels) != count:
        raise ValueError(f"{len(labels)} labels for {count} entries")
    return labels


def _rows(
    labels: Sequence[str], predicted: Array, measured: Array, errors: Array
) -> tuple[Row, ...]:
    named = _named(labels, measured.size)
    entries = zip(named, predicted, measured, errors, strict=True)
    return tuple(Row(label, float(p), float(m), float(e)) for label, p, m, e in entries)


def _pooled_chi_square(seen: Array, expected: Array) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom, the rarest categories pooled."""
    if np.any((expected <= 0.0) & (seen > 0.0)):
        return np.inf, 1
    order = np.argsort(expected, kind="stable")
    cells: list[list[float]] = []
    rare = [0.0, 0.0]
    for index in order:
        if rare[1] < LEAST_EXPECTED and (rare[1] > 0.0 or expected[index] < LEAST_EXPECTED):
            rare = [rare[0] + seen[index], rare[1] + expected[index]]
        else:
            cells.append([seen[index], expected[index]])
    if rare[1] > 0.0:
        cells.append(rare)
    table = np.array(cells)
    return float(np.sum((table[:, 0] - table[:, 1]) ** 2 / table[:, 1])), len(cells) - 1
