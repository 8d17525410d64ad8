"""Lyapunov spectra in closed form, of the flow on the sphere and of the linear lift."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.fields.quadratic_form import DEGENERATE
from rqf.theory.arguments import isotropic


def lyapunov_spectrum(field: Field) -> NDArray[np.float64]:
    """The Lyapunov exponents of the flow on the sphere, largest first.

    For isotropic noise `λ_p = (n-1)(a'(1) - a(1))/2 - p (a'(1) + b(1))`, p = 1..n-1; for a linear
    field a'(1) = a(1), which leaves `λ_p = -p · symmetric_strength`. A fixed quadratic form has
    `λ_p = μ_1 - μ_{p+1}`, μ the eigenvalues of M in ascending order, along almost every
    trajectory; eigenvalues closer than 1e-10 of the norm of M count as one.

    Parameters
    ----------
    field : Field
        A linear noise, or fixed quadratic forms without noise.

    Returns
    -------
    array of shape (n - 1,), per unit time

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field mixes noise with a deterministic drift, or its kernel has no known slope.

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
    slope = kernel_slope(field)
    return 0.5 * (n - 1) * (slope - a) - np.arange(1.0, n) * (slope + b)


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


def kernel_slope(field: Field) -> float:
    """a'(1), the slope of the kernel a at coinciding points; of linear fields for now."""
    if isinstance(field, LinearField):
        return float(field.a(1.0))
    raise InvalidArgument(
        f"field: {type(field).__name__} has no known slope a'(1) of its kernel, linear fields have"
    )


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
