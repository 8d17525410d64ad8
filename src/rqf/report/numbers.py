"""Numbers as a reader wants them: no more digits than the error bar supports."""

from __future__ import annotations

import math

DIGITS = 6  # significant digits of what has no error bar, and the most that are shown
PLACES = 7  # decimals beyond which powers of ten are used


def with_error(value: float, error: float) -> tuple[str, str]:
    """A value and its error, the error to two digits and the value to the same decimal.

    >>> with_error(-1.00328, 0.01234)
    ('−1.003', '0.012')
    >>> with_error(0.3, 0.01)
    ('0.300', '0.010')
    >>> with_error(0.25, 0.0)
    ('0.25', '0')
    """
    if not math.isfinite(error) or error <= 0.0:
        return plain(value), plain(error)
    return to_precision(value, error), to_precision(float(f"{error:.1e}"), error)


def to_precision(value: float, error: float) -> str:
    """A value rounded to the second digit of its error."""
    if not (math.isfinite(value) and math.isfinite(error)) or error <= 0.0:
        return plain(value)
    places = 1 - math.floor(math.log10(float(f"{error:.1e}")))
    if not 0 <= places <= PLACES or abs(value) >= 10**DIGITS:
        return plain(value)
    text = f"{value:.{places}f}"
    return _signed("0" if float(text) == 0.0 else text)


def expected(value: float, error: float) -> str:
    """A prediction beside a value with this error: as precise, without zeros at the end."""
    text = to_precision(value, error)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def plain(value: float) -> str:
    """Six significant digits at most; powers of ten where the number is very small or large."""
    if not math.isfinite(value):
        return _signed(str(value))
    if value != 0.0 and not 1e-4 <= abs(value) < 10**DIGITS:
        mantissa, exponent = f"{value:.2e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        return _signed(f"{mantissa}e{int(exponent)}")
    return _signed(f"{value:.{DIGITS}g}")


def probability(value: float) -> str:
    """A p-value to two digits."""
    return plain(float(f"{value:.1e}"))


def _signed(text: str) -> str:
    return text.replace("-", "−")
