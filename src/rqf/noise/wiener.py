"""One realisation ω of white noise in time: two-sided, addressed, refinable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.noise import draw
from rqf.noise.grid import MAX_LEVEL, align, dyadic, is_dyadic, whole_steps

SEED_LIMIT = 2**64 - 1


@dataclass(frozen=True)
class Wiener:
    """A realisation ω of a two-sided Brownian motion with as many components as are asked for.

    Nothing is stored and nothing is consumed: the increment over any interval is a pure function
    of (seed, realization, stream, interval). So every initial point, time window, thread and
    machine sees the same path, before time 0 as well as after it; halving a step refines the same
    path by Brownian bridges, and the increments of a coarse step are the sums of the fine ones.

    Parameters
    ----------
    seed : int from 0 to 2^64 - 1
        Which family of independent realisations.
    cell : float > 0
        Length of the time cells that are filled in dyadically; steps are cell / 2^k, k <= 40.
        Realisations of different cell are different paths.
    realization : int from 0 to 2^64 - 1
        Which member of the family. Distinct (seed, realization) are independent.
    origin : Fraction
        Where time 0 lies, in cells; set by `shift`.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of range.

    Notes
    -----
    Philox4x64-10 (Salmon et al. 2011) under the key (seed, realization), counted by cell, stream
    and node of Lévy's midpoint construction; normals by the ziggurat of Marsaglia and Tsang (2000).

    Examples
    --------
    >>> import rqf
    >>> omega = rqf.Wiener(seed=7)
    >>> fine = omega.increments(size=2, dt=1/4, steps=4)
    >>> coarse = omega.increments(size=2, dt=1.0, steps=1)
    >>> bool(abs(fine.sum(axis=0) - coarse[0]).max() < 1e-15)
    True
    """

    seed: int
    cell: float = 1.0
    realization: int = 0
    origin: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", checks.integer("seed", self.seed, 0, SEED_LIMIT))
        object.__setattr__(
            self, "cell", checks.real("cell", self.cell, 0.0, open_minimum=True)
        )
        object.__setattr__(
            self, "realization", checks.integer("realization", self.realization, 0, SEED_LIMIT)
        )
        if not isinstance(self.origin, (int, Fraction)) or not is_dyadic(Fraction(self.origin)):
            raise InvalidArgument(
                f"origin = {self.origin!r}: must be a Fraction with denominator 2^k,"
                f" k <= {MAX_LEVEL}; `shift` makes it"
            )
        object.__setattr__(self, "origin", Fraction(self.origin))

    def shift(self, s: float) -> Self:
        """θ_s ω: the same path seen from time s on, `(θ_s ω)(t) = ω(s + t) - ω(s)`.

        s may be negative and must be a multiple of cell / 2^40.
        """
        offset = dyadic("s", checks.real("s", s), self.cell)
        return replace(self, origin=self.origin + offset)

    def increments(
        self, size: int, dt: float, steps: int, start: float = 0.0, stream: int = 0
    ) -> NDArray[np.float64]:
        """Brownian increments over `steps` consecutive intervals of length dt.

        Parameters
        ----------
        size : int >= 1
            Number of components. (Paths of different size are different paths.)
        dt : float
            cell / 2^k.
        steps : int >= 0
            Number of intervals.
        start : float
            Where the first one begins; a multiple of dt, negative allowed.
        stream : int from 0 to 2^32 - 1
            Independent noises of one realisation: summand i of a composed field uses stream i.

        Returns
        -------
        array of shape (steps, size)
            Independent normals of variance dt.
        """
        size = checks.integer("size", size, 1)
        steps = checks.integer("steps", steps, 0)
        stream = checks.integer("stream", stream, 0, 2**32 - 1)
        dt = checks.real("dt", dt, 0.0, open_minimum=True)
        begin = whole_steps("start", checks.real("start", start), dt)
        grid = align(self, dt)
        grid.reach(begin, steps)
        out = np.empty((1, steps, size))
        draw.increments(grid, self.seed, [self.realization], begin, stream, size, out)
        return out[0] * np.sqrt(grid.tick)
