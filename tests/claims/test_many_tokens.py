"""Claims on many tokens hold, and fail once their prediction is wrong."""

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, measurement, outcome
from scipy import stats

from rqf import theory
from rqf.claims import gram, many_tokens, mean_field
from rqf.claims.mean_field import FLOW, OMEGA, TIMES, marginal_cdf

CLAIMS = {
    claim.id.split(".")[1]: claim
    for module in (many_tokens, mean_field, gram)
    for claim in module.CLAIMS
}


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name])
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


def test_one_token_on_the_wrong_side_is_seen():
    assert not outcome(CLAIMS["hemispheres"], np.array([0.0, 1.0, 0.0])).passed


@pytest.mark.parametrize(
    "pmf",
    [
        stats.binom.pmf(np.arange(9), 8, 0.45),
        np.full(9, 1.0 / 9.0),
        np.r_[theory.group_size_pmf(7), 0.0],
    ],
    ids=["another chance", "even", "one token less"],
)
def test_other_laws_of_the_group_size_are_seen(pmf):
    assert not outcome(CLAIMS["binomial"], np.tile(pmf, (3, 1))).passed


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.1, 2.0])
def test_other_chances_of_one_cluster_are_seen(factor):
    assert not outcome(CLAIMS["together"], factor * CLAIMS["together"].predict()).passed


def test_other_densities_are_seen():
    """The laws of the inverse, of the transpose, of the root of G; the uniform law."""
    lifted = [FLOW.lift(OMEGA, t) for t in TIMES]
    marginals, _ = CLAIMS["mean_field"].predict()
    wrong = {
        "inverse": [np.linalg.inv(g) for g in lifted],
        "transpose": [g.T for g in lifted],
        "root": [np.linalg.svd(g)[0] * np.sqrt(np.linalg.svd(g)[1]) for g in lifted],
        "uniform": [np.eye(3)] * 3,
    }
    for name, matrices in wrong.items():
        laws = [theory.MeanField(g) for g in matrices]
        moments = np.stack([law.second_moment()[np.triu_indices(3)] for law in laws])
        assert not outcome(CLAIMS["mean_field"], [marginals, moments]).passed, name


def test_the_density_of_another_time_is_seen():
    marginals, moments = CLAIMS["mean_field"].predict()
    swapped = [*marginals[3:6], *marginals[:3], *marginals[6:]]
    assert not outcome(CLAIMS["mean_field"], [swapped, moments]).passed
    turned = [marginals[index] for index in (1, 2, 0, 4, 5, 3, 7, 8, 6)]
    assert not outcome(CLAIMS["mean_field"], [turned, moments]).passed


def test_marginals_are_distribution_functions():
    for t in TIMES:
        law = theory.MeanField(FLOW.lift(OMEGA, t))
        sample = law.sample(4000, seed=1)
        for axis in range(3):
            cdf = marginal_cdf(law, axis)
            np.testing.assert_allclose(cdf(np.array([-1.0, 0.0, 1.0])), [0.0, 0.5, 1.0], atol=1e-5)
            assert stats.kstest(sample[:, axis], cdf).pvalue > 1e-4


def test_a_gram_matrix_that_depends_on_the_dimension_is_seen():
    difference, means = CLAIMS["gram"].predict()
    assert not outcome(CLAIMS["gram"], [difference + 0.2, means]).passed
    assert not outcome(CLAIMS["gram"], [difference, 2.0 * means]).passed
    assert not outcome(CLAIMS["gram"], [difference, -means]).passed
    for part in measurement(CLAIMS["gram"]).parts:
        assert np.max(part.errors) < 0.02
