"""Splitting by a random hyperplane: exact at every step size if rotations do not change the law.

If the law of the lift G is that of R G Rᵀ for rotations R, a uniform hyperplane pulled back by G is
uniform again, so that the angle of a pair keeps its mean: E θ_t = θ_0 at any t and h. In the end
θ is 0 or π: P(the pair ends together) = 1 - θ_0/π. All within four standard errors.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import rqf
from rqf.flow import SCHEMES
from rqf.sphere import angle, rotation

INVARIANT = [name for name, scheme in SCHEMES.items() if scheme.invariant]
PAIRS = 8


def pairs(n: int, theta: float) -> np.ndarray:
    frames = rotation(n, 1, size=PAIRS)
    x = frames[:, :, 0]
    y = math.cos(theta) * x + math.sin(theta) * frames[:, :, 1]
    return rqf.normalize(np.stack([x, y], axis=1).reshape(-1, n))


def angles(
    field: rqf.fields.LinearField, scheme: str, h: float, steps: list[int], theta: float, size: int
) -> np.ndarray:
    """Angles of the pairs, shape (size, len(steps), PAIRS)."""
    ds = rqf.simulate(
        field, t=h * steps[-1], dt=h, realizations=size, seed=8, times=h * np.array(steps),
        x0=pairs(field.n, theta), scheme=scheme, refine=False,
    )  # fmt: skip
    x = ds.x.values
    return angle(x[:, :, ::2], x[:, :, 1::2])


def deviations(sample: np.ndarray, exact: float) -> float:
    """Distance of a mean of realisations from the exact one in standard errors."""
    return float(abs(sample.mean() - exact) / (sample.std() / math.sqrt(sample.size)))


@pytest.mark.parametrize("scheme", INVARIANT)
@pytest.mark.parametrize("h", [0.4, 1.0, 2.0])
@pytest.mark.parametrize(("n", "theta"), [(2, 0.5), (3, 2.5), (6, 1.0)])
def test_invariant_schemes(scheme: str, h: float, n: int, theta: float) -> None:
    """After one step, after two, and once 90 % of the pairs are within 0.1 of their end."""
    last = round(20 / h) if scheme.endswith("exponential") else 120
    size = 600 if n < 6 else 300
    found = angles(rqf.RandomQuadraticForm(n), scheme, h, [1, 2, last], theta, size)
    for k in range(3):
        assert deviations(found[:, k].mean(axis=1), theta) < 4.0
    settled = np.minimum(found[:, 2], math.pi - found[:, 2]) < 0.1
    together = np.where(settled, found[:, 2] < 1.0, 1 - found[:, 2] / math.pi)
    assert settled.mean() > 0.9
    assert deviations(together.mean(axis=1), 1 - theta / math.pi) < 4.0


@pytest.mark.parametrize("scheme", INVARIANT)
def test_layers_split_alike(scheme: str) -> None:
    """Independent entries, and a sum with rotations, whose law is invariant as well."""
    for field in (rqf.LinearLayer(3), rqf.Skew(3, 2.0) + rqf.RandomQuadraticForm(3)):
        found = angles(field, scheme, 1.0, [1, 12], 2.0, 600)
        for k in range(2):
            assert deviations(found[:, k].mean(axis=1), 2.0) < 4.0


def test_a_scheme_that_is_not_invariant_is_not_exact() -> None:
    """Ninomiya–Victoir at h = 2 misses by more than six standard errors of the same size."""
    for n in (2, 6):
        found = angles(rqf.RandomQuadraticForm(n), "ninomiya-victoir", 2.0, [1], 1.0, 8000)
        assert deviations(found[:, 0].mean(axis=1), 1.0) > 6.0
