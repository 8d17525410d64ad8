"""Order parameters: how far a configuration of tokens has come, in four numbers.

With m the mean of x and S the mean of x xᵀ over N tokens: the *polarity* |m| is 1 when all tokens
are together, the *bipolarity*, the top eigenvalue of S, is 1 when all lie on one axis, either side;
the *effective rank* 1 / tr S² counts the directions in use, and *clusters* the groups. All four are
functions of the Gram matrix and do not change when the frame is rotated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from rqf.errors import InvalidArgument
from rqf.observe.clusters import separate
from rqf.observe.overlaps import apply

Array = NDArray[np.float64]

LONG_NAMES = {
    "polarity": "polarity, norm of the mean token",
    "bipolarity": "bipolarity, top eigenvalue of the mean of x xᵀ",
    "effective_rank": "effective rank, participation ratio of the eigenvalues of the mean of x xᵀ",
    "clusters": "number of separated clusters",
}


def order_parameters(ds: xr.Dataset | xr.DataArray | ArrayLike) -> xr.Dataset:
    """Polarity, bipolarity, effective rank and number of clusters of every configuration.

    Parameters
    ----------
    ds : Dataset with `x` or `gram`, DataArray, or array of points (..., N, n)
        `x` has dims (token, component) and any others, rows of norm 1; `gram` has dims
        (token, token_other) and any others. If a Dataset has both, `x` is used.

    Returns
    -------
    Dataset
        Dims: those of the tokens without token and component, such as (realization, time); for
        a bare array the names that xarray gives. Attributes of a Dataset are kept. Dimensionless
        variables:

        - `polarity`: |mean x|, from 0 to 1;
        - `bipolarity`: top eigenvalue of mean x xᵀ, from 1/min(n, N) to 1;
        - `effective_rank`: participation ratio (Σ λ)² / Σ λ² of the eigenvalues of mean x xᵀ,
          from 1 to min(n, N);
        - `clusters`: separated clusters as `rqf.observe.clusters.clusters` counts them without
          a resolution; N if the tokens have not clustered.

    Raises
    ------
    rqf.errors.InvalidArgument
        If there are neither points nor overlaps, or rows are not unit vectors.

    Notes
    -----
    Eigenvalues are those of the n×n or of the N×N matrix, whichever is smaller. Clusters of
    points cost N² n operations up to 4096 tokens and 512 N n beyond; nothing of N×N numbers is held
    unless n is larger than N. From overlaps a polarity below 1e-8 is rounding.

    Examples
    --------
    >>> found = order_parameters([[1.0, 0.0], [-1.0, 0.0]])
    >>> float(found.polarity), float(found.bipolarity), int(found.clusters)
    (0.0, 1.0, 2)
    """
    tokens = _tokens(ds) if isinstance(ds, xr.Dataset) else ds
    values = apply(tokens, _of_points, _of_gram, (), (), (), ())
    attributes = ds.attrs if isinstance(ds, xr.Dataset) else {}
    variables: dict[str, Any] = {
        name: (
            value if isinstance(value, xr.DataArray) else xr.DataArray(value)
        ).assign_attrs(long_name=long_name, units="1")
        for (name, long_name), value in zip(LONG_NAMES.items(), values, strict=True)
    }
    return xr.Dataset(variables, attrs=attributes)


def _tokens(ds: xr.Dataset) -> xr.DataArray:
    for name in ("x", "gram"):
        if name in ds.data_vars:
            return ds[name]
    raise InvalidArgument(f"ds has variables {list(ds.data_vars)}: must have x or gram")


def _of_points(points: Array) -> tuple[Array, Array, Array, Array]:
    tokens, n = points.shape[-2:]
    transposed = np.swapaxes(points, -1, -2)
    moment = (transposed @ points if n <= tokens else points @ transposed) / tokens
    polarity = np.linalg.norm(np.mean(points, axis=-2), axis=-1)
    return (polarity, *_of_moment(moment), _count(points, False))


def _of_gram(gram: Array) -> tuple[Array, Array, Array, Array]:
    polarity = np.sqrt(np.maximum(np.mean(gram, axis=(-2, -1)), 0.0))
    return (polarity, *_of_moment(gram / gram.shape[-1]), _count(gram, True))


def _of_moment(moment: Array) -> tuple[Array, Array]:
    """Top eigenvalue and participation ratio of matrices with trace 1."""
    bipolarity = np.minimum(np.linalg.eigvalsh(moment)[..., -1], 1.0)
    return bipolarity, 1.0 / np.sum(moment**2, axis=(-2, -1))


def _count(data: Array, from_gram: bool) -> NDArray[Any]:
    return np.max(separate(data, from_gram), axis=-1) + 1
