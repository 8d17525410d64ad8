"""An ensemble: many realisations of one field, computed block by block.

A block is a range of realisations, output times and tokens; it is computed by one thread and
handed to a sink as one array, so that memory is bounded by the blocks in flight. How an ensemble
is cut into blocks never shows in the numbers: realisation r depends on (seed, r) alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rqf.flow import images
from rqf.flow.law import LawStepper
from rqf.flow.stepper import Stepper
from rqf.flow.threads import ranges, run_each, workers_available
from rqf.flow.tokens import TokenStepper
from rqf.noise import draw
from rqf.sphere import gram, points_from_gram, uniform_gram

Array = NDArray[np.float64]
Sink = Callable[[slice, slice, slice, Array], None]
BLOCK_BYTES = 32 * 2**20
STRETCH = 1e8  # multiplications between two yields: a fraction of a second


@dataclass(frozen=True)
class Ensemble:
    """What to compute: `realizations` runs of `tokens` tokens seen after the steps in `stops`.

    `x0` is None (independent uniform tokens, drawn anew for every realisation), (tokens, n), or
    (realizations, tokens, n). With `law` the result is the Gram matrix; the tokens move in
    `dimension` coordinates, which may be fewer than the `ambient` n, and start in general position
    there. `direct` tells that the machine moves the tokens themselves, not the lift.
    """

    dimension: int
    machine: Stepper | TokenStepper | LawStepper
    direct: bool
    seed: int
    realizations: int
    tokens: int
    stops: tuple[int, ...]
    x0: Array | None
    law: bool
    ambient: int

    @property
    def width(self) -> int:
        """Length of the last axis of the result."""
        return self.tokens if self.law else self.dimension

    @property
    def work(self) -> int:
        """Size of the whole task: steps of all realisations, and one more for looking at each."""
        return self.realizations * (self.stops[-1] + 1)

    def block_shape(self, block_bytes: int | None = None) -> tuple[int, int, int]:
        """Realisations, times and tokens of a block of at most about `block_bytes`."""
        block_bytes = BLOCK_BYTES if block_bytes is None else block_bytes
        row = 8 * self.width
        tokens = min(self.tokens, max(1, block_bytes // row))
        if self.law or self.direct:
            tokens = self.tokens
        times = min(len(self.stops), max(1, block_bytes // (row * tokens)))
        members = max(1, block_bytes // (row * tokens * times))
        even = -(-self.realizations // (4 * workers_available()))
        return min(members, max(16, even), self.realizations), times, tokens

    def starts(self, members: slice, tokens: slice) -> Array:
        """Initial points of some realisations: shape (members, tokens, field.n)."""
        shape = (members.stop - members.start, tokens.stop - tokens.start, self.dimension)
        if self.x0 is not None:
            own = self.x0[members] if self.x0.ndim == 3 else self.x0[None]
            if own.shape[-1] != self.dimension:
                own = np.stack([_embedded(gram(points), self.dimension) for points in own])
            return np.broadcast_to(own, (shape[0], *own.shape[1:]))[:, tokens]
        keys = range(members.start, members.stop)
        if self.ambient != self.dimension:
            grams = (uniform_gram(self.tokens, self.ambient, self._generator(r)) for r in keys)
            return np.stack([_embedded(matrix, self.dimension) for matrix in grams])[:, tokens]
        out = np.empty((shape[0], shape[1] * shape[2]))
        draw.starts(self.seed, keys, tokens.start * self.dimension, out)
        points = out.reshape(shape)
        return points / np.sqrt(np.einsum("...i,...i->...", points, points))[..., None]

    def _generator(self, realization: int) -> np.random.Generator:
        """A stream of its own for initial Gram matrices, apart from every other noise."""
        key = np.array([self.seed, realization], dtype=np.uint64)
        counter = np.array([0, 0, draw.START, 1], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key, counter=counter))

    def run(
        self,
        sink: Sink,
        workers: int | None = None,
        done: Callable[[int], None] | None = None,
        block_bytes: int | None = None,
    ) -> None:
        """Compute everything and give each block to `sink(realizations, times, tokens, values)`.

        `sink` is called from worker threads, once per block; blocks are disjoint. `done(k)` is
        called in the calling thread when k more units of `work` are finished.
        """
        members = self.block_shape(block_bytes)[0]
        run_each(
            lambda part: self._blocks(part, sink, block_bytes),
            ranges(self.realizations, members),
            workers,
            done,
        )

    def _blocks(self, members: slice, sink: Sink, block_bytes: int | None) -> Iterator[int]:
        """Carry one range of realisations through all times; yields some times a second."""
        _, times, tokens = self.block_shape(block_bytes)
        keys = np.arange(members.start, members.stop, dtype=np.uint64)
        count, n = len(keys), self.dimension
        starts = self.starts(members, slice(0, tokens))
        if self.direct:
            states = np.array(np.swapaxes(starts, 1, 2), order="C")  # moved in place
        else:
            states = np.tile(np.eye(n), (count, 1, 1))
        position = 0
        chunk = self.machine.whole_chunks
        stretch = chunk * max(1, int(STRETCH / (count * n * states[0].size * chunk)))
        for first in range(0, len(self.stops), times):
            stops = self.stops[first : first + times]
            snapshots = np.empty((count, len(stops), *states.shape[1:]))
            for index, stop in enumerate(stops):
                while position < stop:
                    end = min(stop, (position // stretch + 1) * stretch)
                    self.machine.advance(
                        states, self.seed, keys, position, end - position, self.direct
                    )
                    yield count * (end - position)
                    position = end
                snapshots[:, index] = states
            for at in range(0, self.tokens, tokens):
                chosen = slice(at, min(at + tokens, self.tokens))
                if tokens < self.tokens:
                    starts = self.starts(members, chosen)
                window = slice(first, first + len(stops))
                sink(members, window, chosen, self._output(snapshots, starts))
        yield count

    def _output(self, snapshots: Array, starts: Array) -> Array:
        """Tokens (members, times, tokens, n), or their Gram matrices, from snapshots of states."""
        moved = np.empty((*snapshots.shape[:2], *starts.shape[1:]))
        if self.direct:
            images.of_columns(snapshots, moved)
        else:
            images.by_lifts(snapshots, np.ascontiguousarray(starts), moved)
        return gram(moved) if self.law else moved


def _embedded(matrix: Array, n: int) -> Array:
    """Points on S^{n-1} with the given Gram matrix."""
    points = points_from_gram(matrix)
    return np.pad(points, ((0, 0), (0, n - points.shape[1])))
