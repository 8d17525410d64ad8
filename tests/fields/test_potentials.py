"""Random potentials, harmonics, and the fields on C^m: laws, derivatives, points."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rqf
from rqf.errors import InvalidArgument

BOUND = 5.0  # standard errors; over some 200 entries a false alarm has probability 1e-4


def frozen(field: rqf.fields.Field, count: int, seed: int = 0):  # type: ignore[no-untyped-def]
    dw = np.random.default_rng(seed).standard_normal((count, field.increments))
    return field.frozen(dw, np.empty((count, 0)), 1.0)


def tangential(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return v - np.sum(x * v, axis=-1, keepdims=True) * x


@pytest.mark.parametrize(
    "field",
    [
        rqf.RandomPotential(3, {1: 0.4, 2: 0.7, 3: 1.1}),
        rqf.RandomPotential(2, {3: 1.0}),
        rqf.Harmonic(1, 0.7), rqf.Harmonic(4, 0.3),
    ],
    ids=repr,
)  # fmt: skip
def test_kernels_are_the_covariance_of_the_field(field: rqf.fields.Field) -> None:
    """E[P F(x) (P F(y))ᵀ] = P_x (a I + b y xᵀ) P_y from 40000 draws."""
    n = field.n
    x, y = rqf.normalize(np.random.default_rng(2).normal(size=(2, n)))
    here = tangential(np.stack([x, y]), frozen(field, 40000)(np.tile([x, y], (40000, 1, 1))))
    products = np.einsum("ri,rj->rij", here[:, 0], here[:, 1])
    z = float(x @ y)
    whole = float(field.a(z)) * np.eye(n) + float(field.b(z)) * np.outer(y, x)
    px, py = (np.eye(n) - np.outer(v, v) for v in (x, y))
    error = products.std(axis=0) / math.sqrt(len(products))
    assert np.all(np.abs(products.mean(axis=0) - px @ whole @ py) < BOUND * error)


@pytest.mark.parametrize(
    "field",
    [
        rqf.RandomPotential(4, {1: 0.4, 2: 0.7, 3: 1.1}), rqf.Harmonic(5),
        rqf.HermitianForm(3), rqf.HolomorphicPotential(3, 4),
    ],
    ids=repr,
)  # fmt: skip
def test_push_is_the_derivative(field: rqf.fields.Field) -> None:
    rng = np.random.default_rng(4)
    x = rqf.normalize(rng.normal(size=(2, 3, field.n)))
    v = tangential(x, rng.normal(size=x.shape))
    f, h = frozen(field, 2), 1e-5
    differences = (f(x + h * v) - f(x - h * v)) / (2 * h)
    scale = np.max(np.abs(differences))
    np.testing.assert_allclose(f.push(x, v), differences, atol=1e-8 * scale)


def test_the_quadratic_potential_is_the_quadratic_form() -> None:
    field, z = rqf.RandomPotential(5, {2: 0.5}), np.linspace(-1, 1, 9)
    form = rqf.RandomQuadraticForm(5)
    np.testing.assert_allclose(field.a(z), form.a(z), atol=1e-16)
    np.testing.assert_allclose(field.b(z), form.b(z), atol=1e-16)
    np.testing.assert_allclose(field.potential(z), z**2 / 4)


@pytest.mark.parametrize("powers", [{3: 1.0}, {1: 0.3, 2: 1.0}, {4: 0.2, 2: 1.0, 7: 0.1}])
def test_pairs_keep_their_digits(powers: dict[int, float]) -> None:
    """gap and total against exact rational arithmetic, also at 1e-30 from an end."""
    from fractions import Fraction

    field = rqf.RandomPotential(3, powers)
    for small in (0.3, 1e-6, 1e-30):
        for e, f in ((small, 2.0 - small), (2.0 - small, small)):
            z = 1 - Fraction(e) if e < f else Fraction(f) - 1
            terms = [(Fraction(c) ** 2 * p, p - 1) for p, c in powers.items()]
            gap = float(sum(w * (1 - z**q) for w, q in terms))
            total = float(sum(w * (1 + z**q) for w, q in terms))
            pair = field.pair(e, f)
            assert math.isclose(float(pair.gap), gap, rel_tol=1e-13)
            assert math.isclose(float(pair.total), total, rel_tol=1e-13)


@pytest.mark.parametrize(
    ("powers", "parity"), [({1: 1, 3: 2}, "even"), ({2: 1}, "odd"), ({1: 1, 2: 1, 3: 0}, "mixed")]
)
def test_parity(powers: dict[int, float], parity: str) -> None:
    assert rqf.RandomPotential(3, powers).parity == parity


def test_a_factor_multiplies_the_variance() -> None:
    for field in (rqf.RandomPotential(3), rqf.Harmonic(3, 0.2)):
        assert math.isclose(float((3.0 * field).a(0.4)), 3.0 * float(field.a(0.4)))
    assert (3.0 * rqf.HolomorphicPotential(2, 3)).strength == 3.0
    assert math.isclose((3.0 * rqf.HermitianForm(2)).sigma, math.sqrt(3.0))


def test_powers_beyond_three_are_known_in_law_only() -> None:
    field = rqf.RandomPotential(3, {4: 1.0})
    with pytest.raises(InvalidArgument, match="known in law only beyond the power 3"):
        rqf.Flow(field)
    ds = rqf.simulate(field, 4, 0.25, realizations=2, law=True, times=2)
    assert ds.attrs["method"] == "law"


@pytest.mark.parametrize(("m", "k"), [(2, 3), (2, 4), (3, 3)])
def test_the_potential_moves_a_token_as_it_says(m: int, k: int) -> None:
    """Variances k c/2 across the circle of a token, k² c/2 along it; Hermitian sigma²/2 and 0."""
    count = 20000
    x = rqf.normalize(np.random.default_rng(1).normal(size=2 * m))
    along = np.concatenate([-x[m:], x[:m]])  # i x
    for field, across, hopf in (
        (rqf.HolomorphicPotential(m, k, 0.8), 0.4 * k, 0.4 * k * k),
        (rqf.HermitianForm(m, 1.3), 0.5 * 1.3**2, 0.0),
    ):
        moved = tangential(x, frozen(field, count)(np.tile(x, (count, 1, 1)))[:, 0])
        covariance = moved.T @ moved / count
        expected = across * (np.eye(2 * m) - np.outer(x, x)) + (hopf - across) * np.outer(
            along, along
        )
        assert np.max(np.abs(covariance - expected)) < 6.0 * max(across, hopf) / math.sqrt(count)


@pytest.mark.parametrize(
    ("m", "k", "dt", "past"),
    [(2, 3, 1 / 256, 5.0), (2, 5, 1 / 2048, 1.25), (3, 4, 1 / 1024, 3.0)],
)
def test_tokens_end_in_k_points(m: int, k: int, dt: float, past: float) -> None:
    """And the points are the k-th roots of unity times one of them."""
    field = rqf.HermitianForm(m, math.sqrt(k * (k - 1))) + rqf.HolomorphicPotential(m, k)
    flow = rqf.Flow(field, dt)
    points, error = rqf.pullback_attractor(flow, rqf.Wiener(3), past, tokens=30)
    assert len(points) == k
    z = points[:, :m] + 1j * points[:, m:]
    phases = (z @ np.conj(z[0])) ** k
    np.testing.assert_allclose(phases, 1.0, atol=1e-3 + 10 * error)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_harmonics_have_k_equidistant_points(k: int) -> None:
    flow = rqf.Flow(rqf.Harmonic(k, 1 / k), dt=1 / 256)
    points, error = rqf.pullback_attractor(flow, rqf.Wiener(5), t=6.0, tokens=40)
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    assert len(points) == k
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / k, atol=1e-3 + 10 * error)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rqf.RandomPotential(3, {3: -1.0}), r"coefficients\[3\] = -1.0: must be"),
        (lambda: rqf.RandomPotential(3, {0: 1.0}), "power of coefficients = 0: must be"),
        (lambda: rqf.RandomPotential(3, {2.5: 1.0}), "power of coefficients = 2.5: must be"),
        (lambda: rqf.RandomPotential(3, "x"), "coefficients = 'x': must map powers to numbers"),
        (lambda: rqf.RandomPotential(3, 5), "coefficients = 5: must map powers to numbers"),
        (lambda: rqf.Harmonic(3, n=3), "n = 3: harmonics live on the circle"),
        (lambda: rqf.Harmonic(0), "k = 0: must be"),
        (lambda: rqf.Harmonic(2) + rqf.Bias(3), "a sum needs fields of one dimension"),
        (lambda: rqf.HermitianForm(2).a(0.5), "invariant under unitary maps only"),
        (lambda: rqf.theory.phase(rqf.HolomorphicPotential(2, 3)), "unitary maps only"),
        (lambda: rqf.HolomorphicPotential(1, 3), "m = 1: must be"),
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=message):
        call()


def test_overlaps_of_complex_fields_come_from_realisations() -> None:
    ds = rqf.simulate(rqf.HermitianForm(2), 3, 0.25, realizations=2, law=True, times=2)
    assert (ds.attrs["method"], ds.gram.shape) == ("tokens", (2, 2, 3, 3))
