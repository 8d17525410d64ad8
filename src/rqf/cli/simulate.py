"""`rqf simulate`: an ensemble to a file, and what it looks like at the end on the screen."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from rqf.cli import files, naming, options, screen
from rqf.errors import InvalidArgument
from rqf.output import check_destination, write_netcdf

EXAMPLE = "rqf simulate --tokens 100 --t 12 --out run.zarr"
STORE, FILE = ".zarr", ".nc"
TOKENS = 64


def command(
    field: options.Field = "rqf",
    n: Annotated[
        int | None,
        typer.Option(
            help="Dimension of the space; tokens live on S^(n-1).", show_default="3, or that of x0"
        ),
    ] = None,
    sigma: options.Sigma = 1.0,
    tokens: Annotated[
        int | None, typer.Option(help="Number of tokens.", show_default="64, or that of x0")
    ] = None,
    t: Annotated[
        float, typer.Option(parser=options.number, metavar="NUMBER", help="Final time.")
    ] = 10.0,
    dt: options.Step = 1 / 64,
    realizations: options.Realizations = 16,
    times: Annotated[
        int, typer.Option(help="How many times to keep, spread evenly from 0 to t.")
    ] = 101,
    seed: options.Seed = 0,
    scheme: options.SchemeName = None,
    law: Annotated[
        bool,
        typer.Option(
            "--law", help="Overlaps of the tokens in law only: in high dimension much cheaper."
        ),
    ] = False,
    x0: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Initial tokens, unit rows: .csv, or .npy of shape (tokens, n) or"
            " (realizations, tokens, n).",
            show_default="independent and uniform",
        ),
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Divide the rows of x0 by their norms.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where to write: a Zarr store (.zarr) or a NetCDF file (.nc)."
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    version: options.Version = False,
    debug: options.Debug = False,
) -> None:
    """Simulate many realisations of tokens under common noise.

    Writes every token at every time, if told where, and prints how far the tokens have come.
    """
    began = time.perf_counter()
    import rqf
    from rqf.cli.summary import print_summary
    from rqf.flow.simulate import STORE_PARTS

    if normalize and x0 is None:
        raise InvalidArgument("normalize: there are no rows to divide; --x0 FILE has them")
    start = None if x0 is None else files.read_points(x0, normalize)
    if n is None:
        n = options.DIMENSION if start is None else start.shape[-1]
    blowing = naming.read_field(field, n, sigma)
    store = out is not None and files.ending(out, (STORE, FILE)) == STORE
    if out is not None:
        check_destination(out, overwrite, STORE_PARTS if store else ())
    count = tokens or (TOKENS if start is None else start.shape[-2])
    size = 8 * max(0, realizations * times * count * (count if law else n))
    files.check_room(out, store, size)
    ds = rqf.simulate(
        blowing, tokens, t, dt, realizations, seed, times, start, law, scheme, progress=True,
        store=out if store else None, overwrite=overwrite, workers=workers, memory=size,
    )  # fmt: skip
    if out is not None and not store:
        write_netcdf(ds, out, overwrite)
    print_summary(ds, blowing)
    written = "" if out is None else f"{screen.amount(ds.nbytes)} written to {out}; "
    typer.echo(f"{written}{time.perf_counter() - began:.2f} s")
