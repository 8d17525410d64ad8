"""Every statement about the model as one numbered check that can be run, and can fail."""

from rqf.claims.base import Claim, Result, decide
from rqf.claims.measurements import (
    Bounds,
    Counts,
    Directions,
    Estimates,
    Identity,
    Jointly,
    Measurement,
    Proportions,
    Row,
    Samples,
)
from rqf.claims.registry import each, registered, run, select

__all__ = [
    "Bounds",
    "Claim",
    "Counts",
    "Directions",
    "Estimates",
    "Identity",
    "Jointly",
    "Measurement",
    "Proportions",
    "Result",
    "Row",
    "Samples",
    "decide",
    "each",
    "registered",
    "run",
    "select",
]
