"""Activation functions of random layers, with the Gaussian kernels that they make."""

from rqf.fields.activations.base import Activation, Part
from rqf.fields.activations.function import Function
from rqf.fields.activations.named import NAMES, LeakyReLU, Named, activation

__all__ = ["NAMES", "Activation", "Function", "LeakyReLU", "Named", "Part", "activation"]
