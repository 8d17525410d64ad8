"""Files that commands read and write: checked before the work starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rqf.cli.screen import amount
from rqf.errors import InvalidArgument, OutputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHARE = 0.5  # of the memory that is available, for a result that is not streamed to a store


def read_points(path: Path, normalize: bool) -> NDArray[np.float64]:
    """Points from a .npy or .csv file: unit rows, or any rows to be divided by their norms."""
    import numpy as np

    import rqf
    from rqf import checks

    if path.suffix not in (".npy", ".csv"):
        raise InvalidArgument(f"x0 = '{path}': must end in .npy or .csv")
    try:
        if path.suffix == ".npy":
            points = np.load(path, allow_pickle=False)
        else:
            points = np.loadtxt(path, delimiter=",", ndmin=2)
    except OSError as error:
        reason = error.strerror or "is no .npy file"
        raise InvalidArgument(f"x0 = '{path}': cannot be read ({reason})") from error
    except (ValueError, EOFError) as error:
        raise InvalidArgument(f"x0 = '{path}': cannot be read ({error})") from error
    points = checks.finite_array("x0", points)
    if points.ndim < 2 or points.size == 0:
        raise InvalidArgument(
            f"x0 has shape {points.shape}: must be (tokens, n) or (realizations, tokens, n)"
        )
    if normalize:
        return rqf.normalize(points)
    worst = float(np.max(np.abs(np.linalg.norm(points, axis=-1) - 1.0)))
    if worst > checks.UNIT_TOLERANCE:
        raise InvalidArgument(
            f"x0: has a row whose norm is off 1 by {worst:.3g}; rows must be unit vectors,"
            " --normalize makes them so"
        )
    return points


def ending(path: Path, allowed: tuple[str, ...]) -> str:
    """The ending of an output's name, one of those allowed."""
    if path.suffix not in allowed:
        raise InvalidArgument(f"out = '{path}': must end in {' or '.join(allowed)}")
    return path.suffix


def check_room(path: Path | None, streamed: bool, size: float) -> None:
    """Whether a result of so many bytes fits where it goes: on the disk, or in memory first."""
    if path is not None:
        free = shutil.disk_usage(path.absolute().parent).free
        if size > free:
            raise OutputError(
                f"output {path}: takes {amount(size)}, the disk has {amount(free)} free"
            )
    most = SHARE * _memory_available()
    if not streamed and size > most:
        raise InvalidArgument(
            f"the result takes {amount(size)}, more than the {amount(most)} of memory that it"
            " may: write it to a store, --out NAME.zarr, keep fewer times or take fewer tokens"
        )


def _memory_available() -> float:
    """Bytes of memory that a program can have without swapping."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * float(line.split()[1])
    except OSError:
        pass
    return 0.5 * float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
