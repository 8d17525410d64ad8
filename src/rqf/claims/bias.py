"""Bias beside the quadratic form: one cluster, however small the bias; its lifetime; ±a."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
