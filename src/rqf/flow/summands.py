"""The summands of a field as movers of tokens: which noise each takes, and what it makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rqf.fields import Field, Frozen, LinearField
from rqf.flow.linear_noise import LinearNoise, linear_noise
from rqf.flow.schemes.matrices import assemble_each
from rqf.noise.grid import Grid

Array = NDArray[np.float64]


class Summand(Protocol):
    """One summand: numbers of normals that a step takes, and the displacement of a step."""

    @property
    def increments(self) -> int: ...

    @property
    def fresh(self) -> int: ...

    def frozen(self, z: Array, fresh: Array, step: int) -> Frozen:
        """The realisation over a step: z (R, L, increments) and fresh (R, L, fresh), step < L."""


@dataclass(frozen=True, eq=False)
class Matrices(Frozen):
    """Displacements M x: `matrices` (R, n, n)."""

    matrices: Array

    def __call__(self, x: Array) -> Array:
        return x @ np.swapaxes(self.matrices, -1, -2)

    def push(self, x: Array, v: Array) -> Array:
        return v @ np.swapaxes(self.matrices, -1, -2)


@dataclass(frozen=True, eq=False)
class LinearSummand:
    """A linear field, through the matrices that move its lift."""

    noise: LinearNoise

    @property
    def increments(self) -> int:
        return self.noise.size

    @property
    def fresh(self) -> int:
        return 0

    def frozen(self, z: Array, fresh: Array, step: int) -> Frozen:
        noise = self.noise
        matrices = np.empty((len(z), noise.n, noise.n))
        drift = noise.drift_matrix * noise.dt
        assemble_each(z, step, noise.kinds, noise.amplitudes, drift, matrices)
        return Matrices(matrices)


@dataclass(frozen=True, eq=False)
class AnySummand:
    """Any other field, through its own realisation."""

    field: Field
    dt: float
    tick: float

    @property
    def increments(self) -> int:
        return self.field.increments

    @property
    def fresh(self) -> int:
        return self.field.fresh

    def frozen(self, z: Array, fresh: Array, step: int) -> Frozen:
        return self.field.frozen(np.sqrt(self.tick) * z[:, step], fresh[:, step], self.dt)


def summands(field: Field, dt: float, grid: Grid) -> tuple[Summand, ...]:
    """The summands of a field for steps dt of a grid; raises for one that is known in law only."""
    found: list[Summand] = []
    for part in field.summands:
        if isinstance(part, LinearField):
            found.append(LinearSummand(linear_noise(part, dt, grid.tick)))
        else:
            require_realization(part)
            found.append(AnySummand(part, dt, grid.tick))
    return tuple(found)


def require_realization(field: Field) -> None:
    """Raise if a field, or a summand of it, is known in law only."""
    for part in field.summands:
        if not isinstance(part, LinearField):
            part.frozen(np.empty((0, part.increments)), np.empty((0, part.fresh)), 1.0)


def has_realization(field: Field) -> bool:
    """Whether the field can be followed along one noise path."""
    from rqf.errors import InvalidArgument

    try:
        require_realization(field)
    except InvalidArgument:
        return False
    return True
