"""Infinitely many tokens: the uniform law carried along by a matrix is angular central Gaussian.

Under linear noise all tokens move by x → G x / |G x|. Started from the uniform law, they have at
any time and for any realisation the density `|det G|^{-1} |G^{-1} x|^{-n}` relative to it, which
Tyler (Biometrika 74, 1987) calls angular central Gaussian.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument

STEP = 0.25
MARGIN = 80.0
"""Trapezoidal rule of the second moments: step and margin in the logarithm of the variable."""


class MeanField:
    """The law of G y / |G y|, y uniform on the sphere.

    Parameters
    ----------
    G : array of shape (n, n)
        An invertible matrix; its scale does not matter.

    Raises
    ------
    rqf.errors.InvalidArgument
        If G is not square, not finite, or singular to rounding: its smallest singular value below
        n · 2.2e-16 times the largest is not determined by the entries. `from_axes` has no limit.

    Examples
    --------
    >>> import numpy as np, rqf
    >>> law = rqf.theory.MeanField(np.diag([2.0, 1.0]))
    >>> law.pdf([[1.0, 0.0], [0.0, 1.0]])
    array([2. , 0.5])
    >>> law.bipolarity().round(6)
    np.float64(0.666667)
    """

    def __init__(self, G: ArrayLike) -> None:
        matrix = checks.square_matrix("G", G)
        scale = float(np.max(np.abs(matrix)))
        axes, lengths, _ = np.linalg.svd(matrix / scale if scale > 0.0 else matrix)
        if lengths[-1] <= len(lengths) * np.finfo(float).eps * lengths[0]:
            raise InvalidArgument(
                "G: is singular to rounding (smallest over largest singular value ="
                f" {lengths[-1] / max(lengths[0], np.finfo(float).tiny):.2g});"
                " MeanField.from_axes takes axes and the logarithms of their lengths"
            )
        self._set(axes, np.log(lengths))

    @classmethod
    def from_axes(cls, axes: ArrayLike, log_lengths: ArrayLike) -> Self:
        """The law of G = axes · diag(exp(log_lengths)), however far apart the lengths are.

        Parameters
        ----------
        axes : array of shape (n, n)
            Left singular vectors of G as columns, orthonormal to 1e-8.
        log_lengths : array of shape (n,)
            Logarithms of its singular values, up to one constant.

        Raises
        ------
        rqf.errors.InvalidArgument
            If the shapes do not fit or the axes are not orthonormal.

        Examples
        --------
        >>> import numpy as np, rqf
        >>> law = rqf.theory.MeanField.from_axes(np.eye(3), [0.0, -500.0, -1000.0])
        >>> float(law.logpdf([1.0, 0.0, 0.0]))
        1500.0
        """
        columns = checks.square_matrix("axes", axes)
        logs = checks.finite_array("log_lengths", log_lengths)
        n = columns.shape[0]
        if logs.shape != (n,):
            raise InvalidArgument(f"log_lengths has shape {logs.shape}: must be ({n},)")
        if np.max(np.abs(columns.T @ columns - np.eye(n))) > checks.UNIT_TOLERANCE:
            raise InvalidArgument("axes: columns must be orthonormal")
        law = cls.__new__(cls)
        law._set(columns, logs)
        return law

    def _set(self, axes: NDArray[np.float64], log_lengths: NDArray[np.float64]) -> None:
        self._axes = axes
        self._logs = log_lengths - np.max(log_lengths)

    @property
    def n(self) -> int:
        """Dimension of the ambient space."""
        return int(self._logs.size)

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """Logarithm of the density relative to the uniform law at points x.

        Parameters
        ----------
        x : array of shape (..., n), unit rows

        Returns
        -------
        array of shape (...)

        Raises
        ------
        rqf.errors.InvalidArgument
            If x does not hold points of the sphere.
        """
        points = checks.unit_rows("x", x, self.n)
        with np.errstate(divide="ignore"):
            logs = 2.0 * (np.log(np.abs(points @ self._axes)) - self._logs)
        largest = np.max(logs, axis=-1)
        square = largest + np.log(np.sum(np.exp(logs - largest[..., None]), axis=-1))
        return np.asarray(-np.sum(self._logs) - 0.5 * self.n * square)[()]

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """The density relative to the uniform law, |det G|^{-1} |G^{-1} x|^{-n}, at points x.

        Arguments and errors as in `logpdf`; inf where the density is beyond 1e308.
        """
        with np.errstate(over="ignore"):
            return np.exp(self.logpdf(x))

    def sample(self, size: int, seed: int) -> NDArray[np.float64]:
        """Independent points of this law.

        Parameters
        ----------
        size : int >= 0
            Number of points.
        seed : int >= 0
            Seed of the Philox stream.

        Returns
        -------
        array of shape (size, n), unit rows

        Raises
        ------
        rqf.errors.InvalidArgument
            If size or seed is not a non-negative integer.
        """
        size = checks.integer("size", size, 0)
        generator = np.random.Generator(np.random.Philox(checks.integer("seed", seed, 0)))
        points = generator.standard_normal((size, self.n)) * np.exp(self._logs)
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        return points @ self._axes.T

    def second_moment(self) -> NDArray[np.float64]:
        """The matrix E[x xᵀ], of trace 1.

        Its eigenvectors are the axes; the eigenvalue of the axis of length s_i is

            m_i = ∫_0^∞ s_i² / (1 + 2 q s_i²) · Π_j (1 + 2 q s_j²)^{-1/2} dq,

        computed by the trapezoidal rule in log q. The integrand is analytic in a strip around the
        real axis, and of its own size up to an imaginary part of π/2 for any n, which leaves an
        error of e^{-π²/h} for a step h.

        Returns
        -------
        array of shape (n, n)
        """
        return np.asarray((self._axes * self._moments()) @ self._axes.T)

    def bipolarity(self) -> np.float64:
        """The top eigenvalue of E[x xᵀ]: 1/n for the uniform law, 1 for two opposite points."""
        return np.max(self._moments())

    def _moments(self) -> NDArray[np.float64]:
        squares = 2.0 * self._logs
        y = np.arange(-np.max(squares) - MARGIN, -np.min(squares) + MARGIN, STEP)
        log_terms = np.logaddexp(0.0, y[:, None] + squares)  # log(1 + 2 q s²), y = log 2q
        shares = np.exp(y[:, None] + squares - log_terms)
        return np.asarray(0.5 * STEP * np.exp(-0.5 * np.sum(log_terms, axis=1)) @ shares)
