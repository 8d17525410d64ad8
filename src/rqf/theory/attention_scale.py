"""The scale function of two tokens under attention: how much of its mass lies on either side.

Three models of attention lead to one kind of diffusion of u = artanh Z,

    du = A(u) {[tanh u + c φ(1 - tanh u)] dt + √2 dW},

φ(e) the share of attention that two tokens with 1 - z = e give each other, c its strength, A a
clock that changes no probability. The scale density is elementary up to one integral,

    s(u) = exp(-∫_0^u [tanh v + c φ(1 - tanh v)] dv) = sech u · exp(-c ∫_0^u φ(1 - tanh v) dv),

falls like e^{-(1 + c φ(0)) u} for u → ∞ and like e^{(1 - c φ(2)) u} for u → -∞. An end attracts if
and only if s is integrable there (Feller); antipodal pairs do if and only if c φ(2) < 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

Array = NDArray[np.float64]
Share = Callable[[Array], Array]
NODES, WEIGHTS = leggauss(12)
# ∫ from the left end of a panel to each node, of the polynomial through the nodes
PARTIAL = np.linalg.solve(
    np.vander(NODES, increasing=True).T,
    np.array([(NODES ** (k + 1) - (-1.0) ** (k + 1)) / (k + 1) for k in range(len(NODES))]),
).T
PANEL = 0.125  # longest panel of the quadrature in u
STEP = 0.5  # greatest change of the logarithm of the share within a panel
STRONGEST = 1e290  # c φ beyond which the scale density is a wall


def antipodal(share: Share, strength: float, beta: float, z0: float) -> float:
    """P(Z → -1) = ∫_{u0}^∞ s / ∫_{-∞}^∞ s for the share φ, a monotone function of e, and c.

    `beta` is the steepness of φ: beyond |u| = 20 + ½ log(1 + |beta|) + … φ is constant. Gauss
    panels for both integrals, sums in logarithms: relative error below 1e-9.
    """
    with np.errstate(over="ignore", under="ignore"):

        def pull(e: Array) -> Array:
            return np.clip(strength * share(e), -STRONGEST, STRONGEST)

        rates = 1.0 + pull(np.array(0.0)), 1.0 - pull(np.array(2.0))
        if abs(z0) == 1.0:
            return 0.5 * (1.0 - z0)
        if rates[1] <= 0.0:
            return 0.0
        if rates[0] <= 0.0:
            return 1.0
        u0 = math.atanh(z0)
        reach = 20.0 + 0.5 * math.log1p(abs(beta)) + 0.5 * math.log1p(float(max(rates)))
        upper = _log_mass(pull, u0, max(reach, u0 + 1.0), float(rates[0]))
        lower = _log_mass(pull, u0, min(-reach, u0 - 1.0), float(rates[1]))
    return float(np.exp(-np.logaddexp(0.0, lower - upper)))


def _log_mass(pull: Share, u0: float, end: float, rate: float) -> float:
    """log |∫ s(u)/s(u0) du| from u0 to `end`, and on with the tail that falls at `rate`."""
    offsets = _panels(pull, u0, end)
    half = 0.5 * np.diff(offsets)[:, None]
    u = u0 + 0.5 * (offsets[:-1] + offsets[1:])[:, None] + half * NODES
    slope = pull(_distance(u))
    whole = np.cumsum(half[:, 0] * (slope @ WEIGHTS))
    before = np.concatenate([[0.0], whole[:-1]])[:, None]
    log_density = _log_sech(u) - before - half * (slope @ PARTIAL.T)
    terms = log_density + np.log(np.abs(half)) + np.log(WEIGHTS)
    tail = _log_sech(np.array([end])) - whole[-1] - math.log(rate)
    return float(np.logaddexp.reduce(np.append(terms.ravel(), tail))) - float(
        _log_sech(np.array(u0))
    )


def _panels(pull: Share, u0: float, end: float) -> Array:
    """Ends u - u0 of panels from u0 to `end`: short where s leaves s(u0) and the share is steep.

    They double in length up to PANEL, and the logarithm of the share changes by at most STEP in
    each, as far as the share matters at all.
    """
    start = 0.1 / (1.0 + abs(float(pull(_distance(np.array(u0))))))
    doublings = max(0, math.ceil(math.log2(PANEL / start)))
    graded = np.concatenate([[0.0], PANEL * 2.0 ** np.arange(-doublings, 0.5)])
    length = abs(end - u0)
    offsets = np.append(graded[graded < length], np.arange(2.0 * PANEL, length, PANEL))
    offsets = math.copysign(1.0, end - u0) * np.append(offsets, length)
    logs = np.log(np.maximum(np.abs(pull(_distance(u0 + offsets))), 1e-20))
    parts = np.maximum(1, np.ceil(np.abs(np.diff(logs)) / STEP)).astype(np.int64)
    within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    lengths = np.repeat(np.diff(offsets) / parts, parts)
    return np.append(np.repeat(offsets[:-1], parts) + within * lengths, offsets[-1])


def _distance(u: Array) -> Array:
    """e = 1 - tanh u."""
    return 2.0 / (1.0 + np.exp(2.0 * u))


def _log_sech(u: Array) -> Array:
    return -np.abs(u) - np.log1p(np.exp(-2.0 * np.abs(u))) + math.log(2.0)
