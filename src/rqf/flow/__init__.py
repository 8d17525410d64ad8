"""Points move: flows of a given noise path, and ensembles of many."""

from rqf.flow.flow import Flow
from rqf.flow.graded import GradedLift
from rqf.flow.schemes import SCHEMES
from rqf.flow.simulate import simulate

__all__ = ["SCHEMES", "Flow", "GradedLift", "simulate"]
