"""Quaternionic noise: what it commutes with, one token, and the points of its attractor."""

import math

import numpy as np
import pytest
from field_checks import check_parity, check_push, realisations

import rqf
from rqf.errors import InvalidArgument
from rqf.fields import QuaternionicForm, QuaternionicPotential
from rqf.fields.quaternionic_form import right_multiplied

ORDERS = [8, 24, 48, 120]
GENERATORS = {
    8: [(0, 1, 0, 0), (0, 0, 1, 0)],
    24: [(0, 1, 0, 0), (0.5, 0.5, 0.5, 0.5)],
    48: [(0.5, 0.5, 0.5, 0.5), (math.sqrt(0.5), math.sqrt(0.5), 0, 0)],
    120: [
        (math.cos(math.pi / 5), math.sin(math.pi / 5), 0, 0),
        (0, -2 * math.sin(0.4 * math.pi) / 5**0.5, 0, 2 * math.sin(0.8 * math.pi) / 5**0.5),
    ],
}
FIELDS = [QuaternionicForm(2, 1.3), QuaternionicForm(3)]
FIELDS += [QuaternionicPotential(1, order, 0.4) for order in ORDERS]
FIELDS += [QuaternionicPotential(2, 8), QuaternionicPotential(2, 24, 0.1)]


def product(p, q):
    """Hamilton's product of quaternions (…, 4)."""
    scalar = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)


def group(order):
    """All elements, from the generators."""
    found = [np.array([1.0, 0.0, 0.0, 0.0])]
    for element in found:
        for generator in GENERATORS[order]:
            new = product(element, np.array(generator, float))
            if min(np.abs(new - old).max() for old in found) > 1e-9:
                found.append(new)
    assert len(found) == order
    return np.array(found)


def test_right_multiplication_is_an_action():
    """(x q) q' = x (q q'), lengths stay."""
    rng = np.random.default_rng(0)
    x = rqf.normalize(rng.normal(size=(5, 8)))
    q, other = rqf.normalize(rng.normal(size=(2, 4)))
    twice = right_multiplied(right_multiplied(x, q), other)
    np.testing.assert_allclose(twice, right_multiplied(x, product(q, other)), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(twice, axis=-1), 1.0, atol=1e-15)


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_push_and_parity(field):
    check_push(field)
    check_parity(field)


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_what_commutes_with_right_multiplication(field):
    """A form commutes with every unit quaternion, a potential with its group and no other."""
    rng = np.random.default_rng(1)
    frozen = realisations(field, 2, rng)
    x = rqf.normalize(rng.normal(size=(2, 4, field.n)))
    here = frozen(x)
    scale = np.abs(here).max()
    any_other = rqf.normalize(rng.normal(size=4))
    form = isinstance(field, QuaternionicForm)
    for q in [any_other] if form else group(field.order):
        moved = frozen(right_multiplied(x, q))
        np.testing.assert_allclose(moved, right_multiplied(here, q), atol=1e-12 * scale)
    if not form:
        off = frozen(right_multiplied(x, any_other)) - right_multiplied(here, any_other)
        assert np.abs(off).max() > 0.1 * scale


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_one_token(field):
    """Tangential covariance at a point, summed over unit noises without statistics.

    Along the fibre {x q} sigma² d (d+2)/3, across it sigma² d; a form: 0 and sigma²/2.
    """
    x = rqf.normalize(np.random.default_rng(2).normal(size=field.n))
    count = field.increments
    units = field.frozen(np.eye(count), np.empty((count, 0)), 1.0)
    values = units(np.broadcast_to(x, (count, 1, field.n)))[:, 0]
    projection = np.eye(field.n) - np.outer(x, x)
    found = projection @ (values.T @ values) @ projection
    fibre = sum(
        np.outer(y, y) for y in (right_multiplied(x, unit) for unit in np.eye(4)[1:])
    )
    if isinstance(field, QuaternionicForm):
        along, across = 0.0, field.sigma**2 / 2
    else:
        d = field.degree
        along, across = field.sigma**2 * d * (d + 2) / 3, field.sigma**2 * d
    expected = along * fibre + across * (projection - fibre)
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(along, across))


@pytest.mark.parametrize(
    ("order", "tokens", "t", "dt"),
    [(8, 60, 14.0, 1 / 64), pytest.param(24, 250, 6.0, 1 / 256, marks=pytest.mark.full)],
)
def test_tokens_on_the_three_sphere_end_in_a_coset(order, tokens, t, dt):
    """x_1 g for all g of the group, in each of 3 realisations, with a token of unit speed.

    λ_1 is about -3.8 and -8.7 (measured), so that |λ_1| t is about 50. An element that no token
    chose has probability below order (1 - 1/order)^tokens, 0.003 and 6·10^-4 a realisation; seeds
    are fixed.
    """
    d = QuaternionicPotential(1, order).degree
    field = QuaternionicPotential(1, order, math.sqrt(3 / (d * (d + 2))))
    ds = rqf.simulate(
        field, tokens=tokens, t=t, dt=dt, realizations=3, seed=1, times=2
    )
    for row in ds.x.isel(time=-1).values:
        corners = right_multiplied(row[0], group(order))
        distance = np.linalg.norm(row[:, None] - corners, axis=-1)
        assert distance.min(axis=1).max() < 1e-3
        assert len(set(distance.argmin(axis=1))) == order


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: QuaternionicForm(1), "m = 1: must be an integer >= 2"),
        (lambda: QuaternionicPotential(0, 8), "m = 0: must be an integer >= 1"),
        (lambda: QuaternionicPotential(1, 12), "order = 12: must be 8, 24, 48 or 120"),
        (lambda: QuaternionicPotential(1, 8, -1.0), "sigma = -1.0: must be"),
        (lambda: QuaternionicPotential(1, 8).a(0.5), "invariant under symplectic maps only"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
