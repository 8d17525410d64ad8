"""Writing results: whole or not at all.

A result is written beside its destination under a temporary name and moved into place when it is
complete; whatever goes wrong before that, an interruption included, removes it again.
"""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rqf.errors import OutputError


def check_destination(path: str | Path, overwrite: bool) -> Path:
    """The absolute destination, if something may be written there; else `OutputError`."""
    target = Path(path).expanduser().absolute()
    if target.exists() and not overwrite:
        raise OutputError(f"output {path}: exists already; choose another name or overwrite it")
    parent = target.parent
    if not parent.is_dir():
        raise OutputError(f"output {path}: the folder {parent} does not exist")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(f"output {path}: the folder {parent} cannot be written")
    return target


@contextmanager
def whole(path: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well and vanishes otherwise."""
    target = check_destination(path, overwrite)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        yield temporary
        _replace(temporary, target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f"output {path}: the disk is full; nothing was written") from error
        raise OutputError(f"output {path}: cannot be written ({error.strerror or error})") from error
    finally:
        _remove(temporary)


def _replace(temporary: Path, target: Path) -> None:
    """Move into place; an old folder is set aside first, since folders do not replace each other."""
    if target.exists() and (target.is_dir() or temporary.is_dir()):
        aside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.old")
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
