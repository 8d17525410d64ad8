"""Unitary noise on S^{2m-1} ⊂ C^m: one token, nearby tokens, and the Hopf fibration.

Sums of `HermitianForm`s and `HolomorphicPotential`s are invariant in law under U(m). A tangent
vector at x is V = i s x + y, s real along the Hopf fibre and y in C^{m-1} horizontal. In a frame
that U(m) carries along with the token V obeys a linear equation with constant coefficients,

    dV = dA V + K V dt   (Itô),

A a Gaussian matrix noise and K = diag(K_v, K_h). With σ² the strength of the Hermitian part and c,
k those of a potential f, for which f_0, f_j, f_jl stand for f and its derivatives at x,

    A_vv = -k² Re f_0,              A_vh y = -(k-2) Im Σ f_j y_j - 2 Im Σ H_0j y_j,
    A_hv s = -i k s conj f_j,       A_hh y = conj(f'' y) - k y Re f_0 - (H_⊥ - H_00) y,
    K_v = -c k² (m-1),              2 K_h = c (k²/2 - k m) - σ² m.

U(m-1) leaves the law of A as it is, so that g = s/|y| is a diffusion of its own; its stationary law
is elementary, and the mean growth of |V| under it is λ_1 (Furstenberg and Khasminskii). The inverse
transposed equation, of the same form, gives λ_{2m-1}, and the trace the sum of all exponents.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, HermitianForm, HolomorphicPotential

Array = NDArray[np.float64]
STEP, REACH = 1 / 32, 45.0  # nodes in log g, and how far they go


class OnePoint(NamedTuple):
    """Variances of a token per unit time: in each horizontal direction, and along the fibre."""

    horizontal: float
    hopf: float


class UnitaryExponents(NamedTuple):
    """The largest and the smallest of the 2m - 1 Lyapunov exponents on S^{2m-1}, and their sum."""

    top: float
    bottom: float
    total: float


class _Growth(NamedTuple):
    """The linear equation of V, in numbers that add up over independent fields.

    `fibre` = Var A_vv; `to_fibre` = Var(A_vh y)/|y|²; `from_fibre` = E|A_hv|²; `along` =
    Var(y·A_hh y)/|y|⁴; `spread` = E|A_hh y|²/|y|²; `mixed` = Cov(A_vv s + A_vh y, y·A V)/(s |y|²);
    `loop_v`, `loop_h` = the diagonal of E[A²]; `drift_v`, `drift_h` = K.
    """

    fibre: float = 0.0
    to_fibre: float = 0.0
    from_fibre: float = 0.0
    along: float = 0.0
    spread: float = 0.0
    mixed: float = 0.0
    loop_v: float = 0.0
    loop_h: float = 0.0
    drift_v: float = 0.0
    drift_h: float = 0.0

    def dual(self, m: int) -> _Growth:
        """The inverse transposed equation, of covectors."""
        d = 2.0 * (m - 1)
        return self._replace(
            to_fibre=self.from_fibre / d,
            from_fibre=self.to_fibre * d,
            drift_v=self.loop_v - self.drift_v,
            drift_h=self.loop_h - self.drift_h,
        )


def one_point_variances(field: Field) -> OnePoint:
    """How fast one token diffuses: its generator is ½ (horizontal Δ_h + hopf ∂²_ψ).

    Δ_h is the horizontal Laplacian, ψ the arc length along the Hopf fibre, and Δ_h + ∂²_ψ the
    Laplacian of the round sphere S^{2m-1}. With the two numbers equal a token is a Brownian motion.
    In any case `E[X_0* X_t] = exp(-((2m-2) horizontal + hopf) t/2)`.

    Parameters
    ----------
    field : Field
        A sum of `HermitianForm`s and `HolomorphicPotential`s.

    Returns
    -------
    OnePoint
        `horizontal` and `hopf`, variances per unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field is of another kind.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.one_point_variances(rqf.HolomorphicPotential(m=2, k=3))
    OnePoint(horizontal=1.5, hopf=4.5)
    """
    horizontal = hopf = 0.0
    for part in _unitary(field):
        if isinstance(part, HermitianForm):
            horizontal += 0.5 * part.sigma**2
        else:
            horizontal += 0.5 * part.strength * part.k
            hopf += 0.5 * part.strength * part.k**2
    return OnePoint(horizontal, hopf)


def unitary_exponents(field: Field) -> UnitaryExponents:
    """Lyapunov exponents of unitary noise on S^{2m-1}: the first, the last and the sum of all.

    For m = 2 these are all three, λ_2 = total - top - bottom. A Hermitian form alone has, in units
    of sigma², the exponents 0 and -2p, p = 1..m-1, the latter twice each.

    Parameters
    ----------
    field : Field
        A sum of `HermitianForm`s and `HolomorphicPotential`s.

    Returns
    -------
    UnitaryExponents
        `top`, `bottom` and `total`, per unit time.

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field is of another kind.

    Notes
    -----
    One integral over the stationary law of s/|y|, by the trapezoidal rule in its logarithm. The
    integrand is analytic and falls exponentially at both ends: about 13 digits.

    Examples
    --------
    >>> import rqf
    >>> found = rqf.theory.unitary_exponents(rqf.fields.round_pair(m=2, k=3))
    >>> [round(exponent, 4) for exponent in found]
    [-10.4004, -44.0446, -80.25]
    """
    parts = _unitary(field)
    m = parts[0].m
    growth = _Growth(*(sum(column) for column in zip(*map(_growth, parts), strict=True)))
    total = growth.drift_v - 0.5 * growth.loop_v
    total += 2 * (m - 1) * (growth.drift_h - 0.5 * growth.loop_h)
    return UnitaryExponents(_top(growth, m), -_top(growth.dual(m), m), total)


def hopf_coordinates(x: ArrayLike) -> tuple[Array, Array]:
    """The point of S² over which a point of S³ lies, and its phase in the fibre: for pictures.

    Parameters
    ----------
    x : array of shape (..., 4)
        Unit rows (Re z_1, Re z_2, Im z_1, Im z_2).

    Returns
    -------
    base : array of shape (..., 3)
        Unit rows (2 Re w, 2 Im w, |z_1|² - |z_2|²), w = conj(z_1) z_2.
    phase : array of shape (...)
        Argument of z_1, in (-π, π]; of z_2 where z_1 = 0. The turn e^{iφ} adds φ.

    Raises
    ------
    rqf.errors.InvalidArgument
        If x has no unit rows of four coordinates.

    Examples
    --------
    >>> import rqf
    >>> base, phase = rqf.theory.hopf_coordinates([0.0, 0.0, 1.0, 0.0])
    >>> base, round(float(phase), 6)
    (array([0., 0., 1.]), 1.570796)
    """
    rows = checks.unit_rows("x", x, 4)
    first, second = rows[..., 0] + 1j * rows[..., 2], rows[..., 1] + 1j * rows[..., 3]
    w = 2.0 * first.conj() * second
    height = (np.abs(first) - np.abs(second)) * (np.abs(first) + np.abs(second))
    base = np.stack([w.real, w.imag, height], axis=-1)
    return base, np.angle(np.where(first == 0.0, second, first))


def _unitary(field: Field) -> list[HermitianForm | HolomorphicPotential]:
    """The summands of a unitary field."""
    parts = field.summands if isinstance(field, Field) else ()
    found = [p for p in parts if isinstance(p, (HermitianForm, HolomorphicPotential))]
    if not found or len(found) < len(parts):
        raise InvalidArgument(
            f"field = {checks.shown(field)}: must be a sum of HermitianForm and"
            " HolomorphicPotential; lyapunov_spectrum is for isotropic fields"
        )
    return found


def _growth(part: HermitianForm | HolomorphicPotential) -> _Growth:
    """The linear equation of nearby tokens under one field."""
    m = part.m
    if isinstance(part, HermitianForm):
        s = part.sigma**2
        return _Growth(
            to_fibre=2 * s, along=2 * s, spread=s * m, loop_h=s * m, drift_h=-0.5 * s * m
        )
    c, k = part.strength, float(part.k)
    spread = c * (k * (k - 1) * m + k**2 / 2)
    return _Growth(
        fibre=c * k**4 / 2,
        to_fibre=c * k * (k - 2) ** 2 / 2,
        from_fibre=c * k**3 * (m - 1),
        along=c * k * (1.5 * k - 1),
        spread=spread,
        mixed=c * k**2 * (k - 1),
        loop_v=c * (k**4 / 2 + k**2 * (k - 2) * (m - 1)),
        loop_h=spread + c * k**2 * (k - 2) / 2,
        drift_v=-c * k**2 * (m - 1),
        drift_h=0.5 * c * (k**2 / 2 - k * m),
    )


def _top(growth: _Growth, m: int) -> float:
    """The largest exponent of dV = dA V + K V dt.

    With τ = log|y|² and g = s/|y|,

        drift of τ = u_0 + u_1 g²,                 variance of dτ = v_0 + v_1 g²,
        drift of g = g (d_0 + d_1 g²),             variance of dg = w_0 + w_1 g² + w_2 g⁴.
    """
    p = growth
    vertical = p.drift_v - 0.5 * p.fibre
    horizontal = p.drift_h + 0.5 * p.spread - p.along
    if p.to_fibre == 0.0 or p.from_fibre == 0.0:
        return max(vertical, horizontal)
    pour = p.from_fibre / (m - 1)
    u0, u1 = 2.0 * horizontal, p.from_fibre - pour
    v0, v1 = 4.0 * p.along, 2.0 * pour
    d0, d1 = p.drift_v - 0.5 * u0 + 0.125 * v0 - p.mixed, -0.5 * u1 + 0.125 * v1
    w0, w1, w2 = p.to_fibre, p.fibre + 0.25 * v0 - 2.0 * p.mixed, 0.25 * v1
    middle = 0.5 * math.log(w0 / w2)
    log_g = np.arange(-REACH, REACH + STEP, STEP) + 0.5 * middle
    y = np.exp(2.0 * log_g)
    quartic = w0 + y * (w1 + y * w2)
    log_density = log_g - np.log(quartic) + d1 / (2.0 * w2) * np.log(quartic / w0)
    log_density += (d0 - 0.5 * d1 * w1 / w2) * _reciprocal(w0, w1, w2, y)
    share = np.exp(log_density - log_density.max())
    small = 1.0 / (1.0 + y)
    large = y * small
    rate = 0.5 * (u0 + u1 * y) + large * (d0 + d1 * y) + 0.5 * (1.0 - y) * small**2 * quartic
    return float(np.sum(share * rate) / np.sum(share))


def _reciprocal(w0: float, w1: float, w2: float, y: Array) -> Array:
    """∫_0^y dx / (w_0 + w_1 x + w_2 x²)."""
    square = w1 * w1 - 4.0 * w0 * w2
    root = math.sqrt(abs(square))
    below = 2.0 * w0 + w1 * y
    if square > 0.0:
        return 2.0 / root * np.arctanh(y * root / below)
    if square < 0.0:
        return 2.0 / root * np.arctan2(y * root, below)
    return 2.0 * y / below
