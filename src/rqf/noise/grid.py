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
ROUNDING = Fraction(1, 2**50)
SMALLEST = 2.0**-1022


@dataclass(frozen=True)
class Grid:
    """Steps of `group` ticks; a tick has length cell / 2^level; step 0 begins at tick `first`."""

    first: int
    group: int
    level: int
    tick: float

    def reach(self, begin: int, steps: int) -> None:
        """Raise if steps begin, …, begin + steps - 1 leave the ticks that can be counted."""
        if max(abs(begin), abs(begin + steps)) * self.group > FARTHEST:
            raise InvalidArgument(
                f"start, steps = {begin * self.group * self.tick:g}, {steps}: must stay within"
                f" 2^62 ticks of {self.tick:g}"
            )


def step_level(dt: float, cell: float) -> int:
    """k with dt = cell / 2^k; raises with the nearest step that fits if there is none."""
    level = min(max(round(math.log2(cell) - math.log2(dt)), 0), MAX_LEVEL)
    nearest = cell / 2.0**level
    if not abs(dt - nearest) <= EXACT * dt:
        raise InvalidArgument(
            f"dt = {dt:g}: must be cell / 2^k with cell = {cell:g} and k from 0 to {MAX_LEVEL};"
            f" the nearest is {nearest:.12g}"
        )
    return level


def cell_for(dt: float) -> float:
    """A cell of length about 1, or of one step if that is longer, of which dt is a 2^-k-th part.

    Some levels are left below dt, so that a scheme may cut its steps.
    """
    if dt < SMALLEST:
        raise InvalidArgument(
            f"dt = {dt:g}: must be at least {SMALLEST:.3g}, below which numbers lose their digits"
        )
    level = max(0, round(-math.log2(dt)))
    return dt * 2.0 ** min(level, MAX_LEVEL - 10)


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
    if abs(t / dt) > FARTHEST:
        raise InvalidArgument(f"{name} = {t:g}: is more than 2^62 steps of dt = {dt:g}")
    steps = round(t / dt)
    if abs(t - steps * dt) > min(EXACT * max(dt, abs(t) * 1e-3), dt / 16.0) + math.ulp(t):
        raise InvalidArgument(
            f"{name} = {t:.15g}: must be a multiple of dt = {dt:.15g};"
            f" the nearest is {steps * dt:.15g}"
        )
    return steps


def dyadic(name: str, s: float, cell: float) -> Fraction:
    """s / cell as a fraction with denominator 2^k, k <= 40; forgives rounding of s, no more."""
    exact = Fraction(s) / Fraction(cell)
    if is_dyadic(exact):
        return exact
    tolerance = max(abs(exact) * ROUNDING, Fraction(2) ** -52)
    for level in range(MAX_LEVEL + 1):
        nearest = Fraction(round(exact * (1 << level)), 1 << level)
        if abs(exact - nearest) <= tolerance:
            return nearest
    raise InvalidArgument(
        f"{name} = {s!r}: must be a multiple of cell / 2^{MAX_LEVEL} with cell = {cell:g}, time is"
        f" shifted by no other; the nearest is {float(nearest * Fraction(cell))!r}"
    )


def is_dyadic(fraction: Fraction) -> bool:
    """Whether the denominator is 2^k, k <= 40."""
    denominator = fraction.denominator
    return denominator & (denominator - 1) == 0 and denominator <= 1 << MAX_LEVEL
