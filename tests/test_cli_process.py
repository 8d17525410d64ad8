"""The program as a process: how fast it starts, how it ends, what a terminal sees."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rqf.cli.screen import measured, plain

RQF = [sys.executable, "-m", "rqf"]
LONG = ("--t", "1e6", "--realizations", "40", "--times", "1000", "--tokens", "4")
PATIENCE = 60.0  # seconds: a busy machine is slow to start


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*words: str) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*RQF, *words], text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def modules(*words: str) -> set[str]:
    """The modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "rqf", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_help_is_light() -> None:
    loaded = modules("simulate", "--help")
    assert "typer" in loaded
    assert not {"numpy", "scipy", "numba", "xarray", "matplotlib"} & loaded


def test_simulate_loads_what_it_needs() -> None:
    loaded = modules("simulate", "--t", "1", "--times", "2")
    assert "numba" in loaded
    unneeded = {"matplotlib", "scipy.stats", "scipy.optimize", "zarr", "h5netcdf", "jinja2"}
    assert not unneeded & loaded


@pytest.mark.parametrize(
    ("sign", "code", "said"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "")],
)
def test_signals_leave_nothing_behind(
    folder: Path, sign: signal.Signals, code: int, said: str
) -> None:
    process = start("simulate", *LONG, "--out", "run.zarr")
    began = time.monotonic()
    while not list(folder.glob(".run.zarr.*.partial/x")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.05)
    time.sleep(2.5)  # a bar would have appeared on a terminal
    process.send_signal(sign)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout, stderr) == (code, "", said)
    assert not list(folder.iterdir())


def on_terminal(*words: str, interrupt_at: bytes | None = None) -> tuple[int, bytes]:
    """Exit code and everything that a terminal sees; Ctrl-C is typed once a text has appeared."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(COLUMNS="80", TERM="xterm")
        os.execv(sys.executable, [*RQF, *words])
    seen = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            seen += piece
            if interrupt_at is not None and interrupt_at in seen:
                os.write(terminal, b"\x03")
                interrupt_at = None
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), seen


def test_a_long_run_shows_a_bar_and_hears_control_c() -> None:
    code, seen = on_terminal("lyapunov", "--t", "1e6", interrupt_at=b"measuring exponents")
    assert code == 130
    assert seen.rstrip().endswith(b"interrupted")
    assert seen.index(b"\x1b[?25l") < seen.rindex(b"\x1b[?25h")  # the cursor is back
    assert b"Traceback" not in seen


def test_a_table_fits_the_terminal() -> None:
    code, seen = on_terminal("verify", "--only", "one_point.ito", "--out", "report")
    assert code == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode())
    shown = shown[shown.index("no.") :].replace("\r", "")
    assert max(map(len, shown.splitlines())) <= 80
    assert "holds" in shown
    assert "1 of 1 claims hold" in shown


def test_a_reader_may_leave() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*RQF, "attractor", "--t", "1"], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_nobody_need_listen() -> None:
    words = f"{sys.executable} -m rqf attractor --t 1 >&- 2>&-"
    assert subprocess.run(["sh", "-c", words]).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_output_that_cannot_be_printed() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*RQF, "--help"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "error: No space left on device\n"


# Numbers on the screen


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (-1.0349, 0.1234, "-1.03 ± 0.12"),
        (0.5, 0.0996, "0.50 ± 0.10"),
        (12.3456, 3.21, "12.3 ± 3.2"),
        (123.0, 45.0, "123 ± 45"),
        (1234.5, 560.0, "1234.5 ± 5.6e+02"),
        (1.0, 9.3e-18, "1 ± 9.3e-18"),
        (6.91179e-18, 1e-12, "6.91e-18 ± 1.0e-12"),
        (0.25, 0.0, "0.25 ± 0"),
        (0.25, float("nan"), "0.25"),
    ],
)
def test_numbers_with_errors(value: float, error: float, text: str) -> None:
    assert measured(value, error) == text


def test_numbers_without_errors() -> None:
    assert [plain(value) for value in (0.0, -2.0, 1 / 3, 1.25e-9, 3e7)] == [
        "0", "-2", "0.333333", "1.25e-09", "3e+07",
    ]  # fmt: skip
