"""A Hermitian form beside a holomorphic potential, in the proportion that makes one token round."""

from __future__ import annotations

import math

from rqf.fields.base import Field
from rqf.fields.hermitian_form import HermitianForm
from rqf.fields.holomorphic_potential import HolomorphicPotential


def round_pair(m: int, k: int, strength: float = 1.0) -> Field:
    """The sum of `HermitianForm` and `HolomorphicPotential` under which a token is a Brownian
    motion on S^{2m-1}.

    The potential gives the variance strength k/2 to horizontal directions and strength k²/2 to the
    Hopf direction; `HermitianForm(m, sigma)` adds sigma²/2 to the former, so that sigma² =
    strength k (k-1). The generator of a token is then (strength k²/4) Δ.

    Parameters
    ----------
    m, k, strength
        As for `HolomorphicPotential`.

    Returns
    -------
    Field

    Raises
    ------
    rqf.errors.InvalidArgument
        As `HolomorphicPotential`.

    Examples
    --------
    >>> import rqf
    >>> field = rqf.fields.round_pair(m=2, k=2, strength=0.5)
    >>> field.summands[0], rqf.theory.one_point_variances(field)
    (HermitianForm(m=2, sigma=1.0), OnePoint(horizontal=1.0, hopf=1.0))
    """
    potential = HolomorphicPotential(m, k, strength)
    sigma = math.sqrt(potential.strength * potential.k * (potential.k - 1))
    return HermitianForm(potential.m, sigma) + potential
