"""The three phases of common noise: two clusters, one cluster, none."""

from __future__ import annotations

from typing import Literal

from rqf.fields import Field, LinearField
from rqf.theory.spectra import top_exponent
from rqf.theory.two_point.boundaries import boundary

Phase = Literal["bipolar", "monopolar", "chaotic"]


def phase(field: Field) -> Phase:
    """Which clusters tokens end in, from the ends of the overlap Z = X·Y that attract.

    - "bipolar": Z = 1 and Z = -1 attract. Two opposite clusters.
    - "monopolar": only Z = 1 attracts; antipodal pairs are moved by an even part of the noise, or
      repelled. One cluster.
    - "chaotic": Z = 1 does not attract, λ_1 >= 0. Nearby tokens do not meet. The boundary λ_1 = 0
      is included: nothing synchronizes under a random rotation, which keeps every angle, nor under
      a fixed quadratic form whose lowest eigenvalue is multiple. So is the case in which Z = -1
      alone attracts (tokens that repel strongly): a pair ends antipodal, but more than two tokens
      form no clusters.

    Parameters
    ----------
    field : Field
        An isotropic field, or fixed quadratic forms without noise.

    Returns
    -------
    "bipolar", "monopolar" or "chaotic"

    Raises
    ------
    rqf.errors.InvalidArgument
        If the field mixes noise with a fixed form.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.phase(rqf.RandomQuadraticForm(n=3)), rqf.theory.phase(rqf.Skew(n=3))
    ('bipolar', 'chaotic')
    >>> rqf.theory.phase(rqf.LinearLayer(n=3) + rqf.Bias(n=3, sigma=0.01))
    'monopolar'
    """
    if top_exponent(field) >= 0.0:
        return "chaotic"
    fixed = isinstance(field, LinearField) and field.drift is not None
    return "bipolar" if fixed or boundary(field, -1.0).attracting else "monopolar"
