"""What a person sees: numbers with their errors, lines with labels, plain tables."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.text import Text

PLACES = 7  # decimals beyond which powers of ten are used
WIDE = 160  # columns where the output does not go to a terminal


def measured(value: float, error: float) -> str:
    """A value and its standard error, the error to two digits: "-1.03 ± 0.12".

    Without an error (nan) the value stands alone.
    """
    if not math.isfinite(error):
        return plain(value)
    if error <= 0.0:
        return f"{plain(value)} ± 0"
    places = 1 - math.floor(math.log10(float(f"{error:.1e}")))
    if not 0 <= places <= PLACES:
        return f"{plain(value)} ± {error:.1e}"
    return f"{value:.{places}f} ± {error:.{places}f}"


def plain(value: float) -> str:
    """Six significant digits at most, three where powers of ten are needed."""
    return f"{value:.6g}" if value == 0.0 or 1e-4 <= abs(value) < 1e6 else f"{value:.3g}"


def amount(size: float) -> str:
    """A number of bytes."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1000.0 or unit == "TiB":
            break
        size /= 1024.0
    return f"{size:.3g} {unit}"


def counted(count: int, noun: str) -> str:
    """ "1 token", "64 tokens"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sphere(n: int) -> str:
    """The name of the unit sphere in n dimensions: S², S^99."""
    if n <= 10:
        return f"S{'¹²³⁴⁵⁶⁷⁸⁹'[n - 2]}"
    return f"S^{n - 1}"


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Labels and what belongs to them, one below the other."""
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        typer.echo(f"{label:{width}}  {text}")


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str | Text]], left: Sequence[int] = ()
) -> None:
    """Rows under headings; the columns in `left` are text, the others numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for index, heading in enumerate(headings):
        words = index in left
        grid.add_column(
            heading, justify="left" if words else "right", no_wrap=not words, overflow="fold"
        )
    for row in rows:
        grid.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    Console(width=None if sys.stdout.isatty() else WIDE).print(grid)
