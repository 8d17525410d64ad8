"""What every benchmark shares: medians over repeats, the versions that ran, results as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Median wall time of `repeats` calls, after one that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def processor() -> str:
    """The processor's name where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def environment() -> dict[str, Any]:
    """What a result depends on besides the code."""
    names = ("rqf", "numpy", "scipy", "numba")
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in names},
        "system": platform.system(),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
    }


def write(path: Path, results: dict[str, Any]) -> None:
    """Write results and environment; numbers are kept to six digits."""
    document = {"environment": environment(), **results}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rounded(document), indent=2, ensure_ascii=False) + "\n")
    print(f"written to {path}")


def rounded(value: Any) -> Any:
    """`value` with every float kept to six significant digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(entry) for entry in value]
    return value
