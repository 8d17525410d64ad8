"""The three phases of common noise: two clusters, one cluster, none."""

from __future__ import annotations

from typing import Literal

from rqf.fields import Field
from rqf.theory.spectra import lyapunov_spectrum

Phase = Literal["bipolar", "monopolar", "chaotic"]


def phase(field: Field) -> Phase:
    """Which clusters tokens end in, from the parity of the field and its top exponent λ_1.

    - "bipolar": λ_1 < 0 and F(-x) = -F(x). Nearby tokens meet, antipodal ones stay antipodal: two
      opposite clusters.
    - "monopolar": λ_1 < 0 and F has an even part, which moves antipodal pairs: one cluster.
    - "chaotic": λ_1 >= 0. Nearby tokens do not meet. The boundary λ_1 = 0 is included: nothing
      synchronizes under a random rotation, which keeps every angle, nor under a fixed quadratic
      form whose lowest eigenvalue is multiple.

    Parameters
    ----------
    field : Field
        A field that `lyapunov_spectrum` knows.

    Returns
    -------
    "bipolar", "monopolar" or "chaotic"

    Raises
    ------
    rqf.errors.InvalidArgument
        If the exponents of the field are not known in closed form.

    Examples
    --------
    >>> import rqf
    >>> rqf.theory.phase(rqf.RandomQuadraticForm(n=3)), rqf.theory.phase(rqf.Skew(n=3))
    ('bipolar', 'chaotic')
    """
    if lyapunov_spectrum(field)[0] >= 0.0:
        return "chaotic"
    return "bipolar" if field.parity == "odd" else "monopolar"
