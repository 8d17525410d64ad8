"""Lyapunov exponents of the flow on the sphere, measured by QR on the lift or the tangent flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from rqf import checks
from rqf.errors import InvalidArgument
from rqf.fields import Field, LinearField
from rqf.fields.complex_space import UnitaryField
from rqf.flow import tangent_flow
from rqf.flow.flow import Flow, frame_steps
from rqf.flow.stepper import stepper
from rqf.flow.threads import ranges, run_each, workers_available
from rqf.flow.tokens import token_stepper
from rqf.noise import Wiener, draw
from rqf.noise.grid import cell_for, whole_steps
from rqf.observe.lyapunov_law import growth_rates
from rqf.progress import bar

if TYPE_CHECKING:
    import xarray as xr

STRETCH = 32  # steps between two yields
FINE = 4e-3  # of a frame: how much a step in law may change it, as a variance


def lyapunov_spectrum(
    flow: Flow | Field,
    t: float = 200.0,
    realizations: int = 16,
    seed: int = 0,
    burn_in: float | None = None,
    progress: bool = False,
) -> xr.Dataset:
    """Lyapunov exponents λ_1 >= … >= λ_{n-1} of the flow on S^{n-1}, with error bars.

    Parameters
    ----------
    flow : Flow, or an isotropic Field
        Field, step and scheme. A field alone, such as one that is known in law only, is measured in
        law, with steps of 1/1000 of the time in which a frame changes.
    t : float > 0
        Time to average over, after the burn-in; a multiple of flow.dt.
    realizations : int >= 2
        Independent noises; their scatter gives the standard errors.
    seed : int
        Realisation r is that of `rqf.Wiener(seed, realization=r)` on the grid of flow.dt.
    burn_in : float, optional
        Time to wait for the frame to settle, a multiple of flow.dt. By default 0 for a field
        whose law does not change under rotations, so that frames are in equilibrium from the
        start, and a tenth of t for one with a drift or on C^m.
    progress : bool
        Show a bar on a terminal.

    Returns
    -------
    xarray.Dataset
        `exponent` and `stderr` (index p = 1..n-1, per unit time), `lift_exponent` and
        `lift_stderr` (index i = 1..n): exponents of the lift up to a common constant, here with
        mean zero; `sample` (realization, p): the exponents of every realisation.

    Raises
    ------
    rqf.errors.InvalidArgument
        If a time is not a positive multiple of the step, or realizations < 2.

    Notes
    -----
    A frame is carried along and orthonormalised by QR (Benettin et al. 1980). For a linear field
    it is a frame of the lift, whose growth rates Λ_i have the differences λ_p = Λ_{p+1} - Λ_1;
    only then are there `lift_exponent` and `lift_stderr`. For any other field it is a frame of
    n - 1 tangent vectors at a token that starts uniform, carried by the exact derivative of the
    one-step map. Unless there is a drift, the stretch to first order in the noise, a martingale,
    is taken off: it has mean zero at any step and leaves errors some times smaller. The bias is
    of order 1 in the step: about 2 % for "heun" if |λ_{n-1}| dt is below 1/10, several times that
    for "euler". A field whose tokens act on each other has no tangent flow of one token.

    In law, single steps of the tangent flow are drawn from the kernels at coinciding points: they
    are independent, since an isotropic field forgets which way a frame was turned.

    Examples
    --------
    >>> import rqf
    >>> flow = rqf.Flow(rqf.RandomQuadraticForm(n=3), dt=1/16)
    >>> measured = rqf.lyapunov_spectrum(flow, t=100.0, realizations=8, seed=1)
    >>> bool((abs(measured.exponent - [-1, -2]) < 5 * measured.stderr).all())
    True
    """
    if isinstance(flow, Field):
        return _in_law(flow, checks.real("t", t, 0.0, open_minimum=True), realizations, seed)
    steps = whole_steps("t", checks.real("t", t, 0.0, open_minimum=True), flow.dt)
    realizations = checks.integer("realizations", realizations, 2)
    linear = isinstance(flow.field, LinearField)
    parts = flow.field.summands
    drifting = any(getattr(part, "drift", None) is not None for part in parts)
    if burn_in is None:
        turning = drifting or any(isinstance(part, UnitaryField) for part in parts)
        wait = max(1, steps // 10) if turning else 0
    else:
        wait = whole_steps("burn_in", checks.real("burn_in", burn_in, 0.0), flow.dt)
    growth = np.zeros((realizations, flow.n if linear else flow.n - 1))
    length = max(1, -(-realizations // workers_available()))
    with bar("measuring exponents", realizations * (wait + steps)) if progress else (
        nullcontext(None)
    ) as done:
        if linear:
            task = _frames(flow, seed, wait, steps, growth)
        else:
            task = _tangent_frames(flow, seed, wait, steps, growth, centred=not drifting)
        run_each(task, ranges(realizations, length), done=done)
    rates = growth / (steps * flow.dt)
    sample = rates[:, 1:] - rates[:, :1] if linear else rates
    recipe = {"field": repr(flow.field), "scheme": flow.scheme, "dt": flow.dt}
    ds = _dataset(sample, {**recipe, "t": steps * flow.dt, "seed": str(seed)})
    root = np.sqrt(realizations)
    if linear:
        lift = rates - rates.mean(axis=1, keepdims=True)
        ds = ds.assign_coords(i=np.arange(1, flow.n + 1)).assign(
            lift_exponent=("i", lift.mean(axis=0)),
            lift_stderr=("i", lift.std(axis=0, ddof=1) / root),
        )
    return ds


def _dataset(sample: np.ndarray, attributes: dict[str, Any]) -> xr.Dataset:
    """Means over realisations and their errors, from exponents of shape (realisations, n - 1)."""
    import xarray as xr

    root = np.sqrt(len(sample))
    return xr.Dataset(
        {
            "exponent": ("p", sample.mean(axis=0), {"long_name": "Lyapunov exponent"}),
            "stderr": ("p", sample.std(axis=0, ddof=1) / root, {"long_name": "standard error"}),
            "sample": (("realization", "p"), sample),
        },
        coords={"p": np.arange(1, sample.shape[1] + 1)},
        attrs={**attributes, "realizations": len(sample)},
    )


def _in_law(field: Field, t: float, realizations: int, seed: int) -> xr.Dataset:
    """The exponents measured on single steps in law."""
    _refuse_interacting(field)
    count = checks.integer("realizations", realizations, 2)
    seed = checks.integer("seed", seed, 0)
    rate = field.n * (float(field.a(1.0)) + float(field.a_prime(1.0)))
    dt = FINE / rate if rate > 0.0 else t
    steps = max(1, round(t / dt))
    sample = np.array(
        [
            growth_rates(field, dt, steps, np.random.default_rng([seed, r]))
            for r in range(count)
        ]
    )
    recipe = {"field": repr(field), "scheme": "euler, in law", "dt": dt}
    return _dataset(sample, {**recipe, "t": steps * dt, "seed": str(seed)})


def _refuse_interacting(field: Field) -> None:
    for part in field.summands:
        if part.interacting:
            raise InvalidArgument(
                f"field: under {type(part).__name__} tokens act on each other, a token alone has"
                " no exponents; rqf.theory.top_exponent has the rate at which two meet"
            )


def _frames(
    flow: Flow, seed: int, wait: int, steps: int, growth: np.ndarray
) -> Callable[[slice], Iterator[int]]:
    """A task that carries the frames of some realisations and adds up their log growth."""
    omega = Wiener(seed, cell_for(flow.dt))
    machine = stepper(flow.field, flow.dt, flow.scheme, omega, flow.refine)  # type: ignore[arg-type]
    longest = frame_steps(flow.field, flow.dt)

    def task(members: slice) -> Iterator[int]:
        keys = np.arange(members.start, members.stop, dtype=np.uint64)
        frames = np.tile(np.eye(flow.n), (len(keys), 1, 1))
        position = 0
        for end, counting in ((wait, False), (wait + steps, True)):
            while position < end:
                count = min(longest, end - position)
                machine.advance(frames, omega.seed, keys, position, count, False)
                frames, stretch = np.linalg.qr(frames)
                if counting:
                    diagonal = np.diagonal(stretch, axis1=-2, axis2=-1)
                    growth[members] += np.log(np.abs(diagonal))
                frames = np.ascontiguousarray(frames)
                position += count
                yield count * len(keys)

    return task


def _tangent_frames(
    flow: Flow, seed: int, wait: int, steps: int, growth: np.ndarray, centred: bool
) -> Callable[[slice], Iterator[int]]:
    """As `_frames`, for the tangent flow of a field that is not linear.

    If `centred`, less the stretch to first order in the noise, whose mean is zero.
    """
    _refuse_interacting(flow.field)
    omega = Wiener(seed, cell_for(flow.dt))
    machine = token_stepper(flow.field, flow.dt, flow.scheme, omega)
    n = flow.n

    def task(members: slice) -> Iterator[int]:
        keys = np.arange(members.start, members.stop, dtype=np.uint64)
        start = np.empty((len(keys), n))
        draw.starts(omega.seed, keys, 0, start)
        x = start / np.linalg.norm(start, axis=1, keepdims=True)
        frames = _orthonormal(np.broadcast_to(np.eye(n), (len(keys), n, n)), x)
        position = 0
        while position < wait + steps:
            count = min(STRETCH, wait + steps - position)
            for frozen in machine.frozen(omega.seed, keys, position, count):
                x, carried, first = tangent_flow.step(machine, frozen, x, frames)
                turned, stretch = np.linalg.qr(np.swapaxes(carried, 1, 2))
                frames = np.swapaxes(turned, 1, 2)
                if position >= wait:
                    diagonal = np.diagonal(stretch, axis1=-2, axis2=-1)
                    growth[members] += np.log(np.abs(diagonal))
                    if centred:
                        growth[members] -= first
                position += 1
            yield count * len(keys)

    return task


def _orthonormal(vectors: np.ndarray, x: np.ndarray) -> np.ndarray:
    """n - 1 orthonormal tangent vectors at each of the points x (R, n), as rows."""
    columns = np.concatenate([x[:, :, None], np.swapaxes(vectors, 1, 2)], axis=2)
    basis = np.linalg.qr(columns)[0]
    return np.swapaxes(basis[:, :, 1:], 1, 2)
