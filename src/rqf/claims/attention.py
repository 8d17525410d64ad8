"""Attention as a drift: clusters without noise, and against the noise of a linear layer."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
