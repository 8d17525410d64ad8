"""How a step size sits on the dyadic ticks of a realisation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING


from rqf.errors import InvalidArgument

if TYPE_CHECKING:
    from rqf.noise.wiener import Wiener

MAX_LEVEL = 40
MAX_GROUP = 4096
FARTHEST = 2**62
EXACT = 1e-9


@dataclass(frozen=True)
class Grid:
    """Steps of `group` ticks; a tick has length cell / 2^level; step 0 begins at tick `first`."""

    first: int
    group: int
    level: int
    tick: float


def step_level(dt: float, cell: float) -> int:
    """k with dt = cell / 2^k; raises with the nearest step that fits if there is none."""
    level = round(math.log2(cell / dt))
    nearest = cell / 2.0 ** min(max(level, 0), MAX_LEVEL)
    if not 0 <= level <= MAX_LEVEL or abs(dt / nearest - 1.0) > EXACT:
        raise InvalidArgument(
            f"dt = {dt:g}: must be cell / 2^k with cell = {cell:g} and k from 0 to {MAX_LEVEL};"
            f" the nearest is {nearest:.12g}"
        )
    return int(level)


def align(omega: Wiener, dt: float) -> Grid:
    """The grid of steps dt that starts at the origin of `omega`."""
    level = step_level(dt, omega.cell)
    fine = max(level, omega.origin.denominator.bit_length() - 1)
    group = 1 << (fine - level)
    if group > MAX_GROUP:
        raise InvalidArgument(
            f"dt = {dt:g}: the origin of this realisation was shifted by an odd multiple of"
            f" {omega.cell / 2.0**fine:g}, more than {MAX_GROUP} times finer; shift by a multiple"
            f" of {omega.cell / 2.0**level / MAX_GROUP:g}"
        )
    first = int(omega.origin * (1 << fine))
    if abs(first) > FARTHEST:
        raise InvalidArgument(
            f"origin = {float(omega.origin):g} cells: with dt = {dt:g} it must be within"
            f" {FARTHEST >> fine:g} cells of 0"
        )
    return Grid(first, group, fine, omega.cell / 2.0**fine)


def whole_steps(name: str, t: float, dt: float) -> int:
    """t / dt as an int; raises with the nearest multiple if it is not one."""
    steps = round(t / dt)
    if abs(t - steps * dt) > EXACT * max(dt, abs(t) * 1e-3):
        raise InvalidArgument(
            f"{name} = {t:.12g}: must be a multiple of dt = {dt:.12g};"
            f" the nearest is {steps * dt:.12g}"
        )
    return steps


def dyadic(name: str, s: float, cell: float) -> Fraction:
    """s / cell as a fraction with denominator 2^k, k <= 40."""
    ticks = s / cell * 2.0**MAX_LEVEL
    for level in range(MAX_LEVEL + 1):
        scaled = s / cell * 2.0**level
        if abs(scaled - round(scaled)) <= EXACT * max(1.0, abs(scaled) * 1e-3):
            return Fraction(round(scaled), 1 << level)
    raise InvalidArgument(
        f"{name} = {s!r}: must be a multiple of cell / 2^{MAX_LEVEL} with cell = {cell:g};"
        f" the nearest is {round(ticks) / 2.0**MAX_LEVEL * cell!r}"
    )
