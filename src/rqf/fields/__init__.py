"""The things that blow: isotropic Gaussian fields, white in time, that every token feels alike."""

from rqf.fields.attention import Attention
from rqf.fields.attention_noise import AttentionNoise
from rqf.fields.base import Field, Frozen, Kernels, LinearField, Pair
from rqf.fields.bias import Bias
from rqf.fields.custom import CustomField
from rqf.fields.harmonic import Harmonic
from rqf.fields.hermitian_form import HermitianForm
from rqf.fields.holomorphic_potential import HolomorphicPotential
from rqf.fields.linear_layer import LinearLayer
from rqf.fields.mlp import MLP
from rqf.fields.quadratic_form import QuadraticForm
from rqf.fields.quaternionic_form import QuaternionicForm
from rqf.fields.quaternionic_potential import QuaternionicPotential
from rqf.fields.random_potential import RandomPotential
from rqf.fields.random_quadratic_form import RandomQuadraticForm
from rqf.fields.round_pair import round_pair
from rqf.fields.skew import Skew
from rqf.fields.sum import LinearSum, Sum

__all__ = [
    "MLP",
    "Attention",
    "AttentionNoise",
    "Bias",
    "CustomField",
    "Field",
    "Frozen",
    "Harmonic",
    "HermitianForm",
    "HolomorphicPotential",
    "Kernels",
    "LinearField",
    "LinearLayer",
    "LinearSum",
    "Pair",
    "QuadraticForm",
    "QuaternionicForm",
    "QuaternionicPotential",
    "RandomPotential",
    "RandomQuadraticForm",
    "Skew",
    "Sum",
    "round_pair",
]
