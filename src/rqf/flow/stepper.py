"""Carrying states through time: noise is drawn chunk by chunk and handed to the scheme.

Chunks are sized to stay in cache for small fields and within a fixed memory for large ones, and
their borders lie on dyadic times; how time is cut never shows in the numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import LinearField
from rqf.flow.linear_noise import Advance, LinearNoise, linear_noise
from rqf.flow.schemes import SCHEMES, Scheme
from rqf.noise import Wiener, draw
from rqf.noise.grid import Grid, align

IN_CACHE = 1 << 15  # doubles of noise drawn at once while that holds a few dozen steps
AT_MOST = 1 << 23  # doubles of noise drawn at once for fields whose single step is large
BRIEF = 1 << 27  # cubes of n in one go: a second or so, in which nothing can be interrupted
LONGEST = 64
STRONGEST = 64.0  # n · strength of one step of a scheme
STEEPEST = 400.0  # norm of the drift of one step
MOST_PARTS = 1024
DIRECT_FROM = 5  # smaller lifts cost no more than a token


@dataclass(frozen=True)
class Stepper:
    """A linear field, a step and a scheme, ready to move states of an ensemble.

    A step may consist of several `parts`, steps of the scheme on a finer grid of the same path.
    """

    noise: LinearNoise
    grid: Grid
    parts: int
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
        begin, steps = begin * self.parts, steps * self.parts
        length = self._chunk
        together = max(1, IN_CACHE // (length * max(1, self.noise.size)))
        size = min(together, len(states)) * min(length, steps) * self.noise.size
        room = np.empty(size)  # used again for every chunk: fresh pages cost more than the noise
        for first in range(0, len(states), together):
            part = slice(first, first + together)
            self._advance(
                states[part], seed, realizations[part], begin, steps, length, tokens, room
            )

    def in_parts(self) -> Stepper:
        """The same motion, with every part a step of its own."""
        return replace(self, parts=1)

    @property
    def whole_chunks(self) -> int:
        """Steps in one or more whole chunks of noise; to stop between them changes no bit."""
        return max(1, self._chunk // self.parts)

    @property
    def _chunk(self) -> int:
        """Parts of steps whose noise is drawn at once: a power of two."""
        size = max(1, self.noise.size)
        length = LONGEST
        most = max(1, BRIEF // self.noise.n**3)
        while length > most or (
            length > 1 and length * size > (IN_CACHE if length > 32 else AT_MOST)
        ):
            length //= 2
        return length

    def _advance(
        self,
        states: NDArray[np.float64],
        seed: int,
        realizations: NDArray[np.uint64],
        begin: int,
        steps: int,
        length: int,
        tokens: bool,
        room: NDArray[np.float64],
    ) -> None:
        noise, grid, members = self.noise, self.grid, len(states)
        end = begin + steps
        while begin < end:
            position = grid.first // grid.group + begin
            count = min(length - position % length, end - begin)
            shape = (members, count, noise.size)
            z = room[: math.prod(shape)].reshape(shape)
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


def moves_tokens(tokens: int, field: LinearField) -> bool:
    """Whether to move the tokens themselves, not the n×n lift that moves them all.

    Where that is cheaper, and where there is a drift without noise: a token that rests at an
    unstable point is then kept there, though the lift forgets its direction in the long run.
    """
    if field.drift is not None and field.symmetric_strength == field.skew_strength == 0.0:
        return True
    return tokens < field.n and field.n >= DIRECT_FROM


def stepper(
    field: LinearField, dt: float, scheme: str, omega: Wiener, refine: bool = True
) -> Stepper:
    """The stepper of `field` on the grid of ω; raises if the field is too strong for the step."""
    align(omega, dt)
    chosen = SCHEMES[scheme]
    refine = refine and math.isfinite(chosen.resolution)
    strength = max(field.symmetric_strength, field.skew_strength) * field.n
    _refuse("strength · n", strength, dt, chosen.resolution * MOST_PARTS if refine else STRONGEST)
    parts = chosen.parts(strength * dt) if refine else 1
    if field.drift is not None:
        _refuse("norm of the drift", float(np.linalg.norm(field.drift, 2)), dt, STEEPEST * parts)
    grid = align(omega, dt / parts)
    noise = linear_noise(field, dt / parts, grid.tick)
    return Stepper(noise, grid, parts, chosen, chosen.prepare(noise))


def _refuse(name: str, rate: float, dt: float, most: float) -> None:
    """Raise if rate · dt is more than `most`."""
    if not rate * dt <= most:
        raise InvalidArgument(
            f"dt = {dt:g}: {name} · dt = {rate * dt:.3g} must be at most {most:g};"
            f" take dt <= {most / rate:.3g}"
        )
