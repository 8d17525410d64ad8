"""Lyapunov exponents of a field known in law only: one step of the tangent flow, drawn many times.

At a token x = e_n an isotropic field and its derivatives in the tangent directions are Gaussian,

    F tangential ~ √a(1) ζ,   x·F ~ √(a(1) + b(1)) ζ,   T_ij = e_i·∂_j F with
    E[T_ij T_kl] = a'(1) δ_ik δ_jl + b(1) δ_il δ_jk,

the three independent. The law of a step does not change under rotations, so every step starts from
an orthonormal frame at e_n, and steps are independent: the exponents are means over single steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.flow.tokens import unit

Array = NDArray[np.float64]
BLOCK = 1 << 21  # numbers of one array that are drawn together


def growth_rates(field: Field, dt: float, steps: int, rng: np.random.Generator) -> Array:
    """Mean growth rates of a frame over steps dt of Euler's map, shape (n - 1,).

    The stretch to first order in the noise, of mean zero, is taken off.
    """
    a, b, slope = (float(value) for value in (field.a(1.0), field.b(1.0), field.a_prime(1.0)))
    if abs(b) > slope:
        raise InvalidArgument(
            f"field: |b(1)| = {abs(b):g} is more than a'(1) = {slope:g}, no Gaussian field has such"
            " kernels"
        )
    n = field.n
    even, odd = np.sqrt(slope + b), np.sqrt(slope - b)
    total = np.zeros(n - 1)
    block = max(1, BLOCK // (n * n))
    for first in range(0, steps, block):
        count = min(block, steps - first)
        g = rng.standard_normal((count, n - 1, n - 1))
        turned = np.swapaxes(g, 1, 2)
        derivative = np.sqrt(dt) * 0.5 * (even * (g + turned) + odd * (g - turned))
        force = np.sqrt(a * dt) * rng.standard_normal((count, n - 1))
        along = np.sqrt((a + b) * dt) * rng.standard_normal((count, 1))
        total += _stretches(derivative, force, along)
    return total / (steps * dt)


def _stretches(derivative: Array, force: Array, along: Array) -> Array:
    """Sums over steps of the log stretches of an orthonormal frame at e_n."""
    count, width = force.shape
    frame = np.eye(width) - along[:, :, None] * np.eye(width) + derivative
    columns = np.concatenate([frame, -force[:, None, :]], axis=1)  # tangential parts, then e_n
    y = np.concatenate([force, np.ones((count, 1))], axis=1)
    length = np.linalg.norm(y, axis=1)
    point = unit(y)
    carried = columns - point[:, :, None] * np.einsum("ri,rij->rj", point, columns)[:, None, :]
    stretch = np.linalg.qr(carried, mode="r")
    diagonal = np.abs(np.diagonal(stretch, axis1=1, axis2=2)) / length[:, None]
    first = np.diagonal(derivative, axis1=1, axis2=2) - along
    return np.asarray(np.sum(np.log(diagonal) - first, axis=0))
