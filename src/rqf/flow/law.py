"""Tokens moved in law only: the values of the field at the tokens are drawn jointly.

The noise of a step at N tokens is Gaussian with the covariance that `Field.kernels` gives for
their Gram matrix K. Where b = 0 it is L ζ with L Lᵀ = a(K) and ζ standard normal, N × n. A linear
field is moved by its own matrix. Any other field with b ≠ 0 is drawn within the span of the tokens
from the covariance a_ij δ_αβ + b_ij x_jα x_iβ, and across it from a alone. A drift adds
Σ_j pull_ij x_j.

In dimensions beyond 2N the tokens are kept as N coordinates in their own span, and all components
across it as the N × N lower triangular factor of their Wishart matrix (Bartlett): only chi
variables know the dimension, so that a million dimensions cost what N do. Overlaps under a linear
field do not depend on the dimension at all: there it moves the tokens within N dimensions, before
the rest. The frame is turned at every step; overlaps are what such a run is about. The step is
Euler's tangent step, weak order 1; (n - 1) a(1) dt, without the linear part, has to be small.
Angles below 1e-8 are not told apart: K is a matrix of floating-point numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.flow.linear_noise import LinearNoise, linear_noise
from rqf.flow.schemes.matrices import assemble_each
from rqf.flow.tokens import added, refuse_strong, speed, tangent, unit
from rqf.noise import Wiener, draw
from rqf.noise.grid import Grid, align

Array = NDArray[np.float64]
DENSE = 4096  # largest side of a covariance matrix that is factored for a field with b ≠ 0
ROOM = 1 << 21  # doubles of noise drawn at once
ACROSS = 255  # stream of the components across the span


@dataclass(frozen=True, eq=False)
class LawStepper:
    """A field and a step, ready to move the tokens of an ensemble in law.

    `dimension` is that of the coordinates that are kept, `ambient` that of the sphere.
    """

    field: Field
    dt: float
    grid: Grid
    dimension: int
    ambient: int

    @property
    def whole_chunks(self) -> int:
        """Any step is a place to stop at."""
        return 1

    def advance(
        self,
        states: Array,
        seed: int,
        realizations: NDArray[np.uint64],
        begin: int,
        steps: int,
        tokens: bool = True,
    ) -> None:
        """Carry tokens, the columns of states (R, dimension, N), through some steps, in place."""
        count = states.shape[2]
        together = max(1, ROOM // (count * (self.dimension + count)))
        for first in range(0, len(states), together):
            block = slice(first, first + together)
            x = np.ascontiguousarray(np.swapaxes(states[block], 1, 2))
            for step in range(begin, begin + steps):
                x = self._step(x, seed, realizations[block], step)
            states[block] = np.swapaxes(x, 1, 2)

    def _step(self, x: Array, seed: int, keys: NDArray[np.uint64], step: int) -> Array:
        reduced = self.ambient > self.dimension
        parts = list(enumerate(self.field.summands))
        linear = [
            self._linear(part, x, seed, keys, step, stream)
            for stream, part in parts
            if isinstance(part, LinearField)
        ]
        moved = added([np.zeros_like(x), *linear])
        if reduced and linear:
            x, moved = unit(x + tangent(x, moved)), np.zeros_like(x)
        gram = _gram(x)
        across = np.zeros_like(gram)
        for stream, part in parts:
            if isinstance(part, LinearField):
                continue
            kernels = part.kernels(gram)
            if kernels.pull is not None:
                moved += self.dt * (kernels.pull @ x)
            a = np.asarray(kernels.a)
            if np.any(a):
                moved += self._noise(a, kernels.b, x, seed, keys, step, stream)
                across += a
        y = x + tangent(x, moved)
        if not reduced or not np.any(across):
            return unit(y)
        beyond = math.sqrt(self.dt) * (_root(across) @ self._bartlett(x, seed, keys, step))
        return unit(_lower(np.concatenate([y, beyond], axis=-1)))

    def _normals(
        self, shape: tuple[int, ...], seed: int, keys: NDArray[np.uint64], step: int, stream: int
    ) -> Array:
        out = np.empty((len(keys), 1, math.prod(shape)))
        draw.law(self.grid, seed, keys, step, stream, out)
        return out.reshape(len(keys), *shape)

    def _linear(
        self, part: LinearField, x: Array, seed: int, keys: NDArray[np.uint64], step: int,
        stream: int,
    ) -> Array:  # fmt: skip
        noise = self._linear_noise(part)
        z = self._normals((1, noise.size), seed, keys, step, stream)
        matrices = np.empty((len(x), noise.n, noise.n))
        assemble_each(z, 0, noise.kinds, noise.amplitudes, noise.drift_matrix, matrices)
        return x @ np.swapaxes(matrices, -1, -2)

    def _linear_noise(self, part: LinearField) -> LinearNoise:
        return linear_noise(part.in_dimension(self.dimension), self.dt, self.dt)

    def _noise(
        self, a: Array, b: Array | None, x: Array, seed: int, keys: NDArray[np.uint64], step: int,
        stream: int,
    ) -> Array:  # fmt: skip
        tokens, m = x.shape[1:]
        z = self._normals((tokens, m), seed, keys, step, stream)
        if b is None:
            return math.sqrt(self.dt) * (_root(a) @ z)
        if tokens * m > DENSE:
            raise InvalidArgument(
                f"tokens = {tokens}: a field with b ≠ 0 is drawn in law for at most {DENSE} //"
                f" {m} = {DENSE // m} tokens here; pathwise there is no such limit"
            )
        joint = np.einsum("rij,ab->riajb", a, np.eye(m))
        joint += np.einsum("rij,rja,rib->riajb", b, x, x)
        root = _root(joint.reshape(len(x), tokens * m, tokens * m))
        values = np.squeeze(root @ z.reshape(len(x), tokens * m, 1), axis=-1)
        return math.sqrt(self.dt) * values.reshape(x.shape)

    def _bartlett(self, x: Array, seed: int, keys: NDArray[np.uint64], step: int) -> Array:
        """Components across the span, N × N lower triangular, in a frame of their own."""
        from scipy.special import chdtri, ndtr

        tokens = x.shape[1]
        z = self._normals((tokens, tokens), seed, keys, step, ACROSS)
        rows = np.tril(z, -1)
        pivots = np.arange(tokens)
        freedom = self.ambient - self.dimension - pivots
        rows[:, pivots, pivots] = np.sqrt(chdtri(freedom, ndtr(z[:, pivots, pivots])))
        return rows


def law_stepper(field: Field, dt: float, omega: Wiener, tokens: int, positions: bool) -> LawStepper:
    """The stepper in law of `field`; `positions` asks for tokens in R^n, not only overlaps."""
    for part in field.summands:
        if isinstance(part, LinearField) and part.drift is not None:
            raise InvalidArgument("law = True: a field with a fixed form is pathwise only")
    field.kernels(np.eye(2))
    dimension = field.n if positions or field.n <= 2 * tokens else max(tokens, 2)
    moving = [
        part.in_dimension(dimension) if isinstance(part, LinearField) else part
        for part in field.summands
    ]
    refuse_strong(sum(speed(part) for part in moving), dt)
    return LawStepper(field, dt, align(omega, dt), dimension, field.n)


def _gram(x: Array) -> Array:
    """Overlaps of unit rows with diagonal 1."""
    gram = np.clip(x @ np.swapaxes(x, -1, -2), -1.0, 1.0)
    which = np.arange(x.shape[1])
    gram[:, which, which] = 1.0
    return gram


def _root(matrix: Array) -> Array:
    """L with L Lᵀ = matrix: Cholesky's where it exists, else from eigenvectors.

    Of a singular matrix, as clustered tokens make it, eigenvalues within rounding of 0 count as 0,
    so that coincident tokens get one displacement.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        if len(matrix) > 1:  # each by itself: no realisation may depend on another
            return np.concatenate([_root(one[None]) for one in matrix])
        values, vectors = np.linalg.eigh(matrix)
        floor = matrix.shape[-1] * np.finfo(np.float64).eps * np.abs(values[..., -1:])
        return np.asarray(vectors * np.sqrt(np.where(values > floor, values, 0.0))[..., None, :])


def _lower(rows: Array) -> Array:
    """Rows (R, N, M) turned into N coordinates each: the lower triangular factor of rows."""
    return np.asarray(np.swapaxes(np.linalg.qr(np.swapaxes(rows, -1, -2), mode="r"), -1, -2))
