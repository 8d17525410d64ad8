"""Overlaps and angles of every pair of tokens: what is left of a configuration without its frame.

Observables take tokens in one of three forms:

- an array of points, shape (..., N, n), unit rows;
- a DataArray of points with dims `token` and `component`, such as `ds.x`;
- a DataArray of overlaps with dims `token` and `token_other`, such as `ds.gram`.

Arrays give arrays, DataArrays give DataArrays that keep the other dims and the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from rqf import sphere
from rqf.errors import InvalidArgument

Array = NDArray[np.float64]

POINTS = ("token", "component")
GRAM = ("token", "token_other")


@overload
def overlap(x: xr.DataArray) -> xr.DataArray: ...
@overload
def overlap(x: ArrayLike) -> Array: ...
def overlap(x: Any) -> Any:
    """Pairwise overlaps x_i·x_j of tokens, each in [-1, 1], exactly 1 on the diagonal.

    Parameters
    ----------
    x : array of shape (..., N, n), or DataArray with dims (token, component) and any others
        Unit rows. A DataArray of overlaps, dims (token, token_other), is checked, and returned
        with its dims in order and clipped to [-1, 1].

    Returns
    -------
    array of shape (..., N, N), or DataArray with dims (..., token, token_other)
        Named "overlap", dimensionless.

    Raises
    ------
    rqf.errors.InvalidArgument
        If rows are not unit vectors or dims are missing.

    Examples
    --------
    >>> overlap([[1.0, 0.0], [0.6, 0.8]])
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return _pairwise(x, sphere.gram, _same, "overlap", "overlap x·y", "1")


@overload
def angles(x: xr.DataArray) -> xr.DataArray: ...
@overload
def angles(x: ArrayLike) -> Array: ...
def angles(x: Any) -> Any:
    """Pairwise angles of tokens in radians, without cancellation near 0 and π.

    One token at a time is held against all later ones, so that memory stays that of x and of the
    result; meant for up to some hundred tokens.

    Parameters
    ----------
    x : array of shape (..., N, n), or DataArray with dims (token, component) and any others
        Unit rows. A DataArray of overlaps, dims (token, token_other), works too, but its angles
        are known to 1e-8 only near 0 and π: the overlaps do not hold more.

    Returns
    -------
    array of shape (..., N, N), or DataArray with dims (..., token, token_other)
        Named "angle", from 0 to π, symmetric.

    Raises
    ------
    rqf.errors.InvalidArgument
        If rows are not unit vectors or dims are missing.

    Examples
    --------
    >>> float(angles([[1.0, 0.0], [1.0, 1e-9]])[0, 1])
    1e-09
    """
    return _pairwise(x, _angles_of_points, _angles_of_gram, "angle", "angle between tokens", "rad")


def apply(
    x: xr.DataArray | ArrayLike,
    from_points: Callable[[Array], Any],
    from_gram: Callable[[Array], Any],
    *output_dims: tuple[str, ...],
) -> Any:
    """Apply the function for points or the one for overlaps, whichever x holds.

    Each takes a checked array and returns one array for every entry of `output_dims`, which names
    the axes that the array has after the leading ones of x.
    """
    if not isinstance(x, xr.DataArray):
        return from_points(sphere.point_sets("x", x))
    name = "x" if x.name is None else str(x.name)
    if set(POINTS) <= set(x.dims):
        dims, check, kernel = POINTS, sphere.point_sets, from_points
    elif set(GRAM) <= set(x.dims):
        dims, check, kernel = GRAM, sphere.gram_matrices, from_gram
    else:
        raise InvalidArgument(
            f"{name} has dims {x.dims}: must have {POINTS} (unit rows) or {GRAM} (overlaps)"
        )
    return xr.apply_ufunc(
        lambda values: kernel(check(name, values)),
        x.compute(),
        input_core_dims=[list(dims)],
        output_core_dims=[list(names) for names in output_dims],
    )


def _pairwise(
    x: Any,
    from_points: Callable[[Array], Array],
    from_gram: Callable[[Array], Array],
    name: str,
    long_name: str,
    units: str,
) -> Any:
    result = apply(x, from_points, from_gram, GRAM)
    if not isinstance(result, xr.DataArray):
        return result
    if "token" in result.indexes and "token_other" not in result.indexes:
        result = result.assign_coords(token_other=result["token"].values)
    return result.rename(name).assign_attrs(long_name=long_name, units=units)


def _same(gram: Array) -> Array:
    return gram


def _angles_of_points(points: Array) -> Array:
    tokens = points.shape[-2]
    result = np.zeros((*points.shape[:-1], tokens))
    for i in range(tokens - 1):
        row = sphere.between(points[..., i : i + 1, :], points[..., i + 1 :, :])
        result[..., i, i + 1 :] = row
        result[..., i + 1 :, i] = row
    return result


def _angles_of_gram(gram: Array) -> Array:
    return np.asarray(np.arccos(gram))
