"""Common noise on S³, the unit quaternions, whose attractor is the quaternion group: eight points.

A unit quaternion q turns the frame e_1, e_2, e_3 of R³ into v_k = q e_k q*. Let each axis feel a
random quadratic form of its own, H(q) = Σ_k v_k·A_k v_k: forms do not tell v_k from -v_k, so the
gradient flow commutes with the right action of ±1, ±i, ±j, ±k, and with nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Frozen, Parity
from rqf.fields.complex_space import UnitaryField

Array = NDArray[np.float64]
AXES = 3
ENTRIES = 6  # of a symmetric 3 × 3 matrix


def _axes() -> Array:
    """S (3, 3, 4, 4) symmetric with v_ki = q·S_ki q."""
    s = np.zeros((AXES, 3, 4, 4))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        s[k, k] = np.diag([1.0 if p in (0, k + 1) else -1.0 for p in range(4)])
        for other, third, sign in ((i, j, 1.0), (j, i, -1.0)):
            for left, right, value in ((k + 1, other + 1, 1.0), (0, third + 1, sign)):
                s[k, other, left, right] += value
                s[k, other, right, left] += value
    return s


S = _axes()


@dataclass(frozen=True)
class QuaternionicPotential(UnitaryField):
    """dX = ¼ P_X ∇H(dt, X) on S³, H(q) = Σ_k v_k·A_k v_k, A_k three random quadratic forms of R³.

    A token is round Brownian motion of variance `strength` per unit time in every direction, and
    all tokens end in exactly eight points, a coset q{±1, ±i, ±j, ±k}. The law is invariant under
    multiplication from the left.

    Parameters
    ----------
    strength : float >= 0

    Raises
    ------
    rqf.errors.InvalidArgument
        If strength is negative or beyond 1e100; later if its kernels are asked for.

    Notes
    -----
    Coordinates are those of w + x i + y j + z k. The mean over the quaternion group of any
    polynomial of degree 4 on S³ has this form, up to a constant.

    Examples
    --------
    >>> import rqf
    >>> flow = rqf.Flow(rqf.QuaternionicPotential(), dt=1 / 64)
    >>> points, error = rqf.pullback_attractor(flow, rqf.Wiener(1), t=16.0)
    >>> len(points)
    8
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", checks.real("strength", self.strength, 0.0, MOST))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Real dimension 4 of the quaternions."""
        return 4

    @property
    def parity(self) -> Parity:
        return "odd"

    def scaled(self, factor: float) -> Self:
        return replace(self, strength=self.strength * factor)

    @property
    def increments(self) -> int:
        return AXES * ENTRIES

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Frames:
        entries = math.sqrt(self.strength) * dw.reshape(-1, AXES, ENTRIES)
        forms = np.zeros((len(dw), AXES, 3, 3))
        upper = np.triu_indices(3, 1)
        forms[:, :, upper[0], upper[1]] = math.sqrt(0.5) * entries[:, :, 3:]
        forms += np.swapaxes(forms, 2, 3)
        forms[:, :, np.arange(3), np.arange(3)] = entries[:, :, :3]
        return Frames(forms)

    def _no_kernel(self) -> InvalidArgument:
        return InvalidArgument(
            "field: QuaternionicPotential is invariant under multiplication from the left only, its"
            " law is not a function of overlaps; follow a realisation"
        )


@dataclass(frozen=True, eq=False)
class Frames(Frozen):
    """A quarter of the gradient of Σ_k v_k·A_k v_k, by forms A (R, 3, 3, 3)."""

    forms: Array

    def __call__(self, x: Array) -> Array:
        turned = np.einsum("kiab,rtb->rtkia", S, x)
        axes = np.einsum("rta,rtkia->rtki", x, turned)
        return np.einsum("rkij,rtkj,rtkia->rta", self.forms, axes, turned, optimize=True)

    def push(self, x: Array, v: Array) -> Array:
        turned, other = (np.einsum("kiab,rtb->rtkia", S, y) for y in (x, v))
        axes = np.einsum("rta,rtkia->rtki", x, turned)
        moved = 2.0 * np.einsum("rta,rtkia->rtki", v, turned)
        first = np.einsum("rkij,rtkj,rtkia->rta", self.forms, moved, turned, optimize=True)
        second = np.einsum("rkij,rtkj,rtkia->rta", self.forms, axes, other, optimize=True)
        return np.asarray(first + second)
