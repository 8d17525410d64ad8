"""Koubbi, Geshkovski and Rigollet, Homogenized Transformers, arXiv:2604.01978."""

from __future__ import annotations

from rqf.reproductions.base import Paper

PAPER = Paper("koubbi", "Ko", ())
