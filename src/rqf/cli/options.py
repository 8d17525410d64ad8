"""Options that several commands share, and how their words are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqf._version import __version__
from rqf.cli import naming
from rqf.errors import InvalidArgument

if TYPE_CHECKING:
    from rqf.noise import Wiener

DIMENSION = 3


def number(text: Any) -> float:
    """A number of the command line."""
    try:
        return naming.number(text)
    except InvalidArgument as error:
        raise typer.BadParameter(str(error)) from None


def noise(seed: int, dt: float, realization: int) -> Wiener:
    """The realisation that `rqf simulate` numbers so, for any step."""
    from rqf import Wiener
    from rqf.noise.grid import cell_for

    return Wiener(seed, cell_for(dt), realization)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rqf {__version__}")
        raise typer.Exit


def _number(help: str, **settings: Any) -> Any:
    return typer.Option(help=help, parser=number, metavar="NUMBER", **settings)


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Field = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="rqf (random quadratic form), linear (layer), skew (rotation), bias, potential,"
        " harmonic, mlp, attention, attention-noise, hermitian or holomorphic. Independent ones"
        " add: rqf+skew; parameters follow a colon: rqf+bias:0.1, mlp:erf,gain=3,"
        " potential:3=1, attention:beta=2.",
    ),
]
Dimension = Annotated[int, typer.Option(help="Dimension of the space; tokens live on S^(n-1).")]
Sigma = Annotated[
    float, _number("Strength; the papers of Engel and Shalova take sqrt2.", show_default="1")
]
Step = Annotated[float, _number("Step.", show_default="1/64")]
SchemeName = Annotated[
    str | None,
    typer.Option(
        "--scheme",
        metavar="NAME",
        help="euler, heun, exponential, ninomiya-victoir or corrected-exponential.",
        show_default="ninomiya-victoir up to n = 4, corrected-exponential beyond",
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
Realizations = Annotated[int, typer.Option(help="Independent noises.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an earlier result.")]
Workers = Annotated[
    int | None, typer.Option(help="Threads at most.", show_default="all processors")
]
