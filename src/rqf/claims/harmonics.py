"""Harmonic noise on the circle: k equidistant points, and cascades of harmonics."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
