"""One-step maps of linear fields, one scheme a file, all of one shape.

A scheme's module has `advance`, the kernel that carries states through given increments in place,
and `prepare`, which binds it to a field and a step.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rqf.flow.linear_noise import Advance, LinearNoise


@dataclass(frozen=True)
class Scheme:
    """What is known of a scheme before it runs.

    `auxiliary` is what it draws besides the increments of the path; `invariant` tells whether the
    law of a step does not change under rotations, in which case splitting probabilities are exact
    at any step size.
    """

    name: str
    module: str
    weak_order: int
    invariant: bool
    auxiliary: Literal["none", "coin", "area"] = "none"

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
        Scheme("ninomiya-victoir", "ninomiya_victoir", 2, False, "coin"),
        Scheme("corrected-exponential", "corrected_exponential", 2, True, "area"),
    )
}
DEFAULT = "ninomiya-victoir"
