"""`rqf reproduce`: the statements and the figures of one paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rqf.cli import options
from rqf.cli.verify import FAILED, print_table
from rqf.output import check_destination

EXAMPLE = "rqf reproduce engel --out engel"
PAPERS = "engel, shalova, fedorov, agazzi, koubbi or geshkovski"


def command(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"Its first author: {PAPERS}.")],
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="30 times the samples, or enough of them for a first look.",
        ),
    ] = False,
    seed: options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where the report goes.", show_default="the name of the paper"
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    version: options.Version = False,
    debug: options.Debug = False,
) -> int:
    """Check the statements of a paper and draw its figures, each from a simulation of its own.

    The report is one page, index.html, and a record, claims.json. Ends with 1 if a claim fails.
    """
    from rqf import claims, reproductions
    from rqf.flow.threads import at_most
    from rqf.report import write_report
    from rqf.report.verification import FILES

    chosen = reproductions.paper(paper)
    folder = Path(chosen.name) if out is None else out
    check_destination(folder, overwrite, FILES)
    ids = [claim.id for claim in chosen.claims()]
    with at_most(workers):
        results = claims.run("full" if full else "quick", seed, ids, progress=True)
        page = write_report(
            results, folder, seed=seed, overwrite=overwrite, pictures=chosen.pictures
        )
    print_table(results)
    held = sum(result.passed for result in results)
    typer.echo(
        f"\n{held} of {len(results)} claims hold, {len(chosen.pictures)} figures; the report is"
        f" {page}"
    )
    return 0 if held == len(results) else FAILED
