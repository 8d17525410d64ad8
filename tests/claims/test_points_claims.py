"""Claims on attractors of k points hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, outcome

from rqf.claims import complex_fields, harmonics

CLAIMS = {claim.id: claim for claim in (*harmonics.CLAIMS, *complex_fields.CLAIMS)}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


WRONG = {
    "harmonics.unit_speed": [lambda x: -x, lambda x: x**2],
    "harmonics.exponent": [lambda x: -x, lambda x: 2.0 * x],
    "harmonics.points": [lambda x: x + 1.0],
    "harmonics.lifetime": [lambda x: -x, lambda x: 2.0 * x, lambda x: 0.5 * x],
    "complex.brownian": [lambda x: -x, lambda x: x**2],
    "complex.exponents": [lambda x: -x, lambda x: 2.0 * x],
    "complex.points": [lambda x: x - np.array([0.5, 0.0])],
}


@pytest.mark.parametrize(("name", "index"), [(n, i) for n in WRONG for i in range(len(WRONG[n]))])
def test_fails_if_the_prediction_is_wrong(name, index):
    assert not outcome(CLAIMS[name], WRONG[name][index](CLAIMS[name].predict())).passed


def test_every_claim_is_falsified():
    assert set(WRONG) == set(CLAIMS)
