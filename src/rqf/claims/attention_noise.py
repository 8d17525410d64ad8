"""Attention inside the noise: antipodal pairs, and the two limits of the overlap."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
