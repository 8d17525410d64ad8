"""Which kernels are covariances: Schoenberg's theorem, and a sample of points where b takes part.

a(x·y) is the covariance of a random function on S^{n-1} if and only if its coefficients in the
Gegenbauer polynomials of S^{n-1} are not negative (Schoenberg, 1942). Beside a b this is necessary
on S^{n-2}, for the components of F orthogonal to that sphere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument

Array = NDArray[np.float64]
Kernel = Callable[[Array], Array]
NODES = 400
SAMPLE, PLANE = 24, 5
SLACK = 1e-9  # what rounding and quadrature may take from a non-negative number, in units of a, b


def check_covariance(n: int, a: Kernel, b: Kernel | None) -> None:
    """Raise InvalidArgument if a(z) I + b(z) y xᵀ is found to be no covariance on S^{n-1}."""
    z = np.linspace(-1.0, 1.0, 201)
    other = np.zeros_like if b is None else b
    slack = SLACK * max(float(np.max(np.abs(a(z)))), float(np.max(np.abs(other(z)))))
    sphere = n if b is None else n - 1
    if sphere > 1:
        coefficients = gegenbauer_coefficients(a, sphere)
        worst = int(np.argmin(coefficients))
        if coefficients[worst] < -slack:
            raise InvalidArgument(
                f"a: is not positive definite on the unit sphere of R^{sphere}, its Gegenbauer"
                f" coefficient of degree {worst} is {coefficients[worst]:.3g}; all must be >= 0"
            )
    least = least_eigenvalue(a, other, n)
    if least < -slack:
        raise InvalidArgument(
            f"a, b: a(z) I + b(z) y xᵀ is no covariance of tangent vectors, at {SAMPLE} points it"
            f" has the eigenvalue {least:.3g}; all must be >= 0"
        )


def gegenbauer_coefficients(a: Kernel, n: int, degree: int = 40) -> Array:
    """Coefficients 0 to `degree` of a(z) in the polynomials p_k orthonormal on S^{n-1}, p_k(1) > 0.

    By Gauss quadrature for the law of an overlap of uniform points, of density proportional to
    (1 - z²)^{(n-3)/2}. The eigenvectors of its Jacobi matrix hold p_k at the nodes times the roots
    of the weights (Golub and Welsch, 1969).
    """
    from scipy.linalg import eigh_tridiagonal

    nodes, vectors = eigh_tridiagonal(np.zeros(NODES), _steps(n, NODES))
    values = vectors[0] * a(np.clip(nodes, -1.0, 1.0))
    return np.asarray(vectors[: degree + 1] @ values)


def least_eigenvalue(a: Kernel, b: Kernel, n: int) -> float:
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
