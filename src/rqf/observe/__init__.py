"""How we look: overlaps, clusters, order parameters, exponents, attractors, uniformity."""

from rqf.observe.attractor import (
    PullbackAttractor,
    forward_convergence,
    log_separation,
    pullback_attractor,
)
from rqf.observe.clusters import clusters, polar_clusters
from rqf.observe.lifetime import PassageTime, passage_time
from rqf.observe.lyapunov import lyapunov_spectrum
from rqf.observe.order_parameters import order_parameters
from rqf.observe.overlaps import angles, overlap
from rqf.observe.uniformity import bingham, gine, rayleigh

__all__ = [
    "PassageTime",
    "PullbackAttractor",
    "angles",
    "bingham",
    "clusters",
    "forward_convergence",
    "gine",
    "log_separation",
    "lyapunov_spectrum",
    "order_parameters",
    "overlap",
    "passage_time",
    "polar_clusters",
    "pullback_attractor",
    "rayleigh",
]
