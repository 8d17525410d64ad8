"""Carrying states through time: noise is drawn chunk by chunk and handed to the scheme.

Chunks are sized to stay in cache for small fields and within a fixed memory for large ones, and
their borders lie on dyadic times; how time is cut never shows in the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import LinearField
from rqf.flow.linear_noise import Advance, LinearNoise, linear_noise
from rqf.flow.schemes import SCHEMES, Scheme
from rqf.noise import draw
from rqf.noise.grid import Grid

IN_CACHE = 1 << 15  # doubles of noise drawn at once while that holds a few dozen steps
AT_MOST = 1 << 23  # doubles of noise drawn at once for fields whose single step is large
LONGEST = 64
STRONGEST = 400.0
DIRECT_FROM = 5  # smaller lifts cost no more than a token


@dataclass(frozen=True)
class Stepper:
    """A linear field, a step and a scheme, ready to move states of an ensemble."""

    noise: LinearNoise
    grid: Grid
    scheme: Scheme
    run: Advance

    def advance(
        self,
        states: NDArray[np.float64],
        seed: int,
        realizations: NDArray[np.uint64],
        begin: int,
        steps: int,
        tokens: bool,
    ) -> None:
        """Carry states (R, n, m) through steps begin, …, begin + steps - 1, in place.

        `tokens` tells that columns are tokens, each kept at unit length; else a state is a lift
        and kept to largest entry 1 as a whole.
        """
        size = max(1, self.noise.size)
        length = LONGEST
        while length > 1 and length * size > (IN_CACHE if length > 32 else AT_MOST):
            length //= 2
        together = max(1, IN_CACHE // (length * size))
        for first in range(0, len(states), together):
            part = slice(first, first + together)
            self._advance(states[part], seed, realizations[part], begin, steps, length, tokens)

    def _advance(
        self,
        states: NDArray[np.float64],
        seed: int,
        realizations: NDArray[np.uint64],
        begin: int,
        steps: int,
        length: int,
        tokens: bool,
    ) -> None:
        noise, grid, members = self.noise, self.grid, len(states)
        end = begin + steps
        while begin < end:
            position = grid.first // grid.group + begin
            count = min(length - position % length, end - begin)
            z = np.empty((members, count, noise.size))
            streams = zip(noise.offsets, noise.sizes, strict=True)
            for stream, (offset, size) in enumerate(streams):
                draw.increments(grid, seed, realizations, begin, stream, size, z, int(offset))
            self.run(states, z, self._auxiliary(seed, realizations, begin, count), tokens)
            begin += count

    def _auxiliary(
        self, seed: int, realizations: NDArray[np.uint64], begin: int, count: int
    ) -> NDArray | None:
        """What the scheme draws besides the increments of the path."""
        members, n = len(realizations), self.noise.n
        if self.scheme.auxiliary == "coin":
            coins = np.empty((members, count), dtype=np.bool_)
            draw.coins(self.grid, seed, realizations, begin, coins)
            return coins
        if self.scheme.auxiliary == "area":
            areas = np.empty((members, count, n * (n - 1) // 2))
            draw.areas(self.grid, seed, realizations, begin, areas)
            return areas
        return None


def moves_tokens(tokens: int, n: int) -> bool:
    """Whether it is cheaper to move the tokens themselves than the n×n lift that moves them all."""
    return tokens < n and n >= DIRECT_FROM


def stepper(field: LinearField, dt: float, scheme: str, grid: Grid) -> Stepper:
    """The stepper of `field`; raises if the field is too strong for the step."""
    strength = max(field.symmetric_strength, field.skew_strength) * dt * field.n
    if strength > STRONGEST:
        raise InvalidArgument(
            f"dt = {dt:g}: strength · n · dt = {strength:.3g} must be at most {STRONGEST:g};"
            f" take dt <= {dt * STRONGEST / strength:.3g}"
        )
    noise = linear_noise(field, dt, grid.tick)
    chosen = SCHEMES[scheme]
    return Stepper(noise, grid, chosen, chosen.prepare(noise))
