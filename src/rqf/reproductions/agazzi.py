"""Agazzi et al., Stochastic Scaling Limits and Synchronization by Noise, arXiv:2604.26898."""

from __future__ import annotations

from rqf.reproductions.base import Paper

PAPER = Paper("agazzi", "Ag", ())
