"""Two tokens: their overlap is a one-dimensional diffusion, for linear noise an exact law."""

from rqf.theory.two_point.pair_of_tokens import TwoPoint

__all__ = ["TwoPoint"]
