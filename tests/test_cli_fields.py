"""Fields in words: what the command line reads, and how it reads on the screen."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rqf
from rqf.cli.naming import axis_label, describe, read_field
from rqf.errors import InvalidArgument

READ = {
    "rqf": rqf.RandomQuadraticForm(4, 0.5),
    "linear:sqrt2": rqf.LinearLayer(4, math.sqrt(2.0)),
    "bias:0.1": rqf.Bias(4, 0.1),
    "mlp:erf,gain=3": rqf.MLP(4, "erf", gain=3),
    "mlp:leaky_relu:0.1,width=8": rqf.MLP(4, "leaky_relu:0.1", width=8),
    "potential:3=1,1=0.2": rqf.RandomPotential(4, {3: 1.0, 1: 0.2}),
    "attention:2,gamma=-1": rqf.Attention(4, 2, gamma=-1),
    "attention-noise:beta=1/2": rqf.AttentionNoise(4, 0.5),
    "hermitian": rqf.HermitianForm(2),
    "holomorphic:3,0.5": rqf.HolomorphicPotential(2, 3, 0.5),
}


@pytest.mark.parametrize("text", READ)
def test_fields_are_read(text: str) -> None:
    assert repr(read_field(text, 4, 0.5)) == repr(READ[text])


def test_sums_and_harmonics() -> None:
    field = read_field("rqf+bias:0.1+skew:1e+0", 3, 2.0)
    z = np.linspace(-1, 1, 5)
    alone = rqf.RandomQuadraticForm(3, 2.0) + rqf.Bias(3, 0.1) + rqf.Skew(3, 1.0)
    np.testing.assert_allclose(field.a(z), alone.a(z))
    assert len(field.summands) == 3
    assert read_field("harmonic:3,0.5", 2, 1.0) == rqf.Harmonic(3, 0.5)


def test_parameters_are_varied() -> None:
    assert read_field("mlp:erf", 4, 1.0, {"gain": 2.5}) == rqf.MLP(4, "erf", gain=2.5)
    assert read_field("mlp", 4, 1.0, {"leak": 0.25}) == rqf.MLP(4, "leaky_relu:0.25")
    mixed = read_field("potential:3=1", 4, 1.0, {"potential.2": 0.5})
    assert mixed == rqf.RandomPotential(4, {3: 1.0, 2: 0.5})
    both = read_field("rqf+bias", 4, 1.0, {"bias": 0.2})
    assert both.summands[1] == rqf.Bias(4, 0.2)
    assert axis_label("bias", "rqf+bias") == "bias.sigma"


def test_fields_are_described() -> None:
    assert describe(read_field("rqf+bias:0.5", 3, 1.0)) == (
        "random quadratic form (sigma = 1) + random bias (sigma = 0.5) on S²"
    )
    assert describe(read_field("mlp:erf,gain=3", 3, 1.0)) == (
        "random MLP (activation = erf, gain = 3) on S²"
    )


@pytest.mark.parametrize(
    ("text", "n", "message"),
    [
        ("magic", 3, "'magic' is no field; there are rqf, linear"),
        ("mpl:erf", 3, "did you mean mlp"),
        ("mlp:erf,speed=3", 3, "'speed' is no parameter of mlp; it has activation"),
        ("bias:0.1,0.2", 3, "bias takes at most 1 values"),
        ("hermitian", 3, "n = 3: hermitian needs an even dimension"),
        ("rqf+harmonic:3", 3, "a sum needs fields of one dimension"),
        ("attention", 3, "attention needs beta"),
        ("harmonic", 2, "harmonic needs k"),
        ("potential:3=x", 3, "'x' is not a number"),
    ],
)
def test_mistakes_are_one_line(text: str, n: int, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        read_field(text, n, 1.0)
    assert "\n" not in str(caught.value)
