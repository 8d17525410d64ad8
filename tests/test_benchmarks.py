"""The benchmarks still run: each at its smallest, for a look at what it writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"


def run(script: str, *options: str) -> str:
    command = [sys.executable, str(BENCHMARKS / script), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_schemes(tmp_path: Path) -> None:
    out, page = tmp_path / "schemes.json", tmp_path / "schemes.md"
    shutil.copy(ROOT / "docs" / "schemes.md", page)
    small = ("--n", "3", "--h", "0.25", "--error", "0.02", "--seconds", "5", "--repeats", "1")
    run("schemes.py", *small, "--out", str(out), "--doc", str(page))
    document = json.loads(out.read_text())
    assert document["met"]
    assert {"python", "numpy", "numba", "rqf"} <= document["environment"].keys()
    errors = {row["scheme"]: row["error"] for row in document["results"] if not row["refined"]}
    assert errors["heun"] < -0.2
    assert abs(errors["corrected-exponential"]) < 0.08
    assert "| heun | -3" in page.read_text()


def test_speed(tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    assert "goal met" in run("speed.py", "import", "--repeats", "3", "--out", str(out))
    assert json.loads(out.read_text())["import"]["seconds"] < 0.5


def test_an_unknown_benchmark_is_refused() -> None:
    command = [sys.executable, str(BENCHMARKS / "speed.py"), "nonsense"]
    assert subprocess.run(command, capture_output=True).returncode == 2


@pytest.mark.full
def test_every_speed(tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    run("speed.py", "--repeats", "1", "--out", str(out))
    document = json.loads(out.read_text())
    assert document["samples"]["met"]
    assert document["first"]["compiled_seconds"] < document["first"]["uncompiled_seconds"]


@pytest.mark.full
def test_the_pictures_are_drawn(tmp_path: Path) -> None:
    script = ROOT / "docs" / "make_images.py"
    subprocess.run([sys.executable, str(script), "--out", str(tmp_path)], check=True)
    drawn = {path.name for path in tmp_path.glob("*.png")}
    assert drawn == {path.name for path in (ROOT / "docs" / "images").glob("*.png")}
