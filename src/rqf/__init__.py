"""Synchronization by common noise on spheres.

Public names are loaded when first used, so that `import rqf` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rqf._version import __version__

if TYPE_CHECKING:
    from rqf import claims, diagram, errors, fields, reproductions, theory
    from rqf.fields import (
        MLP,
        Attention,
        AttentionNoise,
        Bias,
        CustomField,
        Harmonic,
        HermitianForm,
        HolomorphicPotential,
        LinearLayer,
        QuadraticForm,
        QuaternionicForm,
        QuaternionicPotential,
        RandomPotential,
        RandomQuadraticForm,
        Skew,
    )
    from rqf.flow.flow import Flow
    from rqf.flow.simulate import simulate
    from rqf.noise import Wiener
    from rqf.observe.attractor import forward_convergence, log_separation, pullback_attractor
    from rqf.observe.clusters import clusters, polar_clusters
    from rqf.observe.lifetime import passage_time
    from rqf.observe.lyapunov import lyapunov_spectrum
    from rqf.observe.order_parameters import order_parameters
    from rqf.observe.overlaps import angles, overlap
    from rqf.observe.uniformity import bingham, gine, rayleigh
    from rqf.sphere import angle, normalize

_HOME = {
    "fields": (
        "MLP",
        "Attention",
        "AttentionNoise",
        "Bias",
        "CustomField",
        "Harmonic",
        "HermitianForm",
        "HolomorphicPotential",
        "LinearLayer",
        "QuadraticForm",
        "QuaternionicForm",
        "QuaternionicPotential",
        "RandomPotential",
        "RandomQuadraticForm",
        "Skew",
    ),
    "flow": ("Flow", "simulate"),
    "noise": ("Wiener",),
    "observe": (
        "angles", "bingham", "clusters", "forward_convergence", "gine", "log_separation",
        "lyapunov_spectrum", "order_parameters", "overlap", "passage_time",
        "polar_clusters", "pullback_attractor", "rayleigh",
    ),
    "sphere": ("angle", "normalize"),
}
_MODULES = ("claims", "diagram", "errors", "fields", "reproductions", "theory")
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "MLP",
    "Attention",
    "AttentionNoise",
    "Bias",
    "CustomField",
    "Flow",
    "Harmonic",
    "HermitianForm",
    "HolomorphicPotential",
    "LinearLayer",
    "QuadraticForm",
    "QuaternionicForm",
    "QuaternionicPotential",
    "RandomPotential",
    "RandomQuadraticForm",
    "Skew",
    "Wiener",
    "__version__",
    "angle",
    "angles",
    "bingham",
    "claims",
    "clusters",
    "diagram",
    "errors",
    "fields",
    "forward_convergence",
    "gine",
    "log_separation",
    "lyapunov_spectrum",
    "normalize",
    "order_parameters",
    "overlap",
    "passage_time",
    "polar_clusters",
    "pullback_attractor",
    "rayleigh",
    "reproductions",
    "simulate",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"rqf.{_MODULE_OF[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"rqf.{name}")
    raise AttributeError(f"module 'rqf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
