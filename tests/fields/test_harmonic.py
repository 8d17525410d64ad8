"""Harmonics on the circle: kernels, pairs, realisations, and the k points of the attractor."""

import math

import numpy as np
import pytest
from field_checks import check_parity, check_push, covariance

import rqf
from rqf.errors import InvalidArgument

ANGLES = np.linspace(0.0, np.pi, 25)
Z = np.cos(ANGLES)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_the_tangential_part_is_that_of_the_potential(k):
    """a z - b (1 - z²) = σ² k² cos kθ, also for a = C', b = C'' with C = σ² T_k."""
    field = rqf.Harmonic(k, sigma=0.7)
    expected = 0.49 * k**2 * np.cos(k * ANGLES)
    found = field.a(Z) * Z - field.b(Z) * (1 - Z**2)
    np.testing.assert_allclose(found, expected, atol=1e-13 * k**2)
    c = 0.49 * np.polynomial.Chebyshev.basis(k)
    derivatives = c.deriv()(Z) * Z - c.deriv(2)(Z) * (1 - Z**2)
    np.testing.assert_allclose(derivatives, expected, atol=1e-12 * k**2)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_slope(k):
    """a' against a central difference of order 4 in z, and at the ends in closed form."""
    field, h = rqf.Harmonic(k), 1e-3
    z = np.linspace(-0.9, 0.9, 13)
    slope = (8 * (field.a(z + h) - field.a(z - h)) - field.a(z + 2 * h) + field.a(z - 2 * h)) / (
        12 * h
    )
    np.testing.assert_allclose(field.a_prime(z), slope, atol=1e-10 * k**7)
    ends = k**2 * (1 + k**2) * np.array([1.0, (-1.0) ** k])
    np.testing.assert_allclose(field.a_prime([1.0, -1.0]), ends, rtol=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_exponent(k):
    """λ_1 = -σ² k⁴/2: on kφ the noise acts as the first harmonic does, k times as strong."""
    field = rqf.Harmonic(k, sigma=0.3)
    a, b, slope = float(field.a(1.0)), float(field.b(1.0)), float(field.a_prime(1.0))
    assert 0.5 * (-slope - a - 2 * b) == pytest.approx(-0.045 * k**4, rel=1e-14)
    (found,) = rqf.theory.lyapunov_spectrum(field)
    assert found == pytest.approx(-0.045 * k**4, rel=1e-14)


def test_members_of_the_family():
    """The same pair process as a bias (k = 1) and a quadratic form (k = 2): drift and variance."""
    pairs = [(rqf.Harmonic(1, 0.6), rqf.Bias(2, 0.6)),
             (rqf.Harmonic(2, 1.3 / math.sqrt(8)), rqf.RandomQuadraticForm(2, 1.3))]  # fmt: skip
    for harmonic, known in pairs:
        left, right = rqf.theory.TwoPoint(harmonic), rqf.theory.TwoPoint(known)
        np.testing.assert_allclose(left.drift(Z), right.drift(Z), atol=1e-14)
        np.testing.assert_allclose(left.variance(Z), right.variance(Z), atol=1e-14)
        assert harmonic.parity == known.parity


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_pairs_do_not_cancel(k):
    """1 ∓ z T_k(z) is k' ε to first order, k' = 1 + k², at the ends where it vanishes."""
    field = rqf.Harmonic(k)
    e = np.array([1e-300, 1e-100, 1e-20])
    near, far = field.pair(e, 2.0 - e), field.pair(2.0 - e, e)
    slope = k**2 * (1 + k**2) * e
    np.testing.assert_allclose(near.gap, slope, rtol=1e-14)
    np.testing.assert_allclose(far.gap if k % 2 else far.total, slope, rtol=1e-14)
    middle = field.pair(1.0 - Z, 1.0 + Z)
    np.testing.assert_allclose(middle.gap, k**2 - field.a(Z), atol=1e-12 * k**2)
    np.testing.assert_allclose(middle.total, k**2 + field.a(Z), atol=1e-12 * k**2)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_realisations_have_the_covariance_of_the_kernels(k):
    """40000 draws, entries within 5 standard errors: one false alarm in 10^5 for 12 entries."""
    field = rqf.Harmonic(k, sigma=0.8)
    x, y = rqf.normalize([[0.6, 0.8], [1.0, -0.3]])
    found, error = covariance(field, x, y, 40000, seed=2)
    z = x @ y
    expected = field.a(z) * np.eye(2) + field.b(z) * np.outer(y, x)
    assert np.all(np.abs(found - expected) < 5.0 * error)


def test_in_law_and_along_the_noise_agree():
    """Beside a field known in law only a harmonic is drawn in law: E Z of 10 pairs, 2000 runs.

    Within 5 standard errors, one false alarm in 10^5. The added field is too weak to see.
    """
    x0 = rqf.normalize(np.random.default_rng(0).normal(size=(5, 2)))
    means, squares = [], []
    for field, law in (
        (rqf.Harmonic(3, 1 / 3) + rqf.RandomPotential(2, {4: 1e-6}), True),
        (rqf.Harmonic(3, 1 / 3), False),
    ):
        ds = rqf.simulate(
            field, tokens=5, x0=x0, t=0.25, dt=1 / 16, realizations=2000, law=law, times=2,
            seed=1, scheme="euler",
        )  # fmt: skip
        assert ds.attrs["method"] == ("law" if law else "tokens")
        gram = ds.gram if law else rqf.overlap(ds.x)
        pairs = gram.values[:, -1][:, *np.triu_indices(5, 1)]
        means.append(pairs.mean(axis=0))
        squares.append(pairs.var(axis=0) / 2000)
    assert np.all(np.abs(means[0] - means[1]) < 5.0 * np.sqrt(squares[0] + squares[1]))


@pytest.mark.parametrize("k", [1, 2, 7])
def test_realisations(k):
    """Tangent, exact derivative, parity, and dφ = σk(-sin kφ dB_1 + cos kφ dB_2)."""
    field = rqf.Harmonic(k, 0.5)
    check_push(field)
    check_parity(field)
    phi = np.linspace(0.0, 6.0, 7)
    x = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    value = field.frozen(np.array([[0.3, -1.1]]), np.empty((1, 0)), 1.0)(x[None])[0]
    turn = 0.5 * k * (-np.sin(k * phi) * 0.3 - np.cos(k * phi) * 1.1)
    expected = turn[:, None] * np.stack([-np.sin(phi), np.cos(phi)], axis=-1)
    np.testing.assert_allclose(value, expected, atol=1e-14)


@pytest.mark.parametrize("k", [3, 4, 7])
def test_the_attractor_is_a_regular_polygon(k):
    """40 tokens end with all kφ equal and at all k corners, in each of 16 realisations.

    kφ moves as under Harmonic(1): Z = cos of a difference of kφ is tanh u with du of drift ½ and
    variance 1 where u is large. Means of distances fall like e^{-t/8}: after t = 192 some pair
    of the 16 x 40 is left apart in one of 10^7 runs. Started uniform, tokens are missing from
    one corner with a probability below 7 (6/7)^40 = 0.015 a realisation; the seed is fixed.
    """
    ds = rqf.simulate(
        rqf.Harmonic(k, 1 / k**2), tokens=40, t=192.0, dt=1 / 8, realizations=16, seed=3, times=2
    )
    last = ds.x.isel(time=-1).values @ [1.0, 1.0j]
    power = last**k
    assert np.abs(power - power[:, :1]).max() < 1e-9
    corner = np.rint(np.angle(last / last[:, :1]) * k / (2 * np.pi)).astype(int) % k
    assert all(len(set(row)) == k for row in corner)


def test_a_cascade_merges_in_the_end():
    field = rqf.Harmonic(3) + 0.1 * rqf.Harmonic(1)
    assert field.parity == "even"
    assert rqf.theory.phase(field) == "monopolar"
    assert float(field.a(1.0)) == pytest.approx(9.1)


def test_close_tokens_are_stretched_alike():
    """Angles 1e-8 and 2e-8 off a token keep their ratio over a step, to 1e-6."""
    flow = rqf.Flow(rqf.Harmonic(3), dt=1 / 256)
    x = rqf.normalize([[1.0, 0.0], [1.0, 1e-8], [1.0, 2e-8]])
    y = flow(rqf.Wiener(4), x, t=1 / 256)
    assert rqf.angle(y[0], y[2]) / rqf.angle(y[0], y[1]) == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.Harmonic(0), "k = 0: must be an integer from 1"),
        (lambda: rqf.Harmonic(2.5), "k = 2.5: must be an integer from 1"),
        (lambda: rqf.Harmonic(2, -1.0), "sigma = -1.0: must be"),
        (lambda: rqf.Harmonic(2, n=3), "n = 3: harmonics live on the circle, n must be 2"),
        (lambda: rqf.Harmonic(2) + rqf.Bias(3), "n = 3: a sum needs fields of one dimension"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
