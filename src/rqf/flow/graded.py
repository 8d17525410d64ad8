"""The lift in graded form, in which nothing overflows and no direction is lost.

`G = e^c Q diag(exp(s)) U` with Q orthogonal, U unit upper triangular and grades s_1, …, s_n in
log units; the scale c is not kept. Products are accumulated by QR decompositions of the moving
frame (Benettin et al. 1980; Dieci and Van Vleck 1995), so that s may span thousands of e-folds:
the grades divided by time are the Lyapunov exponents of the lift, the first column of Q tends to
the attractor, and the separation of two tokens is followed far below the rounding of doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks


@dataclass(frozen=True)
class GradedLift:
    """A matrix known up to scale as Q · diag(exp(s)) · U.

    Attributes
    ----------
    frame : array (n, n)
        Q, orthogonal.
    grades : array (n,)
        s; only differences matter, the largest need not be first while they are still close.
    shape : array (n, n)
        U, upper triangular with ones on the diagonal.
    """

    frame: NDArray[np.float64]
    grades: NDArray[np.float64]
    shape: NDArray[np.float64]

    @classmethod
    def identity(cls, n: int) -> Self:
        """The lift at time 0."""
        return cls(np.eye(n), np.zeros(n), np.eye(n))

    def followed_by(self, image: NDArray[np.float64]) -> Self:
        """The lift after a further stretch of time that carries the frame Q to `image`."""
        q, r = np.linalg.qr(image)
        stretch = np.diag(r)
        q = q * np.sign(stretch)
        unit = r / stretch[:, None]
        gap = self.grades[None, :] - self.grades[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            graded = np.where(unit == 0.0, 0.0, unit * np.exp(np.minimum(gap, 700.0)))
        shape = np.triu(graded @ self.shape)
        return type(self)(q, self.grades + np.log(np.abs(stretch)), shape)

    def matrix(self) -> NDArray[np.float64]:
        """G with spectral norm 1, shape (n, n)."""
        scaled = np.exp(self.grades - self.grades.max())
        g = (self.frame * scaled) @ self.shape
        return np.asarray(g / np.linalg.norm(g, 2))

    def log_separation(
        self, x: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """log of the sine of the angle between G x and G y, and the sign of its cosine.

        Parameters
        ----------
        x, y : arrays of shape (..., n)
            Unit rows.

        Returns
        -------
        log_sine, side : arrays of shape (...)
            `log_sine` is accurate however small the angle: its sine is |G x ∧ G y| / |G x| |G y|,
            summed from the 2×2 minors in logs (-inf for coincident or opposite tokens). `side` is
            +1 if the tokens are on the way to the same point, -1 if to opposite ones.
        """
        first = checks.unit_rows("x", x, len(self.grades))
        second = checks.unit_rows("y", y, len(self.grades))
        first, second = np.broadcast_arrays(first, second)
        side = np.where(np.sum(first * second, axis=-1) < 0.0, -1.0, 1.0)
        difference = (side[..., None] * second - first) @ self.shape.T
        u = first @ self.shape.T
        v = second @ self.shape.T
        i, j = np.triu_indices(len(self.grades), 1)
        with np.errstate(divide="ignore"):
            log_u, log_v = np.log(np.abs(u)), np.log(np.abs(v))
            minors = np.log(np.abs(u[..., i] * difference[..., j] - u[..., j] * difference[..., i]))
        log_area = 0.5 * _log_sum(2.0 * (minors + self.grades[i] + self.grades[j]))
        log_first = 0.5 * _log_sum(2.0 * (log_u + self.grades))
        log_second = 0.5 * _log_sum(2.0 * (log_v + self.grades))
        top = self.grades - self.grades.max()
        scale = np.exp(2.0 * top)
        cosine = np.sum(u * v * scale, axis=-1)
        return log_area - log_first - log_second, np.where(cosine < 0.0, -1.0, 1.0)


def _log_sum(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """log Σ exp over the last axis, -inf where every term is."""
    return np.asarray(np.logaddexp.reduce(terms, axis=-1))
