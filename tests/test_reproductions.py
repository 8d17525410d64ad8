"""Papers: every one has claims and figures, and its figures can be drawn."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from typer.testing import CliRunner

import rqf
from rqf.cli import app
from rqf.errors import InvalidArgument

PAPERS = {name: rqf.reproductions.paper(name) for name in rqf.reproductions.NAMES}
PICTURES = [(name, picture.name) for name, paper in PAPERS.items() for picture in paper.pictures]


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_claims_and_figures(name: str) -> None:
    paper = PAPERS[name]
    assert paper.name == name
    assert paper.claims()
    names = [picture.name for picture in paper.pictures]
    assert names
    assert len(set(names)) == len(names)


def drawn(name: str, picture: str) -> Figure:
    (wanted,) = (one for one in PAPERS[name].pictures if one.name == picture)
    figure = Figure(figsize=wanted.size, layout="constrained")
    FigureCanvasAgg(figure)
    wanted.draw(figure, 0)
    figure.canvas.draw()
    return figure


def test_a_figure() -> None:
    assert all(axes.has_data() for axes in drawn("engel", "circle").axes)


@pytest.mark.full
@pytest.mark.parametrize(("name", "picture"), PICTURES)
def test_every_figure(name: str, picture: str) -> None:
    figure = drawn(name, picture)
    assert figure.axes
    assert all(axes.get_xlabel() or axes.has_data() for axes in figure.axes)


def test_an_unknown_paper_is_one_line() -> None:
    with pytest.raises(InvalidArgument, match="paper = 'newton': must be one of engel"):
        rqf.reproductions.paper("newton")
    done = CliRunner().invoke(app, ["reproduce", "newton"])
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1
