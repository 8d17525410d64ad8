"""Tokens moved by fields that are not linear, along one noise path."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument
from rqf.flow.tokens import SCHEMES
from rqf.sphere import uniform

FIELDS = {
    "bias": lambda n: rqf.RandomQuadraticForm(n) + rqf.Bias(n, 0.5),
    "layer": lambda n: rqf.MLP(n, "relu", width=8, sigma_u=0.3, sigma_w=0.2, gain=1.5),
    "attention": lambda n: rqf.LinearLayer(n, 0.5) + rqf.Attention(n, 2.0),
    "inside": lambda n: rqf.AttentionNoise(n, 1.0),
    "drift": lambda n: rqf.Bias(n) + rqf.QuadraticForm(np.diag(np.arange(1.0, n + 1.0))),
}
every_field = pytest.mark.parametrize("name", FIELDS)
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


@every_field
@every_scheme
def test_cocycle(name: str, scheme: str) -> None:
    """φ(s + t, ω) = φ(t, θ_s ω) ∘ φ(s, ω), but for the rounding of tokens that are handed over."""
    flow = rqf.Flow(FIELDS[name](3), dt=1 / 16, scheme=scheme)
    omega, x = rqf.Wiener(5).shift(-0.5), uniform(4, 3, rng=2)
    whole = flow(omega, x, 2.0)
    halfway = flow(omega, x, 0.75)
    np.testing.assert_allclose(
        flow(omega.shift(0.75), halfway, 1.25), whole, rtol=0, atol=2e-13
    )
    np.testing.assert_array_equal(flow(omega, x, 2.0), whole)


@every_field
def test_tokens_stay_on_the_sphere(name: str) -> None:
    flow = rqf.Flow(FIELDS[name](3), dt=1 / 16)
    norms = np.linalg.norm(flow(rqf.Wiener(1), uniform(5, 3, rng=1), 64.0), axis=-1)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-15 * 4)


@every_field
def test_an_ensemble_is_made_of_flows(name: str) -> None:
    """Realisation r of `simulate` is the flow along `Wiener(seed, cell, r)`, to rounding."""
    field = FIELDS[name](3)
    x = uniform(4, 3, rng=3)
    ds = rqf.simulate(field, t=1.0, dt=1 / 16, realizations=3, seed=9, times=2, x0=x)
    assert ds.attrs["method"] == "tokens"
    flow = rqf.Flow(field, dt=1 / 16)
    for r in range(3):
        alone = flow(rqf.Wiener(9, ds.attrs["cell"], r), x, 1.0)
        np.testing.assert_allclose(ds.x[r, -1], alone, rtol=0, atol=1e-13)


def test_any_number_of_threads_gives_the_same() -> None:
    field = FIELDS["layer"](3)
    one, two = (
        rqf.simulate(field, 3, 1.0, 1 / 32, realizations=70, seed=4, times=3, workers=workers)
        for workers in (1, 2)
    )
    np.testing.assert_array_equal(one.x, two.x)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_summand_takes_the_noise_it_takes_alone(scheme: str) -> None:
    """With a bias of strength 0 tokens come to where the lift carries them, as dt → 0.

    Root mean squares over twelve paths: strong order ½ makes the second 1/8 of the first.
    """
    x, both = uniform(4, 3, rng=6), rqf.RandomQuadraticForm(3) + rqf.Bias(3, 0.0)
    exact = rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 8192)
    squares = np.zeros(2)
    for seed in range(12):
        fine = exact(rqf.Wiener(seed), x, 1.0)
        for index, dt in enumerate((1 / 16, 1 / 1024)):
            moved = rqf.Flow(both, dt=dt, scheme=scheme)(rqf.Wiener(seed), x, 1.0)
            squares[index] += np.mean((moved - fine) ** 2)
    assert squares[1] < squares[0] / 16.0


def test_coincident_tokens_stay_together_in_chaos() -> None:
    """Among many tokens, where a library's products round rows differently."""
    x = uniform(51, 17, rng=1)
    flow = rqf.Flow(rqf.MLP(17, "erf", width=33, gain=20.0), dt=1 / 64)
    moved = flow(rqf.Wiener(2), np.concatenate([x, x[::-1]]), 2.0)
    np.testing.assert_array_equal(moved[:51], moved[51:][::-1])


def test_coincident_tokens_stay_together_and_odd_fields_keep_antipodes() -> None:
    x = uniform(1, 4, rng=1)
    start = np.concatenate([x, x, -x])
    moved = rqf.Flow(rqf.MLP(4, "erf", width=5), dt=1 / 8)(rqf.Wiener(2), start, 4.0)
    np.testing.assert_array_equal(moved[0], moved[1])
    np.testing.assert_allclose(moved[2], -moved[0], rtol=0, atol=1e-15 * 8)


@every_scheme
@pytest.mark.parametrize("n", [2, 4])
def test_one_token_decays_as_a_brownian_motion(n: int, scheme: str) -> None:
    """E[X_t·X_0] = exp(-(n-1) a(1) t/2), within 4.5 standard errors: false alarm 7e-6 each.

    The step, 1/64, moves the mean by 1e-3 or less, a fifth of the standard error.
    """
    field = 0.5 * rqf.MLP(n, "relu", width=16, gain=math.sqrt(n), sigma_w=0.3) + rqf.Bias(n, 0.4)
    x = np.eye(n)[:1]
    ds = rqf.simulate(
        field, t=1.0, dt=1 / 64, realizations=6000, seed=1, times=2, x0=x, scheme=scheme
    )
    overlap = ds.x[:, -1, 0, 0].values
    expected = math.exp(-0.5 * (n - 1) * float(field.a(1.0)))
    error = overlap.std(ddof=1) / math.sqrt(overlap.size)
    assert abs(overlap.mean() - expected) < 4.5 * error


@every_scheme
def test_pairs_obey_the_two_point_law(scheme: str) -> None:
    """E Z and E Z² of a pair under a quadratic form and a bias, from z = ½: the mean of the
    Fokker–Planck equation within 4.5 standard errors, false alarm 7e-6 each."""
    field = rqf.RandomQuadraticForm(3) + rqf.Bias(3, 0.7)
    x = np.array([[1.0, 0.0, 0.0], [0.5, math.sqrt(0.75), 0.0]])
    ds = rqf.simulate(
        field, t=0.5, dt=1 / 256, realizations=8000, seed=2, times=2, x0=x, scheme=scheme
    )
    z = np.sum(ds.x[:, -1, 0].values * ds.x[:, -1, 1].values, axis=-1)
    pair = rqf.theory.TwoPoint(field)
    for values, expected in (
        (z, pair.mean(0.5, 0.5)), (z * z, pair.second_moment(0.5, 0.5))
    ):
        assert abs(values.mean() - expected) < 4.5 * values.std(ddof=1) / math.sqrt(z.size)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rqf.Flow(rqf.MLP(3)), "known in law only"),
        (lambda: rqf.Flow(rqf.RandomQuadraticForm(3) + rqf.MLP(3)), "known in law only"),
        (
            lambda: rqf.Flow(rqf.Bias(3)).lift(rqf.Wiener(0), 1.0),
            "is not linear, no matrix moves its tokens",
        ),
        (
            lambda: rqf.Flow(rqf.Bias(3), scheme="ninomiya-victoir"),
            "scheme = 'ninomiya-victoir': must be one of euler, heun",
        ),
        (
            lambda: rqf.Flow(rqf.Bias(3, 1e4))(rqf.Wiener(0), [1, 0, 0], 1.0),
            r"\(n - 1\) a\(1\) dt = .* must be at most 64; take dt <= 3.2e-07",
        ),
        (lambda: rqf.Bias(3) + rqf.Bias(4), "a sum needs fields of one dimension"),
    ],
)
def test_refusals(call, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        call()
