"""The report of a verification: what was claimed, what was measured, what came of it."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rqf._version import __version__
from rqf.claims.base import Claim, Result
from rqf.claims.registry import registered
from rqf.errors import InvalidArgument
from rqf.output import whole
from rqf.report.figure import figure_svg, inline_svg
from rqf.report.numbers import expected, plain, probability, with_error
from rqf.report.page import Column, Fact, Link, Page, Section, Table, Verdict, render

if TYPE_CHECKING:
    from rqf.reproductions import Picture

PAGE = "index.html"
RECORD = "claims.json"
FILES = {PAGE, RECORD}
LIBRARIES = ("numpy", "scipy", "numba", "matplotlib")
MOST_ROWS = 30
SOURCES = {
    "ES": "M. Engel, A. Shalova, Random Quadratic Form on a Sphere: Synchronization by Common"
    " Noise, arXiv:2603.06187",
    "Sh": "A. Shalova, RQF with random forcing: metastable synchronization by noise,"
    " arXiv:2608.16664",
    "Fe": "L. Fedorov et al., Clustering in Deep Stochastic Transformers, arXiv:2601.21942",
    "Ag": "A. Agazzi et al., Stochastic Scaling Limits and Synchronization by Noise in Deep"
    " Transformer Models, arXiv:2604.26898",
    "Ko": "H. Koubbi, B. Geshkovski, P. Rigollet, Homogenized Transformers, arXiv:2604.01978",
    "Ge": "B. Geshkovski et al., A mathematical perspective on Transformers, arXiv:2312.10794",
}


def write_report(
    results: Sequence[Result],
    folder: str | Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
    claims: Sequence[Claim] | None = None,
    date: datetime | None = None,
    pictures: Sequence[Picture] = (),
) -> Path:
    """Write the results of `rqf.claims.run` as a page to read and a record to compute with.

    Parameters
    ----------
    results : sequence of Result, at least one
    folder : path
        Will hold `index.html`, one file that needs nothing else, and `claims.json`. It appears
        when both are complete, or not at all.
    seed : int
        The seed of the run, for the command that repeats it.
    overwrite : bool
        Whether an earlier report may be replaced. A folder that holds anything else never is.
    claims : sequence of Claim, optional
        Where the figures come from; all registered claims by default.
    date : datetime, optional
        Time of the run; now by default.
    pictures : sequence of Picture
        Figures of a paper that `rqf.reproductions` draws, put before the claims.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    rqf.errors.InvalidArgument
        If there is no result.
    rqf.errors.OutputError
        If the folder exists and may not be replaced, or cannot be written.
    """
    if not results:
        raise InvalidArgument("results: must hold at least one result")
    moment = (datetime.now(UTC) if date is None else date).strftime("%Y-%m-%d %H:%M %Z").strip()
    drawings = {claim.id: claim for claim in (registered() if claims is None else claims)}
    target = Path(folder)
    with whole(target, overwrite, FILES) as partial_folder:
        partial_folder.mkdir()
        page = render(_page(results, drawings, seed, moment, pictures))
        (partial_folder / PAGE).write_text(page, encoding="utf-8")
        record = _record(results, seed, moment)
        text = json.dumps(record, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
        (partial_folder / RECORD).write_text(text, encoding="utf-8")
    return target / PAGE


def command(results: Sequence[Result], seed: int) -> str:
    """The command line that runs the claims of these results again."""
    words = ["rqf", "verify", f"--{results[0].level}", "--seed", str(seed)]
    ids = [result.id for result in results]
    if set(ids) != {claim.id for claim in registered()}:
        words += [word for name in ids for word in ("--only", name)]
    return shlex.join(words)


def _versions() -> dict[str, str]:
    return {
        "rqf": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES},
    }


def _record(results: Sequence[Result], seed: int, date: str) -> dict[str, Any]:
    return {
        "level": results[0].level,
        "seed": seed,
        "date": date,
        "command": command(results, seed),
        "versions": _versions(),
        "platform": f"{platform.system()} {platform.machine()}",
        "passed": all(result.passed for result in results),
        "claims": [result.to_dict() for result in results],
    }


def _page(
    results: Sequence[Result],
    claims: dict[str, Claim],
    seed: int,
    date: str,
    pictures: Sequence[Picture],
) -> Page:
    held = sum(result.passed for result in results)
    word = f"{held} of {len(results)} claims hold"
    alarm = sum(result.false_alarm for result in results)
    return Page(
        title="Synchronization by common noise: claims verified",
        lead=(
            "Each statement is put to the test by simulation: what theory predicts, what was"
            " measured, and how probable so large a disagreement is if the statement is true"
            " (the p-value). A claim fails if its p-value is below a level fixed beforehand. If"
            " every statement is true, the probability that any of these claims fails by chance"
            f" is at most {probability(alarm)}.",
        ),
        verdict=Verdict(word, held == len(results)),
        facts=_run_facts(results, seed, date),
        table=_summary(results),
        sections=[
            *(_picture(picture, seed) for picture in pictures),
            *(_section(result, claims[result.id], seed) for result in results),
        ],
        footer=_footer(results),
    )


def _run_facts(results: Sequence[Result], seed: int, date: str) -> list[Fact]:
    versions = ", ".join(f"{name} {version}" for name, version in _versions().items())
    return [
        Fact("Level", results[0].level),
        Fact("Seed", str(seed)),
        Fact("Date", date),
        Fact("Time taken", f"{sum(result.seconds for result in results):.3g} s"),
        Fact("Versions", versions, wide=True),
        Fact("Run again", command(results, seed), code=True),
    ]


def _summary(results: Sequence[Result]) -> Table:
    columns = (
        Column("No.", "number"), Column("Claim", "link"), Column("Statement", grow=True),
        Column("Source"),
        Column("Predicted", "number"), Column("Measured", "number"), Column("± error", "number"),
        Column("p-value", "number"), Column("Verdict", "verdict"),
    )
    rows = [
        (
            str(result.number), Link(result.id, _anchor(result)), result.statement, result.source,
            expected(result.predicted, result.error), *with_error(result.measured, result.error),
            probability(result.pvalue), _verdict(result),
        )
        for result in results
    ]
    caption = (
        "One number of each claim; all of them are in its section. The error is one standard"
        " error, for exact identities the allowed rounding."
    )
    return Table(columns, rows, caption)


def _picture(picture: Picture, seed: int) -> Section:
    drawn = figure_svg(
        partial(_pictured, picture, seed), picture.name, picture.title, picture.size
    )
    return Section(
        anchor=f"picture-{picture.name}",
        title=picture.title,
        figure=drawn,
        caption=picture.caption,
    )


def _pictured(picture: Picture, seed: int, figure: Any) -> None:
    picture.draw(figure, seed)


def _section(result: Result, claim: Claim, seed: int) -> Section:
    anchor = _anchor(result)
    figure = inline_svg(
        partial(_drawn, claim, result), anchor, f"Measured and predicted: {result.statement}"
    )
    return Section(
        anchor=anchor,
        title=f"{result.number}. {result.id}",
        subtitle=result.statement,
        verdict=_verdict(result),
        text=[
            f"Source: {result.source}.".replace("..", "."),
            f"Decision: {result.rule}.",
        ],
        figure=figure,
        tables=[_rows(result)],
        facts=[
            *_settings(result),
            Fact("Time taken", f"{result.seconds:.2g} s"),
            Fact("Run this one again", command([result], seed), code=True),
        ],
    )


def _drawn(claim: Claim, result: Result, axes: Any) -> None:
    claim.draw(axes, result)


def _rows(result: Result) -> Table:
    columns = (
        Column("Quantity"), Column("Predicted", "number"), Column("Measured", "number"),
        Column("± error", "number"),
    )
    shown = result.rows[:MOST_ROWS]
    rows = [
        (row.label, expected(row.predicted, row.error), *with_error(row.measured, row.error))
        for row in shown
    ]
    more = len(result.rows) - len(shown)
    caption = f"The first {MOST_ROWS} of {len(result.rows)} rows; all are in {RECORD}."
    return Table(columns, rows, caption if more else "")


def _settings(result: Result) -> list[Fact]:
    """What `details` says in a word or a number about how the claim was measured."""
    return [
        Fact(name.replace("_", " "), value if isinstance(value, str) else plain(value))
        for name, value in result.details.items()
        if isinstance(value, str | int | float)
    ]


def _verdict(result: Result) -> Verdict:
    return Verdict("holds" if result.passed else "fails", result.passed)


def _anchor(result: Result) -> str:
    return f"claim-{result.number}"


def _footer(results: Sequence[Result]) -> list[str]:
    """The papers that the sources abbreviate."""
    text = " ".join(result.source for result in results)
    words = set(text.replace(",", " ").replace(";", " ").split())
    return [f"{short}: {full}." for short, full in SOURCES.items() if short in words]
