"""What the commands do when all is well: examples, files, numbers on the screen."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner, Result

import rqf
from rqf.cli import COMMANDS, app


def run(*words: object, columns: int = 200) -> Result:
    environment = {"COLUMNS": str(columns), "TERM": "dumb"}
    return CliRunner().invoke(app, [str(word) for word in words], env=environment)


def succeed(*words: object) -> str:
    done = run(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


def value(text: str, label: str) -> str:
    """What stands after a label at the beginning of a line."""
    (line,) = (line for line in text.splitlines() if line.startswith(label))
    return line.removeprefix(label).strip()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Every command


@pytest.mark.parametrize("name", COMMANDS)
def test_example_in_the_help_runs(name: str) -> None:
    (line,) = (line for line in succeed(name, "--help").splitlines() if "Example:" in line)
    program, *words = shlex.split(line.partition("Example:")[2])
    assert (program, words[0]) == ("rqf", name)
    succeed(*words)


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS)])
def test_version(words: list[str]) -> None:
    assert succeed(*words, "--version") == f"rqf {rqf.__version__}\n"


def test_help_lists_the_commands() -> None:
    for text in (succeed(), succeed("--help"), succeed("-h")):
        assert all(name in text for name in COMMANDS)
        assert "Exit codes" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal(name: str) -> None:
    text = run(name, "--help", columns=80).stdout
    assert max(map(len, text.splitlines())) <= 80


# simulate


def test_simulate_prints_what_python_computes() -> None:
    text = succeed("simulate", "--tokens", 20, "--t", 9, "--realizations", 12, "--seed", 5)
    field = rqf.RandomQuadraticForm(n=3)
    ds = rqf.simulate(field, tokens=20, t=9, realizations=12, seed=5)
    order = rqf.order_parameters(ds.isel(time=-1))
    assert "12 realisations of 20 tokens, t = 9" in text
    assert "seed 5" in text
    for name in ("polarity", "bipolarity"):
        mean, error = map(float, value(text, name).split(" ± "))
        numbers = order[name].values
        assert error == pytest.approx(numbers.std(ddof=1) / np.sqrt(12), rel=0.05)
        assert mean == pytest.approx(numbers.mean(), abs=0.06 * error)
    poles = int(((order.clusters == 2) & (order.bipolarity > 0.99)).sum())
    assert f"two opposite poles in {poles}" in value(text, "clusters")
    assert value(text, "rate of approach").endswith("predicted -1")


def test_rate_of_approach_is_the_strength() -> None:
    text = succeed("simulate", "--sigma", "sqrt2", "--realizations", 300, "--t", 6)
    rate, error = value(text, "rate of approach").split(",")[0].split(" ± ")
    assert abs(float(rate) + 2.0) < 4 * float(error) < 0.4
    assert value(text, "rate of approach").endswith("predicted -2")


@pytest.mark.parametrize("ending", [".zarr", ".nc"])
@pytest.mark.parametrize("law", [False, True])
def test_simulate_writes_what_python_returns(folder: Path, ending: str, law: bool) -> None:
    out = folder / f"run{ending}"
    words = ["--law"] if law else []
    text = succeed(
        "simulate", "--tokens", 5, "--n", 4, "--t", 2, "--dt", "1/32", "--times", 5,
        "--realizations", 3, "--seed", 9, "--out", out, *words,
    )  # fmt: skip
    assert f"written to {out}" in text
    field = rqf.RandomQuadraticForm(n=4)
    wanted = rqf.simulate(
        field, tokens=5, t=2, dt=1 / 32, times=5, realizations=3, seed=9, law=law
    )
    with xr.open_dataset(out) as found:
        xr.testing.assert_identical(found.load(), wanted)
    assert list(folder.iterdir()) == [out]


@pytest.mark.parametrize("ending", [".zarr", ".nc"])
def test_overwrite_replaces(folder: Path, ending: str) -> None:
    out = folder / f"run{ending}"
    short = ("simulate", "--tokens", 2, "--t", 1, "--times", 2, "--realizations", 2, "--out", out)
    succeed(*short)
    succeed(*short, "--seed", 1, "--overwrite")
    assert list(folder.iterdir()) == [out]
    with xr.open_dataset(out) as ds:
        assert ds.attrs["seed"] == "1"


@pytest.mark.parametrize("ending", [".npy", ".csv"])
def test_initial_tokens_from_a_file(folder: Path, ending: str) -> None:
    points = rqf.normalize(np.random.default_rng(3).standard_normal((6, 5)))
    path, out = folder / f"x0{ending}", folder / "run.nc"
    if ending == ".npy":
        np.save(path, points)
    else:
        np.savetxt(path, points, delimiter=",", fmt="%.17g", header="six tokens")
    text = succeed("simulate", "--x0", path, "--t", 1, "--out", out)
    assert "6 tokens" in text
    assert "S⁴" in text
    with xr.open_dataset(out) as ds:
        assert np.allclose(ds.x.isel(time=0), points, atol=1e-15)


def test_initial_tokens_of_each_realization_normalized(folder: Path) -> None:
    rows = np.random.default_rng(3).standard_normal((2, 3, 4))
    np.save(folder / "x0.npy", rows)
    words = ("--realizations", 2, "--t", 1, "--out", "run.nc", "--normalize")
    succeed("simulate", "--x0", "x0.npy", *words)
    with xr.open_dataset("run.nc") as ds:
        assert np.allclose(ds.x.isel(time=0), rqf.normalize(rows), atol=1e-15)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("linear", rqf.LinearLayer(3, 2.0)),
        ("rqf:0.5", rqf.RandomQuadraticForm(3, 0.5)),
        ("rqf+skew:1e-1", rqf.RandomQuadraticForm(3, 2.0) + rqf.Skew(3, 0.1)),
        ("skew:1e+0 + rqf:sqrt2", rqf.Skew(3, 1.0) + rqf.RandomQuadraticForm(3, 2.0**0.5)),
    ],
)
def test_fields(text: str, field: rqf.LinearLayer) -> None:
    words = ("--sigma", 2, "--t", 1, "--times", 2, "--realizations", 2, "--out", "run.nc")
    succeed("simulate", "--field", text, *words)
    with xr.open_dataset("run.nc") as ds:
        assert ds.attrs["field"] == repr(field)


def test_summary_of_what_does_not_cluster() -> None:
    text = succeed("simulate", "--field", "skew", "--tokens", 10, "--realizations", 4)
    assert value(text, "clusters") == "none yet in 4 of 4 realisations"
    rate, rest = value(text, "rate of approach").split(" ± ")
    assert abs(float(rate)) < 1e-12
    assert rest.endswith("predicted 0")


def test_summary_of_the_smallest_runs() -> None:
    text = succeed("simulate", "--tokens", 1, "--realizations", 1)
    assert value(text, "clusters") == "a single point in 1 of 1 realisation"
    assert value(text, "polarity") == "1"
    assert "two tokens" in value(text, "rate of approach")
    text = succeed("simulate", "--t", 0, "--realizations", 2)
    assert value(text, "clusters") == "none yet in 2 of 2 realisations"
    text = succeed("simulate", "--t", 400, "--times", 3, "--realizations", 2, "--tokens", 4)
    assert "more times are needed" in value(text, "rate of approach")


def test_summary_of_many_tokens_says_how_many_it_looked_at() -> None:
    text = succeed("simulate", "--tokens", 1100, "--t", 1, "--times", 2, "--realizations", 2)
    assert "(first 1024 tokens)" in value(text, "clusters")


def test_workers_do_not_change_the_numbers() -> None:
    words = ("simulate", "--t", 2, "--realizations", 40, "--tokens", 4)
    for workers in (1, 3):
        succeed(*words, "--workers", workers, "--out", f"{workers}.nc")
    with xr.open_dataset("1.nc") as one, xr.open_dataset("3.nc") as three:
        xr.testing.assert_identical(one, three)


# lyapunov


def test_lyapunov_table_and_record(folder: Path) -> None:
    words = ("--t", 50, "--realizations", 6, "--seed", 3, "--dt", "1/16", "--workers", 2)
    text = succeed("lyapunov", "--sigma", "sqrt2", *words, "--out", "spectrum.json")
    flow = rqf.Flow(rqf.RandomQuadraticForm(3, 2.0**0.5), dt=1 / 16)
    wanted = rqf.lyapunov_spectrum(flow, t=50, realizations=6, seed=3)
    record = json.loads((folder / "spectrum.json").read_text())
    assert record["exponent"] == pytest.approx(wanted.exponent.values, abs=1e-12)
    assert record["predicted"] == pytest.approx([-2.0, -4.0], abs=1e-12)
    z = (wanted.exponent.values - [-2.0, -4.0]) / wanted.stderr.values
    assert record["z"] == pytest.approx(z, abs=1e-9)
    assert record["seed"] == "3"
    rows = [line.split() for line in text.splitlines() if line[:1] in "12" and "±" in line]
    assert [row[0] for row in rows] == ["1", "2"]
    for row, exponent, sigmas in zip(rows, wanted.exponent.values, z, strict=True):
        assert abs(float(row[1]) - exponent) < 0.06 * float(row[3])
        assert float(row[5]) == pytest.approx(sigmas, abs=0.005)


def test_lyapunov_netcdf(folder: Path) -> None:
    succeed("lyapunov", "--n", 4, "--t", 5, "--realizations", 2, "--out", "spectrum.nc")
    with xr.open_dataset("spectrum.nc") as ds:
        assert ds.predicted.values.tolist() == [-1.0, -2.0, -3.0]
        assert {"exponent", "stderr", "sample", "z"} <= set(ds.data_vars)
    assert [path.name for path in folder.iterdir()] == ["spectrum.nc"]


def test_lyapunov_without_noise_has_no_z() -> None:
    succeed("lyapunov", "--sigma", 0, "--t", 1, "--realizations", 2, "--out", "still.json")
    record = json.loads(Path("still.json").read_text())
    assert record["exponent"] == [0.0, 0.0]
    assert record["z"] == [None, None]


# attractor


def test_attractor_prints_the_points() -> None:
    words = ("--n", 5, "--seed", 4, "--realization", 2, "--t", 12, "--shift", "-1.5")
    text = succeed("attractor", *words)
    omega = rqf.Wiener(4, realization=2).shift(-1.5)
    wanted = rqf.pullback_attractor(rqf.Flow(rqf.RandomQuadraticForm(5)), omega, t=12)
    head = text[text.index("\n a") : text.index("error")]
    numbers = [float(word) for word in head.replace("-a", "").split() if word != "a"]
    assert np.reshape(numbers, (2, 5)) == pytest.approx(wanted.points, abs=1e-12)
    assert value(text, "error") == f"{wanted.error:.1e}"
    table = [line.split() for line in text.splitlines() if line.strip().startswith("-")][2:]
    assert [row[0] for row in table] == ["-2", "-4", "-6", "-8", "-10", "-12"]
    assert float(table[-2][1]) < 1e-2


def test_attractor_is_that_of_simulate() -> None:
    step = ("--dt", 0.05, "--seed", 6, "--t", 50)
    succeed("simulate", *step, "--realizations", 2, "--tokens", 3, "--times", 2, "--out", "run.nc")
    text = succeed("attractor", *step, "--realization", 1, "--shift", 50)
    point = [float(word) for word in value(text, " a").split()]
    with xr.open_dataset("run.nc") as ds:
        ends = ds.x.values[1, -1]
    assert np.abs(ends @ point) == pytest.approx(np.ones(3), abs=1e-9)


def test_attractor_says_when_there_is_none() -> None:
    assert "does not contract" in succeed("attractor", "--field", "skew", "--t", 1)
    assert "not converged" in succeed("attractor", "--t", "1/64")


# verify


def test_verify_reports(folder: Path) -> None:
    text = succeed("verify", "--only", 1, "--seed", 2)
    assert "1 of 1 claims hold" in text
    assert "holds" in text
    record = json.loads((folder / "rqf-report" / "claims.json").read_text())
    assert [claim["number"] for claim in record["claims"]] == [1]
    assert record["seed"] == 2
    assert (folder / "rqf-report" / "index.html").is_file()
    again = shlex.split(record["command"])[1:]
    succeed(*again, "--overwrite")


def test_verify_fails_if_a_claim_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rqf import claims

    true = claims.run

    def one_fails(*words: object, **settings: object) -> list[claims.Result]:
        first, second = true(*words, **settings)
        return [replace(first, passed=False), second]

    monkeypatch.setattr(claims, "run", one_fails)
    done = run("verify", "--only", 1, "--only", 2, "--out", "report")
    assert done.exit_code == 1
    assert "FAILS" in done.stdout
    assert "1 of 2 claims hold" in done.stdout
    assert (folder / "report" / "index.html").is_file()
