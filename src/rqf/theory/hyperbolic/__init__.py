"""The exact law of the overlap under linear noise, from Brownian motion on the hyperbolic plane.

In the coordinate u = artanh z, z = x·y, and with time counted in units of the strength of the
symmetric noise, the overlap of two tokens solves

    du = tanh(u) dt + √2 dW,

which is the signed distance from a fixed geodesic of Brownian motion on H² (generator Δ). McKean's
integral for the heat kernel of H² then gives the law at any time: by sampling without time steps,
as a density, as a distribution function, and as the mean distance to synchronization.

Everything here takes checked input in the coordinate u, at a time in those units.
"""

from rqf.theory.hyperbolic.density import log_density
from rqf.theory.hyperbolic.distance import mean_distance
from rqf.theory.hyperbolic.sampling import sample, sample_overlap
from rqf.theory.hyperbolic.transition import LONGEST, Transition

__all__ = ["LONGEST", "Transition", "log_density", "mean_distance", "sample", "sample_overlap"]
