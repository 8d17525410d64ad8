"""Geshkovski et al., A mathematical perspective on Transformers, arXiv:2312.10794."""

from __future__ import annotations

from rqf.reproductions.base import Paper

PAPER = Paper("geshkovski", "Ge", ())
