"""Ensembles: the same numbers however the work is cut, and the same paths as single flows."""

from __future__ import annotations

import numpy as np
import pytest

import rqf
from rqf.flow import SCHEMES, ensemble
from rqf.flow.simulate import _plan
from rqf.sphere import gram, uniform

FORM = rqf.QuadraticForm([[1.0, 0.2, 0.0], [0.2, 0.0, 0.5], [0.0, 0.5, -1.0]])


def computed(
    field: rqf.fields.LinearField, *, block_bytes: int | None = None, workers: int | None = None,
    **settings: object,
) -> np.ndarray:  # fmt: skip
    """The result of an ensemble whose every number is written once."""
    plan = {
        "tokens": None, "t": 2.0, "dt": 1 / 16, "realizations": 9, "seed": 3, "times": 7,
        "x0": None, "law": False, "scheme": None, "refine": True,
    } | settings  # fmt: skip
    what, moments, _ = _plan(field, **plan)
    out = np.full((what.realizations, len(moments), what.tokens, what.width), np.nan)

    def sink(members: slice, window: slice, chosen: slice, block: np.ndarray) -> None:
        assert np.isnan(out[members, window, chosen]).all()
        out[members, window, chosen] = block

    what.run(sink, workers, block_bytes=block_bytes)
    assert not np.isnan(out).any()
    return out


@pytest.mark.parametrize(
    ("field", "settings"),
    [
        (rqf.RandomQuadraticForm(2), {"tokens": 17}),
        (rqf.RandomQuadraticForm(3), {"tokens": 64, "t": 7.0}),
        (rqf.RandomQuadraticForm(3) + FORM, {"tokens": 5, "scheme": "exponential"}),
        (FORM, {"tokens": 5}),
        (rqf.LinearLayer(6), {"tokens": 3}),
        (rqf.LinearLayer(6), {"tokens": 7, "dt": 1 / 2}),
        (rqf.RandomQuadraticForm(13), {"tokens": 13, "scheme": "euler"}),
        (rqf.RandomQuadraticForm(13), {"tokens": 12, "scheme": "heun"}),
        (rqf.RandomQuadraticForm(3), {"tokens": 9, "law": True}),
        (rqf.RandomQuadraticForm(50), {"tokens": 4, "law": True}),
        (rqf.Skew(4), {"x0": uniform(6, 4, rng=0)}),
        (rqf.RandomQuadraticForm(4), {"x0": uniform((9, 6), 4, rng=0)}),
    ],
    ids=lambda value: None if isinstance(value, dict) else type(value).__name__,
)
def test_blocks_and_workers_do_not_show(field: rqf.fields.LinearField, settings: dict) -> None:
    """Not in a single bit: any number of threads, blocks of a token, of a few, of everything."""
    expected = computed(field, workers=1, **settings)
    for workers, block_bytes in [(1, 1), (2, 100), (7, 1000), (2, 20_000), (7, 1 << 30)]:
        found = computed(field, workers=workers, block_bytes=block_bytes, **settings)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("block_bytes", [1, 333, 5000, 1 << 20])
def test_blocks_keep_to_their_size(block_bytes: int) -> None:
    """A block holds at most `block_bytes` or, if that is less, one token at one time."""
    sizes = []
    what, *_ = _plan(
        rqf.RandomQuadraticForm(3), 50, 2.0, 1 / 16, 40, 0, 9, None, False, None, True
    )
    what.run(lambda *place: sizes.append(place[3].nbytes), 1, block_bytes=block_bytes)
    assert max(sizes) <= max(block_bytes, 8 * 3)
    assert sum(sizes) == 8 * 40 * 9 * 50 * 3


def test_size_of_blocks_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "BLOCK_BYTES", 240)
    sizes = []
    what, *_ = _plan(rqf.RandomQuadraticForm(3), 5, 1.0, 1 / 4, 6, 0, 5, None, False, None, True)
    what.run(lambda *place: sizes.append(place[3].nbytes), 1)
    assert max(sizes) == 240


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("field", "tokens", "dt"),
    [
        (rqf.RandomQuadraticForm(3), 5, 1 / 16),
        (rqf.LinearLayer(6, 0.8), 3, 0.3),
        (rqf.LinearLayer(6, 0.8), 8, 0.3),
        (rqf.Skew(3) + FORM + rqf.RandomQuadraticForm(3, 2.0), 4, 1 / 2),
    ],
    ids=["small", "direct", "lift", "sum"],
)
def test_realisations_are_flows(scheme: str, field, tokens: int, dt: float) -> None:
    """Realisation r is the flow of `Wiener(seed, cell, realization=r)` from the same start."""
    ds = rqf.simulate(field, tokens, t=30 * dt, dt=dt, realizations=5, seed=11, times=4,
                      scheme=scheme)  # fmt: skip
    flow = rqf.Flow(field, dt, scheme)
    for r in (0, 4):
        omega = rqf.Wiener(11, cell=ds.attrs["cell"], realization=r)
        path = flow.path(omega, ds.x[r, 0], ds.time)
        np.testing.assert_allclose(path, ds.x[r], rtol=0, atol=1e-12)


def test_realisations_do_not_depend_on_how_many_there_are() -> None:
    field = rqf.RandomQuadraticForm(3)
    many = rqf.simulate(field, 6, t=2.0, realizations=30, seed=4, times=3)
    few = rqf.simulate(field, 6, t=2.0, realizations=3, seed=4, times=3)
    np.testing.assert_array_equal(few.x, many.x[:3])
    fewer_tokens = rqf.simulate(field, 2, t=2.0, realizations=3, seed=4, times=3)
    np.testing.assert_array_equal(fewer_tokens.x, few.x[:, :, :2])
    other = rqf.simulate(field, 6, t=2.0, realizations=3, seed=5, times=3)
    assert not np.isin(other.x, few.x).any()


def test_a_run_goes_on_where_another_ended() -> None:
    """[0, 3] in one run, and [0, 1] and [1, 3] on the shifted noise."""
    field, dt = rqf.RandomQuadraticForm(3) + FORM, 1 / 8
    whole = rqf.simulate(field, 4, t=3.0, dt=dt, realizations=3, seed=2, times=[0.0, 1.0, 3.0])
    half = rqf.simulate(field, 4, t=1.0, dt=dt, realizations=3, seed=2, times=[0.0, 1.0])
    np.testing.assert_allclose(half.x, whole.x[:, :2], rtol=0, atol=1e-13)
    flow = rqf.Flow(field, dt, whole.attrs["scheme"])
    for r in range(3):
        omega = rqf.Wiener(2, cell=whole.attrs["cell"], realization=r).shift(1.0)
        rest = flow(omega, half.x[r, 1], 2.0)
        np.testing.assert_allclose(rest, whole.x[r, 2], rtol=0, atol=1e-12)


def test_initial_points_are_uniform_and_independent() -> None:
    """Means and second moments of 3 · 8000 points within four standard errors."""
    x = rqf.simulate(rqf.Skew(3), 3, t=0.0, realizations=8000, seed=1).x.values[:, 0]
    assert np.max(np.abs(np.linalg.norm(x, axis=-1) - 1.0)) < 1e-15
    root = np.sqrt(8000.0)
    assert np.all(np.abs(x.mean(axis=0)) < 4 / np.sqrt(3) / root)
    second = np.einsum("rki,rkj->kij", x, x) / 8000
    spread = np.where(np.eye(3) > 0, np.sqrt(4 / 45), np.sqrt(1 / 15))
    assert np.all(np.abs(second - np.eye(3) / 3) < 4 * spread / root)
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        overlap = np.sum(x[:, one] * x[:, other], axis=1)
        assert abs(overlap.mean()) < 4 / np.sqrt(3) / root
        assert abs((overlap**2).mean() - 1 / 3) < 4 * np.sqrt(4 / 45) / root


@pytest.mark.parametrize("n", [2, 3, 6, 1000])
def test_in_law_as_pathwise(n: int) -> None:
    """Gram matrices of four tokens, in law and of tokens: E Z and E Z² of three pairs each.

    4000 realisations; within four standard errors of each other, and of the exact values.
    """
    field = rqf.RandomQuadraticForm(n)
    start = np.zeros((4, n))
    start[:, 0] = [1.0, 0.5, -0.8, 0.6]
    start[:, 1] = np.sqrt(1 - start[:, 0] ** 2)
    settings = {"t": 1.2, "dt": 0.1, "realizations": 4000, "times": [1.2], "x0": start}
    law = rqf.simulate(field, law=True, seed=1, **settings).gram.values[:, 0]
    samples = [law]
    if n < 10:
        samples.append(gram(rqf.simulate(field, seed=2, **settings).x.values[:, 0]))
    means = [
        np.array([[f(g[:, 0, k]).mean() for f in (np.array, np.square)] for k in (1, 2, 3)])
        for g in samples
    ]
    errors = [
        np.array([[f(g[:, 0, k]).std() for f in (np.array, np.square)] for k in (1, 2, 3)])
        / np.sqrt(4000)
        for g in samples
    ]
    assert np.all(np.abs(means[0][0] - [0.3727371, 0.7238018]) < 4 * errors[0][0])
    if n < 10:
        assert np.all(np.abs(means[0] - means[1]) < 4 * np.hypot(*errors))


def test_in_law_start_and_structure() -> None:
    """Gram matrices of points: unit diagonal, symmetric, positive; the start is that of x0."""
    x0 = uniform((5, 6), 4, rng=3)
    ds = rqf.simulate(rqf.LinearLayer(4), t=2.0, realizations=5, x0=x0, law=True, times=3)
    assert ds.gram.dims == ("realization", "time", "token", "token_other")
    matrices = ds.gram.values
    np.testing.assert_allclose(matrices[:, 0], gram(x0), rtol=0, atol=1e-12)
    assert np.all(np.diagonal(matrices, axis1=-2, axis2=-1) == 1.0)
    np.testing.assert_allclose(matrices, np.swapaxes(matrices, -1, -2), rtol=0, atol=1e-15)
    assert np.min(np.linalg.eigvalsh(matrices)) > -1e-12
    assert np.max(np.linalg.matrix_rank(matrices, tol=1e-9)) <= 4


def test_in_law_in_a_million_dimensions() -> None:
    """Starting overlaps have variance 1/n; afterwards the law is that of eight dimensions."""
    settings = {"tokens": 8, "t": 4.0, "dt": 1 / 4, "realizations": 50, "times": [0.0, 4.0]}
    ds = rqf.simulate(rqf.RandomQuadraticForm(10**6), law=True, **settings)
    upper = np.triu_indices(8, 1)
    start = ds.gram.values[:, 0][:, upper[0], upper[1]]
    assert abs((1e6 * start**2).mean() - 1.0) < 4 * np.sqrt(2 / start.size)
    assert np.abs(ds.gram.values[:, 1]).mean() > 0.5


def test_in_law_a_rotation_moves_nothing() -> None:
    x0 = uniform(3, 5, rng=4)
    ds = rqf.simulate(rqf.Skew(5), t=5.0, x0=x0, law=True, realizations=2, times=3)
    np.testing.assert_allclose(ds.gram, np.broadcast_to(gram(x0), (2, 3, 3, 3)), atol=1e-12, rtol=0)


def test_in_law_one_token() -> None:
    ds = rqf.simulate(rqf.RandomQuadraticForm(7), 1, t=1.0, law=True, times=2)
    np.testing.assert_array_equal(ds.gram, np.ones((1, 2, 1, 1)))
