"""Critical lines: where an end of the overlap of two tokens stops attracting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.theory.arguments import isotropic
from rqf.theory.two_point.boundaries import boundary

END = {"chaos": 1.0, "antipodal": -1.0}


def critical(
    make_field: Callable[[float], Field],
    lower: float,
    upper: float,
    which: Literal["chaos", "antipodal"] = "chaos",
) -> float:
    """The parameter at which an end of the overlap turns from attracting to repelling.

    Solves λ(field(x)) = 0 by Brent's method, λ the rate of log distance near the end.

    Parameters
    ----------
    make_field : function from a float to a Field, or to λ itself
        λ as a number allows what fields do not, for example a real dimension n.
    lower, upper : float
        A bracket: λ has opposite signs at the two.
    which : "chaos" or "antipodal"
        "chaos": λ_1 = 0 at Z = 1, the border of the chaotic phase. "antipodal": the end Z = -1,
        the border of bipolar and monopolar where antipodal pairs stay antipodal.

    Returns
    -------
    float, to about 1e-13 of its size

    Raises
    ------
    rqf.errors.InvalidArgument
        If the bracket is empty, λ has one sign on both ends of it, or antipodal pairs are moved
        by an even part of the noise: the end Z = -1 then never attracts.

    Examples
    --------
    A cubic potential C(z) = z³ has a = 3z², b = 6z: chaos above n = 9.
    A linear layer never has it, with or without bias.

    >>> import rqf
    >>> rqf.theory.critical(lambda n: 0.5 * ((n - 3) * 6 - (n - 1) * 3 - 12), 2.0, 20.0)
    9.0
    """
    checks.choice("which", which, END)
    low, high = checks.real("lower", lower), checks.real("upper", upper)
    if low >= high:
        raise InvalidArgument(f"lower = {low:g}: must be below upper = {high:g}")

    def exponent(x: float) -> float:
        field = make_field(x)
        if not isinstance(field, Field):
            return checks.real("make_field", field)
        value = boundary(isotropic(field), END[which]).exponent
        if value == float("inf"):
            raise InvalidArgument(
                f"which = {which!r}: at {x:g} the even part of the noise moves antipodal pairs,"
                " Z = -1 does not attract however small it is"
            )
        return value

    ends = exponent(low), exponent(high)
    if ends[0] * ends[1] > 0.0:
        raise InvalidArgument(
            f"lower = {low:g}, upper = {high:g}: the exponent is {ends[0]:.6g} and {ends[1]:.6g};"
            " must change its sign between them"
        )
    from scipy.optimize import brentq

    return float(brentq(exponent, low, high, xtol=1e-300, rtol=1e-14, maxiter=500))


def critical_dimension(
    make_field: Callable[[int], Field],
    lower: int,
    upper: int,
    which: Literal["chaos", "antipodal"] = "chaos",
) -> tuple[int, int]:
    """The two neighbouring dimensions between which, or at which, an end stops attracting.

    Bisects the integers; where an exponent vanishes at an integer n, the two are (n, n).

    Parameters
    ----------
    make_field : function from an int to a Field
    lower, upper : int
        A bracket of dimensions.
    which : "chaos" or "antipodal"
        As for `critical`.

    Returns
    -------
    (int, int)

    Raises
    ------
    rqf.errors.InvalidArgument
        As for `critical`.
    """
    checks.choice("which", which, END)
    low, high = checks.integer("lower", lower, 2), checks.integer("upper", upper, 3)

    def exponent(n: int) -> float:
        return boundary(isotropic(make_field(n)), END[which]).exponent

    ends = exponent(low), exponent(high)
    if low >= high or ends[0] * ends[1] > 0.0:
        raise InvalidArgument(
            f"lower = {low}, upper = {high}: the exponent is {ends[0]:.6g} and {ends[1]:.6g};"
            " must change its sign between them"
        )
    for n, value in zip((low, high), ends, strict=True):
        if value == 0.0:
            return n, n
    while high - low > 1:
        middle = (low + high) // 2
        value = exponent(middle)
        if value == 0.0:
            return middle, middle
        low, high = (middle, high) if value * ends[0] > 0.0 else (low, middle)
    return low, high


def bias_lifetime(n: int, bias: float, strength: float = 1.0) -> float:
    """The mean time from Z = -1 to 0 under a weak bias, to leading order.

    `(π/(4 √(2 s))) Beta((n-1)/2, ½)/bias` for linear noise of symmetric strength s; Shalova's units
    are s = 2, which gives (π/8) Beta((n-1)/2, ½)/γ. `TwoPoint.exit_time` has the exact time.

    Parameters
    ----------
    n : int >= 2
        Dimension.
    bias : float > 0
        sigma of the bias, small against √strength.
    strength : float > 0
        Symmetric strength of the linear noise.

    Returns
    -------
    float, relative error of order bias/√strength

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> round(1e-3 * rqf.theory.bias_lifetime(n=3, bias=1e-3, strength=2.0), 4)
    0.7854
    """
    from scipy.special import beta

    n = checks.integer("n", n, 2)
    bias = checks.real("bias", bias, 0.0, open_minimum=True)
    s = checks.real("strength", strength, 0.0, open_minimum=True)
    return float(0.25 * math.pi / (2.0 * s) ** 0.5 * beta(0.5 * (n - 1), 0.5) / bias)
