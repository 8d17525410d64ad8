"""Hermitian forms and holomorphic potentials: covariances, derivatives, symmetry, k points."""

import math

import numpy as np
import pytest
from field_checks import check_parity, check_push, realisations

import rqf
from rqf.errors import InvalidArgument
from rqf.fields import round_pair
from rqf.fields.complex_space import to_complex, to_real

FIELDS = [
    rqf.HermitianForm(2), rqf.HermitianForm(3, 1.2), rqf.HolomorphicPotential(2, 1, 0.3),
    rqf.HolomorphicPotential(2, 2), rqf.HolomorphicPotential(3, 3, 0.5),
    rqf.HolomorphicPotential(2, 5, 0.1),
]  # fmt: skip


def turned(x, phi):
    return to_real(np.exp(1j * phi) * to_complex(x))


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_complex_covariance(field):
    """E F(x) F(y)* and E F(x) F(y)ᵀ in complex coordinates, from 40000 draws, within 5 standard
    errors: one false alarm in 2·10^4 for the at most 36 real numbers of a field.

    Hermitian: E (Hx)(Hy)* = σ² (y*x) I and E (Hx)(Hy)ᵀ = σ² y xᵀ. Holomorphic: with u = x·ȳ,
    E ∂_i f(x) conj ∂_j f(y) = c (k u^{k-1} δ_ij + k (k-1) u^{k-2} ȳ_i x_j), and E f' f'ᵀ = 0.
    """
    m, count = field.m, 40000
    rng = np.random.default_rng(4)
    x, y = to_complex(rqf.normalize(rng.normal(size=(2, 2 * m))))
    points = np.broadcast_to(to_real(np.stack([x, y])), (count, 2, 2 * m))
    values = to_complex(realisations(field, count, rng)(points))
    u = x @ y.conj()
    if isinstance(field, rqf.HermitianForm):
        s = field.sigma**2
        hermitian, plain = s * u * np.eye(m), s * np.outer(y, x)
    else:
        c, k = field.strength, field.k
        cross = 0.0 if k == 1 else k * (k - 1) * u ** (k - 2) * np.outer(y.conj(), x)
        hermitian = np.conj(c * (k * u ** (k - 1) * np.eye(m) + cross))
        plain = np.zeros((m, m))
    for second, expected in ((values[:, 1].conj(), hermitian), (values[:, 1], plain)):
        products = values[:, 0, :, None] * second[:, None, :]
        for found, exact in ((products.real, expected.real), (products.imag, expected.imag)):
            error = found.std(axis=0) / math.sqrt(count)
            assert np.all(np.abs(found.mean(axis=0) - exact) <= 5.0 * error + 1e-14)


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_push_is_the_derivative(field):
    check_push(field)


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_parity(field):
    check_parity(field)


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_what_commutes_with_turns(field):
    """Hermitian noise commutes with every e^{iφ}; a potential with e^{2πi/k} and not with less."""
    rng = np.random.default_rng(1)
    frozen = realisations(field, 2, rng)
    x = rqf.normalize(rng.standard_normal((2, 5, field.n)))
    hermitian = isinstance(field, rqf.HermitianForm)
    phi = 0.7 if hermitian else 2 * math.pi / field.k
    scale = np.abs(frozen(x)).max()
    np.testing.assert_allclose(frozen(turned(x, phi)), turned(frozen(x), phi), atol=1e-13 * scale)
    if not hermitian:
        half = phi / 2
        assert np.abs(frozen(turned(x, half)) - turned(frozen(x), half)).max() > 0.1 * scale


@pytest.mark.parametrize(("m", "k"), [(2, 3), (2, 5), (3, 3)])
def test_one_token_under_a_round_pair_is_a_brownian_motion(m, k):
    """The tangential covariance at a point is h P, h = c k²/2: exactly, summed over unit noises.

    The covariance of F(x) is Σ_i F_i F_iᵀ over the realisations with one increment 1 and all
    others 0, with no statistics in it.
    """
    field = round_pair(m, k, 0.8)
    x = rqf.normalize(np.random.default_rng(2).normal(size=2 * m))
    covariance = np.zeros((2 * m, 2 * m))
    for part in field.summands:
        units = part.frozen(np.eye(part.increments), np.empty((part.increments, 0)), 1.0)
        values = units(np.broadcast_to(x, (part.increments, 1, 2 * m)))[:, 0]
        covariance += values.T @ values
    projection = np.eye(2 * m) - np.outer(x, x)
    found = projection @ covariance @ projection
    np.testing.assert_allclose(found, 0.4 * k**2 * projection, atol=1e-13 * k**2)
    alone = rqf.theory.one_point_variances(field.summands[1])
    assert alone == pytest.approx((0.4 * k, 0.4 * k**2))


def test_the_quadratic_form_is_a_round_pair():
    """Q = Hermitian + (z ↦ conj S z): σ²/2 and c = σ²/4 give the covariance of the quadratic form.

    The sum over unit noises at two points is a I + b y xᵀ with a = z/2, b = ½.
    """
    m = 2
    field = rqf.HermitianForm(m, math.sqrt(0.5)) + rqf.HolomorphicPotential(m, 2, 0.25)
    x, y = rqf.normalize(np.random.default_rng(3).normal(size=(2, 2 * m)))
    covariance = np.zeros((2 * m, 2 * m))
    for part in field.summands:
        units = part.frozen(np.eye(part.increments), np.empty((part.increments, 0)), 1.0)
        values = units(np.broadcast_to([x, y], (part.increments, 2, 2 * m)))
        covariance += values[:, 0].T @ values[:, 1]
    expected = 0.5 * (x @ y) * np.eye(2 * m) + 0.5 * np.outer(y, x)
    np.testing.assert_allclose(covariance, expected, atol=1e-14)


def points_of(last, k):
    """For every realisation: tokens that stand at a turn by 2πj/k of most others; how many j."""
    found = []
    for row in to_complex(last):
        overlaps = row.conj() @ row.T
        close = (np.abs(np.abs(overlaps) - 1) < 1e-4) & (np.abs(overlaps**k - 1) < 1e-3 * k)
        first = int(np.argmax(close.sum(axis=1)))
        turns = np.rint(np.angle(overlaps[first]) * k / (2 * np.pi)).astype(int) % k
        found.append((int(close[first].sum()), len(set(turns[close[first]]))))
    return found


@pytest.mark.parametrize(("m", "k"), [(2, 3), (2, 4), (2, 5), (3, 3)])
def test_sixty_tokens_end_in_k_points(m, k):
    """Turns of one point by 2πj/k, all k of them, in all of 6 realisations; |λ_1| t = 60."""
    field = round_pair(m, k)
    field = (1.0 / rqf.theory.one_point_variances(field).hopf) * field
    t = 60.0 / -rqf.theory.unitary_exponents(field).top
    ds = rqf.simulate(
        field, tokens=60, t=round(64 * t) / 64, dt=1 / 64, realizations=6, seed=1, times=2
    )
    assert points_of(ds.x.isel(time=-1).values, k) == [(60, k)] * 6


def test_hermitian_noise_alone_ends_on_a_fibre():
    """All complex overlaps have modulus 1, and their phases stay spread."""
    ds = rqf.simulate(
        rqf.HermitianForm(2), tokens=20, t=24.0, dt=1 / 32, realizations=4, seed=2, times=2
    )
    z = to_complex(ds.x.isel(time=-1).values)
    overlaps = z.conj() @ np.swapaxes(z, 1, 2)
    assert np.abs(np.abs(overlaps) - 1).max() < 1e-4
    assert np.abs(np.diff(np.sort(np.angle(overlaps[:, 0])), axis=-1)).max() < 2.5


@pytest.mark.parametrize("call", [
    lambda field: field.a(0.5), lambda field: field.b(0.5), lambda field: field.a_prime(0.5),
    lambda field: field.kernels(np.eye(2)), lambda field: field.pair(0.5, 1.5),
    rqf.theory.phase, rqf.theory.lyapunov_spectrum,
    lambda field: rqf.theory.TwoPoint(field).drift(0.5),
])  # fmt: skip
@pytest.mark.parametrize("field", [rqf.HermitianForm(2), round_pair(2, 3)], ids=["H", "pair"])
def test_no_isotropic_kernels(field, call):
    with pytest.raises(InvalidArgument, match="invariant under unitary maps only") as caught:
        call(field)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.HermitianForm(1), "m = 1: must be an integer >= 2"),
        (lambda: rqf.HermitianForm(2, -1.0), "sigma = -1.0: must be"),
        (lambda: rqf.HolomorphicPotential(2, 0), "k = 0: must be an integer from 1"),
        (lambda: rqf.HolomorphicPotential(2, 3, -1.0), "strength = -1.0: must be"),
        (lambda: rqf.HolomorphicPotential(2, 3) + rqf.Bias(3), "n = 3: a sum needs"),
        (lambda: rqf.theory.unitary_exponents(rqf.Bias(4)), "must be a sum of HermitianForm"),
        (lambda: rqf.theory.one_point_variances(3), "field = 3: must be a sum of HermitianForm"),
        (lambda: rqf.theory.hopf_coordinates([[1.0, 0.0]]), "x has shape"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
