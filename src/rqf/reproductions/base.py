"""A paper that the package reproduces: its statements, which are claims, and its figures."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rqf import checks
from rqf.claims.registry import registered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rqf.claims.base import Claim

NAMES = ("engel", "shalova", "fedorov", "agazzi", "koubbi", "geshkovski")


@dataclass(frozen=True)
class Picture:
    """A figure of a paper, drawn anew from a simulation of its own.

    Attributes
    ----------
    name : str
        Letters, digits and dashes; the name of the file.
    title, caption : str
        What is shown, and what to see in it.
    draw : function of a Matplotlib figure and a seed
        Deterministic in the seed.
    size : (float, float)
        Inches.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[Figure, int], None]
    size: tuple[float, float] = (7.2, 3.9)


@dataclass(frozen=True)
class Paper:
    """A paper by the word that names it, the letters by which sources cite it, and its figures."""

    name: str
    letters: str
    pictures: tuple[Picture, ...]

    def claims(self) -> list[Claim]:
        """The registered claims whose source cites this paper."""
        words = [claim.source.replace(",", " ").replace(";", " ").split() for claim in registered()]
        return [
            claim
            for claim, cited in zip(registered(), words, strict=True)
            if self.letters in cited
        ]


def paper(name: str) -> Paper:
    """The paper that one of `NAMES` names."""
    checks.choice("paper", name, NAMES)
    found: Paper = importlib.import_module(f"rqf.reproductions.{name}").PAPER
    return found
