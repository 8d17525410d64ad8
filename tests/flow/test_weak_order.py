"""Weak orders: how fast laws of positions and of pairs tend to the exact ones.

Eight pairs with overlap ½ in directions of their own are moved by every noise for a time 1.2; means
over the pairs are one observation of a realisation. The runs at h and h/2 share their paths. A
scheme has an order above 3/2 if its error at h/2 is below 2^-3/2 of that at h: for the schemes of
order 2 it must not be above by more than four standard errors, for those of order 1 it must be
above by more than four, which shows that the samples are large enough to tell.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_laws import MAPS, overlap_after_a_step, pair_mean
from scipy.linalg import expm

import rqf
from rqf.fields import LinearField
from rqf.flow import SCHEMES
from rqf.sphere import rotation

T, PAIRS = 1.2, 8
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def pairs(n: int) -> np.ndarray:
    """x, y, x, y, … with x·y = ½, shape (2 PAIRS, n)."""
    frames = rotation(n, 1, size=PAIRS)
    x, y = frames[:, :, 0], 0.5 * frames[:, :, 0] + math.sqrt(0.75) * frames[:, :, 1]
    return rqf.normalize(np.stack([x, y], axis=1).reshape(-1, n))


def observe(
    field: LinearField, scheme: str, h: float, t: float, realizations: int, seed: int
) -> dict[str, np.ndarray]:
    """Per realisation: means over its pairs of what the laws are compared by."""
    start = pairs(field.n)
    ds = rqf.simulate(
        field, t=t, dt=h, realizations=realizations, seed=seed, times=[t], x0=start,
        scheme=scheme, refine=False,
    )  # fmt: skip
    end = ds.x.values[:, 0]
    overlap = np.sum(end[:, ::2] * end[:, 1::2], axis=-1)
    moved = np.sum(end * start, axis=-1)
    seen = {
        "Z": overlap,
        "Z²": overlap**2,
        "X·X0": moved,
        "(X·X0)²": moved**2,
        "(X·X0)(Y·Y0)": moved[:, ::2] * moved[:, 1::2],
        "Z (X·X0)²": overlap * moved[:, ::2] ** 2,
    }
    if field.n == 2:
        first, last = start @ [1, 1j], end @ [1, 1j]
        turned = last[:, ::2] * last[:, 1::2] / (first[::2] * first[1::2])
        seen["cos of both angles"] = turned.real
    return {name: values.mean(axis=1) for name, values in seen.items()}


def exact(field: LinearField, t: float = T) -> dict[str, float]:
    """The means that are known."""
    n, a = field.n, float(field.a(1.0))
    known = {
        "X·X0": math.exp(-(n - 1) * a * t / 2),
        "(X·X0)²": (1 + (n - 1) * math.exp(-n * a * t)) / n,
    }
    if field.symmetric_strength:
        clock = field.symmetric_strength * t
        known["Z"] = pair_mean(lambda z: z, 0.5, clock)
        known["Z²"] = pair_mean(lambda z: z**2, 0.5, clock)
        if n == 2 and not field.skew_strength:
            known["cos of both angles"] = pair_mean(np.ones_like, 0.5, clock, killing=True)
    else:
        known |= {"Z": 0.5, "Z²": 0.25}
        generators = [np.zeros((n, n)) for _ in range(n * (n - 1) // 2)]
        for generator, i, j in zip(generators, *np.triu_indices(n, 1), strict=True):
            generator[i, j], generator[j, i] = 1.0, -1.0
        both = [np.kron(g, np.eye(n)) + np.kron(np.eye(n), g) for g in generators]
        square = sum(g @ g for g in both)
        mean = expm(0.25 * field.skew_strength * t * square)
        joint = [np.kron(x, y) for x, y in zip(pairs(n)[::2], pairs(n)[1::2], strict=True)]
        known["(X·X0)(Y·Y0)"] = float(np.mean([v @ mean @ v for v in joint]))
    return known


def test_the_exact_values() -> None:
    """What the known means are, once in figures; the angle of a pair is a martingale."""
    assert pair_mean(lambda z: z, 0.5, T) == pytest.approx(0.3727371, abs=1e-7)
    assert pair_mean(lambda z: z**2, 0.5, T) == pytest.approx(0.7238018, abs=1e-7)
    assert pair_mean(np.arccos, 0.5, T) == pytest.approx(math.pi / 3, abs=1e-8)
    assert pair_mean(np.ones_like, 0.5, T, killing=True) == pytest.approx(0.5400820, abs=1e-7)


@pytest.mark.parametrize("scheme", MAPS)
@pytest.mark.parametrize("n", [2, 3])
def test_one_step_has_the_law_of_its_scheme(scheme: str, n: int) -> None:
    """E[X_h·X_0] of 20000 single steps against the quadrature, within four standard errors."""
    for h in (0.1, 0.4) if scheme != "euler" else (0.05, 0.1):
        sample = observe(rqf.RandomQuadraticForm(n), scheme, h, h, 20_000, seed=1)["X·X0"]
        error = sample.std() / math.sqrt(sample.size)
        assert abs(sample.mean() - overlap_after_a_step(scheme, n, h)) < 4 * error
        assert error < 0.015 * (1 - sample.mean())


@pytest.mark.parametrize("scheme", MAPS)
@pytest.mark.parametrize("n", [2, 3])
def test_slopes_of_positions(scheme: str, n: int) -> None:
    """log2 of the ratio of errors of E[X_1.2·X_0] at h = 0.025 and 0.0125, by quadrature."""
    errors = [
        overlap_after_a_step(scheme, n, h) ** (T / h) - math.exp(-(n - 1) * T / 4)
        for h in (0.025, 0.0125)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(SCHEMES[scheme].weak_order, abs=0.1)


def errors_at(
    field: LinearField, scheme: str, steps: list[float], realizations: int, seed: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Errors of the known means at the given steps, and what every realisation adds to them."""
    known = exact(field)
    runs = [observe(field, scheme, h, T, realizations, seed) for h in steps]
    return {
        name: (
            np.array([run[name].mean() for run in runs]) - value,
            np.array([run[name] - run[name].mean() for run in runs]),
        )
        for name, value in known.items()
    }


def excess(errors: np.ndarray, scatter: np.ndarray) -> float:
    """|e(h/2)| - 2^-3/2 |e(h)| in its standard errors."""
    weights = np.sign(errors) * [-(2**-1.5), 1.0]
    deviation = np.std(weights @ scatter) / math.sqrt(scatter.shape[1])
    return float(weights @ errors / deviation)


@every_scheme
@pytest.mark.parametrize("n", [2, 3])
def test_order_above_three_halves_or_not(scheme: str, n: int) -> None:
    """h = 0.4 and 0.2, 20000 noises: positions, pairs, and on the circle both jointly.

    Euler, whose errors change sign thereabouts, at h = 0.1 and 0.05.
    """
    steps = [0.1, 0.05] if scheme == "euler" else [0.4, 0.2]
    compared = errors_at(rqf.RandomQuadraticForm(n), scheme, steps, 20_000, seed=2)
    seen = {name: excess(*pair) for name, pair in compared.items()}
    if SCHEMES[scheme].weak_order == 2:
        assert max(seen.values()) < 4.0, seen
    else:
        assert seen["(X·X0)²"] > 4.0, seen
        assert max(seen["Z²"], seen.get("cos of both angles", 0.0)) > 4.0, seen


@pytest.mark.parametrize("n", [3, 6])
@pytest.mark.parametrize("kind", [rqf.RandomQuadraticForm, rqf.LinearLayer])
def test_pairs_of_the_corrected_exponential(kind, n: int) -> None:
    """Within four standard errors of the exact E Z, E Z² at steps as long as n h = 1.2."""
    h = 0.4 if n == 3 else 0.2
    for name, (errors, scatter) in errors_at(
        kind(n), "corrected-exponential", [h], 5000, seed=3
    ).items():
        if name.startswith("Z"):
            assert abs(errors[0]) < 4 * scatter.std() / math.sqrt(scatter.size), name


@pytest.mark.parametrize("scheme", ["ninomiya-victoir", "corrected-exponential"])
@pytest.mark.parametrize("n", [3, 6])
def test_rotations(scheme: str, n: int) -> None:
    """Skew noise at h = 0.6: angles to rounding, positions and products of them to four errors."""
    for name, (errors, scatter) in errors_at(rqf.Skew(n), scheme, [0.6], 10_000, seed=4).items():
        assert abs(errors[0]) < 1e-14 + 4 * scatter.std() / math.sqrt(scatter.size), name


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["ninomiya-victoir", "corrected-exponential"])
@pytest.mark.parametrize("n", [3, 6])
@pytest.mark.parametrize("kind", [rqf.RandomQuadraticForm, rqf.LinearLayer, rqf.Skew])
def test_second_order_on_larger_samples(kind, scheme: str, n: int) -> None:
    """h = 0.2 and 0.1, 2 · 10^5 noises; rotations, more exact than that, at h = 1.2 and 0.6."""
    steps = [1.2, 0.6] if kind is rqf.Skew else [0.2, 0.1]
    for name, pair in errors_at(kind(n), scheme, steps, 200_000, seed=5).items():
        if not (kind is rqf.Skew and name.startswith("Z")):
            assert excess(*pair) < 4.0, name


@pytest.mark.full
@pytest.mark.parametrize(
    ("scheme", "n"),
    [("euler", 3), ("heun", 3), ("heun", 6), ("exponential", 3), ("exponential", 6)],
)
def test_first_order_on_larger_samples(scheme: str, n: int) -> None:
    """Samples of that size tell order 1 from 3/2: E Z² at h = 0.1 and 0.05."""
    field = rqf.RandomQuadraticForm(n)
    assert excess(*errors_at(field, scheme, [0.1, 0.05], 100_000, seed=5)["Z²"]) > 4.0


@pytest.mark.full
@pytest.mark.parametrize("n", [3, 6])
@pytest.mark.parametrize("kind", [rqf.RandomQuadraticForm, rqf.LinearLayer])
def test_two_schemes_have_one_joint_law(kind, n: int) -> None:
    """Means of positions and pairs jointly, extrapolated from h = 0.2 and 0.1, agree."""
    found = []
    for seed, scheme in enumerate(["ninomiya-victoir", "corrected-exponential"]):
        coarse, fine = (observe(kind(n), scheme, h, T, 100_000, 6 + seed) for h in (0.2, 0.1))
        found.append({name: (4 * fine[name] - coarse[name]) / 3 for name in fine})
    for name, first in found[0].items():
        second = found[1][name]
        error = math.hypot(first.std(), second.std()) / math.sqrt(first.size)
        assert abs(first.mean() - second.mean()) < 4 * error, name
