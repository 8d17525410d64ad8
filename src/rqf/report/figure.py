"""Figures of a report: drawn by Matplotlib without a display, put into the page as inline SVG."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (7.2, 3.9)  # inches: letters come out at the size of the page's text
STYLE: dict[Any, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.0,
    "svg.fonttype": "path",
}
METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
NEEDLESS = re.compile(r'\s+(?:xmlns(?::\w+)?|version|width|height)="[^"]*"')
ANCHORS = re.compile(r"""(\bid="|url\(#|href="#)""")


def inline_svg(draw: Callable[[Axes], None], name: str, description: str) -> Markup:
    """What `draw` puts on a pair of axes, as an SVG element for an HTML page.

    Parameters
    ----------
    draw : function of Matplotlib axes
    name : str
        Letters, digits, dots and dashes; kept apart from other figures of the page by it.
    description : str
        Said in place of the figure to those who cannot see it.

    Notes
    -----
    The same drawing gives the same text, whatever style the program has set. Letters are outlines,
    so that no font is needed. The figure is made apart from `matplotlib.pyplot`: no window, no
    figure left open, no backend chosen for the program that asks for a report.
    """
    return figure_svg(lambda figure: draw(figure.add_subplot()), name, description)


def figure_svg(
    draw: Callable[[Figure], None],
    name: str,
    description: str,
    size: tuple[float, float] = SIZE,
) -> Markup:
    """As `inline_svg`, for what `draw` puts on a whole figure of a size in inches."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**STYLE, "svg.hashsalt": name})
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return Markup(_embedded(text.getvalue(), name, description))


def _embedded(document: str, name: str, description: str) -> str:
    """The svg element alone, without what a page does not need, its anchors made its own."""
    svg = METADATA.sub("", document[document.index("<svg") :])
    head, rest = svg.split(">", 1)
    label = f' role="img" aria-label="{escape(description)}"'
    prefix = re.sub(r"[^\w-]", "-", name)
    return ANCHORS.sub(rf"\g<1>{prefix}-", f"{NEEDLESS.sub('', head)}{label}>{rest}".rstrip())
