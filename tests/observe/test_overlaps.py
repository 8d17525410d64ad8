"""Overlaps and angles of all pairs: against loops over pairs, and in every form of input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr

from rqf import sphere
from rqf.errors import InvalidArgument
from rqf.observe.overlaps import angles, overlap


def labelled(x, dims=("realization", "time", "token", "component")):
    coords = {
        "realization": [3, 5],
        "time": [0.0, 0.5, 1.0],
        "token": list("abcd"),
    }
    return xr.DataArray(x, dims=dims, coords=coords, name="x", attrs={"units": "1"})


@pytest.fixture
def x():
    return labelled(sphere.uniform((2, 3, 4), 5, 1))


def test_overlaps_and_angles_of_arrays(x):
    points = x.values
    z, theta = overlap(points), angles(points)
    assert z.shape == theta.shape == (2, 3, 4, 4)
    for i in range(4):
        for j in range(4):
            u, v = points[:, :, i], points[:, :, j]
            np.testing.assert_allclose(z[..., i, j], np.sum(u * v, axis=-1), atol=4e-16)
            assert np.array_equal(theta[..., i, j], sphere.angle(u, v))


def test_overlaps_of_a_dataarray_keep_dims_and_coordinates(x):
    z = overlap(x)
    assert z.dims == ("realization", "time", "token", "token_other")
    assert z.name == "overlap"
    assert z.attrs["units"] == "1"
    for name in ("realization", "time", "token"):
        assert z.indexes[name].equals(x.indexes[name])
    assert list(z.token_other.values) == list("abcd")
    assert np.array_equal(z.values, overlap(x.values))
    found = z.sel(realization=5, time=0.5, token="a", token_other="c")
    u, v = (x.sel(realization=5, time=0.5, token=t) for t in "ac")
    assert float(found) == pytest.approx(float(u.dot(v)), abs=4e-16)


def test_angles_of_a_dataarray(x):
    theta = angles(x)
    assert theta.dims == ("realization", "time", "token", "token_other")
    assert (theta.name, theta.attrs["units"]) == ("angle", "rad")
    assert list(theta.token_other.values) == list("abcd")
    assert np.array_equal(theta.values, angles(x.values))


@pytest.mark.parametrize("observable", [overlap, angles])
def test_the_order_of_dims_does_not_matter(x, observable):
    turned = observable(x.transpose("component", "time", "token", "realization"))
    assert turned.dims == ("time", "realization", "token", "token_other")
    xr.testing.assert_identical(turned.transpose(*observable(x).dims), observable(x))


@pytest.mark.parametrize("observable", [overlap, angles])
def test_other_dims_and_no_coordinates(observable):
    layers = xr.DataArray(sphere.uniform((3, 4), 5, 2), dims=("layer", "token", "component"))
    result = observable(layers)
    assert result.dims == ("layer", "token", "token_other")
    assert "token_other" not in result.coords


def test_overlaps_pass_through(x):
    z = overlap(x)
    xr.testing.assert_identical(overlap(z), z)
    xr.testing.assert_identical(overlap(z.transpose()).transpose(*z.dims), z)
    np.testing.assert_allclose(angles(z), angles(x), atol=1e-14)


def test_angles_have_no_cancellation():
    tiny = 1e-300
    x = np.array([[1.0, 0.0, 0.0], [1.0, tiny, 0.0], [-1.0, 0.0, 0.0], [1.0, 1e-9, 0.0]])
    theta = angles(x)
    assert theta[0, 1] == theta[1, 0] == tiny
    assert theta[0, 3] == theta[3, 0] == 1e-9
    assert theta[0, 2] == math.pi
    assert theta[2, 3] == math.pi - 1e-9
    assert np.all(np.diagonal(theta) == 0.0)
    z = overlap(xr.DataArray(x, dims=("token", "component")))
    assert angles(z)[0, 3] < 2.2e-8  # all that an overlap knows


@pytest.mark.parametrize("n", [2, 3, 100])
def test_nothing_depends_on_the_frame(n):
    x = sphere.uniform(20, n, 3)
    turned = x @ sphere.rotation(n, 4, reflections=True).T
    np.testing.assert_allclose(overlap(turned), overlap(x), atol=1e-14)
    np.testing.assert_allclose(angles(turned), angles(x), atol=1e-14)


@pytest.mark.parametrize("n", [2, 1000])
def test_one_token(n):
    x = sphere.uniform(1, n, 5)
    assert overlap(x) == [[1.0]]
    assert angles(x) == [[0.0]]


@pytest.mark.parametrize("observable", [overlap, angles])
def test_what_is_refused(x, observable):
    with pytest.raises(InvalidArgument, match="dims"):
        observable(x.rename(token="layer"))
    with pytest.raises(InvalidArgument, match=r"rqf\.normalize"):
        observable(2.0 * x)
    with pytest.raises(InvalidArgument, match=r"\(\.\.\., N, n\)"):
        observable([1.0, 0.0])
    with pytest.raises(InvalidArgument, match="x: is not symmetric"):
        observable(overlap(x) * xr.DataArray([1.0, 1.0, 1.0, 0.5], dims="token"))
