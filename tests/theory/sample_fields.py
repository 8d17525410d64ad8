"""Small fields known in law only, with answers from the literature."""

from dataclasses import dataclass

import numpy as np

from rqf.fields import Field
from rqf.fields.base import Pair


@dataclass(frozen=True)
class Law(Field):
    """A field given by its kernels; `factor` is its strength."""

    n: int
    factor: float = 1.0

    def scaled(self, factor):
        return type(self)(self.n, self.factor * factor)

    @property
    def parity(self):
        return "odd"


class Disguised(Law):
    """The random quadratic form, not recognised as linear."""

    def a(self, z):
        return 0.5 * self.factor * np.asarray(z, float)

    def a_prime(self, z):
        return np.full_like(np.asarray(z, float), 0.5 * self.factor)

    def b(self, z):
        return np.full_like(np.asarray(z, float), 0.5 * self.factor)


class Cubic(Law):
    """Gradient of a random potential of covariance z³: λ_1 = 3(n - 9)/2, an even field."""

    def a(self, z):
        return 3.0 * self.factor * np.asarray(z, float) ** 2

    def a_prime(self, z):
        return 6.0 * self.factor * np.asarray(z, float)

    def b(self, z):
        return 6.0 * self.factor * np.asarray(z, float)

    @property
    def parity(self):
        return "even"


@dataclass(frozen=True)
class Quartic(Law):
    """Gradient of a random potential of covariance z⁴, an odd field: λ_1 = 2(n-3)·3 - …"""

    def a(self, z):
        return 4.0 * self.factor * np.asarray(z, float) ** 3

    def a_prime(self, z):
        return 12.0 * self.factor * np.asarray(z, float) ** 2

    def b(self, z):
        return 12.0 * self.factor * np.asarray(z, float) ** 2


@dataclass(frozen=True)
class Pull(Law):
    """Softmax attention of two tokens as a drift, strength `factor`, sharpness beta."""

    beta: float = 1.0

    def a(self, z):
        return np.zeros_like(np.asarray(z, float))

    a_prime = b = a

    def pair(self, e, f):
        found = super().pair(e, f)
        e = np.asarray(e, float)
        return found._replace(pull=self.factor / (1.0 + np.exp(self.beta * e)))


@dataclass(frozen=True)
class NoisyAttention(Law):
    """Two tokens under a random value matrix behind softmax attention (arXiv:2601.21942)."""

    beta: float = 1.0

    def a(self, z):
        return self.factor * np.asarray(z, float)

    def a_prime(self, z):
        return np.full_like(np.asarray(z, float), self.factor)

    def b(self, z):
        return np.zeros_like(np.asarray(z, float))

    def pair(self, e, f):
        e, f = np.asarray(e, float), np.asarray(f, float)
        p = 1.0 / (1.0 + np.exp(-self.beta * e))
        q = np.exp(-self.beta * e) * p
        z = np.where(e < f, 1.0 - e, f - 1.0)
        own, cross = p * p + q * q + 2.0 * p * q * z, 2.0 * p * q + (p * p + q * q) * z
        zero = np.zeros_like(own)
        return Pair(own, cross, (p - q) ** 2 * e, f, zero, zero)
