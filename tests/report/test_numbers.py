"""Numbers in reports: as many digits as the error bar supports."""

import math

import pytest

from rqf.report.numbers import expected, plain, probability, with_error


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (-1.00328, 0.01234, ("−1.003", "0.012")),
        (0.3, 0.01, ("0.300", "0.010")),
        (12.3456, 2.0, ("12.3", "2.0")),
        (1234.5, 30.0, ("1234", "30")),
        (-0.0004, 0.01, ("0", "0.010")),
        (0.123, 0.0996, ("0.12", "0.10")),
        (0.25, 0.0, ("0.25", "0")),
        (1e-14, 1e-12, ("1e−14", "1e−12")),
        (3.0, math.nan, ("3", "nan")),
        (math.inf, 1.0, ("inf", "1.0")),
        (-math.inf, 0.1, ("−inf", "0.10")),
    ],
)
def test_with_error(value, error, shown):
    assert with_error(value, error) == shown


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [(-1.0, 0.012, "−1"), (2.0 / 3.0, 0.012, "0.667"), (0.5, 0.0, "0.5"), (120.0, 15.0, "120")],
)
def test_expected_has_no_zeros_at_the_end(value, error, shown):
    assert expected(value, error) == shown


def test_plain_and_probability():
    assert plain(1 / 16) == "0.0625"
    assert plain(4000) == "4000"
    assert plain(2.5e-7) == "2.5e−7"
    assert plain(3e8) == "3e8"
    assert probability(0.04567) == "0.046"
    assert probability(1.0) == "1"
    assert probability(1.14e-88) == "1.1e−88"
