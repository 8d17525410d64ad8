"""Random layers with an activation: kernels, one point or two, the edge of chaos."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
