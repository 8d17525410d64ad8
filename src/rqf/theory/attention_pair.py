"""Two tokens under attention: with which probability they end antipodal, and when they can at all.

Three models, one kind of diffusion: that of `attention_scale`, with

===========================  =========  ==================  ============================
model                        c          φ(e)                antipodal pairs attract if
===========================  =========  ==================  ============================
attention inside the noise   n - 2      1/cosh(beta e)      n - 2 < cosh(2 beta)
drift + layer, softmax       2 gamma/κ  1/(1 + e^{beta e})  κ > 2 gamma/(1 + e^{2 beta})
drift + layer, unnormalised  gamma/κ    e^{beta (1 - e)}    κ > gamma e^{-beta}
===========================  =========  ==================  ============================

Fedorov et al., arXiv:2601.21942, for the first and for the last, whose ε² against 2 e^{-beta} is
κ = ε² and gamma = 2 here (weights that are not divided by N = 2); Geshkovski et al.,
arXiv:2312.10794, for the drifts.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rqf import checks
from rqf.fields.attention import KINDS, STEEPEST
from rqf.fields.base import MOST
from rqf.theory.attention_scale import antipodal

Array = NDArray[np.float64]


def attention_noise_antipodal(n: int, beta: float, z0: float = 0.0) -> float:
    """The probability that two tokens end antipodal under attention inside the noise.

    The tokens of `AttentionNoise(n, beta)`; they end together otherwise, and sigma only sets the
    clock.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.
    beta : float in [0, 1e100]
        Inverse temperature.
    z0 : float in [-1, 1]
        Overlap at the start.

    Returns
    -------
    float, 0 if n - 2 >= cosh(2 beta), relative error below 1e-9

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Notes
    -----
    One quadrature of the scale density, `attention_scale`; Fedorov et al.,
    arXiv:2601.21942, Theorem 2.

    Examples
    --------
    >>> import rqf
    >>> round(rqf.theory.attention_noise_antipodal(n=4, beta=2.0), 4)
    0.2474
    """
    n = checks.integer("n", n, 2)
    beta = checks.real("beta", beta, 0.0, MOST)
    z0 = checks.real("z0", z0, -1.0, 1.0)
    return antipodal(lambda e: _sech(beta * e), float(n - 2), beta, z0)


def attention_noise_critical_beta(n: int) -> float:
    """The inverse temperature arccosh(n - 2)/2 above which antipodal pairs attract, in the noise.

    0 for n = 2, where they attract at every beta >= 0, and for n = 3, where at every beta > 0.

    Parameters
    ----------
    n : int >= 2
        Dimension of the ambient space.

    Returns
    -------
    float

    Raises
    ------
    rqf.errors.InvalidArgument
        If n < 2.

    Examples
    --------
    >>> import rqf
    >>> round(rqf.theory.attention_noise_critical_beta(4), 6)
    0.658479
    """
    return 0.5 * math.acosh(max(1.0, float(checks.integer("n", n, 2) - 2)))


def attention_drift_antipodal(
    kappa: float,
    beta: float,
    gamma: float = 1.0,
    kind: Literal["softmax", "unnormalised"] = "softmax",
    z0: float = 0.0,
) -> float:
    """The probability that two tokens end antipodal under an attention drift and linear noise.

    The tokens of `LinearLayer(n, √kappa) + Attention(n, beta, gamma, kind)`, for any n. Strong
    repulsion, -gamma > kappa or -gamma > kappa e^{-beta}, makes it certain.

    Parameters
    ----------
    kappa : float in [1e-100, 1e100]
        Strength of the noise: variance of a matrix entry per unit time, a(z) = kappa z.
    beta : float, at most 1e100 in size, 600 if unnormalised
        Inverse temperature.
    gamma : float, at most 1e100 in size
        Strength of the drift.
    kind : "softmax" or "unnormalised"
        The weights of attention.
    z0 : float in [-1, 1]
        Overlap at the start.

    Returns
    -------
    float, 0 if antipodal pairs do not attract, relative error below 1e-9

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> round(rqf.theory.attention_drift_antipodal(kappa=0.5, beta=1.0), 4)
    0.1122
    """
    kappa = checks.real("kappa", kappa, 1.0 / MOST, MOST)
    gamma = checks.real("gamma", gamma, -MOST, MOST)
    z0 = checks.real("z0", z0, -1.0, 1.0)
    beta = _temperature(beta, kind)
    if kind == "softmax":
        strength = 2.0 * gamma / kappa
        return antipodal(lambda e: np.exp(-np.logaddexp(0.0, beta * e)), strength, beta, z0)
    return antipodal(lambda e: np.exp(beta * (1.0 - e)), gamma / kappa, beta, z0)


def attention_drift_critical_noise(
    beta: float, gamma: float = 1.0, kind: Literal["softmax", "unnormalised"] = "softmax"
) -> float:
    """The strength of linear noise above which antipodal pairs attract against attention.

    2 gamma/(1 + e^{2 beta}) for softmax weights, gamma e^{-beta} for unnormalised ones.

    Parameters
    ----------
    beta : float, at most 1e100 in size, 600 if unnormalised
        Inverse temperature.
    gamma : float in [0, 1e100]
        Strength of the drift.
    kind : "softmax" or "unnormalised"
        The weights of attention.

    Returns
    -------
    float, kappa of `LinearLayer(n, √kappa)`

    Raises
    ------
    rqf.errors.InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> import rqf
    >>> round(rqf.theory.attention_drift_critical_noise(beta=1.0), 6)
    0.238406
    """
    gamma = checks.real("gamma", gamma, 0.0, MOST)
    beta = _temperature(beta, kind)
    if kind == "softmax":
        return 2.0 * gamma * float(np.exp(-np.logaddexp(0.0, 2.0 * beta)))
    return gamma * math.exp(-beta)


def _temperature(beta: float, kind: str) -> float:
    checks.choice("kind", kind, KINDS)
    most = MOST if kind == "softmax" else STEEPEST
    return checks.real("beta", beta, -most, most)


def _sech(x: Array) -> Array:
    small = np.exp(-x)
    return 2.0 * small / (1.0 + small * small)
