"""The papers of the field, reproduced: the claims of each and its figures, one module a paper."""

from rqf.reproductions.base import NAMES, Paper, Picture, paper

__all__ = ["NAMES", "Paper", "Picture", "paper"]
