"""`rqf phase`: the phases of a family of fields over two of its parameters, as a picture."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqf.cli import files, naming, options, screen
from rqf.errors import InvalidArgument
from rqf.output import check_destination, whole, write_netcdf

if TYPE_CHECKING:
    from rqf.fields import Field

EXAMPLE = "rqf phase --field rqf+bias --x bias 0.01:1:20:log --y dimension 2:12 --out bias.png"
DIMENSION = ("dimension", "n")
PICTURES, FILE = (".png", ".pdf", ".svg"), ".nc"
ACTIVATED = "mlp"


def command(
    x: Annotated[
        tuple[str, str],
        typer.Option(metavar="NAME RANGE", help="What varies from left to right."),
    ],
    y: Annotated[
        tuple[str, str],
        typer.Option(
            metavar="NAME RANGE",
            help="What varies from bottom to top. A NAME is dimension, a parameter such as gain, or"
            " FIELD.PARAMETER; that of a summand alone means its first one, its strength. A RANGE"
            " is LOW:HIGH, LOW:HIGH:COUNT or LOW:HIGH:COUNT:log.",
        ),
    ],
    field: options.Field = "rqf",
    activation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of an mlp: relu, erf, tanh, …")
    ] = None,
    n: options.Dimension = options.DIMENSION,
    sigma: options.Sigma = 1.0,
    measure: Annotated[
        tuple[int, int],
        typer.Option(
            metavar="COLUMNS ROWS", help="At how many points tokens are simulated; 0 0 for none."
        ),
    ] = (10, 8),
    tokens: Annotated[int, typer.Option(help="Tokens of each simulation.")] = 16,
    realizations: Annotated[int, typer.Option(help="Independent noises of each.")] = 6,
    lifetime: Annotated[
        bool, typer.Option("--lifetime", help="Draw the lifetime of the bipolar state as well.")
    ] = False,
    seed: options.Seed = 0,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The picture: .png, .pdf or .svg.")
    ] = Path("phase.png"),
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the numbers: a NetCDF file (.nc)."),
    ] = None,
    overwrite: options.Overwrite = False,
    version: options.Version = False,
    debug: options.Debug = False,
) -> None:
    """Draw a phase diagram: critical lines of theory over order parameters of simulated tokens.

    bipolar: two opposite clusters; monopolar: one; chaotic: none.
    """
    began = time.perf_counter()
    from rqf.diagram import draw, phase_diagram, read_axis

    files.ending(out, PICTURES)
    check_destination(out, overwrite, ())
    if data is not None:
        files.ending(data, (FILE,))
        check_destination(data, overwrite, ())
    if activation is not None:
        field = _activated(field, activation)
    names = x[0], y[0]
    axes = [
        read_axis(_label(name, field), text, whole=name in DIMENSION)
        for name, text in (x, y)
    ]

    def family(one: float, other: float) -> Field:
        return _placed(field, dict(zip(names, (one, other), strict=True)), n, sigma)

    family(float(axes[0].values[0]), float(axes[1].values[0]))
    ds = phase_diagram(
        family, *axes, measure=None if 0 in measure else measure, tokens=tokens,
        realizations=realizations, seed=seed, progress=True,
        lifetime=_lifetime if lifetime else None,
    )  # fmt: skip
    ds.attrs["field"] = field
    with whole(out, overwrite) as path:
        draw(ds).savefig(path, format=out.suffix[1:], dpi=160)
    if data is not None:
        write_netcdf(ds, data, overwrite)
    counts = Counter(ds["phase"].values.ravel().tolist())
    typer.echo(f"{field}: {x[0]} {x[1]}, {y[0]} {y[1]}")
    screen.pairs([(word, screen.counted(count, "point")) for word, count in counts.most_common()])
    typer.echo(f"\nwritten to {out}; {time.perf_counter() - began:.2f} s")


def _label(name: str, field: str) -> str:
    return DIMENSION[0] if name in DIMENSION else naming.axis_label(name, field)


def _lifetime(field: Field) -> float:
    """The mean time in which an antipodal pair comes to right angles."""
    from rqf.theory import TwoPoint

    return TwoPoint(field).exit_time(-1.0, -1.0, 0.0)


def _activated(text: str, activation: str) -> str:
    """The text of a field with the activation put into its mlp."""
    parts = text.split("+")
    for index, part in enumerate(parts):
        name, _, rest = part.strip().partition(":")
        if name == ACTIVATED:
            parts[index] = f"{name}:activation={activation}{',' + rest if rest else ''}"
            return "+".join(parts)
    raise InvalidArgument(f"activation = {activation!r}: the field {text!r} has no mlp")


def _placed(text: str, values: dict[str, float], n: int, sigma: float) -> Field:
    """The field with the values of a point of the diagram put in."""
    overrides: dict[str, Any] = {}
    for name, value in values.items():
        if name in DIMENSION:
            n = int(value)
        else:
            overrides[name] = value
    return naming.read_field(text, n, sigma, overrides)
