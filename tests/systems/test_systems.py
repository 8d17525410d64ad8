"""Every scheme over every exactly solved field; README.md states them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_fields import System, diffusion, systems

import rqf
from rqf.flow import SCHEMES

REALIZATIONS = 800
STEPS = {1: 1 / 16, 2: 1 / 8}


def observed(system: System, scheme: str, h: float, start: np.ndarray) -> np.ndarray:
    """Means over the tokens or pairs of each realisation."""
    ds = rqf.simulate(
        system.field, t=system.t, dt=h, realizations=REALIZATIONS, seed=21, times=[system.t],
        x0=start, scheme=scheme, refine=False,
    )  # fmt: skip
    return system.observe(start, ds.x.values[:, 0]).mean(axis=1)


def deviations(sample: np.ndarray, exact: float) -> float:
    """Distance of its mean from the exact one in standard errors."""
    return float(abs(sample.mean() - exact) / (sample.std() / math.sqrt(sample.size)))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("system", systems(), ids=str)
def test_every_scheme_over_every_field(system: System, scheme: str) -> None:
    """The extrapolated mean within four standard errors of the exact one."""
    start = system.start(REALIZATIONS)
    power = 2 ** SCHEMES[scheme].weak_order
    h = STEPS[SCHEMES[scheme].weak_order]
    coarse, fine = (observed(system, scheme, step, start) for step in (h, h / 2))
    sample = (power * fine - coarse) / (power - 1)
    assert deviations(sample, system.mean) < 4.0
    assert sample.std() > 0.01
    if system.martingale and SCHEMES[scheme].invariant:
        assert deviations(coarse, system.mean) < 4.0
        assert deviations(fine, system.mean) < 4.0


def test_rotations_keep_overlaps() -> None:
    x = np.stack([[1.0, 0.0, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]])
    for scheme in SCHEMES:
        path = rqf.Flow(rqf.Skew(4), 1 / 8, scheme).path(rqf.Wiener(1), x, [1.0, 5.0])
        overlaps = np.sum(path[:, 0] * path[:, 1], axis=-1)
        exact = SCHEMES[scheme].name not in ("euler", "heun")
        assert (np.max(np.abs(overlaps - 0.6)) < 1e-13) == exact


def test_figures_of_the_readme() -> None:
    assert diffusion(lambda z: z, 0.5, 1.2) == pytest.approx(0.3727371, abs=2e-7)
    assert diffusion(np.square, 0.5, 1.2) == pytest.approx(0.7238018, abs=2e-7)
    assert diffusion(np.ones_like, 0.5, 1.2, killing=True) == pytest.approx(0.5400820, abs=2e-7)
