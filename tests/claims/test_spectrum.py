"""Claims on Lyapunov exponents hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome

from rqf import theory
from rqf.claims import spectrum
from rqf.fields import LinearLayer, RandomQuadraticForm, Skew

CLAIMS = {claim.id.split(".")[1]: claim for claim in spectrum.CLAIMS}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", ["sphere", "lift", "linear_layer"])
@pytest.mark.parametrize(
    "wrong",
    [lambda x: -x, lambda x: 2.0 * x, lambda x: 0.9 * x, lambda x: x - 0.5],
    ids=["sign", "factor 2", "a tenth less", "shifted"],
)
def test_fails_if_the_prediction_is_wrong(name, wrong):
    assert not outcome(CLAIMS[name], wrong(CLAIMS[name].predict())).passed


def test_one_wrong_exponent_among_many_is_seen():
    for index in range(16):
        prediction = CLAIMS["sphere"].predict()
        prediction[index] -= 0.3
        assert not outcome(CLAIMS["sphere"], prediction).passed


def test_rotations_that_would_stretch_are_seen():
    assert not outcome(CLAIMS["skew"], np.full(7, -1e-3)).passed


def test_predictions_are_those_of_the_theory():
    for make, name in ((RandomQuadraticForm, "sphere"), (LinearLayer, "linear_layer")):
        dimensions = (2, 3, 5, 10) if name == "sphere" else (2, 3, 5)
        closed = [theory.lyapunov_spectrum(make(n)) for n in dimensions]
        np.testing.assert_allclose(CLAIMS[name].predict(), np.concatenate(closed), atol=1e-14)
    closed = [theory.lift_exponents(RandomQuadraticForm(n)) for n in (2, 3, 5)]
    np.testing.assert_allclose(CLAIMS["lift"].predict(), np.concatenate(closed), atol=1e-14)
    assert not np.any(theory.lyapunov_spectrum(Skew(5)))
