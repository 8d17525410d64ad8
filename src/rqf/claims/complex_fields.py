"""Attractors of k points on S^{2m-1}: Hermitian noise and holomorphic potentials."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
