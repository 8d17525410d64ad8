"""Shalova, RQF with random forcing, arXiv:2608.16664."""

from __future__ import annotations

from rqf.reproductions.base import Paper

PAPER = Paper("shalova", "Sh", ())
