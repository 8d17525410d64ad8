"""What tests of claims share: one measurement, held against the true and against wrong predictions.

Measured once for each claim, at level "quick" and seed 0.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from rqf.claims import decide
from rqf.claims.base import Claim, Measurement, Result, stream
from rqf.claims.registry import false_alarm


@lru_cache
def measurement(claim: Claim, seed: int = 0) -> Measurement:
    """What the claim measures, as in `rqf.claims.run`."""
    return claim.measure("quick", stream(seed, claim.id))


def outcome(claim: Claim, prediction=None) -> Result:
    """The result with the claim's own prediction, or with another one."""
    held = claim if prediction is None else replace(claim, predict=lambda: prediction)
    return decide(held, measurement(claim), false_alarm(claim))


def assert_drawn(claim: Claim, result: Result) -> None:
    """The claim's figure: data within labelled axes, everything in view."""
    axes = Figure().add_subplot()
    claim.draw(axes, result)
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert axes.has_data()
    assert axes.get_legend() is not None
    axes.figure.savefig("/dev/null", format="svg")


def assert_whole(claim: Claim, result: Result) -> None:
    """Every row has its label, finite numbers and an error."""
    assert len(set(result.labels)) == len(result.labels)
    for name in ("predicted", "measured", "error"):
        assert np.all(np.isfinite(result.column(name)))
    assert np.all(result.column("error") >= 0.0)
    assert result.error > 0.0
