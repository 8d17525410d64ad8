"""The unit sphere S^{n-1}: distances without cancellation, uniform points, Gram matrices.

Synchronized tokens are extremely close or extremely close to antipodal, so nothing here goes
through arccos(x·y), which cannot tell an angle below 1.5e-8 from zero. A `rng` argument is a
`numpy.random.Generator`, drawn from, or a seed; there is no hidden random state.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument

Array: TypeAlias = NDArray[np.float64]
GRAM_TOLERANCE = 1e-8


def normalize(x: ArrayLike) -> Array:
    """Rows of x divided by their norms: points of the sphere.

    Works for rows of any size, subnormal or close to overflow.

    Parameters
    ----------
    x : array of shape (..., n), n >= 2
        Finite rows, none of them zero.

    Returns
    -------
    array of shape (..., n)
        Unit rows.

    Raises
    ------
    rqf.errors.InvalidArgument
        If an entry is not finite, a row is zero, n < 2 or there is no row.

    Examples
    --------
    >>> normalize([[3e300, 4e300], [0.0, -1e-300]])
    array([[ 0.6,  0.8],
           [ 0. , -1. ]])
    """
    rows = checks.finite_array("x", x)
    if rows.ndim < 1 or rows.shape[-1] < 2:
        raise InvalidArgument(f"x has shape {rows.shape}: must be (..., n) with n >= 2")
    if rows.size == 0:
        raise InvalidArgument(f"x has shape {rows.shape}: must hold at least one point")
    largest = np.max(np.abs(rows), axis=-1, keepdims=True)
    if np.any(largest == 0.0):
        raise InvalidArgument("x: has a row that is zero, which has no direction")
    scaled = rows / largest
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def tangent(x: ArrayLike, v: ArrayLike) -> Array:
    """The projection P_x v = v - (x·v) x of v on the tangent space at x.

    Parameters
    ----------
    x : array of shape (..., n)
        Unit rows.
    v : array of shape (..., n)
        Finite vectors; leading axes broadcast against those of x.

    Returns
    -------
    array of the broadcast shape (..., n)

    Raises
    ------
    rqf.errors.InvalidArgument
        If x has no unit rows, v is not finite, or the shapes do not broadcast.

    Examples
    --------
    >>> tangent([0.0, 1.0], [3.0, 5.0])
    array([3., 0.])
    """
    points = checks.unit_rows("x", x)
    vectors = checks.finite_array("v", v)
    _require_broadcast("x", points, "v", vectors)
    return np.asarray(vectors - np.sum(points * vectors, axis=-1, keepdims=True) * points)


def angle(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle between x and y in radians, from 0 to π, to full relative accuracy near 0.

    Near π it is accurate to rounding of π; `antipodal_gap` gives the small difference.

    Parameters
    ----------
    x, y : arrays of shape (..., n)
        Unit rows; leading axes broadcast.

    Returns
    -------
    array of the broadcast shape (...)

    Raises
    ------
    rqf.errors.InvalidArgument
        If x or y has no unit rows, or the shapes do not broadcast.

    Notes
    -----
    W. Kahan's formula for unit vectors is 2 atan2(|x - y|, |x + y|); here the angle is doubled
    before the arctangent, atan2(2ds, (s - d)(s + d)), which keeps the last bit of subnormal angles.

    Examples
    --------
    >>> float(angle([1.0, 0.0, 0.0], [1.0, 1e-300, 0.0]))
    1e-300
    """
    return between(*_pair(x, y))


def antipodal_gap(x: ArrayLike, y: ArrayLike) -> Array:
    """π - angle(x, y) in radians, to full relative accuracy where it is small.

    Parameters, result and errors as for `angle`.

    Examples
    --------
    >>> float(antipodal_gap([1.0, 0.0], [-1.0, 1e-12]))
    1e-12
    """
    points, others = _pair(x, y)
    return between(points, -others)


def projective_distance(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle between the lines through x and y, in radians, from 0 to π/2.

    The smaller of `angle` and `antipodal_gap`: zero for a pair that is together or antipodal.
    Parameters, result and errors as for `angle`.

    Examples
    --------
    >>> float(projective_distance([1.0, 0.0], [-1.0, 1e-12]))
    1e-12
    """
    points, others = _pair(x, y)
    return np.minimum(between(points, others), between(points, -others))


def between(points: Array, others: Array) -> Array:
    """`angle` for arrays that are known to hold unit rows: no checks, no copies to normalise."""
    d = _length(points - others)
    s = _length(points + others)
    return np.asarray(np.arctan2(2.0 * d * s, (s - d) * (s + d)))


def uniform(size: int | tuple[int, ...], n: int, rng: Any) -> Array:
    """Independent points drawn from the uniform law on S^{n-1}.

    Parameters
    ----------
    size : int >= 1 or tuple of them
        Shape of the array of points.
    n : int >= 2
        Dimension of the ambient space.
    rng : numpy.random.Generator or seed
        Source of randomness.

    Returns
    -------
    array of shape (*size, n)

    Raises
    ------
    rqf.errors.InvalidArgument
        If a size, n or rng is not allowed.

    Notes
    -----
    Normalised standard Gaussian vectors (M. E. Muller, Commun. ACM 2 (1959) 19).

    Examples
    --------
    >>> uniform((5, 2), 3, rng=0).shape
    (5, 2, 3)
    """
    shape = (*_shape("size", size), checks.integer("n", n, 2))
    return normalize(generator("rng", rng).standard_normal(shape))


def rotation(
    n: int, rng: Any, *, size: int | tuple[int, ...] = (), reflections: bool = False
) -> Array:
    """A Haar-distributed rotation of R^n.

    Parameters
    ----------
    n : int >= 2
        Dimension.
    rng : numpy.random.Generator or seed
        Source of randomness.
    size : int >= 1 or tuple of them
        Shape of an array of independent rotations; one rotation by default.
    reflections : bool
        False: Haar measure on SO(n). True: on O(n), determinant -1 half of the time.

    Returns
    -------
    array of shape (*size, n, n)
        Orthogonal matrices R; `x @ R.T` rotates rows x.

    Raises
    ------
    rqf.errors.InvalidArgument
        If n, size or rng is not allowed.

    Notes
    -----
    QR decomposition of a Gaussian matrix, the diagonal of R made positive (F. Mezzadri, Notices
    AMS 54 (2007) 592); for SO(n) the first column changes sign where the determinant is -1.

    Examples
    --------
    >>> import numpy as np
    >>> r = rotation(3, rng=0)
    >>> bool(np.allclose(r @ r.T, np.eye(3))), round(float(np.linalg.det(r)), 12)
    (True, 1.0)
    """
    n = checks.integer("n", n, 2)
    gaussian = generator("rng", rng).standard_normal((*_shape("size", size), n, n))
    q, r = np.linalg.qr(gaussian)
    q = q * np.copysign(1.0, np.diagonal(r, axis1=-2, axis2=-1))[..., None, :]
    if not reflections:
        q[..., 0] *= np.sign(np.linalg.det(q))[..., None]
    return np.asarray(q)


def gram(x: ArrayLike) -> Array:
    """The Gram matrix x_i·x_j of N points.

    Rounding is taken out: the diagonal is 1 and no entry leaves [-1, 1], so that arccos and
    artanh of the result are safe.

    Parameters
    ----------
    x : array of shape (..., N, n)
        Unit rows.

    Returns
    -------
    array of shape (..., N, N), symmetric

    Raises
    ------
    rqf.errors.InvalidArgument
        If x has no unit rows or fewer than two axes.

    Examples
    --------
    >>> gram([[1.0, 0.0], [0.6, 0.8]])
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return _products(point_sets("x", x))


def uniform_gram(
    tokens: int, n: int, rng: Any, *, size: int | tuple[int, ...] = ()
) -> Array:
    """The Gram matrix of independent uniform points on S^{n-1}, at a cost independent of n.

    Parameters
    ----------
    tokens : int >= 1
        Number N of points.
    n : int >= 2
        Dimension of the ambient space; a billion is fine.
    rng : numpy.random.Generator or seed
        Source of randomness.
    size : int >= 1 or tuple of them
        Shape of an array of independent Gram matrices; one by default.

    Returns
    -------
    array of shape (*size, N, N)

    Raises
    ------
    rqf.errors.InvalidArgument
        If tokens, n, size or rng is not allowed.

    Notes
    -----
    Rotate N Gaussian vectors of R^n so that vector i has no components beyond the i-th: its own
    component is chi with n - i + 1 degrees of freedom and those before it are standard normal
    (Bartlett's decomposition of the Wishart law). Normalising these min(N, n) components normalises
    the vectors. For N > n the vectors after the n-th are plain Gaussian.

    Examples
    --------
    >>> overlaps = uniform_gram(4, 10**6, rng=0)
    >>> bool(abs(overlaps[0, 1]) < 5e-3)
    True
    """
    tokens = checks.integer("tokens", tokens, 1)
    n = checks.integer("n", n, 2)
    source = generator("rng", rng)
    shape = _shape("size", size)
    m = min(tokens, n)
    rows = np.tril(source.standard_normal((*shape, tokens, m)), -1)
    pivots = np.arange(m)
    rows[..., pivots, pivots] = np.sqrt(source.chisquare(n - pivots, (*shape, m)))
    return _products(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def points_from_gram(gram: ArrayLike) -> Array:
    """Points that have a given Gram matrix, in the smallest dimension that holds them.

    Parameters
    ----------
    gram : array of shape (..., N, N)
        Symmetric, unit diagonal, positive semidefinite; rounding up to 1e-8 is forgiven.

    Returns
    -------
    array of shape (..., N, m)
        Unit rows; m is the largest numerical rank in the batch, and at least 2. Equal rows of
        `gram` give equal points, and opposite ones opposite points. Angles below 1e-8 cannot be
        recovered: a Gram matrix of floating-point numbers does not hold them.

    Raises
    ------
    rqf.errors.InvalidArgument
        If the matrix is not one of overlaps, or not positive semidefinite.

    Notes
    -----
    Cholesky factorisation with diagonal pivoting, stopped when what remains of the diagonal is
    below N times machine precision: O(N² m) for rank m (N. J. Higham, Accuracy and Stability of
    Numerical Algorithms, section 10.3).

    Examples
    --------
    >>> points_from_gram([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.]])
    """
    overlaps = gram_matrices("gram", gram)
    tokens = overlaps.shape[-1]
    batch = overlaps.reshape(-1, tokens, tokens)
    which = np.arange(len(batch))
    factor = np.zeros((len(batch), tokens, max(tokens, 2)))
    remaining = np.ones((len(batch), tokens))
    rank = 0
    while rank < tokens:
        pivot = np.argmax(remaining, axis=-1)
        size = remaining[which, pivot]
        live = size > tokens * np.finfo(np.float64).eps
        if not np.any(live):
            break
        known = factor[:, :, :rank]
        column = batch[which, pivot] - np.sum(known * known[which, pivot][:, None, :], axis=-1)
        column = np.where(live[:, None], column / np.sqrt(np.where(live, size, 1.0))[:, None], 0.0)
        factor[:, :, rank] = column
        remaining = remaining - column**2
        remaining[which, pivot] = 0.0
        rank += 1
    points = factor[:, :, : max(rank, 2)]
    worst = float(np.max(np.abs(points @ np.swapaxes(points, -1, -2) - batch)))
    if worst > GRAM_TOLERANCE:
        raise InvalidArgument(
            f"gram: is not positive semidefinite; the nearest points found miss it by {worst:.3g}"
        )
    return normalize(points).reshape(*overlaps.shape[:-1], -1)


def point_sets(name: str, value: ArrayLike) -> Array:
    """`value` as sets of points: shape (..., N, n), N >= 1, unit rows."""
    points = checks.unit_rows(name, value)
    if points.ndim < 2:
        raise InvalidArgument(f"{name} has shape {points.shape}: must be (..., N, n), N points")
    return points


def gram_matrices(name: str, value: ArrayLike) -> Array:
    """`value` as Gram matrices of unit vectors: shape (..., N, N), symmetric, unit diagonal.

    Entries beyond [-1, 1] by rounding (up to 1e-8) are put back; anything further is refused.
    That the matrix is positive semidefinite is not checked.
    """
    overlaps = checks.finite_array(name, value)
    shape = overlaps.shape
    if overlaps.ndim < 2 or shape[-1] != shape[-2] or overlaps.size == 0:
        raise InvalidArgument(f"{name} has shape {shape}: must be (..., N, N) with N >= 1")
    diagonal = np.diagonal(overlaps, axis1=-2, axis2=-1)
    for what, excess in (
        ("is not symmetric", np.abs(overlaps - np.swapaxes(overlaps, -1, -2))),
        ("has a diagonal that is not 1", np.abs(diagonal - 1.0)),
        ("has an entry outside [-1, 1]", np.abs(overlaps) - 1.0),
    ):
        if np.max(excess) > GRAM_TOLERANCE:
            raise InvalidArgument(f"{name}: {what}, it is off by {np.max(excess):.3g}")
    return np.clip(overlaps, -1.0, 1.0)


def generator(name: str, value: Any) -> np.random.Generator:
    """`value` as a numpy Generator: itself, or a new one made from a seed."""
    allowed = "a numpy.random.Generator or a seed (an integer >= 0)"
    try:
        if value is None or isinstance(value, (bool, np.bool_)):
            raise TypeError
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} = {value!r}: must be {allowed}") from None


def _products(points: Array) -> Array:
    """Gram matrices of unit rows, rounding taken out."""
    overlaps = np.clip(points @ np.swapaxes(points, -1, -2), -1.0, 1.0)
    diagonal = np.arange(points.shape[-2])
    overlaps[..., diagonal, diagonal] = 1.0
    return np.asarray(overlaps)


def _length(v: Array) -> Array:
    """Norms along the last axis; the squares of subnormal entries do not vanish."""
    largest = np.max(np.abs(v), axis=-1)
    scale = np.where(largest > 0.0, largest, 1.0)
    return np.asarray(scale * np.linalg.norm(v / scale[..., None], axis=-1))


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    points, others = checks.unit_rows("x", x), checks.unit_rows("y", y)
    _require_broadcast("x", points, "y", others)
    return points, others


def _require_broadcast(name: str, left: Array, other: str, right: Array) -> None:
    try:
        if left.shape[-1:] != right.shape[-1:]:
            raise ValueError
        np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        raise InvalidArgument(
            f"{other} has shape {right.shape}: must have the last axis of {name}, whose shape is"
            f" {left.shape}, and leading axes that broadcast against it"
        ) from None


def _shape(name: str, size: int | tuple[int, ...]) -> tuple[int, ...]:
    sizes = size if isinstance(size, tuple) else (size,)
    return tuple(checks.integer(name, entry, 1) for entry in sizes)
