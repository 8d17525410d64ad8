"""Phase diagrams: critical lines from theory over order parameters of simulated tokens."""

from rqf.diagram.axes import Axis, read_axis
from rqf.diagram.compute import phase_diagram
from rqf.diagram.draw import draw

__all__ = ["Axis", "draw", "phase_diagram", "read_axis"]
