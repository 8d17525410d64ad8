"""Scale function, speed measure and mean exit times of the overlap by quadrature in u.

The interval is cut into panels on which the rate ψ' = 2 drift/variance is a polynomial through
Gauss–Legendre nodes; ψ follows by exact integration. Exponentials are taken relative to the edge of
a panel, so that nothing overflows however steep the scale is.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.theory.two_point.diffusion import in_u

Array = NDArray[np.float64]
MOST = 40_000


def nodes(order: int) -> tuple[Array, Array, Array]:
    """Gauss–Legendre nodes and weights on [-1, 1], and the matrix of integrals from -1 to them."""
    x, weights = legendre.leggauss(order)
    degrees = np.arange(order)[:, None]
    to_coefficients = (legendre.legvander(x, order - 1) * weights[:, None]).T * (degrees + 0.5)
    integral = legendre.legint(np.eye(order), lbnd=-1.0, axis=0)
    return x, weights, legendre.legvander(x, order) @ integral @ to_coefficients


NODES, WEIGHTS, TO_NODES = nodes(16)


class Panels:
    """ψ = log of the inverse scale density and the speed density 2 e^ψ/variance on [low, high]."""

    def __init__(self, field: Field, low: float, high: float) -> None:
        self.field = field
        probe = np.linspace(low, high, 65)
        drift, variance = in_u(field, probe)
        if np.any(variance <= 0.0):
            raise InvalidArgument(
                "field: its noise moves no pair somewhere between the ends, there is no diffusion"
            )
        steepest = float(np.max(np.abs(2.0 * drift / variance)))
        count = int(np.ceil((high - low) * max(2.0, steepest / 4.0))) + 1
        if count > MOST:
            raise InvalidArgument(
                f"field: the drift of its overlap is {steepest:.3g} times its variance, too steep"
                " for quadrature"
            )
        self.edges = np.linspace(low, high, count + 1)
        self.half = 0.5 * (self.edges[1] - self.edges[0])
        self.nodes = self.edges[:-1, None] + self.half * (1.0 + NODES)
        drift, variance = in_u(field, self.nodes)
        rate = 2.0 * drift / variance
        self.speed = 2.0 / variance
        self.rise = self.half * rate @ TO_NODES.T  # ψ at the nodes, relative to the left edge
        self.step = self.half * rate @ WEIGHTS
        self.psi = np.concatenate([[0.0], np.cumsum(self.step)])  # ψ at the edges

    def scale(self) -> Array:
        """log ∫ e^{-ψ} over each panel."""
        return np.log(self.half * np.exp(-self.rise) @ WEIGHTS) - self.psi[:-1]

    def mass(self) -> Array:
        """log of the speed measure of each panel."""
        return np.log(self.half * (self.speed * np.exp(self.rise)) @ WEIGHTS) + self.psi[:-1]

    def mass_at_nodes(self) -> Array:
        """log of speed × weight at the nodes: of the masses of a quadrature."""
        return np.log(self.half * WEIGHTS * self.speed) + self.rise + self.psi[:-1, None]

    def log_speed(self, u: Array) -> Array:
        """log of the speed density in u; -inf outside the panels."""
        at = np.clip(((u - self.edges[0]) / (2.0 * self.half)).astype(int), 0, len(self.step) - 1)
        left = self.edges[at]
        half = 0.5 * (u - left)[..., None]
        drift, variance = in_u(self.field, left[..., None] + half * (1.0 + NODES))
        psi = self.psi[at] + np.sum(half * WEIGHTS * 2.0 * drift / variance, axis=-1)
        inside = (u >= self.edges[0]) & (u <= self.edges[-1])
        return np.where(inside, psi + np.log(2.0 / in_u(self.field, u)[1]), -np.inf)

    def time(self) -> Array:
        """∫ H over each panel, H(u) = e^{-ψ(u)} ∫_low^u speed e^ψ."""
        inner = self.half * (self.speed * np.exp(self.rise)) @ TO_NODES.T
        full = self.half * (self.speed * np.exp(self.rise)) @ WEIGHTS
        fall = np.exp(-self.step)
        flow = np.zeros(self.edges.size)
        for i in range(full.size):
            flow[i + 1] = fall[i] * (flow[i] + full[i])
        at_nodes = np.exp(-self.rise) * (flow[:-1, None] + inner)
        return self.half * at_nodes @ WEIGHTS


def log_scale(field: Field, low: float, high: float) -> tuple[float, float]:
    """log of the scale of [low, high] in units of the scale density at low, and ψ at high."""
    if not high > low:
        return -np.inf, 0.0
    panels = Panels(field, low, high)
    return float(np.logaddexp.reduce(panels.scale())), float(panels.psi[-1])


def exit_time(field: Field, start: float, low: float, high: float, reflecting: bool) -> float:
    """The mean time to leave (low, high) from start; low is an entrance if `reflecting`."""
    before = Panels(field, low, start).time().sum() if start > low else 0.0
    whole = float(Panels(field, low, high).time().sum())
    if reflecting:
        return whole - float(before)
    log_left = log_scale(field, low, start)[0]
    log_all = log_scale(field, low, high)[0]
    return float(np.exp(log_left - log_all)) * whole - float(before)
