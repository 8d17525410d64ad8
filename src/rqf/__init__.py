"""Synchronization by common noise on spheres.

Public names are loaded when first used, so that `import rqf` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rqf._version import __version__

if TYPE_CHECKING:
    from rqf import claims, errors, theory
    from rqf.fields import LinearLayer, QuadraticForm, RandomQuadraticForm, Skew

_HOME = {
    "RandomQuadraticForm": "rqf.fields",
    "LinearLayer": "rqf.fields",
    "Skew": "rqf.fields",
    "QuadraticForm": "rqf.fields",
}
_MODULES = ("claims", "errors", "theory")

__all__ = [
    "LinearLayer",
    "QuadraticForm",
    "RandomQuadraticForm",
    "Skew",
    "__version__",
    "claims",
    "errors",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"rqf.{name}")
    raise AttributeError(f"module 'rqf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
