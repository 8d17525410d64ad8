"""The framework of claims: rules that raise false alarms as rarely as they say, and do catch."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

import rqf
from rqf import sphere
from rqf.claims import (
    Bounds,
    Claim,
    Counts,
    Directions,
    Estimates,
    Identity,
    Jointly,
    Proportions,
    Samples,
    decide,
    registry,
)
from rqf.claims.base import FALSE_ALARM, amount, stream
from rqf.claims.registry import false_alarm, registered, select
from rqf.errors import InvalidArgument

TRIALS = 2000


def normal_cdf(x):
    return special.ndtr(x)


def measurement(kind, rng, off=0.0):
    """A measurement of a true prediction, and the prediction; `off` moves what is measured."""
    match kind:
        case "estimates":
            return Estimates(rng.standard_normal(5) + off, np.ones(5)), np.zeros(5)
        case "one estimate":
            return Estimates(rng.standard_normal(1) + off, 1.0), 0.0
        case "chi-square":
            return Estimates(rng.standard_normal(5) + off, np.ones(5), rule="chi-square"), 0.0
        case "few realizations":
            return Estimates.of_means(rng.standard_normal((4, 3)) + off), np.zeros(3)
        case "proportions":
            p = np.array([0.02, 0.3, 0.9])
            return Proportions(rng.binomial(200, np.clip(p + 0.1 * off, 0, 1)), 200), p
        case "samples":
            return Samples([rng.standard_normal(80) + off, rng.standard_normal(30)]), [
                normal_cdf, normal_cdf,
            ]
        case "counts":
            p = np.array([[0.5, 0.3, 0.15, 0.05], [0.25, 0.25, 0.25, 0.25]])
            q = p[:, ::-1] if off else p
            return Counts([rng.multinomial(300, row) for row in q]), p
        case "bounds":
            return Bounds(rng.standard_normal(3) + off, np.ones(3)), np.zeros(3)
        case "bounds from below":
            return Bounds(rng.standard_normal(3) - off, np.ones(3), side="at least"), np.zeros(3)
        case "directions":
            shape = np.diag([1.0, 2.0, 3.0])
            points = rng.standard_normal((100, 3)) @ np.sqrt(shape) + off
            return Directions([sphere.normalize(points)]), [shape]
        case "jointly":
            parts = [measurement(name, rng, off) for name in ("estimates", "proportions")]
            return Jointly([m for m, _ in parts]), [p for _, p in parts]


EXACT = {"one estimate", "chi-square"}  # neither Bonferroni nor discreteness takes anything away
KINDS = [
    "estimates", "one estimate", "chi-square", "few realizations", "proportions", "samples",
    "counts", "bounds", "bounds from below", "directions", "jointly",
]


@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_are_as_rare_as_stated(kind):
    """Under the truth P(p < α) <= α, nearly = for independent entries (one-sided rules: at 0)."""
    rng = np.random.default_rng(5)
    trials = {"directions": 120, "samples": 800}.get(kind, TRIALS)
    pvalues = np.empty(trials)
    for index in range(trials):
        seen, prediction = measurement(kind, rng)
        pvalues[index] = seen.compare(prediction).pvalue
    for alpha in (0.05, 0.01):
        rate = float(np.mean(pvalues < alpha))
        error = math.sqrt(alpha * (1 - alpha) / trials)
        assert rate < alpha + 3.5 * error
        assert rate > (1.0 if kind in EXACT else 0.3) * alpha - 3.5 * error


@pytest.mark.parametrize("kind", KINDS)
def test_a_measurement_that_is_off_fails(kind):
    rng = np.random.default_rng(6)
    strong = 60.0 if kind == "few realizations" else 8.0
    seen, prediction = measurement(kind, rng, off=strong)
    assert seen.compare(prediction).pvalue < 1e-6


def test_student_errors_of_few_realizations():
    few = Estimates([4.0], [1.0], freedom=5.0).compare(0.0)
    assert few.pvalue == pytest.approx(2 * special.stdtr(5, -4.0))
    assert Estimates.of_means(np.zeros((20, 2)) + np.arange(20)[:, None]).freedom == 19
    assert Estimates.of_means(np.arange(3000.0)[:, None]).freedom is None


def test_means_and_errors_are_those_of_the_samples():
    samples = np.random.default_rng(1).standard_normal((500, 2, 3))
    means = Estimates.of_means(samples)
    np.testing.assert_allclose(means.values, samples.mean(axis=0))
    np.testing.assert_allclose(means.errors, samples.std(axis=0, ddof=1) / math.sqrt(500))


def test_errors_of_nothing():
    assert Estimates([1.0], [0.0]).compare(1.0).pvalue == 1.0
    assert Estimates([1.0], [0.0]).compare(1.1).pvalue == 0.0
    assert Estimates([math.nan], [1.0]).compare(0.0).pvalue == 0.0
    assert Bounds([1.0], [0.0]).compare(1.5).pvalue == 1.0


def test_proportions_are_tested_exactly():
    """Twice the smaller binomial tail: 0 of 10 at p = 1/2 has 2/1024."""
    assert Proportions([0], 10).compare([0.5]).pvalue == pytest.approx(2 / 1024)
    assert Proportions([10], 10).compare([1.0]).pvalue == 1.0
    assert Proportions([9], 10).compare([1.0]).pvalue == 0.0
    assert Proportions([5], 10).compare([1.5]).pvalue == 0.0


def test_counts_where_none_can_be():
    assert Counts([[5, 5, 1]]).compare([0.5, 0.5, 0.0]).pvalue == 0.0
    assert Counts([[50, 50, 0]]).compare([0.5, 0.5, 0.0]).pvalue == 1.0


def test_samples_show_shares_below_predicted_quantiles():
    x = special.ndtri((np.arange(1000) + 0.5) / 1000)
    comparison = Samples([x], ["normal"]).compare([normal_cdf])
    shares = np.array([(row.predicted, row.measured) for row in comparison.rows])
    np.testing.assert_allclose(shares[:, 0], shares[:, 1], atol=2e-3)
    assert comparison.pvalue == pytest.approx(1.0)


def test_identity_keeps_to_its_tolerance():
    seen = Identity([1.0, 2.0 + 1e-13], 1e-12, because="two roundings")
    assert seen.compare([1.0, 2.0]).pvalue == 1.0
    assert seen.compare([1.0, 2.1]).pvalue == 0.0
    assert "two roundings" in seen.compare([1.0, 2.0]).rule
    assert Identity([math.nan], 1.0).compare([0.0]).pvalue == 0.0


def test_labels_are_counted():
    with pytest.raises(ValueError, match="2 labels for 3 entries"):
        Estimates(np.zeros(3), np.ones(3), ["a", "b"]).compare(0.0)


def claim_of(seen, prediction, name="test.one", weight=1.0):
    return Claim(
        name, "A statement.", "A source", lambda: prediction, lambda level, seed: seen,
        lambda axes, result: None, weight,
    )


def test_a_decision_and_its_record():
    seen = Estimates(
        [1.0, 2.0], [0.1, 0.1], ["first", "second"], headline=1,
        details={"array": np.arange(3), "n": np.int64(3), "missing": math.nan},
    )
    result = decide(claim_of(seen, [1.0, 2.1]), seen, 1e-3, number=7)
    assert (result.predicted, result.measured, result.error) == (2.1, 2.0, 0.1)
    assert result.passed
    assert result.labels == ("first", "second")
    np.testing.assert_array_equal(result.column("predicted"), [1.0, 2.1])
    record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert record["rows"][0] == {
        "label": "first", "predicted": 1.0, "measured": 1.0, "error": 0.1,
    }
    assert record["details"] == {"array": [0, 1, 2], "n": 3, "missing": "nan"}
    assert record["number"] == 7
    assert "passes" in record["rule"]


def test_a_claim_is_falsified_by_its_prediction():
    seen = Estimates([1.0], [0.1])
    claim = claim_of(seen, [1.0])
    assert decide(claim, seen).passed
    wrong = decide(replace(claim, predict=lambda: [2.0]), seen)
    assert not wrong.passed
    assert "fails" in wrong.rule


@pytest.fixture
def three(monkeypatch):
    """A registry of three claims, the second of which is false."""
    claims = (
        claim_of(Estimates([0.0], [1.0]), [0.5], "sun.rises"),
        claim_of(Estimates([9.0], [1.0]), [0.5], "sun.sets"),
        claim_of(Estimates([0.0], [1.0]), [0.5], "moon.rises", weight=2.0),
    )
    monkeypatch.setattr(registry, "registered", lambda: claims)
    return claims


def test_selections(three):
    def numbers(only):
        return [number for number, _ in select(only)]

    assert numbers(None) == [1, 2, 3]
    assert numbers("sun") == numbers(["sun.sets", "sun.rises"]) == numbers([2, 1, "1"]) == [1, 2]
    assert numbers("moon.rises") == numbers(3) == numbers("3") == [3]
    with pytest.raises(InvalidArgument, match=r"only = 'sun\.raises'.*'sun\.rises'"):
        select("sun.raises")
    with pytest.raises(InvalidArgument, match="from 1 to 3"):
        select(4)
    with pytest.raises(InvalidArgument, match="only = 0"):
        select([0])
    with pytest.raises(InvalidArgument, match="only: names no claim"):
        select([])
    with pytest.raises(InvalidArgument, match="only"):
        select("")
    with pytest.raises(InvalidArgument, match=r"only = 1\.5"):
        select(1.5)


def test_a_run(three):
    results = rqf.claims.run()
    assert [(r.number, r.id, r.passed) for r in results] == [
        (1, "sun.rises", True), (2, "sun.sets", False), (3, "moon.rises", True),
    ]
    assert sum(r.false_alarm for r in results) == pytest.approx(FALSE_ALARM)
    assert results[2].false_alarm == 2 * results[0].false_alarm
    [alone] = rqf.claims.run(only="moon", progress=True)
    assert alone.false_alarm == results[2].false_alarm
    assert alone.seconds >= 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "slow"}, "level = 'slow': must be one of quick, full"),
        ({"seed": -1}, "seed = -1"),
        ({"only": "moan"}, "'moon.rises'"),
    ],
)
def test_refusals_come_before_any_work(three, arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        rqf.claims.run(**arguments)


def test_seeds_of_parts_differ_and_stay():
    seeds = {stream(seed, *names) for seed in (0, 1) for names in ((), ("a",), ("b",), ("a", 1))}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert stream(7, "pair.together") == 12369705547074952056


def test_full_takes_enough_samples():
    assert math.sqrt(amount("full", 100) / amount("quick", 100)) > 5.0


def test_the_registry():
    claims = registered()
    assert len({claim.id for claim in claims}) == len(claims)
    assert sum(false_alarm(claim) for claim in claims) == pytest.approx(FALSE_ALARM)
    assert FALSE_ALARM < 1e-3
    for claim in claims:
        assert claim.statement.endswith(".")
        assert claim.source
        assert "." in claim.id
