"""Which kernels are covariances: Schoenberg's theorem, and a sample of points where b takes part.

a(x·y) is the covariance of a random function on S^{n-1} if and only if its coefficients in the
Gegenbauer polynomials of S^{n-1} are not negative (Schoenberg, 1942). Beside a b this is necessary
on S^{n-2}, for the components of F orthogonal to that sphere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

Array = NDArray[np.float64]
NODES = 400
SAMPLE, PLANE = 24, 5


def gegenbauer_coefficients(a: Callable[[Array], Array], n: int, degree: int = 40) -> Array:
    """Coefficients 0 to `degree` of a(z) in the polynomials p_k orthonormal on S^{n-1}, p_k(1) > 0.

    By Gauss quadrature for the law of an overlap of uniform points, of density proportional to
    (1 - z²)^{(n-3)/2}. The eigenvectors of its Jacobi matrix hold p_k at the nodes times the roots
    of the weights (Golub and Welsch, 1969).
    """
    nodes, vectors = eigh_tridiagonal(np.zeros(NODES), _steps(n, NODES))
    values = vectors[0] * a(np.clip(nodes, -1.0, 1.0))
    return np.asarray(vectors[: degree + 1] @ values)


def least_eigenvalue(a: Callable[[Array], Array], b: Callable[[Array], Array], n: int) -> float:
    """Smallest eigenvalue of the covariances P_x (a(x·y) I + b(x·y) y xᵀ) P_y at 24 points.

    Tokens feel the tangential part only. The points are fixed, in at most 5 dimensions; half are
    close to another one or antipodal.
    """
    m = min(n, PLANE)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(SAMPLE, m))
    x[1::4] = x[0::4] + 0.05 * rng.normal(size=x[1::4].shape)
    x[3::4] = -x[2::4]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    gram = np.clip(x @ x.T, -1.0, 1.0)
    covariance = np.einsum("ij,kl->ijkl", a(gram), np.eye(m))
    covariance += np.einsum("ij,jk,il->ijkl", b(gram), x, x)
    tangent = np.eye(m) - np.einsum("ik,il->ikl", x, x)
    covariance = np.einsum("ikp,ijpq,jql->ikjl", tangent, covariance, tangent)
    return float(np.linalg.eigvalsh(covariance.reshape(SAMPLE * m, SAMPLE * m))[0])


def _steps(n: int, size: int) -> Array:
    """Off-diagonal of the Jacobi matrix of (1 - z²)^{(n-3)/2}."""
    k = np.arange(1.0, size)
    with np.errstate(invalid="ignore"):
        squares = k * (k + n - 3.0) / ((2.0 * k + n - 2.0) * (2.0 * k + n - 4.0))
    squares[0] = 1.0 / n
    return np.sqrt(squares)
