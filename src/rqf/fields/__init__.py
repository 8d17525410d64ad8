"""The things that blow: isotropic Gaussian fields, white in time, that every token feels alike."""

from rqf.fields.base import Field, LinearField
from rqf.fields.linear_layer import LinearLayer
from rqf.fields.quadratic_form import QuadraticForm
from rqf.fields.random_quadratic_form import RandomQuadraticForm
from rqf.fields.skew import Skew
from rqf.fields.sum import LinearSum

__all__ = [
    "Field",
    "LinearField",
    "LinearLayer",
    "LinearSum",
    "QuadraticForm",
    "RandomQuadraticForm",
    "Skew",
]
