"""A random potential: tokens follow the gradient of a random polynomial, the mixed p-spin model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import MOST, Field, Frozen, Pair, Parity

Array = NDArray[np.float64]
PATHWISE = 3  # the largest power whose tensor of n^p normals is drawn
HIGHEST = 1000


@dataclass(frozen=True, init=False)
class RandomPotential(Field):
    """dX = P_X ∇H(dt, X), H Gaussian with E[H(x) H(y)] = C(x·y) per unit time, C(z) = Σ c_p² z^p.

    a = C', b = C''. p = 1 is a bias of strength c_1, and c_2 = ½ has the kernels of the random
    quadratic form of strength 1. Powers up to 3 have realisations, H_p(x) = c_p Σ J x…x with n^p
    independent J; a field with a higher one is known in law only.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    coefficients : mapping from int p in [1, 1000] to float c_p >= 0
        Zeros are left out. The pure cubic potential by default.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2, a power is not an integer from 1 to 1000, or a coefficient is negative, not finite
        or beyond 1e100.

    Notes
    -----
    The exponents are λ_p = ½[(n-1-2p) C''(1) - (n-1) C'(1) - 2p C''(1)]; for a pure cubic potential
    λ_1 = (3/2)(n - 9) c²: tokens cluster for n < 9 only.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.RandomPotential(n=5, coefficients={1: 0.1, 3: 1.0})
    >>> round(float(field.a(1.0)), 9), round(float(field.b(1.0)), 9), field.parity
    (3.01, 6.0, 'even')
    """

    n: int
    coefficients: tuple[tuple[int, float], ...]

    def __init__(self, n: int, coefficients: Mapping[int, float] | None = None) -> None:
        given: Any = {3: 1.0} if coefficients is None else coefficients
        if not isinstance(given, Mapping):
            try:
                given = dict(given)
            except (TypeError, ValueError):
                raise InvalidArgument(
                    f"coefficients = {checks.shown(given)}: must map powers to numbers, such as"
                    " {3: 1.0}"
                ) from None
        found = []
        for power, value in given.items():
            p = checks.integer("power of coefficients", power, 1, HIGHEST)
            c = checks.real(f"coefficients[{p}]", value, 0.0, MOST)
            if c > 0.0:
                found.append((p, c))
        object.__setattr__(self, "n", checks.integer("n", n, 2))
        object.__setattr__(self, "coefficients", tuple(sorted(found)))

    def __repr__(self) -> str:
        return f"RandomPotential(n={self.n}, coefficients={dict(self.coefficients)})"

    @property
    def _powers(self) -> tuple[int, ...]:
        return tuple(p for p, _ in self.coefficients)

    # Law

    def potential(self, z: ArrayLike) -> Array:
        """The covariance C(z) of the potential; same shape as z."""
        return self._sum(z, 0)

    def a(self, z: ArrayLike) -> Array:
        return self._sum(z, 1)

    def b(self, z: ArrayLike) -> Array:
        return self._sum(z, 2)

    def a_prime(self, z: ArrayLike) -> Array:
        return self._sum(z, 2)

    def pair(self, e: ArrayLike, f: ArrayLike) -> Pair:
        e, f = np.broadcast_arrays(np.asarray(e, np.float64), np.asarray(f, np.float64))
        zero = np.zeros_like(e)
        gap, total = zero, zero
        for p, c in self.coefficients:
            weight, near, far = p * c * c, _one_less_power(e, p - 1), _one_less_power(f, p - 1)
            odd = p % 2 == 0  # of z^{p-1}
            gap = gap + weight * np.where(e <= f, near, 2.0 - far if odd else far)
            total = total + weight * (
                np.where(f <= e, far, 2.0 - near) if odd else 2.0 - np.where(e <= f, near, far)
            )
        z = np.where(e < f, 1.0 - e, f - 1.0)
        own = np.broadcast_to(self.a(1.0), z.shape)
        return Pair(own, self.a(z), gap, total, self.b(z), zero)

    def _sum(self, z: ArrayLike, order: int) -> Array:
        """The derivative of C of this order."""
        z = np.asarray(z, np.float64)
        result = np.zeros_like(z)
        for p, c in self.coefficients:
            if p >= order:
                result = result + c * c * math.perm(p, order) * z ** (p - order)
        return result

    @property
    def parity(self) -> Parity:
        kinds = {p % 2 for p in self._powers}
        if len(kinds) == 2:
            return "mixed"
        return "even" if kinds == {1} else "odd"

    def scaled(self, factor: float) -> Self:
        root = math.sqrt(factor)
        return type(self)(self.n, {p: root * c for p, c in self.coefficients})

    # One realisation

    @property
    def increments(self) -> int:
        if max(self._powers, default=0) > PATHWISE:
            return 0
        return sum(self.n**p for p in self._powers)

    def frozen(self, dw: Array, fresh: Array, dt: float) -> Polynomial:
        if max(self._powers, default=0) > PATHWISE:
            raise InvalidArgument(
                f"field = {self!r}: is known in law only beyond the power {PATHWISE};"
                " rqf.simulate moves tokens in law"
            )
        tensors, at = {}, 0
        for p, c in self.coefficients:
            size = self.n**p
            tensors[p] = c * dw[:, at : at + size].reshape(-1, *([self.n] * p))
            at += size
        return Polynomial(tensors)


@dataclass(frozen=True, eq=False)
class Polynomial(Frozen):
    """The gradient of H(x) = Σ_p J_p x…x, by tensors J_p (R, n, …, n) of p axes, p <= 3."""

    tensors: dict[int, Array]

    def __call__(self, x: Array) -> Array:
        result = np.zeros_like(x)
        for p, tensor in self.tensors.items():
            for axis in range(1, p + 1):
                result += _contracted(np.moveaxis(tensor, axis, 1), [x] * (p - 1))
        return result

    def push(self, x: Array, v: Array) -> Array:
        result = np.zeros_like(v)
        for p, tensor in self.tensors.items():
            for axis in range(1, p + 1):
                turned = np.moveaxis(tensor, axis, 1)
                for place in range(p - 1):
                    points = [x] * (p - 1)
                    points[place] = v
                    result += _contracted(turned, points)
        return result


def _contracted(tensor: Array, points: list[Array]) -> Array:
    """Σ tensor[r, i, j, …] x_j …, for tokens (R, N, n): shape (R, N, n)."""
    if not points:
        return np.asarray(tensor[:, None, :])
    if len(points) == 1:
        return points[0] @ np.swapaxes(tensor, 1, 2)
    n = tensor.shape[1]
    inner = points[0] @ np.swapaxes(tensor.reshape(len(tensor), n * n, n), 1, 2)
    shape = (*points[0].shape[:2], n, n)
    return np.einsum("rtij,rtj->rti", inner.reshape(shape), points[1])


def _one_less_power(e: Array, q: int) -> Array:
    """1 - (1 - e)^q for e in [0, 2], to full relative precision near 0."""
    with np.errstate(divide="ignore"):
        small = -np.expm1(q * np.log1p(-np.minimum(e, 1.0))) if q else np.zeros_like(e)
    return np.where(e < 1.0, small, 1.0 - (1.0 - e) ** q)
