"""The summary of an ensemble: what was run, and how far its tokens have come at the end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import typer
import xarray as xr

from rqf.cli.naming import describe
from rqf.cli.screen import counted, measured, pairs, plain
from rqf.errors import InvalidArgument
from rqf.observe import order_parameters
from rqf.observe.approach import approach_rate
from rqf.theory import TwoPoint

if TYPE_CHECKING:
    from rqf.fields import Field

MOST_TOKENS = 1024  # the time to count clusters grows with the square of the tokens
BLOCK = 1 << 22  # numbers looked at together
OPPOSITE = 0.99  # bipolarity of two clusters that are opposite poles


def print_summary(ds: xr.Dataset, field: Field) -> None:
    """One screen about a Dataset of `rqf.simulate`."""
    values = ds["gram"] if ds.attrs["law"] else ds["x"]
    sizes, last = values.sizes, float(ds["time"][-1])
    found = _order(values.isel(time=-1))
    rate = approach_rate(ds)
    typer.echo(f"{describe(field)}{', in law' if ds.attrs['law'] else ''}")
    typer.echo(
        f"{counted(sizes['realization'], 'realisation')} of {counted(sizes['token'], 'token')},"
        f" t = {last:g} in steps of {ds.attrs['dt']:g} ({ds.attrs['scheme']}),"
        f" seed {ds.attrs['seed']}"
    )
    typer.echo()
    some = f" (first {MOST_TOKENS} tokens)" if sizes["token"] > MOST_TOKENS else ""
    predicted = _predicted(field)
    if rate.obstacle:
        slope = f"none: {rate.obstacle}; predicted {predicted}"
    else:
        slope = f"{measured(rate.rate, rate.stderr)}, predicted {predicted}"
    pairs(
        [
            ("clusters", _clusters(found) + some),
            ("polarity", _mean(found["polarity"])),
            ("bipolarity", _mean(found["bipolarity"])),
            ("rate of approach", slope),
        ]
    )
    typer.echo()


def _predicted(field: Field) -> str:
    """The rate at which a pair approaches its pole, where the theory knows it."""
    try:
        return plain(TwoPoint(field).almost_sure_rate + 0.0)
    except InvalidArgument:
        return "unknown"


def _order(values: xr.DataArray) -> xr.Dataset:
    """Order parameters of each realisation, of the first tokens if there are many."""
    few = {name: slice(0, MOST_TOKENS) for name in ("token", "token_other") if name in values.dims}
    values = values.isel(few)
    length = max(1, BLOCK * values.sizes["realization"] // values.size)
    parts = [
        order_parameters(values.isel(realization=slice(first, first + length)))
        for first in range(0, values.sizes["realization"], length)
    ]
    return xr.concat(parts, "realization").assign_attrs(tokens=values.sizes["token"])


def _clusters(found: xr.Dataset) -> str:
    """In how many realisations there are which clusters."""
    tokens = found.attrs["tokens"]
    kinds = Counter(
        _kind(int(count), float(bipolarity), tokens)
        for count, bipolarity in zip(
            found["clusters"].values, found["bipolarity"].values, strict=True
        )
    )
    listed = ", ".join(f"{kind} in {number}" for kind, number in kinds.most_common())
    return f"{listed} of {counted(kinds.total(), 'realisation')}"


def _kind(count: int, bipolarity: float, tokens: int) -> str:
    if count == 1:
        return "a single point"
    if count == 2 and bipolarity > OPPOSITE:
        return "two opposite poles"
    return "none yet" if count == tokens else f"{count} clusters"


def _mean(values: xr.DataArray) -> str:
    """Mean over realisations and its standard error."""
    count = values.size
    spread = float(values.std(ddof=1)) if count > 1 else np.nan
    return measured(float(values.mean()), spread / np.sqrt(count))
