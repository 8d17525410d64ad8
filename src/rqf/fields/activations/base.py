"""What a layer needs of its activation: values, slopes, and the kernels of its odd and even part.

For centred Gaussians U, V of variance q and covariance c the kernel of φ is K(c) = E[φ(U) φ(V)].
The odd and the even part of φ are uncorrelated, so their kernels add; the kernel of the odd part is
odd in c and that of the even part even. Hence both are needed for c >= 0 only, where they are told
as functions of d = q - c without cancellation: K(q) is `own`, K(q) - K(q - d) is `gap(d)`, and
dK/dc = E[φ'(U) φ'(V)] at q - d (Price's theorem) is `slope(d)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """The kernel of the odd or the even part of an activation at one variance q.

    `gap` and `slope` take arrays of d in [0, q] and return arrays of the same shape.
    """

    own: float
    gap: Callable[[Array], Array]
    slope: Callable[[Array], Array]


class Activation(ABC):
    """A function φ of one variable, applied entry by entry."""

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """φ(x); same shape."""

    @abstractmethod
    def derivative(self, x: Array) -> Array:
        """φ'(x); same shape."""

    @abstractmethod
    def parts(self, q: float) -> tuple[Part | None, Part | None]:
        """The kernels of the odd and the even part at variance q > 0; None where a part is 0."""
