"""The flow of one noise path: exact identities, whatever the scheme and the field."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import rqf
from rqf.errors import InvalidArgument
from rqf.fields import LinearField
from rqf.flow import SCHEMES
from rqf.flow.stepper import DIRECT_FROM, Stepper, moves_tokens, stepper
from rqf.noise.grid import cell_for
from rqf.sphere import uniform


def form(n: int) -> rqf.QuadraticForm:
    matrix = np.random.default_rng(n).normal(size=(n, n))
    return rqf.QuadraticForm(matrix + matrix.T)


FIELDS = {
    "quadratic form": rqf.RandomQuadraticForm,
    "layer": lambda n: rqf.LinearLayer(n, 0.7),
    "rotation": rqf.Skew,
    "fixed": form,
    "with drift": lambda n: rqf.RandomQuadraticForm(n, 1.2) + form(n),
    "many": lambda n: 0.5 * (rqf.Skew(n) + 0.3 * form(n) + rqf.LinearLayer(n) + rqf.Skew(n, 2.0)),
    "still": lambda n: rqf.RandomQuadraticForm(n, 0.0),
}
DRIVEN = [name for name in FIELDS if name not in ("fixed", "still")]

every_scheme = pytest.mark.parametrize("scheme", SCHEMES)
every_field = pytest.mark.parametrize("name", FIELDS)


@every_scheme
@every_field
@pytest.mark.parametrize(("n", "tokens", "refine"), [(2, 3, False), (3, 5, True), (6, 2, True)])
def test_cocycle(scheme: str, name: str, n: int, tokens: int, refine: bool) -> None:
    """φ(s + t, ω) = φ(t, θ_s ω) ∘ φ(s, ω), with borders inside a cell, on it, and before time 0.

    n = 6 with two tokens is the direct path; with refinement a step there has eight parts or more.
    For n = 3 the noise is shifted by a fraction of a step, so that steps consist of several ticks.
    """
    flow = rqf.Flow(FIELDS[name](n), dt=1 / 8 if n < 6 else 1 / 2, scheme=scheme, refine=refine)
    x = uniform(tokens, n, rng=1)
    omega = rqf.Wiener(3).shift(-1.5 + (3 / 64 if n == 3 else 0.0))
    whole = flow(omega, x, 4.0)
    for s in (flow.dt, 1.5, 2.5):
        halfway = flow(omega, x, s)
        np.testing.assert_allclose(
            flow(omega.shift(s), halfway, 4.0 - s), whole, rtol=0, atol=2e-13
        )
    path = flow.path(omega, x, [0.0, 1.5, 1.5, 4.0])
    np.testing.assert_array_equal(path[1:], flow.path(omega, x, [1.5, 1.5, 4.0]))
    np.testing.assert_allclose(path[3], whole, rtol=0, atol=2e-13)


@every_scheme
@every_field
@pytest.mark.parametrize("n", [2, 7])
def test_nothing_moves_in_no_time(scheme: str, name: str, n: int) -> None:
    flow = rqf.Flow(FIELDS[name](n), dt=1 / 4, scheme=scheme)
    x = uniform(3, n, rng=2)
    np.testing.assert_allclose(flow(rqf.Wiener(0), x, 0.0), x, rtol=0, atol=3e-16)
    np.testing.assert_array_equal(flow.lift(rqf.Wiener(0), 0.0), np.eye(n))
    np.testing.assert_array_equal(flow.graded_lift(rqf.Wiener(0), 0.0).matrix(), np.eye(n))


@every_scheme
@every_field
@pytest.mark.parametrize(("n", "tokens"), [(2, 40), (3, 1001), (6, 2), (8, 33)])
def test_antipodes_stay_antipodes(scheme: str, name: str, n: int, tokens: int) -> None:
    """To the last bit, and so do equal tokens stay equal."""
    flow = rqf.Flow(FIELDS[name](n), dt=1 / 8, scheme=scheme)
    x = uniform(tokens, n, rng=3)
    omega = rqf.Wiener(4)
    moved = flow(omega, x, 2.0)
    np.testing.assert_array_equal(flow(omega, -x, 2.0), -moved)
    both = flow(omega, np.concatenate([x, -x, x]), 2.0).reshape(3, tokens, n)
    np.testing.assert_array_equal(both[1], -both[0])
    np.testing.assert_array_equal(both[2], both[0])
    np.testing.assert_allclose(both[0], moved, rtol=0, atol=2e-13)


@every_scheme
@every_field
def test_alone_or_among_others(scheme: str, name: str) -> None:
    """A token moved by itself and by the lift that moves many."""
    n = 9
    flow = rqf.Flow(FIELDS[name](n), dt=1 / 16, scheme=scheme)
    x = uniform(50, n, rng=5)
    together = flow(rqf.Wiener(6), x, 3.0)
    for token in (0, 17):
        alone = flow(rqf.Wiener(6), x[token], 3.0)
        assert alone.shape == (n,)
        np.testing.assert_allclose(alone, together[token], rtol=0, atol=2e-13)
    if name in DRIVEN:
        assert moves_tokens(1, flow.field)
        assert not moves_tokens(50, flow.field)
        lift = flow.lift(rqf.Wiener(6), 3.0)
        assert np.linalg.norm(lift, 2) == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(rqf.normalize(x @ lift.T), together, rtol=0, atol=2e-13)


def test_directly_only_where_it_pays() -> None:
    assert not moves_tokens(1, rqf.RandomQuadraticForm(DIRECT_FROM - 1))
    assert moves_tokens(DIRECT_FROM - 1, rqf.RandomQuadraticForm(DIRECT_FROM))
    assert not moves_tokens(DIRECT_FROM, rqf.RandomQuadraticForm(DIRECT_FROM))
    assert moves_tokens(1000, form(3))
    assert not moves_tokens(1000, form(3) + rqf.Skew(3))


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 5, 3), (2, 1, 4, 3)])
def test_any_number_of_axes(shape: tuple[int, ...]) -> None:
    flow = rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 8)
    x = rqf.normalize(np.random.default_rng(0).normal(size=shape))
    moved = flow.path(rqf.Wiener(1), x, [0.5, 1.0])
    assert moved.shape == (2, *shape)
    flat = flow.path(rqf.Wiener(1), x.reshape(-1, 3), [0.5, 1.0])
    np.testing.assert_array_equal(moved.reshape(2, -1, 3), flat)
    np.testing.assert_array_equal(flow(rqf.Wiener(1), np.asfortranarray(x), 1.0), moved[1])


@every_scheme
@pytest.mark.parametrize("tokens", [False, True])
def test_tokens_stay_on_the_sphere(scheme: str, tokens: bool) -> None:
    """|x| = 1 to 1e-14 after 40000 steps of S², by the lift and by the tokens themselves."""
    _stays_on_the_sphere(scheme, tokens, 40_000)


@pytest.mark.full
@every_scheme
@pytest.mark.parametrize("tokens", [False, True])
def test_tokens_stay_on_the_sphere_for_a_million_steps(scheme: str, tokens: bool) -> None:
    _stays_on_the_sphere(scheme, tokens, 1_000_000)


def _stays_on_the_sphere(scheme: str, tokens: bool, steps: int) -> None:
    field, omega, dt = rqf.RandomQuadraticForm(3), rqf.Wiener(1), 1 / 8
    x = uniform(4, 3, rng=1)
    if tokens:
        field = field + 0.0 * form(3)  # the model alone has no kernel for tokens below n = 5
        machine = stepper(field, dt, scheme, omega)
        state = np.ascontiguousarray(x.T)[None]
        for begin in range(0, steps, steps // 5):
            machine.advance(state, 1, np.zeros(1, np.uint64), begin, steps // 5, True)
            assert np.max(np.abs(np.linalg.norm(state, axis=1) - 1.0)) < 1e-14
    else:
        path = rqf.Flow(field, dt, scheme).path(omega, x, np.linspace(0, steps * dt, 6))
        assert np.max(np.abs(np.linalg.norm(path, axis=-1) - 1.0)) < 1e-14
        assert np.max(np.abs(path[1:] - path[:-1])) > 0.01


@pytest.mark.parametrize("shift", [0.0, -0.25, 5 / 64])
def test_the_flow_follows_the_increments_of_its_noise(shift: float) -> None:
    """Summand i is driven by stream i: the product of exp(ΣM_i), M_i made of ω's own increments."""
    n, dt, omega = 3, 1 / 8, rqf.Wiener(5).shift(shift)
    field = rqf.LinearLayer(n, 0.8) + form(n) + rqf.Skew(n, 1.5) + rqf.LinearLayer(n, 0.2)
    layer, skew, last = (
        omega.increments(size, dt, 16, stream=stream) for stream, size in enumerate((9, 3, 9))
    )
    g = np.eye(n)
    for k in range(16):
        rotation = np.zeros((n, n))
        rotation[np.triu_indices(n, 1)] = -1.5 * np.sqrt(0.5) * skew[k]
        m = 0.8 * layer[k].reshape(n, n) + rotation - rotation.T + 0.2 * last[k].reshape(n, n)
        g = expm(m + dt * field.drift) @ g
    flow = rqf.Flow(field, dt, "exponential")
    np.testing.assert_allclose(
        flow.lift(omega, 2.0), g / np.linalg.norm(g, 2), rtol=0, atol=1e-13
    )


def test_the_order_of_a_sum_is_that_of_its_streams() -> None:
    """A summand of no strength takes its stream along and changes nothing else."""
    field, still = rqf.LinearLayer(3), rqf.Skew(3, 0.0)
    x = uniform(4, 3, rng=0)

    def moved(field: LinearField) -> np.ndarray:
        return rqf.Flow(field, 1 / 8, "exponential")(rqf.Wiener(2), x, 1.0)

    np.testing.assert_allclose(moved(field + still), moved(field), rtol=0, atol=1e-14)
    assert np.max(np.abs(moved(still + field) - moved(field))) > 0.01
    left, right = (field + still) + rqf.Skew(3), field + (still + rqf.Skew(3))
    assert left == right
    np.testing.assert_array_equal(moved(left), moved(right))


@every_scheme
@pytest.mark.parametrize("name", [name for name in FIELDS if name != "still"])
def test_a_factor_is_a_clock(scheme: str, name: str) -> None:
    """2 F over steps dt has the law of F over steps 2 dt: the same numbers in cells of length 2."""
    field, x = FIELDS[name](3), uniform(5, 3, rng=1)
    doubled = rqf.Flow(2.0 * field, 1 / 16, scheme)(rqf.Wiener(3), x, 2.0)
    slower = rqf.Flow(field, 1 / 8, scheme)(rqf.Wiener(3, cell=2.0), x, 4.0)
    np.testing.assert_allclose(doubled, slower, rtol=0, atol=1e-13)


def test_parts_of_steps_are_steps_of_the_same_path() -> None:
    """A refined long step is what short steps do."""
    for n, scheme, parts in [(3, "ninomiya-victoir", 32), (3, "corrected-exponential", 4)]:
        field, x = rqf.RandomQuadraticForm(n, 1.1), uniform(5, n, rng=1)
        omega = rqf.Wiener(3).shift(-1.0)
        coarse = rqf.Flow(field, 1.0, scheme)
        fine = rqf.Flow(field, 1.0 / parts, scheme, refine=False)
        assert stepper(field, 1.0, scheme, omega).parts == parts
        np.testing.assert_array_equal(coarse(omega, x, 3.0), fine(omega, x, 3.0))


@pytest.mark.parametrize("tokens", [10, 1_000_000])
def test_a_million_tokens_take_the_matrices_of_ten(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One lift of 3×3 is carried through the steps, whatever it moves in the end."""
    work = []
    advance = Stepper.advance

    def counted(self: Stepper, states: np.ndarray, *rest: object) -> None:
        work.append((states.shape, rest[2:4]))
        advance(self, states, *rest)

    monkeypatch.setattr(Stepper, "advance", counted)
    flow = rqf.Flow(rqf.RandomQuadraticForm(3), 1 / 4)
    x = uniform(tokens, 3, rng=0)
    path = flow.path(rqf.Wiener(1), x, [1.0, 1.5])
    assert work == [((1, 3, 3), (0, 4)), ((1, 3, 3), (4, 2))]
    np.testing.assert_array_equal(path[:, :10], flow.path(rqf.Wiener(1), x[:10], [1.0, 1.5]))


@pytest.mark.parametrize("sigma", [0.0, 1e-200])
@every_scheme
def test_no_strength_no_motion(scheme: str, sigma: float) -> None:
    x = uniform(4, 3, rng=1)
    for kind in (rqf.RandomQuadraticForm, rqf.LinearLayer, rqf.Skew):
        moved = rqf.Flow(kind(3, sigma), 1 / 4, scheme)(rqf.Wiener(1), x, 10.0)
        np.testing.assert_allclose(moved, x, rtol=0, atol=1e-15)


@every_scheme
@pytest.mark.parametrize("n", [2, 3, 12])
def test_the_strongest_that_is_taken(scheme: str, n: int) -> None:
    """Nothing overflows at the edge of what is allowed, refined or not; beyond is refused."""
    x = uniform(n + 1, n, rng=1)
    refined = {"ninomiya-victoir": 128.0, "corrected-exponential": 1024.0}
    for refine, most in [(False, 64.0), (True, refined.get(scheme, 64.0))]:
        for kind in (rqf.RandomQuadraticForm, rqf.LinearLayer):
            flow = rqf.Flow(kind(n, np.sqrt(0.999 * most / n)), 1.0, scheme, refine)
            t = 32.0 if most == 64.0 else 1.0
            for tokens in (1, n + 1):
                moved = flow(rqf.Wiener(3), x[:tokens], t)
                assert np.max(np.abs(np.linalg.norm(moved, axis=-1) - 1.0)) < 1e-14
            strong = rqf.Flow(kind(n, np.sqrt(1.001 * most / n)), 1.0, scheme, refine)
            with pytest.raises(InvalidArgument, match=f"must be at most {most:g}; take dt <= 0.9"):
                strong(rqf.Wiener(3), x, t)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rqf.Flow(3), "field = 3: must be a field of rqf"),
        (lambda: rqf.Flow(np.eye(4)), r"field = array\(.*must be a field of rqf"),
        (lambda: rqf.Flow(rqf.Skew(3), dt=0.0), "dt = 0.0: must be a finite number > 0"),
        (lambda: rqf.Flow(rqf.Skew(3), dt=float("nan")), "dt = nan: must be a finite number > 0"),
        (lambda: rqf.Flow(rqf.Skew(3), dt="a"), "dt = 'a': must be a finite number > 0"),
        (
            lambda: rqf.Flow(rqf.Skew(3), scheme="milstein"),
            "scheme = 'milstein': must be one of euler, heun, exponential, ninomiya-victoir,",
        ),
        (lambda: flow3(x3, -1.0), "t = -1.0: must be a finite number >= 0"),
        (lambda: flow3(x3, float("nan")), "t: has entries that are not finite"),
        (lambda: flow3(x3, 0.3), "t = 0.3: must be a multiple of dt = 0.25; the nearest is 0.25"),
        (lambda: flow3(x3, 1e300), r"t = 1e\+300: is more than 2\^62 steps"),
        (lambda: flow3(np.ones((2, 3)), 1.0), r"off 1 by 0.732.*rqf.normalize\(x\)"),
        (lambda: flow3(np.eye(2), 1.0), r"x has shape \(2, 2\): must be \(..., 3\)"),
        (lambda: flow3(1.0, 1.0), r"x has shape \(\): must be \(..., 3\)"),
        (lambda: flow3(np.empty((0, 3)), 1.0), r"x has shape \(0, 3\): must hold at least one"),
        (lambda: flow3(np.full((2, 3), np.nan), 1.0), "x: has entries that are not finite"),
        (lambda: flow3(["a"], 1.0), "x: must be an array of real numbers"),
        (lambda: rqf.Flow(rqf.Skew(3), 1 / 4).path(rqf.Wiener(0), x3, [1, 0]), "times: must be"),
        (
            lambda: rqf.Flow(rqf.Skew(3), dt=0.3)(rqf.Wiener(0), x3, 0.3),
            "dt = 0.3: must be cell / 2.k with cell = 1 .* the nearest is 0.25",
        ),
        (
            lambda: rqf.Flow(1e9 * form(3), 1.0)(rqf.Wiener(0), x3, 1.0),
            "dt = 1: norm of the drift · dt = .* must be at most 400; take dt <= ",
        ),
        (lambda: rqf.Flow(rqf.Skew(3, 1e100), 1e200)(rqf.Wiener(0, 1e200), x3, 0.0), "dt = 1e.200"),
        (
            lambda: rqf.Flow(100.0 * form(3), 1 / 8).graded_lift(rqf.Wiener(0), 1.0),
            "dt = 0.125: a step spreads directions by .* e-folds, at most 16",
        ),
    ],
)
def test_bad_input_is_one_line(make, message) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


x3 = np.eye(3)


def flow3(x: object, t: float) -> np.ndarray:
    return rqf.Flow(rqf.RandomQuadraticForm(3), dt=1 / 4)(rqf.Wiener(0), x, t)  # type: ignore


def test_any_step_has_a_noise() -> None:
    """A step of no binary size, on the cells that `simulate` would take for it."""
    flow = rqf.Flow(rqf.RandomQuadraticForm(3), dt=0.3)
    omega = rqf.Wiener(1, cell_for(0.3))
    once = flow(omega, x3, 3.0)
    twice = flow(omega.shift(0.9), flow(omega, x3, 0.9), 2.1)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-13)
