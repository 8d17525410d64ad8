"""Speed against goals that were set beforehand.

    python benchmarks/speed.py                        all of them
    python benchmarks/speed.py ensemble samples       some of them

ensemble    S², 64 tokens, 256 realisations, 1000 steps; goal: at most 1.5 times what NumPy needs
            in the same run to draw as many normals.
samples     10⁷ exact overlaps of a pair; goals: under 3 s, and at least 100 times faster than
            stepping dZ with so many steps that the bias hides below the sampling error.
import      `import rqf`; goal: under 0.5 s.
first       `rqf simulate` in a new process; goals: under 5 s with nothing compiled, under 1.5 s
            from the cache of compiled code.

Writes results/speed.json.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from record import RESULTS, median_seconds, write

import rqf
from rqf.flow.threads import workers_available

Array = NDArray[np.float64]
Step = Callable[[Array, float, Array], Array]

TOKENS, REALIZATIONS, STEPS, DT = 64, 256, 1000, 1 / 64
SAMPLES, START, TIME = 10**7, 0.5, 1.2


def ensemble(repeats: int) -> dict[str, Any]:
    """An ensemble on S² against the drawing of its normals alone."""
    field = rqf.RandomQuadraticForm(n=3)

    def simulated() -> None:
        rqf.simulate(field, tokens=TOKENS, t=STEPS * DT, dt=DT, realizations=REALIZATIONS, times=2)

    def drawn() -> None:
        np.random.default_rng(0).standard_normal((REALIZATIONS, STEPS, 6))

    seconds, normals = median_seconds(simulated, repeats), median_seconds(drawn, repeats)
    return {
        "goal": "S², 64 tokens, 256 realisations, 1000 steps in 1.5 times NumPy's normals",
        "seconds": seconds,
        "numpy_normals_seconds": normals,
        "ratio": seconds / normals,
        "threads": workers_available(),
        "met": seconds <= 1.5 * normals,
    }


def samples(repeats: int) -> dict[str, Any]:
    """Exact samples of Z_t against stepping it, at a law that cannot be told apart.

    The goal is about Euler–Maruyama for dZ. In the coordinate u = artanh Z the noise is additive
    and stepping does better, best with Heun's scheme, which is then of second order; both are
    recorded too.
    """
    pair = rqf.theory.TwoPoint(rqf.RandomQuadraticForm(n=3))
    exact = median_seconds(lambda: pair.sample(START, TIME, SAMPLES, seed=0), repeats)
    results: dict[str, Any] = {
        "goal": "10^7 exact samples in 3 s, 100 times faster than stepping dZ at equal law",
        "seconds": exact,
    }
    generator = np.random.default_rng(0)
    few = 64
    for name, step, coordinate in STEPPINGS:
        steps, bias = steps_needed(pair, step, coordinate)
        state = np.full(1 << 15, float(coordinate(START)))

        def walk(step: Step = step, state: Array = state, h: float = TIME / steps) -> None:
            for _ in range(few):
                state[:] = step(state, h, generator.standard_normal(state.size))

        seconds = median_seconds(walk, max(3, repeats)) / (few * state.size) * steps * SAMPLES
        results[f"{name}_steps"] = steps
        results[f"{name}_bias_over_sampling_error"] = bias
        results[f"{name}_seconds"] = seconds
        results[f"{name}_times_slower"] = seconds / exact
    results["met"] = exact < 3.0 and results["dz_euler_times_slower"] >= 100.0
    return results


def euler(z: Array, h: float, noise: Array) -> Array:
    """Euler–Maruyama for dZ = -Z(1-Z²) dt + √2 (1-Z²) dW, kept in [-1, 1]."""
    return np.clip(z + (1.0 - z * z) * (math.sqrt(2.0 * h) * noise - h * z), -1.0, 1.0)


def euler_u(u: Array, h: float, noise: Array) -> Array:
    """Euler–Maruyama for du = tanh(u) dt + √2 dW."""
    return u + h * np.tanh(u) + math.sqrt(2.0 * h) * noise


def heun(u: Array, h: float, noise: Array) -> Array:
    """Heun for du = tanh(u) dt + √2 dW."""
    moved = u + math.sqrt(2.0 * h) * noise
    drift = np.tanh(u)
    return moved + 0.5 * h * (drift + np.tanh(moved + h * drift))


STEPPINGS: tuple[tuple[str, Step, Callable[[Any], Array]], ...] = (
    ("dz_euler", euler, np.asarray),
    ("du_euler", euler_u, np.arctanh),
    ("du_heun", heun, np.arctanh),
)


def steps_needed(
    pair: rqf.theory.TwoPoint, step: Step, coordinate: Callable[[Any], Array]
) -> tuple[int, float]:
    """Fewest steps (a power of two) whose bias of E Z² is below its sampling error; their ratio.

    The bias is computed without sampling: the kernel of a step acts on functions of the coordinate
    by Gauss–Hermite quadrature and interpolation.
    """
    from scipy.interpolate import CubicSpline

    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    grid = np.asarray(coordinate(np.tanh(np.linspace(-7.0, 7.0, 1401))))
    overlap = np.tanh(np.linspace(-7.0, 7.0, 1401))
    exact = float(pair.second_moment(START, TIME))
    fourth = float(pair.expectation(lambda z: z**4, START, TIME))
    error = math.sqrt((fourth - exact**2) / SAMPLES)
    steps = 1
    while True:
        targets = np.clip(step(grid[:, None], TIME / steps, nodes), grid[0], grid[-1])
        values = overlap**2
        for _ in range(steps):
            values = CubicSpline(grid, values)(targets) @ weights
        bias = float(CubicSpline(grid, values)(coordinate(np.asarray(START)))) - exact
        if abs(bias) < error:
            return steps, abs(bias) / error
        steps *= 2


def importing(repeats: int) -> dict[str, Any]:
    """Wall time of the import statement, in processes of their own."""
    code = "import time; t = time.perf_counter(); import rqf; print(time.perf_counter() - t)"
    used = code.replace("import rqf;", "import rqf; rqf.Flow; rqf.simulate; rqf.theory.TwoPoint;")

    def median(code: str) -> float:
        run = [sys.executable, "-c", code]
        return statistics.median(
            float(subprocess.run(run, capture_output=True, check=True, text=True).stdout)
            for _ in range(repeats)
        )

    seconds = median(code)
    return {
        "goal": "import rqf in 0.5 s",
        "seconds": seconds,
        "with_names_resolved_seconds": median(used),
        "met": seconds < 0.5,
    }


def first(repeats: int) -> dict[str, Any]:
    """`rqf simulate` in a new process, with an empty cache of compiled code and with a full one."""
    cold, warm = [], []
    for _ in range(max(1, repeats // 3)):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            surroundings = os.environ | {"NUMBA_CACHE_DIR": str(place / "compiled")}

            def once(number: int, place: Path = place, env: dict[str, str] = surroundings) -> float:
                command = [sys.executable, "-c", "from rqf.cli import main; main()", "simulate"]
                command += ["--out", str(place / f"result-{number}.zarr")]
                began = time.perf_counter()
                subprocess.run(command, env=env, check=True, capture_output=True)
                return time.perf_counter() - began

            cold.append(once(0))
            warm += [once(number) for number in range(1, 4)]
    uncompiled, compiled = statistics.median(cold), statistics.median(warm)
    return {
        "goal": "first result of `rqf simulate` in 5 s uncompiled, 1.5 s compiled",
        "uncompiled_seconds": uncompiled,
        "compiled_seconds": compiled,
        "met": uncompiled < 5.0 and compiled < 1.5,
    }


BENCHMARKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "ensemble": ensemble,
    "samples": samples,
    "import": importing,
    "first": first,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", type=Path, default=RESULTS / "speed.json")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    results = {}
    for name in arguments.names or BENCHMARKS:
        results[name] = BENCHMARKS[name](arguments.repeats)
        print(f"{name}: {'goal met' if results[name]['met'] else 'goal missed'}")
        for key, value in results[name].items():
            if key not in ("goal", "met"):
                print(f"    {key.replace('_', ' ')}: {value:.4g}")
    write(arguments.out, results)


if __name__ == "__main__":
    main()
