"""Progress bars: on a terminal, and only for work that lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with amounts of finished work; draws on stderr after two seconds."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    began = time.monotonic()
    columns = (TextColumn(label), BarColumn(), TextColumn("{task.percentage:3.0f} %"),
               TimeRemainingColumn())
    display = Progress(*columns, console=Console(stderr=True), transient=True)
    task = display.add_task(label, total=total)

    def advance(count: int) -> None:
        display.advance(task, count)
        if not display.live.is_started and time.monotonic() - began > PATIENCE:
            display.start()

    try:
        yield advance
    finally:
        if display.live.is_started:
            display.stop()
