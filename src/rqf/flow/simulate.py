"""`simulate`: an ensemble of realisations as an xarray Dataset, in memory or streamed to Zarr."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rqf import checks
from rqf._version import __version__
from rqf.errors import InvalidArgument
from rqf.fields import Field
from rqf.flow.ensemble import Array, Ensemble
from rqf.flow.movers import move
from rqf.noise import Wiener
from rqf.noise.grid import cell_for, whole_steps
from rqf.output import whole

if TYPE_CHECKING:
    import xarray as xr

DEFAULT_TOKENS = 64
MEMORY_SHARE = 0.25
LONG_NAMES = {
    "x": "tokens on the unit sphere", "gram": "inner products of tokens", "time": "time",
}  # fmt: skip
STORE_PARTS = {"zarr.json", "time", "x", "gram"}


def simulate(
    field: Field,
    tokens: int | None = None,
    t: float = 10.0,
    dt: float = 1 / 64,
    realizations: int = 1,
    seed: int = 0,
    times: int | ArrayLike = 101,
    x0: ArrayLike | None = None,
    law: bool = False,
    scheme: str | None = None,
    progress: bool | Callable[[int, int], None] = False,
    *,
    store: str | Path | None = None,
    overwrite: bool = False,
    workers: int | None = None,
    memory: int | None = None,
    refine: bool = True,
) -> xr.Dataset:
    """Simulate many realisations of tokens under common noise.

    Parameters
    ----------
    field : Field
        What blows.
    tokens : int >= 1
        Number of tokens; 64 unless x0 tells.
    t : float >= 0
        Final time, a multiple of dt.
    dt : float > 0
        Step. Any value: the noise takes cells of dt · 2^k, k such that a cell is about 1 long.
    realizations : int >= 1
        Number of independent noises; realisation r is that of
        `rqf.Wiener(seed, cell, realization=r)`, with `cell` in the attributes of the result.
    seed : int from 0 to 2^64 - 1
        The same seed gives the same numbers, on any number of workers.
    times : int >= 2 or increasing array of multiples of dt
        When to look. An integer asks for that many times spread evenly over [0, t], each moved to
        the nearest step (fewer if there are fewer steps).
    x0 : array of shape (tokens, n) or (realizations, tokens, n), optional
        Initial points, unit rows; without it every realisation starts from its own independent
        uniform points.
    law : bool
        Return the Gram matrix of the tokens instead of the tokens, exact in law but not along the
        noise of `rqf.Wiener`: for linear fields it does not depend on n once n >= tokens, so that
        n = 10^6 costs what n = tokens costs. Not for following one noise path.
    scheme : str, optional
        As for `rqf.Flow`.
    progress : bool or function
        True shows a bar on a terminal; a function is called as `progress(done, total)`.
    store : path, optional
        Stream the result to this Zarr store and return it opened lazily; memory is then bounded by
        a few blocks of 32 MiB whatever the size of the result.
    overwrite : bool
        Whether an existing store may be replaced (only once the new one is complete).
    workers : int >= 1, optional
        Threads; all processors by default.
    memory : int, optional
        Largest result in bytes to hold in memory; a quarter of what is free by default. A larger
        one goes to a store in the temporary folder, with a warning that says where.
    refine : bool
        As for `rqf.Flow`.

    Returns
    -------
    xarray.Dataset
        `x` (realization, time, token, component), or `gram` (realization, time, token,
        token_other) if `law`; coordinate `time`; attributes hold the full recipe.

    Raises
    ------
    rqf.errors.InvalidArgument, rqf.errors.OutputError
        One line that names what is wrong; nothing is written.

    Examples
    --------
    >>> import rqf
    >>> ds = rqf.simulate(rqf.RandomQuadraticForm(n=3), tokens=8, t=2.0, realizations=4, times=5)
    >>> dict(ds.x.sizes)
    {'realization': 4, 'time': 5, 'token': 8, 'component': 3}
    """
    ensemble, moments, attributes = _plan(
        field, tokens, t, dt, realizations, seed, times, x0, law, scheme, refine
    )
    if workers is not None:
        workers = checks.integer("workers", workers, 1)
    shape = (ensemble.realizations, len(moments), ensemble.tokens, ensemble.width)
    size = 8 * math.prod(shape)
    limit = _free_memory() * MEMORY_SHARE if memory is None else checks.real("memory", memory, 0.0)
    with ExitStack() as stack:
        if store is None and size > limit:
            folder = Path(tempfile.mkdtemp(prefix="rqf-"))
            stack.push(lambda error, *_: shutil.rmtree(folder) if error else None)
            store = folder / "simulation.zarr"
            warnings.warn(
                f"the result takes {size / 2**30:.3g} GiB and is written to {store}", stacklevel=2
            )
        done = _progress(progress, ensemble.work, stack)
        if store is None:
            values = np.empty(shape)

            def keep(members: slice, window: slice, chosen: slice, block: Array) -> None:
                values[members, window, chosen] = block

            ensemble.run(keep, workers, done)
            return _dataset(values, moments, attributes, law)
        temporary = stack.enter_context(whole(store, overwrite, STORE_PARTS))
        _stream(ensemble, temporary, shape, moments, attributes, workers, done)
    import xarray as xr

    return xr.open_zarr(store, chunks=None)


def _plan(
    field: Field,
    tokens: int | None,
    t: float,
    dt: float,
    realizations: int,
    seed: int,
    times: int | ArrayLike,
    x0: ArrayLike | None,
    law: bool,
    scheme: str | None,
    refine: bool,
) -> tuple[Ensemble, NDArray[np.float64], dict[str, Any]]:
    """Check every argument; the ensemble, its output times, the recipe."""
    if not isinstance(field, Field):
        raise InvalidArgument(f"field = {checks.shown(field)}: must be a field of rqf")
    dt = checks.real("dt", dt, 0.0, open_minimum=True)
    steps = whole_steps("t", checks.real("t", t, 0.0), dt)
    realizations = checks.integer("realizations", realizations, 1)
    start, count = _initial(x0, tokens, field.n, realizations)
    stops = _stops(times, steps, dt)
    cell = cell_for(dt)
    omega = Wiener(seed, cell)
    mover = move(field, dt, scheme, omega, count, law, refine)
    ensemble = Ensemble(
        mover.dimension, mover.machine, mover.direct, omega.seed, realizations, count,
        tuple(stops), start, law, field.n,
    )  # fmt: skip
    attributes = {
        "field": repr(field),
        "method": mover.method,
        "scheme": mover.scheme,
        "dt": dt,
        "seed": str(omega.seed),
        "cell": cell,
        "law": int(law),
        "x0": "uniform" if start is None else "given",
        "rqf": __version__,
        "numpy": np.__version__,
    }
    return ensemble, np.array(stops) * dt, attributes


def _initial(
    x0: ArrayLike | None, tokens: int | None, n: int, realizations: int
) -> tuple[Array | None, int]:
    """The initial points, if given, and the number of tokens."""
    if x0 is None:
        return None, checks.integer("tokens", DEFAULT_TOKENS if tokens is None else tokens, 1)
    points = checks.unit_rows("x0", x0, n)
    if points.ndim not in (2, 3) or (points.ndim == 3 and len(points) != realizations):
        raise InvalidArgument(
            f"x0 has shape {points.shape}: must be (tokens, {n})"
            f" or (realizations = {realizations}, tokens, {n})"
        )
    count = points.shape[-2]
    if tokens is not None and checks.integer("tokens", tokens, 1) != count:
        raise InvalidArgument(f"tokens = {tokens}: x0 holds {count} tokens; leave one of them out")
    return points, count


def _stops(times: int | ArrayLike, steps: int, dt: float) -> list[int]:
    """Output times in steps."""
    if np.ndim(times) == 0:
        count = checks.integer("times", times, 2)
        return [int(s) for s in np.unique(np.rint(np.linspace(0, steps, count)).astype(int))]
    moments = checks.finite_array("times", times)
    stops = [whole_steps("times", checks.real("times", s, 0.0), dt) for s in moments.ravel()]
    if not stops or any(a >= b for a, b in pairwise(stops)):
        raise InvalidArgument("times: must be strictly increasing and hold at least one time")
    if stops[-1] > steps:
        raise InvalidArgument(f"times: the last is {stops[-1] * dt:g}, beyond t = {steps * dt:g}")
    return stops


def _names(law: bool) -> tuple[str, tuple[str, str, str, str]]:
    if law:
        return "gram", ("realization", "time", "token", "token_other")
    return "x", ("realization", "time", "token", "component")


def _described(name: str) -> dict[str, Any]:
    return {"long_name": LONG_NAMES[name]}


def _dataset(values: Any, moments: Array, attributes: dict[str, Any], law: bool) -> xr.Dataset:
    import xarray as xr

    name, dims = _names(law)
    return xr.Dataset(
        {name: (dims, values, _described(name))},
        coords={"time": ("time", moments, _described("time"))},
        attrs=attributes,
    )


def _stream(
    ensemble: Ensemble,
    path: Path,
    shape: tuple[int, ...],
    moments: Array,
    attributes: dict[str, Any],
    workers: int | None,
    done: Callable[[int], None] | None,
) -> None:
    """Write the ensemble to a Zarr store, every block a chunk of its own."""
    import zarr

    name, dims = _names(ensemble.law)
    chunks = (*ensemble.block_shape(), ensemble.width)
    group = zarr.create_group(path, attributes=attributes)
    array = group.create_array(
        name, shape=shape, chunks=chunks, dtype="f8", dimension_names=dims, compressors=None,
        attributes=_described(name),
    )  # fmt: skip
    clock = group.create_array(
        "time", shape=moments.shape, dtype="f8", dimension_names=("time",),
        attributes=_described("time"),
    )  # fmt: skip
    clock[:] = moments

    def write(members: slice, window: slice, chosen: slice, block: Array) -> None:
        array[members, window, chosen] = block

    ensemble.run(write, workers, done)
    with warnings.catch_warnings():  # xarray looks for consolidated metadata, Zarr calls it new
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(path)


def _progress(
    progress: bool | Callable[[int, int], None], total: int, stack: ExitStack
) -> Callable[[int], None] | None:
    """A function that is told how much work has been finished."""
    if progress is False:
        return None
    finished = 0
    if progress is True:
        from rqf.progress import bar

        advance = stack.enter_context(bar("simulating", total))
        return advance

    def tell(count: int) -> None:
        nonlocal finished
        finished += count
        progress(finished, total)

    return tell


def _free_memory() -> float:
    """Bytes that can be had without swapping; where the system does not tell, no limit."""
    try:
        with open("/proc/meminfo") as lines:
            words = next(line for line in lines if line.startswith("MemAvailable")).split()
        return 1024.0 * int(words[1])
    except (OSError, StopIteration):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError):
        return math.inf
