"""Noise that is addressed, not consumed: what blows at (seed, realisation, time) never changes."""

from rqf.noise.wiener import Wiener

__all__ = ["Wiener"]
