"""A fixed quadratic form: dx/dt = -P_x M x, the deterministic relative of the random one.

Every trajectory follows `e^{-Mt} x / |e^{-Mt} x|` down the energy `x·Mx / 2` and converges to the
part of x in the eigenspace of the smallest eigenvalue.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields.base import LinearField

DEGENERATE = 1e-10


@dataclass(frozen=True, eq=False)
class QuadraticForm(LinearField):
    """The drift -P_x M x of a fixed symmetric matrix M.

    Parameters
    ----------
    matrix : array of shape (n, n), symmetric, finite
        M.

    Raises
    ------
    rqf.errors.InvalidArgument
        If M is not square, not finite or not symmetric to 1e-12 of its norm.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> form = rqf.QuadraticForm(np.diag([1.0, 1.0, 3.0]))
    >>> form.limit([0.6, 0.0, 0.8])
    array([1., 0., 0.])
    """

    matrix: NDArray[np.float64]

    def __post_init__(self) -> None:
        m = checks.square_matrix("M", self.matrix)
        if np.max(np.abs(m - m.T)) > 1e-12 * max(1.0, float(np.max(np.abs(m)))):
            raise InvalidArgument("M: must be symmetric; (M + M.T) / 2 is its symmetric part")
        m = 0.5 * (m + m.T)
        m.setflags(write=False)
        object.__setattr__(self, "matrix", m)

    @property
    def n(self) -> int:  # type: ignore[override]
        """Dimension of the ambient space."""
        return int(self.matrix.shape[0])

    @property
    def symmetric_strength(self) -> float:
        return 0.0

    @property
    def skew_strength(self) -> float:
        return 0.0

    @property
    def terms(self) -> tuple[LinearField, ...]:
        return ()

    @property
    def drift(self) -> NDArray[np.float64]:
        return -self.matrix

    def scaled(self, factor: float) -> Self:
        return type(self)(factor * self.matrix)

    def in_dimension(self, n: int) -> Self:
        raise InvalidArgument(
            f"n = {n}: a fixed quadratic form lives in its own dimension n = {self.n} only"
        )

    def energy(self, x: ArrayLike) -> NDArray[np.float64]:
        """The energy ½ x·Mx of points x of shape (..., n); decreases along the flow."""
        points = checks.unit_rows("x", x, self.n)
        return np.asarray(0.5 * np.einsum("...i,ij,...j->...", points, self.matrix, points))

    def limit(self, x: ArrayLike) -> NDArray[np.float64]:
        """Where the trajectory of x ends: its normalised part in the lowest eigenspace.

        Eigenvalues closer than 1e-10 of the norm of M count as one. Points of shape (..., n);
        a point orthogonal to the lowest eigenspace goes to the lowest one that it does meet.
        """
        points = checks.unit_rows("x", x, self.n)
        values, vectors = np.linalg.eigh(self.matrix)
        scale = DEGENERATE * max(float(np.max(np.abs(values))), np.finfo(float).tiny)
        coordinates = points @ vectors
        starts = np.r_[0, np.flatnonzero(np.diff(values) > scale) + 1, self.n]
        result = np.zeros_like(points)
        pending = np.ones(points.shape[:-1], dtype=bool)
        for lower, upper in pairwise(starts):
            part = coordinates[..., lower:upper]
            size = np.linalg.norm(part, axis=-1)
            here = pending & (size > 4 * np.finfo(float).eps)
            result[here] = (part @ vectors[:, lower:upper].T)[here] / size[here, None]
            pending &= ~here
        return result
