"""Sums of independent fields: kernels add, each summand draws from a stream of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf.errors import InvalidArgument
from rqf.fields.base import Field, Kernels, LinearField, Pair, Parity

Array = NDArray[np.float64]


def add(left: Field, right: Field) -> Field:
    """The sum of two fields of one dimension; linear ones stay linear."""
    if left.n != right.n:
        raise InvalidArgument(
            f"n = {right.n}: a sum needs fields of one dimension, the other has n = {left.n}"
        )
    parts = (*left.summands, *right.summands)
    linear = [part for part in parts if isinstance(part, LinearField)]
    return LinearSum(tuple(linear)) if len(linear) == len(parts) else Sum(parts)


@dataclass(frozen=True)
class Sum(Field):
    """The sum of fields of one dimension, not all of them linear; made by `+`, not by hand."""

    parts: tuple[Field, ...]

    @property
    def n(self) -> int:  # type: ignore[override]
        """Dimension of the ambient space."""
        return self.parts[0].n

    @property
    def summands(self) -> tuple[Field, ...]:
        return self.parts

    def a(self, z: ArrayLike) -> Array:
        return _added([part.a(z) for part in self.parts])

    def b(self, z: ArrayLike) -> Array:
        return _added([part.b(z) for part in self.parts])

    def a_prime(self, z: ArrayLike) -> Array:
        return _added([part.a_prime(z) for part in self.parts])

    @property
    def parity(self) -> Parity:
        found = {part.parity for part in self.parts}
        return found.pop() if len(found) == 1 else "mixed"

    @property
    def interacting(self) -> bool:
        return any(part.interacting for part in self.parts)

    def scaled(self, factor: float) -> Self:
        return type(self)(tuple(part.scaled(factor) for part in self.parts))

    def kernels(self, gram: Array) -> Kernels:
        found = [part.kernels(gram) for part in self.parts]
        return Kernels(
            _added([k.a for k in found]),
            _added_or_none([k.b for k in found]),
            _added_or_none([k.pull for k in found]),
        )

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        found = [part.pair(e, f) for part in self.parts]
        return Pair(*(_added(column) for column in zip(*found, strict=True)))


@dataclass(frozen=True)
class LinearSum(LinearField):
    """The sum of linear fields of one dimension; made by `+`, not by hand."""

    parts: tuple[LinearField, ...]

    @property
    def n(self) -> int:  # type: ignore[override]
        """Dimension of the ambient space."""
        return self.parts[0].n

    @property
    def summands(self) -> tuple[LinearField, ...]:
        return self.parts

    @property
    def symmetric_strength(self) -> float:
        return sum(f.symmetric_strength for f in self.parts)

    @property
    def skew_strength(self) -> float:
        return sum(f.skew_strength for f in self.parts)

    @property
    def terms(self) -> tuple[LinearField, ...]:
        return tuple(term for f in self.parts for term in f.terms)

    @property
    def drift(self) -> Array | None:
        return _added_or_none([f.drift for f in self.parts])

    def scaled(self, factor: float) -> Self:
        return type(self)(tuple(f.scaled(factor) for f in self.parts))

    def in_dimension(self, n: int) -> Self:
        return type(self)(tuple(f.in_dimension(n) for f in self.parts))


def _added(values: Sequence[Array]) -> Array:
    return reduce(np.add, values)


def _added_or_none(values: Sequence[Array | None]) -> Array | None:
    there = [value for value in values if value is not None]
    return _added(there) if there else None
