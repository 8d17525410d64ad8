"""The framework of claims: a statement, its source, a prediction, a measurement, a decision.

A claim keeps prediction and measurement apart. `predict` comes from the theory alone, `measure`
from simulation alone; `decide` holds one against the other. So a claim can be falsified: give it a
wrong prediction with `dataclasses.replace(claim, predict=wrong)` and it must fail.

The kinds of measurement, and the rule by which each decides, are in `rqf.claims.measurements`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rqf.claims.measurements import Measurement, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Level: TypeAlias = Literal["quick", "full"]

LEVELS = ("quick", "full")
MORE = 30  # "full" takes this many times the samples: less than a fifth of the standard error
FALSE_ALARM = 5e-4  # probability that a whole run fails though every claim is true


@dataclass(frozen=True)
class Claim:
    """One statement that a computer can check.

    Attributes
    ----------
    id : str
        "group.name", for instance "pair.together".
    statement : str
        One sentence, with its formula.
    source : str
        Paper and number, or where it is derived.
    predict : function of no argument
        What the theory says, in the form that the measurement takes: an array, a sequence of
        distribution functions, a table of probabilities.
    measure : function of level and seed
        What simulation says. Deterministic in (level, seed).
    draw : function of Matplotlib axes and a `Result`
        The claim's one figure.
    weight : float > 0
        Share of the run's false alarms that this claim may cause.
    """

    id: str
    statement: str
    source: str
    predict: Callable[[], Any]
    measure: Callable[[Level, int], Measurement]
    draw: Callable[[Axes, Result], None]
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of a claim.

    Attributes
    ----------
    number, id, statement, source
        Those of the claim.
    predicted, measured, error : float
        The headline: one row, the same at every run, with its standard error. All rows are in
        `rows`, and the decision looks at all of them.
    passed : bool
        pvalue >= false_alarm.
    pvalue, false_alarm : float
        Probability of a disagreement like this one if the claim is true; the level below which the
        claim fails.
    rule : str
        How the p-value was found.
    level : str
    seconds : float
    rows : tuple of Row
    details : mapping
        How it was measured, and what the figure needs.
    """

    number: int
    id: str
    statement: str
    source: str
    predicted: float
    measured: float
    error: float
    passed: bool
    pvalue: float
    false_alarm: float
    rule: str
    level: str
    seconds: float
    rows: tuple[Row, ...]
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(row.label for row in self.rows)

    def column(self, name: Literal["predicted", "measured", "error"]) -> np.ndarray:
        """One column of the rows as an array."""
        return np.array([getattr(row, name) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON holds."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain["rows"] = [vars(row) for row in self.rows]
        converted: dict[str, Any] = _plain(plain)
        return converted


def decide(
    claim: Claim,
    measurement: Measurement,
    false_alarm: float = FALSE_ALARM,
    *,
    number: int = 0,
    level: Level = "quick",
) -> Result:
    """Hold a claim's prediction against a measurement: passed if pvalue >= false_alarm."""
    comparison = measurement.compare(claim.predict())
    headline = comparison.rows[measurement.headline]
    passed = bool(comparison.pvalue >= false_alarm)
    sign, verdict = (">=", "passes") if passed else ("<", "fails")
    return Result(
        number=number,
        id=claim.id,
        statement=claim.statement,
        source=claim.source,
        predicted=headline.predicted,
        measured=headline.measured,
        error=headline.error,
        passed=passed,
        pvalue=float(comparison.pvalue),
        false_alarm=false_alarm,
        rule=f"{comparison.rule}; p = {comparison.pvalue:.3g} {sign} {false_alarm:.3g}, {verdict}",
        level=level,
        seconds=0.0,
        rows=comparison.rows,
        details=dict(measurement.details),
    )


def amount(level: Level, quick: int) -> int:
    """Number of samples at a level: `quick`, or 30 times that at "full"."""
    return quick if level == "quick" else MORE * quick


def stream(seed: int, *names: object) -> int:
    """A seed of its own for each part of a measurement: a 64-bit hash of seed and names."""
    text = "/".join(str(part) for part in (seed, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _plain(value: Any) -> Any:
    """`value` in types that JSON holds; numbers that are not finite become text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value
