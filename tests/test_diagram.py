"""Phase diagrams: axes, critical lines that are solved for, measurements, the command."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

import rqf
from rqf.cli import app
from rqf.diagram import Axis, draw, phase_diagram, read_axis
from rqf.errors import InvalidArgument


def curve(ds: xr.Dataset, kind: str) -> np.ndarray:
    chosen = ds.line_kind.values == kind
    return np.stack([ds.line_x.values[chosen], ds.line_y.values[chosen]], axis=-1)


def test_the_critical_line_of_attention_inside_the_noise() -> None:
    """n - 2 = cosh 2β (Fedorov et al., theorem 2), every vertex to 1e-9."""
    ds = phase_diagram(
        lambda beta, n: rqf.AttentionNoise(int(n), beta),
        read_axis("beta", "0.3:2:9"), read_axis("dimension", "3:20", whole=True), measure=None,
    )
    vertices = curve(ds, "opposite")
    assert len(vertices) > 5
    np.testing.assert_allclose(np.cosh(2.0 * vertices[:, 0]), vertices[:, 1] - 2.0, rtol=1e-9)
    assert curve(ds, "together").size == 0
    assert set(np.unique(ds.phase)) == {"bipolar", "monopolar"}


def test_the_critical_line_between_two_continuous_parameters() -> None:
    """κ = 2γ/(1 + e^{2β}), κ the strength of a linear layer, vertices on both kinds of edges."""
    ds = phase_diagram(
        lambda beta, sigma: rqf.LinearLayer(3, sigma) + rqf.Attention(3, beta),
        read_axis("beta", "0:2:7"), read_axis("sigma", "0.2:1.2:8:log"), measure=None,
    )
    beta, sigma = curve(ds, "opposite").T
    assert beta.size > 8
    np.testing.assert_allclose(sigma**2, 2.0 / (1.0 + np.exp(2.0 * beta)), rtol=1e-9)


def test_measurements_follow_the_phases() -> None:
    """Deep in the two phases of a bias: tokens together, or on one axis and on both sides."""
    ds = phase_diagram(
        lambda sigma, n: rqf.RandomQuadraticForm(int(n)) + rqf.Bias(int(n), sigma),
        Axis("bias", [0.0, 3.0]), Axis("dimension", [2, 3], whole=True),
        measure=(2, 2), realizations=8,
        lifetime=lambda field: rqf.theory.TwoPoint(field).exit_time(-1.0, -1.0, 0.0),
    )
    assert np.all(ds.bipolarity > 0.8)
    assert np.all(ds.polarity.sel(x_measured=3.0) > 0.9)
    assert np.all(ds.polarity.sel(x_measured=0.0) < 0.8)
    assert np.all(np.isnan(ds.lifetime.values[:, 0]) & (ds.lifetime.values[:, 1] > 0.0))
    figure = draw(ds)
    assert len(figure.axes) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1", "must be LOW:HIGH"), ("1:2:3:4", "must be LOW:HIGH"), ("a:b", "must be LOW:HIGH"),
        ("2:1", "needs LOW < HIGH"), ("1:2:1", "COUNT of 2 or more"),
        ("0:1:5:log", "needs 0 < LOW"), ("0:inf", "must be LOW:HIGH"),
    ],
)  # fmt: skip
def test_ranges_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        read_axis("gain", text)


def test_axes_are_checked() -> None:
    with pytest.raises(InvalidArgument, match="dimension: takes whole numbers only"):
        Axis("dimension", [2.5, 3.0], whole=True)
    with pytest.raises(InvalidArgument, match="needs two values or more, increasing"):
        Axis("gain", [1.0])


def run(*words: str):  # type: ignore[no-untyped-def]
    return CliRunner().invoke(app, ["phase", *words])


def test_the_command(tmp_path) -> None:  # type: ignore[no-untyped-def]
    picture, data = tmp_path / "phase.svg", tmp_path / "phase.nc"
    done = run(
        "--field", "mlp", "--activation", "erf", "--x", "gain", "1:8:6", "--y", "dimension",
        "4:7", "--measure", "2", "2", "--out", str(picture), "--data", str(data),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "bipolar" in done.output
    assert "chaotic" in done.output
    assert picture.read_text().startswith("<?xml")
    with xr.open_dataset(data) as ds:
        assert ds.sizes["x"] == 6
        line = curve(ds, "together")
    at_four = line[line[:, 1] == 4.0, 0]
    assert at_four.size == 0 or math.isclose(at_four[0], 4.00345 * 2.0, rel_tol=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--x", "gain", "1:2", "--y", "n", "3:5"), "'gain' is no parameter in 'rqf'"),
        (("--x", "sigma", "1:2", "--y", "n", "1:5"), "n = 1: must be"),
        (
            ("--field", "rqf+skew", "--x", "sigma", "1:2", "--y", "n", "3:5"),
            "'sigma' is a parameter of several fields",
        ),
        (
            ("--field", "rqf", "--activation", "relu", "--x", "sigma", "1:2", "--y", "n", "3:5"),
            "has no mlp",
        ),
        (("--x", "sigma", "1:2", "--y", "n", "3:5", "--out", "a.gif"), "must end in .png"),
    ],
)
def test_mistakes_are_one_line(words, message, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert done.exit_code == 2
    assert message in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())
