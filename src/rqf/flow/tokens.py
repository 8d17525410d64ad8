"""Tokens moved together by any field, along one noise path.

A step freezes the field F of that step. *Euler* takes the tangent step x ← N(x + P_x F(x)), N(v) =
v/|v|: the layer of a residual network. *Heun* follows the frozen field by the midpoint rule,
x ← N(x + P_m F(m)) with m = N(x + P_x F(x)/2), which is Stratonovich's sense; for the isotropic
fields of this package both have one limit. Weak order 1, strong order ½.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, Frozen
from rqf.flow.summands import Summand, summands
from rqf.noise import Wiener, draw
from rqf.noise.grid import Grid, align

Array = NDArray[np.float64]
SCHEMES = ("euler", "heun")
DEFAULT = "heun"
ROOM = 1 << 20  # doubles of noise drawn at once
LONGEST = 64
FARTHEST = 64.0  # (n - 1) a(1) dt, the mean square of a step


@dataclass(frozen=True, eq=False)
class TokenStepper:
    """A field, a step and a one-step map, ready to move the tokens of an ensemble."""

    parts: tuple[Summand, ...]
    grid: Grid
    scheme: str

    @property
    def whole_chunks(self) -> int:
        """Steps between two places at which to stop costs nothing: any step is one."""
        return 1

    def advance(
        self,
        states: Array,
        seed: int,
        realizations: NDArray[np.uint64],
        begin: int,
        steps: int,
        tokens: bool = True,
    ) -> None:
        """Carry tokens, the columns of states (R, n, N), through some steps, in place."""
        size = sum(part.increments + part.fresh for part in self.parts)
        together = max(1, ROOM // max(1, size))
        for first in range(0, len(states), together):
            block = slice(first, first + together)
            keys = realizations[block]
            length = max(1, min(LONGEST, ROOM // max(1, size * len(keys))))
            x = np.ascontiguousarray(np.swapaxes(states[block], 1, 2))
            for start in range(begin, begin + steps, length):
                count = min(length, begin + steps - start)
                for frozen in self.frozen(seed, keys, start, count):
                    x = self.step(frozen, x)
            states[block] = np.swapaxes(x, 1, 2)

    def frozen(
        self, seed: int, realizations: NDArray[np.uint64], begin: int, count: int
    ) -> Iterator[tuple[Frozen, ...]]:
        """The realisations of the summands over each of `count` steps, one step at a time."""
        stream, drawn = 0, []
        for part in self.parts:
            z = np.empty((len(realizations), count, part.increments))
            fresh = np.empty((len(realizations), count, part.fresh))
            if part.increments:
                draw.increments(self.grid, seed, realizations, begin, stream, z.shape[2], z)
            if part.fresh:
                draw.fresh(self.grid, seed, realizations, begin, stream, fresh)
            stream += bool(part.increments or part.fresh)
            drawn.append((z, fresh))
        for step in range(count):
            yield tuple(
                part.frozen(z, fresh, step)
                for part, (z, fresh) in zip(self.parts, drawn, strict=True)
            )

    def step(self, frozen: tuple[Frozen, ...], x: Array) -> Array:
        """One step of tokens x (R, N, n)."""
        if self.scheme == "euler":
            return unit(x + tangent(x, added([part.layer(x) for part in frozen])))
        move = tangent(x, added([part(x) for part in frozen]))
        middle = unit(x + 0.5 * move)
        return unit(x + tangent(middle, added([part(middle) for part in frozen])))


def added(values: Sequence[Array]) -> Array:
    """The sum over the summands."""
    return reduce(np.add, values)


def tangent(x: Array, v: Array) -> Array:
    """P_x v over the last axis."""
    return v - np.sum(x * v, axis=-1, keepdims=True) * x


def unit(x: Array) -> Array:
    """x / |x| over the last axis, for lengths whose squares neither vanish nor overflow."""
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


def token_stepper(field: Field, dt: float, scheme: str, omega: Wiener) -> TokenStepper:
    """The stepper of `field` on the grid of ω; raises if it has no realisation."""
    checks.choice("scheme", scheme, SCHEMES)
    grid = align(omega, dt)
    refuse_strong(speed(field), dt)
    return TokenStepper(summands(field, dt, grid), grid, scheme)


def speed(field: Field) -> float:
    """(n - 1) a(1), the mean square of a token's displacement per unit time; 0 if not isotropic."""
    try:
        pair = field.pair(1.0, 1.0)
    except InvalidArgument:
        return 0.0
    return (field.n - 1) * float(pair.own) + float(np.abs(pair.pull))


def refuse_strong(rate: float, dt: float) -> None:
    """Raise if a step of this speed moves tokens so far that only its direction is left."""
    if not rate * dt <= FARTHEST:
        raise InvalidArgument(
            f"dt = {dt:g}: (n - 1) a(1) dt = {rate * dt:.3g} must be at most {FARTHEST:g};"
            f" take dt <= {FARTHEST / rate:.3g}"
        )
