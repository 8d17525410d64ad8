"""Tokens moved in law: joint draws from the Gram matrix against what the theory knows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rqf
import rqf.sphere
from rqf.errors import InvalidArgument
from rqf.flow.law import law_stepper
from rqf.flow.tokens import token_stepper
from rqf.noise.grid import cell_for

BOUND = 4.5  # standard errors: a false alarm has probability 7e-6 in each comparison


def final(field, tokens: int, n: int, dimension_free: bool, t: float, count: int) -> np.ndarray:
    """Overlaps of tokens 0 and 1 at time t, from z = ½, moved in law by steps of 1/128."""
    omega = rqf.Wiener(3, cell_for(1 / 128))
    machine = law_stepper(field, 1 / 128, omega, tokens, positions=not dimension_free)
    x = np.zeros((tokens, machine.dimension))
    x[:, 0] = 0.5
    x[0, 0] = 1.0
    x[np.arange(1, tokens), np.arange(1, tokens) % machine.dimension] += math.sqrt(0.75)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x[1] = 0.5 * np.eye(machine.dimension)[0] + math.sqrt(0.75) * np.eye(machine.dimension)[1]
    states = np.tile(x.T, (count, 1, 1))
    machine.advance(states, 3, np.arange(count, dtype=np.uint64), 0, round(128 * t))
    return np.sum(states[:, :, 0] * states[:, :, 1], axis=1)


@pytest.mark.parametrize(
    ("field", "tokens"),
    [
        (rqf.Bias(3, 0.6) + rqf.RandomQuadraticForm(3), 2),
        (rqf.MLP(4, "erf", gain=3.0), 3),
        (rqf.MLP(40, "relu", gain=math.sqrt(40), strength=0.1) + rqf.LinearLayer(40, 0.3), 2),
        (rqf.AttentionNoise(3, 1.0), 2),
        (rqf.LinearLayer(30, 0.4) + rqf.Attention(30, 1.0), 2),
    ],
    ids=["bias", "erf", "many dimensions", "inside", "drift"],
)
def test_pairs_obey_the_two_point_law(field, tokens: int) -> None:
    """Means of Z and Z² at t = ½, against the Fokker–Planck equation."""
    z = final(field, tokens, field.n, True, 0.5, 6000)
    pair = rqf.theory.TwoPoint(field)
    for values, expected in (
        (z, pair.mean(0.5, 0.5)), (z * z, pair.second_moment(0.5, 0.5))
    ):
        error = values.std(ddof=1) / math.sqrt(z.size)
        assert abs(values.mean() - expected) < BOUND * error + 2e-3  # weak order 1, dt = 1/128


def test_law_and_path_agree_for_three_tokens() -> None:
    """All overlaps of three tokens, their squares and products, along the noise and in law."""
    n, count, dt = 3, 4000, 1 / 32
    field = rqf.RandomQuadraticForm(n, 0.8) + rqf.Bias(n, 0.5)
    omega = rqf.Wiener(7, cell_for(dt))
    x = rqf.normalize([[1.0, 0.2, 0.0], [0.3, 1.0, 0.1], [-0.5, 0.2, 1.0]])
    seen = []
    for machine in (
        law_stepper(field, dt, omega, 3, positions=True),
        token_stepper(field, dt, "euler", omega),
    ):
        states = np.tile(x.T, (count, 1, 1))
        machine.advance(states, 7, np.arange(count, dtype=np.uint64), 0, 32)
        gram = np.swapaxes(states, 1, 2) @ states
        one = np.stack([gram[:, 0, 1], gram[:, 0, 2], gram[:, 1, 2]], axis=1)
        seen.append(np.concatenate([one, one**2, one * np.roll(one, 1, axis=1)], axis=1))
    error = np.sqrt(sum(values.var(axis=0, ddof=1) for values in seen) / count)
    assert np.all(np.abs(seen[0].mean(axis=0) - seen[1].mean(axis=0)) < BOUND * error)


def test_a_million_dimensions() -> None:
    """A bias of variance 1/n has a limit as n → ∞, which means at n = 50 and 100 extrapolate to.

    What is left of the terms in 1/n² is about 3e-4, the error of steps 1/256 about 2e-3.
    """
    n = 10**6
    field = rqf.RandomQuadraticForm(n) + rqf.Bias(n, n**-0.5)
    ds = rqf.simulate(
        field, tokens=8, t=0.5, dt=1 / 256, realizations=80, law=True, times=2, seed=1
    )
    assert ds.attrs["method"] == "law"
    pairs = np.triu_indices(8, 1)
    mean = ds.gram.values[:, -1, pairs[0], pairs[1]].mean(axis=1)
    means = [
        float(rqf.theory.TwoPoint(rqf.RandomQuadraticForm(m) + rqf.Bias(m, m**-0.5)).mean(0.0, 0.5))
        for m in (50, 100)
    ]
    error = mean.std(ddof=1) / math.sqrt(mean.size)
    assert abs(mean.mean() - (2.0 * means[1] - means[0])) < BOUND * error + 3e-3


def test_clustered_tokens_stay_clustered() -> None:
    """A singular Gram matrix: coincident tokens move as one."""
    omega = rqf.Wiener(1)
    machine = law_stepper(rqf.MLP(5, "tanh"), 1 / 16, omega, 4, positions=True)
    x = np.eye(5)[[0, 0, 1, 1]]
    states = np.tile(x.T, (3, 1, 1))
    machine.advance(states, 1, np.arange(3, dtype=np.uint64), 0, 64)
    assert np.max(np.abs(states[:, :, 0] - states[:, :, 1])) < 1e-7
    assert np.min(np.linalg.norm(states[:, :, 0] - states[:, :, 2], axis=1)) > 1e-3


def test_a_realisation_does_not_depend_on_the_others() -> None:
    """Two coincident tokens in one realisation, a singular covariance, leave the others alone."""
    field, x = rqf.MLP(5, "relu"), rqf.sphere.uniform((20, 3), 5, 1)
    alone = rqf.simulate(field, t=1.0, realizations=20, times=2, x0=x)
    x[7, 1] = x[7, 0]
    beside = rqf.simulate(field, t=1.0, realizations=20, times=2, x0=x)
    others = np.arange(20) != 7
    np.testing.assert_array_equal(alone.x[others], beside.x[others])


def test_fields_without_realisations_are_moved_in_law() -> None:
    field = rqf.MLP(4, "relu")
    ds = rqf.simulate(field, 5, 0.5, realizations=2, times=2)
    assert (ds.attrs["method"], ds.attrs["scheme"]) == ("law", "euler")
    np.testing.assert_allclose(np.linalg.norm(ds.x, axis=-1), 1.0, atol=1e-15 * 4)


def test_the_cheaper_way_is_taken_and_named() -> None:
    field = rqf.RandomQuadraticForm(3) + rqf.Bias(3)
    many = rqf.simulate(field, 300, 1 / 64, realizations=1, law=True, times=2)
    assert many.attrs["method"] == "tokens"
    wide = rqf.simulate(rqf.MLP(3, width=4096), 4, 1 / 64, realizations=1, law=True, times=2)
    assert wide.attrs["method"] == "law"
    linear = rqf.simulate(rqf.Skew(3), 4, 1 / 64, realizations=1, law=True, times=2)
    assert linear.attrs["method"] == "lift"


def test_two_thousand_tokens() -> None:
    ds = rqf.simulate(rqf.MLP(3000, "erf"), 2048, 1 / 64, realizations=1, law=True, times=2)
    assert ds.gram.shape == (1, 2, 2048, 2048)
    assert np.all(np.isfinite(ds.gram[0, -1]))


def test_refusals() -> None:
    with pytest.raises(InvalidArgument, match="fixed form is pathwise only"):
        rqf.simulate(
            rqf.MLP(3) + rqf.QuadraticForm(np.eye(3)), 2, 1.0, realizations=1, law=True
        )
    with pytest.raises(InvalidArgument, match="must be one of euler"):
        rqf.simulate(rqf.MLP(3), 2, 1.0, scheme="heun")
