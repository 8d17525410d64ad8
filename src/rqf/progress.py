"""Progress bars: on a terminal, and only for work that lasts."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with amounts of finished work.

    On a terminal a bar appears on stderr after two seconds, whether or not anything is finished by
    then, and goes away at the end; elsewhere nothing is drawn.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda count: None
        return
    display = _Late(label, total)
    try:
        yield display.advance
    finally:
        display.close()


class _Late:
    """A bar that a timer starts, so that it does not wait for the first piece of work to end."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._finished = 0
        self._closed = False
        self._shown: tuple[Progress, TaskID] | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def advance(self, count: int) -> None:
        self._finished += count
        if self._shown is not None:
            display, task = self._shown
            display.update(task, completed=self._finished)

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._shown is not None:
                self._shown[0].stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(),
                   TextColumn("{task.percentage:3.0f} %"), TimeRemainingColumn())
        with self._lock:
            if self._closed:
                return
            display = Progress(
                *columns, console=Console(stderr=True), transient=True, redirect_stdout=False
            )
            task = display.add_task(self._label, total=self._total)
            self._shown = display, task
            display.start()
            display.update(task, completed=self._finished)
