"""One-step maps of linear fields, one scheme a file, all of one shape.

A scheme's module has `advance`, the kernel that carries states through given increments in place,
and `prepare`, which binds it to a field and a step.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rqf.flow.linear_noise import Advance, LinearNoise


@dataclass(frozen=True)
class Scheme:
    """What is known of a scheme before it runs.

    `resolution` is the largest n · strength · dt that it takes in one go: second-order schemes cut
    longer steps into 2^k equal parts along the same path, which keeps their Lyapunov exponents
    within about 1 % at any step. `auxiliary` is what it draws besides the increments of the path;
    `invariant` tells whether the law of a step does not change under rotations, in which case
    splitting probabilities are exact at any step size.
    """

    name: str
    module: str
    weak_order: int
    invariant: bool
    resolution: float = math.inf
    auxiliary: Literal["none", "coin", "area"] = "none"

    def parts(self, strength: float) -> int:
        """Number of parts (a power of two) into which to cut a step of n · strength · dt."""
        if strength <= self.resolution:
            return 1
        return 1 << math.ceil(math.log2(strength / self.resolution))

    def prepare(self, noise: LinearNoise) -> Advance:
        """Bind the scheme to the noises of a field."""
        module = importlib.import_module(f"rqf.flow.schemes.{self.module}")
        advance: Advance = module.prepare(noise)
        return advance


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("euler", "euler", 1, True),
        Scheme("heun", "heun", 1, True),
        Scheme("exponential", "exponential", 1, True),
        Scheme("ninomiya-victoir", "ninomiya_victoir", 2, False, 0.125, "coin"),
        Scheme("corrected-exponential", "corrected_exponential", 2, True, 1.0, "area"),
    )
}


def default_scheme(n: int) -> str:
    """Ninomiya–Victoir where its steps are cheapest, else the corrected exponential."""
    return "ninomiya-victoir" if n <= 4 else "corrected-exponential"
