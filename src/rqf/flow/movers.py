"""Three ways to move tokens, and which one an ensemble takes.

*lift*: a linear field through the matrices that move every token at once. *tokens*: any field that
has realisations, all tokens of a realisation together along its noise path. *law*: the values of
the field at the tokens drawn jointly from their Gram matrix, exact in law step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.flow import tokens as along
from rqf.flow.law import LawStepper, law_stepper
from rqf.flow.schemes import SCHEMES, default_scheme
from rqf.flow.stepper import Stepper, moves_tokens, stepper
from rqf.flow.summands import has_realization
from rqf.flow.tokens import TokenStepper, token_stepper
from rqf.noise import Wiener

Method = Literal["lift", "tokens", "law"]


@dataclass(frozen=True, eq=False)
class Mover:
    """A machine ready to run, the coordinates that it keeps, and what to say about it."""

    method: Method
    scheme: str
    machine: Stepper | TokenStepper | LawStepper
    dimension: int
    direct: bool


def scheme_of(field: Field, scheme: str | None) -> str:
    """The scheme of that name for a field followed along its noise, or the default one."""
    if isinstance(field, LinearField):
        return checks.choice("scheme", scheme or default_scheme(field.n), SCHEMES)
    return checks.choice("scheme", scheme or along.DEFAULT, along.SCHEMES)


def move(
    field: Field,
    dt: float,
    scheme: str | None,
    omega: Wiener,
    tokens: int,
    law: bool,
    refine: bool,
) -> Mover:
    """The mover of an ensemble; `law` asks for overlaps only."""
    if isinstance(field, LinearField):
        return _lift(field, dt, scheme, omega, tokens, law, refine)
    if has_realization(field) and (
        not law or not has_kernels(field) or _cheaper_along(field, tokens)
    ):
        name = scheme_of(field, scheme)
        return Mover("tokens", name, token_stepper(field, dt, name, omega), field.n, True)
    checks.choice("scheme", scheme or "euler", ("euler",))
    machine = law_stepper(field, dt, omega, tokens, positions=not law)
    return Mover("law", "euler", machine, machine.dimension, True)


def _lift(
    field: LinearField,
    dt: float,
    scheme: str | None,
    omega: Wiener,
    tokens: int,
    law: bool,
    refine: bool,
) -> Mover:
    moving = field
    if law:
        if field.drift is not None:
            raise InvalidArgument("law = True: a field with a deterministic part is pathwise only")
        moving = field.in_dimension(max(2, min(field.n, tokens)))
    name = scheme_of(moving, scheme)
    machine = stepper(moving, dt, name, omega, refine)
    return Mover("lift", name, machine, moving.n, moves_tokens(tokens, moving))


def has_kernels(field: Field) -> bool:
    """Whether the field can be moved in law."""
    try:
        field.kernels(np.eye(2))
    except InvalidArgument:
        return False
    return all(getattr(part, "drift", None) is None for part in field.summands)


def _cheaper_along(field: Field, tokens: int) -> bool:
    """Whether a step along the noise takes fewer operations than one in law.

    Along the noise every token meets every normal of the step about once; in law covariances of
    N tokens are factored, of N n numbers for a field with b ≠ 0 that is not linear.
    """
    n = float(field.n)
    path = law = 0.0
    for part in field.summands:
        if isinstance(part, LinearField):
            path += n * n * tokens
            continue
        path += (part.increments + part.fresh) * tokens + n * tokens
        side = tokens * (min(n, 2.0 * tokens) if part.b(0.5) != 0.0 else 1.0)
        law += side**3
    return path <= law
