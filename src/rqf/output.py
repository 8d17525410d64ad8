"""Writing results: whole or not at all.

A result is written beside its destination under a temporary name and moved into place when it is
complete; whatever goes wrong before that, an interruption included, removes it again.
"""

from __future__ import annotations

import errno
import shutil
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rqf.errors import OutputError

if TYPE_CHECKING:
    import xarray as xr


def check_destination(
    path: str | Path, overwrite: bool, parts: Collection[str] | None = None
) -> Path:
    """The absolute destination, if a result may be written there; else `OutputError`.

    `parts` are the names of which an earlier result can consist, none for a result that is a
    single file: with `overwrite`, a folder that holds anything else is never replaced.
    """
    target = Path(path).expanduser().absolute()
    try:
        if target.exists():
            if not overwrite:
                raise OutputError(
                    f"output {path}: exists already; choose another name, or --overwrite"
                    " (overwrite=True) to replace it"
                )
            if parts is not None:
                _refuse_foreign(path, target, parts)
        parent = target.parent
        if not parent.is_dir():
            raise OutputError(f"output {path}: the folder {parent} does not exist")
        trial = _temporary(target)
        trial.mkdir()
        trial.rmdir()
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"output {path}: cannot be written ({error.strerror})") from error
    return target


@contextmanager
def whole(
    path: str | Path, overwrite: bool = False, parts: Collection[str] | None = None
) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well and vanishes otherwise.

    `parts` as for `check_destination`.
    """
    target = check_destination(path, overwrite, parts)
    temporary = _temporary(target)
    try:
        yield temporary
        if target.exists() and not overwrite:
            raise OutputError(f"output {path}: exists by now; it was not there at the start")
        _replace(temporary, target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f"output {path}: the disk is full; nothing was written") from error
        reason = error.strerror or error
        raise OutputError(f"output {path}: cannot be written ({reason})") from error
    finally:
        _remove(temporary)


def write_netcdf(ds: xr.Dataset, path: str | Path, overwrite: bool = False) -> None:
    """Write a Dataset as a NetCDF-4 file.

    The file is laid out in memory first: the HDF5 library may end the process when the disk fills
    up under a file that it has open.
    """
    content = ds.to_netcdf(engine="h5netcdf")
    write_bytes(content, path, overwrite)


def write_bytes(content: bytes | memoryview, path: str | Path, overwrite: bool = False) -> None:
    """Write a single file."""
    with whole(path, overwrite, ()) as temporary:
        temporary.write_bytes(content)


def _temporary(target: Path, ending: str = "partial") -> Path:
    """A hidden name of its own beside the destination."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{ending}")


def _refuse_foreign(path: str | Path, target: Path, parts: Collection[str]) -> None:
    """Only what a result would be, and nothing more, is replaced."""
    if target.is_dir() != bool(parts):
        kind = "folder" if target.is_dir() else "file"
        raise OutputError(f"output {path}: is a {kind}, and is not replaced; choose another name")
    foreign = sorted({entry.name for entry in target.iterdir()} - set(parts)) if parts else []
    if foreign:
        raise OutputError(
            f"output {path}: holds {foreign[0]!r}, which is no part of an earlier result, and is"
            " not replaced; choose another name"
        )


def _replace(temporary: Path, target: Path) -> None:
    """Move into place; an old folder is set aside first, since no folder replaces another."""
    if target.exists() and (target.is_dir() or temporary.is_dir()):
        aside = _temporary(target, "old")
        target.rename(aside)
        try:
            temporary.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        _remove(aside)
    else:
        temporary.replace(target)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
