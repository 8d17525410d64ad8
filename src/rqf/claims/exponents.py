"""Lyapunov spectra of every kind of field, measured on the tangent flow."""

from __future__ import annotations

from rqf.claims.base import Claim

CLAIMS: tuple[Claim, ...] = ()
