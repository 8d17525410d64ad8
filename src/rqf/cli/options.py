"""Options that several commands share, and how their words are read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqf._version import __version__
from rqf.errors import InvalidArgument

if TYPE_CHECKING:
    from rqf.fields import LinearField
    from rqf.noise import Wiener

NAMES = {"rqf": "RandomQuadraticForm", "linear": "LinearLayer", "skew": "Skew"}
TITLES = {
    "RandomQuadraticForm": "random quadratic form",
    "LinearLayer": "random linear layer",
    "Skew": "random rotation",
}
DIMENSION = 3
ROOT = re.compile(r"sqrt\(?([^()]+)\)?")


def number(text: Any) -> float:
    """A number: 0.5, 1e-3, a fraction such as 1/64, or a root such as sqrt2."""
    if not isinstance(text, str):
        return float(text)
    try:
        if root := ROOT.fullmatch(text.strip()):
            return math.sqrt(float(root[1]))
        over, slash, under = text.partition("/")
        return float(over) / float(under) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"{text!r} is not a number") from None


def read_field(text: str, n: int, sigma: float) -> LinearField:
    """The field that `text` names: NAME[:SIGMA], or several of them joined by +."""
    import rqf

    field = None
    for part in re.split(r"\+(?=\s*[a-zA-Z]|\s*$)", text):
        name, colon, strength = part.strip().partition(":")
        if name not in NAMES:
            raise InvalidArgument(
                f"field = {text!r}: {name!r} is no field; there are {', '.join(NAMES)}"
            )
        try:
            own = number(strength) if colon else sigma
        except typer.BadParameter as error:
            raise InvalidArgument(f"field = {text!r}: {error.message}") from None
        term = getattr(rqf, NAMES[name])(n=n, sigma=own)
        field = term if field is None else field + term
    assert field is not None
    return field


def describe(field: LinearField) -> str:
    """A field in words: "random quadratic form (sigma = 1) on S²"."""
    from rqf.cli.screen import plain, sphere

    terms: list[Any] = list(field.terms)
    words = [f"{TITLES[type(term).__name__]} (sigma = {plain(term.sigma)})" for term in terms]
    return f"{' + '.join(words)} on {sphere(field.n)}"


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
        help="rqf (random quadratic form), linear (layer) or skew (rotation). Independent ones"
        " add: rqf+skew; a strength of its own follows a colon: rqf+skew:0.5.",
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
