"""`rqf lyapunov`: the spectrum of the flow on the sphere, measured and predicted."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rqf.cli import files, naming, options, screen
from rqf.output import check_destination, write_bytes, write_netcdf

if TYPE_CHECKING:
    import xarray as xr

EXAMPLE = "rqf lyapunov --n 4 --t 100 --out spectrum.json"
RECORD, FILE = ".json", ".nc"


def command(
    field: options.Field = "rqf",
    n: options.Dimension = options.DIMENSION,
    sigma: options.Sigma = 1.0,
    t: Annotated[
        float,
        typer.Option(parser=options.number, metavar="NUMBER", help="Time to average over."),
    ] = 200.0,
    dt: options.Step = 1 / 64,
    realizations: options.Realizations = 16,
    scheme: options.SchemeName = None,
    seed: options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write: .json, or a NetCDF file (.nc)."),
    ] = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    version: options.Version = False,
    debug: options.Debug = False,
) -> None:
    """Measure the Lyapunov exponents of the flow on the sphere.

    z is the difference between measured and predicted in standard errors.
    """
    began = time.perf_counter()
    import numpy as np

    import rqf
    from rqf.flow.threads import at_most

    record = out is not None and files.ending(out, (RECORD, FILE)) == RECORD
    if out is not None:
        check_destination(out, overwrite, ())
    blowing = naming.read_field(field, n, sigma)
    predicted = rqf.theory.lyapunov_spectrum(blowing)
    flow = rqf.Flow(blowing, dt, scheme or "")
    with at_most(workers):
        ds = rqf.lyapunov_spectrum(flow, t, realizations, seed, progress=True)
    ds["predicted"] = ("p", predicted + 0.0, {"long_name": "exponent in closed form"})
    with np.errstate(divide="ignore", invalid="ignore"):
        ds["z"] = (ds["exponent"] - ds["predicted"]) / ds["stderr"]
    if out is not None and record:
        write_bytes(_json(ds).encode(), out, overwrite)
    elif out is not None:
        write_netcdf(ds, out, overwrite)
    typer.echo(f"Lyapunov exponents: {naming.describe(blowing)}")
    typer.echo(
        f"{screen.counted(realizations, 'realisation')}, t = {ds.attrs['t']:g} in steps of {dt:g}"
        f" ({flow.scheme}), seed {seed}\n"
    )
    screen.table(
        ("p", "measured", "predicted", "z"),
        [
            (
                str(int(row["p"])),
                screen.measured(float(row["exponent"]), float(row["stderr"])),
                screen.plain(float(row["predicted"])),
                f"{float(row['z']):.2f}" if math.isfinite(row["z"]) else "",
            )
            for row in (ds.sel(p=p) for p in ds["p"])
        ],
    )
    written = "" if out is None else f"written to {out}; "
    typer.echo(f"\n{written}{time.perf_counter() - began:.2f} s")


def _json(ds: xr.Dataset) -> str:
    """The recipe and the exponents, what is not a number as null."""
    columns = {
        name: [value if math.isfinite(value) else None for value in ds[name].values.tolist()]
        for name in ("p", "exponent", "stderr", "predicted", "z")
    }
    return json.dumps({**ds.attrs, **columns}, indent=1, allow_nan=False) + "\n"
