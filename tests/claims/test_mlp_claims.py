"""Claims on random layers and on exponents hold, and fail once their prediction is wrong."""

import importlib.util
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from claim_trials import assert_drawn, assert_whole, measurement, outcome

from rqf import theory
from rqf.claims import exponents, mlp, mlp_clusters, mlp_layers, mlp_phases
from rqf.reproductions import paper

MODULES = (exponents, mlp, mlp_layers, mlp_clusters, mlp_phases)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}


@cache
def predicted(name):
    return CLAIMS[name].predict()


def factored(name, factor):
    return factor * predicted(name)


def entries(name, factor):
    """Predictions with one wrong entry each."""
    for index, value in enumerate(predicted(name)):
        prediction = predicted(name).copy()
        prediction[index] = factor * value
        yield prediction


def table(change):
    """The kernels table with λ_1 and λ̄ from k(1), k'(1) combined in another way."""
    rows = np.array([mlp.row_of(case) for case in mlp.COMPUTED])
    n = np.array([case[1] for case in mlp.COMPUTED])
    return change(rows, n).ravel()


def with_columns(first, second):
    def change(rows, n):
        k, slope = rows[:, 0], rows[:, 1]
        return np.stack([k, slope, first(n, k, slope), second(n, k, slope)], axis=1)

    return change


def lambda_1(n, k, slope):
    return 0.5 * ((n - 3) * slope - (n - 1) * k)


def coercivity(n, k, slope):
    return (n - 1) * slope - (n - 3) * k


def spectra(fields, change):
    found = []
    for n in exponents.DIMENSIONS:
        for make in fields.values():
            field = make(n)
            a, b = float(field.a(1.0)), float(field.b(1.0))
            found.append(change(n, np.arange(1, n), a, float(field.a_prime(1.0)), b))
    return np.concatenate(found)


def exponent(n, p, a, slope, b):
    return 0.5 * ((n - 1 - 2 * p) * slope - (n - 1) * a - 2 * p * b)


ENERGY, EDGE, RATES = (predicted(f"mlp.{name}") for name in ("energy", "edge", "coercivity"))
SHIFT = np.array([2.0 * case[3] for case in mlp_clusters.CASES])

WRONG = {
    "exponents.raimond": {
        "slope for value": spectra(
            exponents.WITHOUT_B, lambda n, p, a, s, b: exponent(n, p, s, a, b)
        ),
        "no p": spectra(exponents.WITHOUT_B, lambda n, p, a, s, b: exponent(n, 1, a, s, b) + 0 * p),
    },
    "exponents.gradient": {
        "no b": spectra(exponents.WITH_B, lambda n, p, a, s, b: exponent(n, p, a, s, 0.0)),
        "sign of b": spectra(exponents.WITH_B, lambda n, p, a, s, b: exponent(n, p, a, s, -b)),
        "twice b": spectra(exponents.WITH_B, lambda n, p, a, s, b: exponent(n, p, a, s, 2 * b)),
    },
    "mlp.kernels": {
        "n - 2 for n - 3": table(
            with_columns(lambda n, k, s: lambda_1(n, k, s) + 0.5 * s, coercivity)
        ),
        "λ̄ for 2 λ_1": table(with_columns(lambda_1, lambda n, k, s: 2 * lambda_1(n, k, s))),
    },
    "mlp.strong": {
        "like 1/√L": np.array([0.25, 0.5]),
        "like 1/L²": np.array([16.0, 4.0]),
    },
    "mlp.width": {"like 1/√m": 5.0 / np.sqrt(mlp_layers.WIDTHS)},
    "mlp.energy": {
        "twice the mean": [2.0 * ENERGY[0], ENERGY[1]],
        "half the mean": [0.5 * ENERGY[0], ENERGY[1]],
        "a bound twice as fast": [
            ENERGY[0], ENERGY[1] * np.tile(np.exp(-2.0 * np.array(mlp_clusters.TIMES)), 2),
        ],
    },
    "mlp.coercivity": {
        "sign of attention": RATES + 2.0 * SHIFT,
        "attention without its factor 2": RATES + 0.5 * SHIFT,
        "no attention": RATES + SHIFT,
    },
    "mlp.edge": {
        "sign": [-EDGE[0], EDGE[1]],
        "twice": [2.0 * EDGE[0], EDGE[1]],
        "as many above as below": [EDGE[0], EDGE[1][[0, 0]]],
        "as few below as above": [EDGE[0], EDGE[1][[1, 1]]],
    },
    "mlp.leak": {
        "leaks reversed": predicted("mlp.leak").reshape(2, -1)[:, ::-1].ravel(),
        "no lifetime": np.repeat([1.0, 0.0], len(mlp_phases.LEAKS)),
    },
}  # fmt: skip
PLAIN = sorted(set(CLAIMS) - {"mlp.energy", "mlp.edge"})


@pytest.mark.parametrize("name", CLAIMS)
def test_holds(name):
    result = outcome(CLAIMS[name], predicted(name))
    assert result.passed, result.rule
    assert_whole(CLAIMS[name], result)
    assert_drawn(CLAIMS[name], result)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0])
def test_fails_if_the_prediction_is_wrong(name, factor):
    assert not outcome(CLAIMS[name], factored(name, factor)).passed


@pytest.mark.parametrize(("name", "wrong"), [(n, w) for n in WRONG for w in WRONG[n]])
def test_fails_for_another_statement(name, wrong):
    assert not outcome(CLAIMS[name], WRONG[name][wrong]).passed


@pytest.mark.parametrize("name", ["mlp.table", "mlp.kernels", "mlp.exponent", "mlp.width"])
@pytest.mark.parametrize("factor", [-1.0, 2.0])
def test_one_wrong_entry_is_seen(name, factor):
    for prediction in entries(name, factor):
        assert not outcome(CLAIMS[name], prediction).passed


@pytest.mark.parametrize(
    ("name", "fields"),
    [("exponents.raimond", exponents.WITHOUT_B), ("exponents.gradient", exponents.WITH_B)],
)
def test_one_wrong_spectrum_is_seen(name, fields):
    sizes = [n - 1 for n in exponents.DIMENSIONS for _ in fields]
    parts = np.split(predicted(name), np.cumsum(sizes)[:-1])
    for index, part in enumerate(parts):
        if part.size == max(sizes):
            wrong = [*parts[:index], 2.0 * part, *parts[index + 1 :]]
            assert not outcome(CLAIMS[name], np.concatenate(wrong)).passed


def test_a_digit_of_the_table_is_seen():
    """Five units of the last digit, in any of the numbers whose sampling error is below one."""
    errors = np.asarray(measurement(CLAIMS["mlp.table"]).errors)
    printed = predicted("mlp.table")
    unit = 10.0 ** (np.floor(np.log10(np.abs(printed))) - 2.0)
    assert np.sum(errors < unit) > 30
    for index in np.flatnonzero(errors < 0.5 * unit):
        wrong = printed.copy()
        wrong[index] += 5.0 * unit[index]
        assert not outcome(CLAIMS["mlp.table"], wrong).passed


def test_the_table_of_the_paper_is_that_of_the_package():
    """Every printed number within half a unit of its last digit, exactly."""
    for case, printed in mlp.PRINTED.items():
        unit = 10.0 ** (np.floor(np.log10(np.abs(printed))) - 2.0)
        assert np.all(np.abs(mlp.row_of(case) - np.array(printed)) < 0.5 * unit + 1e-12), case


def test_gains_at_the_edge():
    for name in mlp_phases.ACTIVATIONS:
        gain = mlp_phases.critical_gain(name)
        assert abs(theory.top_exponent(mlp_phases.layer(name, gain))) < 1e-12


def test_generator_bounds_energy():
    """The bound is slower than λ̄ and positive, and a grid twice as fine does not lower it."""
    assert 0.0 < mlp_clusters.slowest() < -RATES[1]
    z = -np.cos(np.linspace(0.0, math.pi - 1e-2, 601))
    pair = theory.TwoPoint(mlp_clusters.FIELD)
    rate = np.exp(z) * (pair.drift(z) + 0.5 * pair.variance(z)) / (math.e - np.exp(z))
    assert np.min(rate) > mlp_clusters.slowest() - 1e-4


def test_the_paper_has_claims_and_pictures():
    found = paper("agazzi")
    assert {"mlp.table", "mlp.figure_1", "mlp.energy"} <= {claim.id for claim in found.claims()}
    assert [picture.name for picture in found.pictures] == ["points", "cosines", "energy", "table"]


def test_the_page_holds_the_tables_of_today():
    root = Path(__file__).parents[2] / "docs"
    spec = importlib.util.spec_from_file_location("make_layers", root / "make_layers.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert maker.page() == (root / "layers.md").read_text(), "run: python docs/make_layers.py"
