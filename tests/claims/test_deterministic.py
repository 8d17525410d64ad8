"""Claims on the fixed quadratic form hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome
from scipy.linalg import expm

from rqf import sphere
from rqf.claims import deterministic

CLAIMS = {claim.id.split(".")[1]: claim for claim in deterministic.CLAIMS}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", ["limit", "degenerate", "trajectory"])
def test_a_distance_that_does_not_vanish_is_seen(name):
    assert not outcome(CLAIMS[name], np.full_like(CLAIMS[name].predict(), 1e-6)).passed


def test_an_energy_that_rises_or_does_not_balance_is_seen():
    none = np.zeros(4)
    assert not outcome(CLAIMS["energy"], [np.array([0.0, 1.0, 0.0, 0.0]), none]).passed
    assert not outcome(CLAIMS["energy"], [none, np.full(4, 1e-6)]).passed


def test_the_wrong_end_of_the_spectrum_is_seen(monkeypatch):
    """The measurement itself: asked for the other eigenvector, it finds a distance of π/2."""
    swapped = tuple((name, sign, -1 - column) for name, sign, column in deterministic.ENDS)
    monkeypatch.setattr(deterministic, "ENDS", swapped)
    off = CLAIMS["limit"].measure("quick", 1).values
    np.testing.assert_allclose(off, np.pi / 2, atol=1e-9)


def test_the_solver_solves_the_equation():
    matrix = np.array([[1.0, 0.5, 0.0], [0.5, -1.0, 0.2], [0.0, 0.2, 0.3]])
    x = sphere.normalize([1.0, 2.0, 2.0])
    closed = sphere.normalize(expm(-2.0 * matrix) @ x)
    np.testing.assert_allclose(deterministic._solved(matrix, x, 2.0), closed, atol=1e-10)


def test_what_is_dissipated_is_the_loss_of_energy():
    matrix = np.diag([1.0, 2.0, 4.0])
    x = sphere.uniform(5, 3, 0)
    end = sphere.normalize(x * np.exp(-np.diag(matrix)))
    lost = 0.5 * np.sum((x**2 - end**2) * np.diag(matrix), axis=1)
    np.testing.assert_allclose(deterministic._dissipated(matrix, x, 1.0), lost, atol=1e-12)
