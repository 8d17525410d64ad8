"""Writes the tables of docs/layers.md: kernels and exponents, critical gains, lifetimes.

python docs/make_layers.py
"""

from __future__ import annotations

import math
from pathlib import Path

import rqf
from rqf.claims.mlp import COMPUTED, PRINTED, row_of
from rqf.claims.mlp_phases import critical_gain

PAGE = Path(__file__).parent / "layers.md"
GAINS = (4, 5, 6, 8, 16, 32, 64, 128)
LEAKS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)
DIMENSIONS = (3, 8)


def kernels() -> list[str]:
    """Table 1 of Agazzi et al.: ours, and the printed numbers where there are any."""
    lines = [
        "| φ | n | σ | k(1) | k'(1) | λ₁ | λ̄ | printed: k(1), k'(1), λ₁, λ̄ |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for case in COMPUTED:
        name, n, sigma = case
        ours = " | ".join(f"{value:.5g}" for value in row_of(case))
        theirs = ", ".join(f"{value:.2e}" for value in PRINTED[case]) if case in PRINTED else ""
        lines.append(f"| {name} | {n} | {sigma:g} | {ours} | {theirs} |")
    return lines


def gains() -> list[str]:
    """Critical gains of erf and tanh."""
    header = ["n", *map(str, GAINS)]
    rows = [[name, *(f"{critical_gain(name, n):.4f}" for n in GAINS)] for name in ("erf", "tanh")]
    return _table(header, rows)


def lifetimes() -> list[str]:
    """Mean times from Z = -1 to 0 under leaky ReLU."""
    rows = []
    for n in DIMENSIONS:
        pairs = [
            rqf.theory.TwoPoint(rqf.MLP(n, f"leaky_relu:{leak}", gain=math.sqrt(n)))
            for leak in LEAKS
        ]
        rows.append([f"n = {n}", *(f"{pair.exit_time(-1.0, -1.0, 0.0):.3f}" for pair in pairs)])
    return _table(["leak", *(f"{leak:g}" for leak in LEAKS)], rows)


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def page() -> str:
    """The page with today's tables between its markers."""
    text = PAGE.read_text()
    for make in (kernels, gains, lifetimes):
        begin = f"<!-- begin: {make.__name__}, docs/make_layers.py -->"
        end = f"<!-- end: {make.__name__} -->"
        before, rest = text.split(begin)
        table = "\n".join(make())
        text = f"{before}{begin}\n\n{table}\n\n{end}{rest.split(end)[1]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page())
    print(PAGE)
