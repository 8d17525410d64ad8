"""Order parameters: closed forms, points against overlaps, many tokens without N² memory."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import xarray as xr

from rqf import sphere
from rqf.errors import InvalidArgument
from rqf.observe.order_parameters import order_parameters
from rqf.observe.overlaps import overlap

NAMES = ("polarity", "bipolarity", "effective_rank", "clusters")


def values(x):
    found = order_parameters(x)
    return tuple(found[name].item() for name in NAMES)


@pytest.mark.parametrize("n", [2, 3, 1000])
@pytest.mark.parametrize("tokens", [1, 2, 9])
def test_tokens_together(n, tokens):
    x = np.tile(sphere.uniform(1, n, 1), (tokens, 1))
    assert values(x) == pytest.approx((1.0, 1.0, 1.0, 1), rel=1e-14)


@pytest.mark.parametrize("n", [2, 3, 1000])
@pytest.mark.parametrize(("up", "down"), [(1, 1), (7, 2), (5, 5)])
def test_bipolar_tokens(n, up, down):
    a = sphere.uniform(1, n, 2)
    x = np.concatenate([np.tile(a, (up, 1)), np.tile(-a, (down, 1))])
    polarity = abs(up - down) / (up + down)
    assert values(x) == pytest.approx((polarity, 1.0, 1.0, 2), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("n", [2, 3, 8, 100])
def test_an_orthonormal_frame(n):
    x = sphere.rotation(n, 3)
    assert values(x) == pytest.approx((1.0 / math.sqrt(n), 1.0 / n, n, n), rel=1e-12)


@pytest.mark.parametrize("k", [3, 5, 12])
def test_points_that_divide_the_circle(k):
    phi = 2.0 * math.pi * np.arange(k) / k
    x = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    assert values(x) == pytest.approx((0.0, 0.5, 2.0, k), rel=1e-14, abs=1e-15)


def test_two_tokens_at_an_angle():
    theta = 1.2
    x = [[1.0, 0.0, 0.0], [math.cos(theta), math.sin(theta), 0.0]]
    c = math.cos(theta)
    expected = (math.cos(theta / 2), 0.5 * (1.0 + c), 2.0 / (1.0 + c * c), 2)
    assert values(x) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("tokens", "n"), [(12, 3), (12, 12), (5, 40)])
def test_by_definition_and_from_overlaps(tokens, n):
    x = sphere.uniform((2, 3, tokens), n, 4)
    x[1] = sphere.normalize(x[1] + 2.0 * x[1, 0, 0])
    moment = np.einsum("...ti,...tj->...ij", x, x) / tokens
    eigenvalues = np.linalg.eigvalsh(moment)
    found = order_parameters(x)
    np.testing.assert_allclose(found.polarity, np.linalg.norm(np.mean(x, -2), axis=-1), rtol=1e-14)
    np.testing.assert_allclose(found.bipolarity, eigenvalues[..., -1], rtol=1e-13)
    rank = np.sum(eigenvalues, -1) ** 2 / np.sum(eigenvalues**2, -1)
    np.testing.assert_allclose(found.effective_rank, rank, rtol=1e-13)
    dims = ("realization", "time", "token", "token_other")
    by_gram = order_parameters(xr.DataArray(overlap(x), dims=dims))
    for name in NAMES:
        np.testing.assert_allclose(by_gram[name], found[name], rtol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 100])
def test_nothing_depends_on_frame_and_order(n):
    rng = np.random.default_rng(5)
    x = sphere.normalize(sphere.uniform(1, n, rng) + 0.5 * sphere.uniform(20, n, rng))
    turned = (x @ sphere.rotation(n, rng, reflections=True).T)[rng.permutation(20)]
    assert values(turned) == pytest.approx(values(x), rel=1e-13)


def test_antipodes_change_the_polarity_only():
    rng = np.random.default_rng(6)
    x = sphere.uniform(20, 4, rng)
    before, after = values(x), values(x * rng.choice([-1.0, 1.0], (20, 1)))
    assert after[1:3] == pytest.approx(before[1:3], rel=1e-14)
    assert abs(after[0] - before[0]) > 0.01


def test_uniform_tokens():
    # E |mean|² = 1/N and E tr S² = 1/N + (1 - 1/N)/n; four standard errors
    tokens, n, samples = 16, 3, 2000
    found = order_parameters(sphere.uniform((samples, tokens), n, 7))
    for sample, expected in (
        (found.polarity**2, 1.0 / tokens),
        (1.0 / found.effective_rank, 1.0 / tokens + (1.0 - 1.0 / tokens) / n),
    ):
        error = float(sample.std()) / math.sqrt(samples)
        assert abs(float(sample.mean()) - expected) < 4.0 * error


def dataset(**variables):
    coords = {"time": [0.0, 1.0, 2.0], "realization": [4, 6]}
    return xr.Dataset(variables, coords=coords, attrs={"seed": 7})


def test_datasets():
    x = sphere.uniform((2, 3, 5), 4, 8)
    points = (("realization", "time", "token", "component"), x)
    gram = (("realization", "time", "token", "token_other"), overlap(x))
    found = order_parameters(dataset(x=points))
    assert set(found.data_vars) == set(NAMES)
    assert found.attrs == {"seed": 7}
    for name in NAMES:
        assert found[name].dims == ("realization", "time")
        assert found[name].attrs["units"] == "1"
        assert found[name].attrs["long_name"]
    assert found.clusters.dtype.kind == "i"
    assert list(found.time.values) == [0.0, 1.0, 2.0]
    assert list(found.realization.values) == [4, 6]
    xr.testing.assert_identical(found, order_parameters(dataset(x=points, gram=gram)))
    xr.testing.assert_allclose(found, order_parameters(dataset(gram=gram)), rtol=1e-12)
    xr.testing.assert_equal(found, order_parameters(dataset(x=points).x))
    stored = dataset(x=points).transpose("component", "time", "token", "realization")
    xr.testing.assert_equal(order_parameters(stored).transpose("realization", "time"), found)


def test_many_tokens_take_memory_for_n_and_not_for_n_squared():
    tokens = 100_000
    x = sphere.normalize(sphere.uniform(tokens, 3, 9) * [1.0, 1e-9, 1e-9])
    order_parameters(sphere.uniform(5000, 3, 0))  # compiled
    tracemalloc.start()
    found = values(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * x.nbytes
    assert found[1:] == pytest.approx((1.0, 1.0, 2), rel=1e-9)


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match="x or gram"):
        order_parameters(xr.Dataset({"y": ("token", [1.0])}))
    with pytest.raises(InvalidArgument, match="dims"):
        order_parameters(xr.DataArray([[1.0, 0.0]], dims=("layer", "component")))
    with pytest.raises(InvalidArgument, match=r"rqf\.normalize"):
        order_parameters([[1.0, 1.0]])
