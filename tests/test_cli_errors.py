"""What the commands do with bad input and bad places: one line, exit code 2, nothing written."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rqf
from rqf import output
from rqf.cli import app

SHORT = ("simulate", "--tokens", "3", "--t", "1", "--times", "3", "--realizations", "2")


def refuse(*words: object, code: int = 2) -> str:
    """The one line that is said to a command that ends with this code."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("simulate --n 1", "n = 1: must be an integer >= 2"),
        ("simulate --n abc", "Invalid value for '--n'"),
        ("simulate --n 2.5", "Invalid value for '--n'"),
        ("simulate --tokens 0", "tokens = 0: must be an integer >= 1"),
        ("simulate --realizations 0", "realizations = 0: must be an integer >= 1"),
        ("simulate --times 1", "times = 1: must be an integer >= 2"),
        ("simulate --t 1.001", "must be a multiple of dt = 0.015625; the nearest is 1"),
        ("simulate --t -1", "t = -1.0: must be a finite number >= 0"),
        ("simulate --t nan", "t = nan: must be a finite number >= 0"),
        ("simulate --t abc", "'abc' is not a number"),
        ("simulate --t 1e400", "t = inf: must be a finite number >= 0"),
        ("simulate --t 1e300", "is more than 2^62 steps"),
        ("simulate --dt 0", "dt = 0.0: must be a finite number > 0"),
        ("simulate --dt 1/0", "'1/0' is not a number"),
        ("simulate --dt nan", "dt = nan"),
        ("simulate --dt 1e-320 --t 0", "dt = "),
        ("simulate --sigma -1", "sigma = -1.0"),
        ("simulate --sigma 1e200", "sigma = 1e+200"),
        ("simulate --sigma sqrt-2", "'sqrt-2' is not a number"),
        ("simulate --sigma 100", "take dt <="),
        ("simulate --seed -1", "seed = -1: must be an integer from 0"),
        ("simulate --seed 1e3", "Invalid value for '--seed'"),
        ("simulate --scheme magic", "scheme = 'magic': must be one of euler"),
        ("simulate --field magic", "'magic' is no field; there are rqf, linear, skew"),
        ("simulate --field rqf+", "is no field"),
        ("simulate --field rqf:much", "sigma = 'much': must be a number"),
        ("simulate --field rqf:-1", "sigma = -1.0"),
        ("simulate --workers 0", "workers = 0"),
        ("simulate --out run.h5", "out = 'run.h5': must end in .zarr or .nc"),
        ("simulate --out run", "must end in .zarr or .nc"),
        ("simulate --out nowhere/run.nc", "nowhere does not exist"),
        ("simulate --x0 nowhere.npy", "cannot be read (No such file or directory)"),
        ("simulate --x0 points.txt", "must end in .npy or .csv"),
        ("simulate --normalize", "--x0 FILE"),
        ("simulate --tokens 100000000000", "more than"),
        ("simulate --tokens 100000000000 --out run.zarr", "free"),
        ("simulate --magic", "No such option: --magic"),
        ("simulate --field", "requires an argument"),
        ("simulate more", "unexpected extra argument"),
        ("lyapunov --t 0", "t = 0.0: must be a finite number > 0"),
        ("lyapunov --realizations 1", "realizations = 1: must be an integer >= 2"),
        ("lyapunov --out spectrum.csv", "must end in .json or .nc"),
        ("lyapunov --out nowhere/spectrum.json", "nowhere does not exist"),
        ("lyapunov --workers -2", "workers = -2"),
        ("attractor --t 0", "t = 0.0: must be a finite number > 0"),
        ("attractor --realization -1", "realization = -1"),
        ("attractor --shift 0.3", "shifted"),
        ("attractor --dt 0", "dt = 0.0"),
        ("verify --only nonsense", "no claim has an id that begins so"),
        ("verify --only 10000", "only = 10000"),
        ("verify --seed -1", "seed = -1"),
        ("verify --out nowhere/report", "nowhere does not exist"),
        ("verify --level full", "No such option: --level"),
        ("magic", "No such command 'magic'"),
    ],
)
def test_bad_input(folder: Path, words: str, complaint: str) -> None:
    line = refuse(*words.split())
    assert line.startswith("error: ")
    assert complaint in line
    assert not list(folder.iterdir())


def test_misuse_says_where_help_is() -> None:
    assert refuse("simulate", "--t", "abc").endswith("see rqf simulate --help")


@pytest.mark.parametrize(
    ("points", "complaint"),
    [
        ([[1.0, np.nan, 0.0]], "not finite"),
        ([[np.inf, 0.0, 0.0]], "not finite"),
        ([[1.0, 1.0, 0.0]], "--normalize makes them so"),
        ([1.0, 0.0, 0.0], "must be (tokens, n)"),
        (np.zeros((0, 3)), "must be (tokens, n)"),
        ([[1.0]], "must be"),
        (np.tile([1.0, 0.0], (3, 4, 1)), "(realizations = 16, tokens, 2)"),
        (np.ones((1, 1, 1, 4)) / 2, "must be (tokens, 4)"),
        ([["a", "b"]], "real numbers"),
    ],
)
def test_bad_initial_tokens(folder: Path, points: object, complaint: str) -> None:
    np.save("x0.npy", np.asarray(points))
    assert complaint in refuse("simulate", "--x0", "x0.npy", "--out", "run.nc")
    assert [path.name for path in folder.iterdir()] == ["x0.npy"]


def test_initial_tokens_that_contradict_an_option() -> None:
    np.save("x0.npy", np.eye(3))
    assert "must be (..., 4)" in refuse("simulate", "--x0", "x0.npy", "--n", 4)
    assert "x0 holds 3 tokens" in refuse("simulate", "--x0", "x0.npy", "--tokens", 4)


@pytest.mark.parametrize(
    ("name", "content"),
    [("x0.npy", b"no array"), ("x0.npy", b""), ("x0.csv", b"1,2\n3\n"), ("x0.csv", b"a,b\n")],
)
def test_initial_tokens_that_cannot_be_read(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert refuse("simulate", "--x0", name).startswith(f"error: x0 = '{name}': cannot be read (")


def test_pickled_arrays_are_not_opened() -> None:
    np.save("x0.npy", np.array([[1, None]], dtype=object), allow_pickle=True)
    assert "cannot be read" in refuse("simulate", "--x0", "x0.npy")


def test_zero_rows_have_no_direction() -> None:
    np.save("x0.npy", np.zeros((2, 3)))
    assert "row that is zero" in refuse("simulate", "--x0", "x0.npy", "--normalize")


@pytest.mark.parametrize(
    "words",
    [
        (*SHORT, "--out", "there.nc"),
        (*SHORT, "--out", "there.zarr"),
        ("lyapunov", "--t", "1", "--out", "there.json"),
        ("verify", "--only", "1", "--out", "there"),
    ],
)
def test_what_exists_is_not_replaced(folder: Path, words: tuple[str, ...]) -> None:
    there = folder / words[-1]
    there.write_text("precious")
    assert "exists already" in refuse(*words)
    assert there.read_text() == "precious"
    assert list(folder.iterdir()) == [there]


@pytest.mark.parametrize(
    "words", [(*SHORT, "--out", "there.zarr"), ("verify", "--only", "1", "--out", "there")]
)
def test_overwrite_does_not_replace_a_folder_of_something_else(
    folder: Path, words: tuple[str, ...]
) -> None:
    there = folder / words[-1]
    there.mkdir()
    (there / "thesis.tex").write_text("precious")
    assert "'thesis.tex'" in refuse(*words, "--overwrite")
    assert (there / "thesis.tex").read_text() == "precious"
    assert list(folder.iterdir()) == [there]


def test_a_file_does_not_replace_a_folder(folder: Path) -> None:
    (folder / "there.nc").mkdir()
    assert "is a folder" in refuse(*SHORT, "--out", "there.nc", "--overwrite")
    assert (folder / "there.nc").is_dir()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (SHORT, "run.nc"),
        (SHORT, "run.zarr"),
        (("lyapunov", "--t", "1"), "spectrum.json"),
        (("verify", "--only", "1"), "report"),
    ],
)
def test_a_folder_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], place: str
) -> None:
    def refused(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):  # nothing is closed to this user
        monkeypatch.setattr(Path, "mkdir", refused)
    for home, name in (("rqf", "simulate"), ("rqf", "lyapunov_spectrum"), ("rqf.claims", "run")):
        monkeypatch.setattr(f"{home}.{name}", never, raising=False)
    line = refuse(*words, "--out", closed / place)
    assert f"output {closed / place}: cannot be written (Permission denied)" in line
    assert not list(closed.iterdir())


@pytest.fixture
def small_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on a disk with room for 100 kB, or one that behaves so."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("rqf.flow.simulate._stream", full)
        monkeypatch.setattr(Path, "write_bytes", full)
        monkeypatch.setattr(Path, "write_text", full)
    yield disk
    if mounted:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("name", ["run.nc", "run.zarr"])
def test_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    foreseen = refuse("simulate", "--realizations", 10**7, "--out", small_disk / name)
    assert "the disk has" in foreseen
    monkeypatch.setattr("rqf.cli.files.check_room", lambda *_: None)
    line = refuse("simulate", "--out", small_disk / name)
    assert line == f"error: output {small_disk / name}: the disk is full; nothing was written"
    assert not list(small_disk.iterdir())


def test_full_disk_of_a_report(small_disk: Path) -> None:
    with contextlib.suppress(OSError):
        (small_disk / "other").write_bytes(bytes(95 * 1024))
    before = sorted(small_disk.iterdir())
    line = refuse("verify", "--only", "1", "--out", small_disk / "report")
    assert line.endswith("the disk is full; nothing was written")
    assert sorted(small_disk.iterdir()) == before


@pytest.mark.parametrize("name", ["run.nc", "run.zarr"])
def test_interruption_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from rqf.flow.ensemble import Ensemble

    def interrupted(self: Ensemble, sink: object, *_: object) -> None:
        assert name == "run.nc" or list(folder.glob(".*.partial"))
        raise KeyboardInterrupt

    monkeypatch.setattr(Ensemble, "run", interrupted)
    assert refuse(*SHORT, "--out", name, code=130) == "interrupted"
    assert not list(folder.iterdir())


def test_an_old_result_survives_what_goes_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "run.nc").write_text("precious")

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "_replace", broken)
    refuse(*SHORT, "--out", "run.nc", "--overwrite", code=130)
    assert (folder / "run.nc").read_text() == "precious"
    assert [path.name for path in folder.iterdir()] == ["run.nc"]


def test_defects_are_told_from_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("token")

    monkeypatch.setattr(rqf, "simulate", broken, raising=False)
    line = refuse("simulate", code=3)
    assert line == "error: KeyError: 'token' (a defect of rqf; --debug shows where)"


def test_not_enough_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 8 TiB")

    monkeypatch.setattr(rqf, "simulate", hungry, raising=False)
    assert refuse("simulate") == "error: not enough memory (Unable to allocate 8 TiB)"


@pytest.mark.parametrize("words", [("--debug", "simulate"), ("simulate", "--debug")])
def test_debug_shows_the_traceback(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, "--n", "1"])
    assert done.exit_code == 2
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Traceback")
    assert any("checks.py" in line for line in lines)
    assert lines[-1] == "error: n = 1: must be an integer >= 2"
