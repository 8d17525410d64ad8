"""Sums of independent fields: kernels add, each summand draws from a stream of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf.fields.base import LinearField


@dataclass(frozen=True)
class LinearSum(LinearField):
    """The sum of linear fields of one dimension; made by `+`, not by hand."""

    summands: tuple[LinearField, ...]

    @property
    def n(self) -> int:  # type: ignore[override]
        return self.summands[0].n

    @property
    def symmetric_strength(self) -> float:
        return sum(f.symmetric_strength for f in self.summands)

    @property
    def skew_strength(self) -> float:
        return sum(f.skew_strength for f in self.summands)

    @property
    def terms(self) -> tuple[LinearField, ...]:
        return tuple(term for f in self.summands for term in f.terms)

    @property
    def drift(self) -> NDArray[np.float64] | None:
        drifts = [f.drift for f in self.summands if f.drift is not None]
        return np.sum(drifts, axis=0) if drifts else None

    def scaled(self, factor: float) -> Self:
        return type(self)(tuple(f.scaled(factor) for f in self.summands))

    def in_dimension(self, n: int) -> Self:
        return type(self)(tuple(f.in_dimension(n) for f in self.summands))
