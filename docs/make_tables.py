"""Writes the table of claims into docs/claims.md, from the claims themselves.

python docs/make_tables.py
"""

from __future__ import annotations

from pathlib import Path

import rqf

PAGE = Path(__file__).parent / "claims.md"
BEGIN, END = "<!-- begin: docs/make_tables.py -->", "<!-- end: docs/make_tables.py -->"


def table() -> str:
    """One row for every claim."""
    lines = ["| number | id | statement | source |", "| --- | --- | --- | --- |"]
    for number, claim in enumerate(rqf.claims.registered(), start=1):
        statement, source = (text.replace("|", "\\|") for text in (claim.statement, claim.source))
        lines.append(f"| {number} | `{claim.id}` | {statement} | {source} |")
    return "\n".join(lines)


def page() -> str:
    """The page with today's table between its markers."""
    before, rest = PAGE.read_text().split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(PAGE)
