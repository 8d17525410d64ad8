"""Fedorov et al., Clustering in Deep Stochastic Transformers, arXiv:2601.21942."""

from __future__ import annotations

from rqf.reproductions.base import Paper

PAPER = Paper("fedorov", "Fe", ())
