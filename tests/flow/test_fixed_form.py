"""The deterministic relative: trajectories, limits and energies of a fixed quadratic form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import rqf
from rqf.flow import SCHEMES
from rqf.sphere import rotation, uniform

EXACT = ["exponential", "ninomiya-victoir", "corrected-exponential"]
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def form(values: list[float], seed: int = 0) -> rqf.QuadraticForm:
    turn = rotation(len(values), seed)
    return rqf.QuadraticForm(turn @ np.diag(values) @ turn.T)


@pytest.mark.parametrize("scheme", EXACT)
@pytest.mark.parametrize("dt", [1 / 64, 1 / 2, 8.0, 64.0])
def test_trajectories_are_exact_at_any_step(scheme: str, dt: float) -> None:
    """x(t) = exp(-Mt) x / |exp(-Mt) x|, also where a step is e-folds long."""
    for values in ([0.2, -0.3], [1.0, 0.1, -2.0], [1.0, 1.0, 3.0, 2.5, -0.5, 0.0]):
        field, n = form(values), len(values)
        x = uniform(n + 2, n, rng=1)
        moved = rqf.Flow(field, dt, scheme).path(rqf.Wiener(0, cell=64.0), x, [dt, 3 * dt])
        for steps, found in zip([1, 3], moved, strict=True):
            exact = rqf.normalize(x @ expm(-steps * dt * field.matrix))
            np.testing.assert_allclose(found, exact, rtol=0, atol=1e-11)


@every_scheme
def test_slopes_of_the_schemes_that_step(scheme: str) -> None:
    """Without noise Euler has order 1, Heun 2, and the others none to speak of."""
    field, x = form([1.0, 0.2, -0.6]), uniform(20, 3, rng=2)
    exact = rqf.normalize(x @ expm(-2.0 * field.matrix))
    errors = [
        np.max(np.abs(rqf.Flow(field, dt, scheme)(rqf.Wiener(0), x, 2.0) - exact))
        for dt in (1 / 32, 1 / 64)
    ]
    if scheme in EXACT:
        assert max(errors) < 1e-13
    else:
        order = {"euler": 1.0, "heun": 2.0}[scheme]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


@every_scheme
def test_energy_falls(scheme: str) -> None:
    field, x = form([1.0, 0.4, 0.0, -1.0]), uniform(50, 4, rng=3)
    path = rqf.Flow(field, 1 / 8, scheme).path(rqf.Wiener(0), x, np.arange(0.0, 20.0, 0.125))
    energy = field.energy(path)
    falls = np.diff(energy, axis=0)
    assert np.max(falls[:40]) < 0
    assert np.max(falls) < 1e-15
    np.testing.assert_allclose(energy[-1], -0.5, rtol=0, atol=1e-9)


@every_scheme
@pytest.mark.parametrize(
    "values", [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [-1.0, 0.5, 0.5, 0.5], [2.0, 2.0, 2.0]]
)
def test_trajectories_end_at_their_limit(scheme: str, values: list[float]) -> None:
    """At the normalised part of x in the lowest eigenspace, degenerate or not."""
    field, n = form(values, seed=4), len(values)
    x = uniform(30, n, rng=4)
    moved = rqf.Flow(field, 1 / 4, scheme)(rqf.Wiener(0), x, 80.0)
    np.testing.assert_allclose(moved, field.limit(x), rtol=0, atol=1e-12)


def test_limits_of_points_that_miss_the_lowest_eigenspace() -> None:
    form = rqf.QuadraticForm(np.diag([1.0, 1.0, 3.0, 4.0]))
    x = rqf.normalize([[0, 0, 1, 2], [0, 0, 0, -5], [0, 1, 1, 1], [3, 4, 0, 9]])
    expected = [[0, 0, 1, 0], [0, 0, 0, -1], [0, 1, 0, 0], [0.6, 0.8, 0, 0]]
    np.testing.assert_allclose(form.limit(x), expected, rtol=0, atol=1e-15)
    turn = rotation(4, 5)
    turned = rqf.QuadraticForm(turn @ form.matrix @ turn.T)
    generic = x[3] @ turn.T
    np.testing.assert_allclose(turned.limit(generic), expected[3] @ turn.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(turned.limit(x @ turn.T), expected @ turn.T, rtol=0, atol=1e-14)


@every_scheme
@pytest.mark.parametrize("gap", [0.75, 100.0])
def test_unstable_rest_is_rest(scheme: str, gap: float) -> None:
    """An eigenvector stays where it is however long one waits and whoever is moved with it."""
    field = rqf.QuadraticForm(np.diag([0.0, gap, 2 * gap]))
    moved = rqf.Flow(field, 1.0, scheme)(rqf.Wiener(0), np.eye(3), 900.0)
    np.testing.assert_array_equal(moved, np.eye(3))
    ds = rqf.simulate(field, t=900.0, dt=1.0, times=2, x0=np.eye(3), scheme=scheme)
    np.testing.assert_array_equal(ds.x[0, -1], np.eye(3))


@pytest.mark.parametrize("scheme", EXACT)
def test_steep_forms(scheme: str) -> None:
    """Growth by e^±399 a step, many steps in a row."""
    field = rqf.QuadraticForm(np.diag([-399.0, 100.0, 399.0]))
    x = rqf.normalize([[0, 0, 1], [0, 1, 1], [1e-150, 1, 0]])
    moved = rqf.Flow(field, 1.0, scheme)(rqf.Wiener(0), x, 50.0)
    np.testing.assert_array_equal(moved, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])


@every_scheme
def test_a_multiple_of_the_identity_moves_nothing(scheme: str) -> None:
    """c I as a form adds only to the scale of the lift; Euler and Heun mix it with the noise."""
    noise, x = rqf.RandomQuadraticForm(3), uniform(5, 3, rng=6)
    alone = rqf.Flow(noise, 1 / 16, scheme)(rqf.Wiener(2), x, 2.0)
    field = noise + rqf.QuadraticForm(3.0 * np.eye(3))
    moved = rqf.Flow(field, 1 / 16, scheme)(rqf.Wiener(2), x, 2.0)
    difference = np.max(np.abs(moved - alone))
    assert difference < 1e-13 if scheme in EXACT else difference > 1e-3
