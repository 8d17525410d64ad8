"""`rqf verify`: every statement of the papers put to the test, with a report."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from rqf.cli import options, screen
from rqf.output import check_destination

if TYPE_CHECKING:
    from rqf.claims import Result

EXAMPLE = "rqf verify --only one_point.ito --only pair.law --out report"
FAILED = 1
SHORT = 72  # letters of a statement


def command(
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="30 times the samples, or enough of them for a first look.",
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A claim by its id, the beginning of its id, or its number; may be repeated.",
            show_default="all of them",
        ),
    ] = None,
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the report goes.")] = Path(
        "rqf-report"
    ),
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    version: options.Version = False,
    debug: options.Debug = False,
) -> int:
    """Check every statement of the papers by simulation, and write a report.

    The report is one page, index.html, and a record, claims.json. Ends with 1 if a claim fails.
    """
    from rqf import claims
    from rqf.flow.threads import at_most
    from rqf.report import write_report
    from rqf.report.verification import FILES

    check_destination(out, overwrite, FILES)
    with at_most(workers):
        results = claims.run("full" if full else "quick", seed, only or None, progress=True)
    page = write_report(results, out, seed=seed, overwrite=overwrite)
    print_table(results)
    held = sum(result.passed for result in results)
    typer.echo(f"\n{held} of {len(results)} claims hold; the report is {page}")
    return 0 if held == len(results) else FAILED


def print_table(results: list[Result]) -> None:
    """The claims of a run, one a line."""
    from rich.text import Text

    rows = [
        (
            str(result.number),
            shorten(result.statement, SHORT, placeholder=" …"),
            screen.plain(result.predicted),
            screen.measured(result.measured, result.error),
            Text("holds", "green") if result.passed else Text("FAILS", "bold red"),
        )
        for result in results
    ]
    headings = ("no.", "statement", "predicted", "measured ± error", "verdict")
    screen.table(headings, rows, left=(1, 4))
