"""A printable page of blocks, from which every report of the package is made.

A page has a header, a list of facts, a summary table, and sections with a figure each. It is one
HTML file that needs nothing else: style and figures are inside, there is no script. Verdicts are
words, so that the page reads the same in grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rqf._version import __version__

Kind = Literal["text", "number", "link", "verdict"]


@dataclass(frozen=True)
class Verdict:
    """A word and whether it is good news."""

    word: str
    good: bool


@dataclass(frozen=True)
class Link:
    """Text that leads to the section of the page with this anchor."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Fact:
    """A label and a value; `code` sets it in a typewriter face, `wide` gives it a line."""

    label: str
    value: str
    code: bool = False
    wide: bool = False


@dataclass(frozen=True)
class Column:
    """Heading of a column and what its cells are: str, or `Link`, or `Verdict`.

    One column of a wide table may `grow` to take the room that the others leave.
    """

    title: str
    kind: Kind = "text"
    grow: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells, one for each column."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A heading with what belongs to it; `figure` is inline SVG, see `rqf.report.figure`."""

    anchor: str
    title: str
    subtitle: str = ""
    verdict: Verdict | None = None
    text: Sequence[str] = ()
    figure: Markup | None = None
    caption: str = ""
    tables: Sequence[Table] = ()
    facts: Sequence[Fact] = ()


@dataclass(frozen=True)
class Page:
    """All blocks of a page, from top to bottom."""

    title: str
    lead: Sequence[str] = ()
    verdict: Verdict | None = None
    facts: Sequence[Fact] = ()
    table: Table | None = None
    sections: Sequence[Section] = ()
    footer: Sequence[str] = ()


def environment() -> Environment:
    """The templates of the package; everything that is put into them is escaped."""
    return Environment(
        loader=PackageLoader("rqf.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(page: Page, template: str = "page.html.j2") -> str:
    """The HTML of a page; another template of the package may extend `page.html.j2`."""
    return environment().get_template(template).render(page=page, version=__version__)
