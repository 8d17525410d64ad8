"""Pathwise errors fall like the square root of the step: the noises do not commute."""

from __future__ import annotations

import numpy as np
import pytest

import rqf
from rqf.flow import SCHEMES
from rqf.sphere import angle, uniform

STEPS = 0.5 ** np.arange(4, 9)
REALIZATIONS = 300


def ends(n: int, scheme: str, h: float) -> np.ndarray:
    ds = rqf.simulate(
        rqf.RandomQuadraticForm(n), t=0.5, dt=h, realizations=REALIZATIONS, seed=5, times=[0.5],
        x0=uniform(8, n, rng=1), scheme=scheme, refine=False,
    )  # fmt: skip
    assert ds.attrs["cell"] == 1.0
    return ds.x.values[:, 0]


@pytest.fixture(scope="module", params=[2, 3])
def reference(request: pytest.FixtureRequest) -> tuple[int, np.ndarray]:
    """The same paths in steps 16 times finer than the finest that are compared."""
    return request.param, ends(request.param, "exponential", 2.0**-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_slope_of_the_pathwise_error(scheme: str, reference: tuple[int, np.ndarray]) -> None:
    """Mean angle to the fine path at t = ½ for steps 2^-4 … 2^-8: slope ½ within four errors.

    The error of the slope, about 0.02, is that of the means over 300 realisations.
    """
    n, fine = reference
    errors = np.array([angle(ends(n, scheme, h), fine).mean(axis=-1) for h in STEPS])
    means = errors.mean(axis=1)
    centred = np.log(STEPS) - np.log(STEPS).mean()
    weights = centred / (centred @ centred)
    slope = weights @ np.log(means)
    influence = (weights / means) @ (errors - means[:, None])
    error = influence.std() / np.sqrt(REALIZATIONS)
    assert error < 0.025
    assert abs(slope - 0.5) < 4 * error
