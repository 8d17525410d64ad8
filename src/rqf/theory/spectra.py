"""Lyapunov spectra in closed form, of the flow on the sphere and of the linear lift."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.fields.quadratic_form import DEGENERATE
from rqf.theory.arguments import isotropic
from rqf.theory.two_point.boundaries import boundary


def lyapunov_spectrum(field: Field) -> NDArray[np.float64]:
    """The Lyapunov exponents of the flow on the sphere, largest first.

    For isotropic noise `λ_p = (n-1)(a'(1) - a(1))/2 - p (a'(1) + b(1))`, p = 1..n-1; for a linear
    field a'(1) = a(1), which leaves `λ_p = -p · symmetric_strength`. A fixed quadratic form has
    `λ_p = μ_1 - μ_{p+1}`, μ the eigenvalues of M in ascending order, along almost every
    trajectory; eigenvalues closer than 1e-10 of the norm of M count as one.

    Parameters
    ----------
    field : Field
        Isotropic noise without interaction, or fixed quadratic forms without noise.

    Returns
    -------
    array of shape (n - 1,), per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field mixes noise with a fixed form, or its tokens act on one another.

    Notes
    -----
    The formula is Raimond's for isotropic flows (1999), with the term of the kernel b added. For
    the random quadratic form in the units of Engel and Shalova (sigma = √2) it gives -2p.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.lyapunov_spectrum(rqf.RandomQuadraticForm(n=4))
    array([-1., -2., -3.])
    """
    levels = _fixed_levels(field)
    if levels is not None:
        return levels[0] - levels[1:]
    n, a, b = isotropic(field).n, float(field.a(1.0)), float(field.b(1.0))
    if interacts(field):
        raise InvalidArgument(
            f"field: tokens of {type(field).__name__} act on one another, there is no flow of one"
            " token; top_exponent gives the rate at which two come together"
        )
    slope = float(field.a_prime(1.0))
    return 0.5 * (n - 1) * (slope - a) - np.arange(1.0, n) * (slope + b)


def top_exponent(field: Field) -> float:
    """λ_1: the rate at which the distance of two nearby tokens grows or falls, for any field.

    Where tokens do not interact, the first of `lyapunov_spectrum`; otherwise minus the drift of
    u = artanh(X·Y) as u → ∞, in which the drift and the noise that the two tokens exert on one
    another count.

    Parameters
    ----------
    field : Field
        An isotropic field, or fixed quadratic forms without noise.

    Returns
    -------
    float, per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field mixes noise with a fixed form.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.top_exponent(rqf.RandomQuadraticForm(n=4) + rqf.Bias(n=4, sigma=2.0))
    -7.0
    """
    if _fixed_levels(field) is None:
        return boundary(isotropic(field), 1.0).exponent
    return float(lyapunov_spectrum(field)[0])


def interacts(field: Field) -> bool:
    """Whether the kernels of two tokens differ from those of isotropic noise, a(z) and no pull."""
    z = np.array([-0.75, -0.25, 0.25, 0.75])
    pair = field.pair(1.0 - z, 1.0 + z)
    scale = 1e-9 * abs(float(field.a(1.0)))
    return bool(
        np.any(pair.pull != 0.0)
        or np.any(np.abs(pair.cross - field.a(z)) > scale)
        or np.any(np.abs(pair.own - field.a(1.0)) > scale)
    )


def lift_exponents(field: Field) -> NDArray[np.float64]:
    """The Lyapunov exponents of the matrix product G that moves a linear field, largest first.

    `λ_i = symmetric_strength · (n + 1 - 2i)/2`, i = 1..n, for the Stratonovich lift `dG = ∘dM G`;
    they add up to 0. The skew part turns G and stretches nothing, so a linear layer has the
    exponents of its symmetric part alone. A fixed quadratic form has the exponents -μ_i.

    The Itô product `dG = dM G` has the same differences, and all exponents lower by
    `(symmetric_strength (n + 1) - skew_strength (n - 1))/4`: for a linear layer of strength sigma
    that is sigma²/2, which gives Newman's `sigma² (n - 2i)/2`. The flow on the sphere sees
    differences only.

    Parameters
    ----------
    field : LinearField
        A linear noise, or fixed quadratic forms without noise.

    Returns
    -------
    array of shape (n,), per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field is not linear, or mixes noise with a deterministic drift.

    Notes
    -----
    Newman, Commun. Math. Phys. 103 (1986); Norris, Rogers and Williams (1986) for the symmetric
    case.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.lift_exponents(rqf.LinearLayer(n=3))
    array([ 1.,  0., -1.])
    """
    levels = _fixed_levels(field)
    if levels is not None:
        return -levels
    noise = isotropic(field)
    if not isinstance(noise, LinearField):
        raise InvalidArgument(
            f"field: {type(field).__name__} is not linear, no matrix product moves its tokens"
        )
    return 0.5 * noise.symmetric_strength * (noise.n + 1.0 - 2.0 * np.arange(1.0, noise.n + 1.0))


def _fixed_levels(field: Field) -> NDArray[np.float64] | None:
    """The eigenvalues of a fixed quadratic form, ascending; None if the field has noise."""
    if not isinstance(field, LinearField) or field.drift is None or field.terms:
        return None
    levels = np.asarray(np.linalg.eigvalsh(-field.drift), dtype=np.float64)
    scale = float(np.max(np.abs(levels)))
    for i in range(1, levels.size):
        if levels[i] - levels[i - 1] <= DEGENERATE * scale:
            levels[i] = levels[i - 1]
    return levels
