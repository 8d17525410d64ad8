"""Independent pieces of work on a few threads, stopped at once when anything goes wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")


def workers_available() -> int:
    """Number of processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def run_each(
    task: Callable[[T], Iterator[int]],
    pieces: Iterable[T],
    workers: int | None = None,
    done: Callable[[int], None] | None = None,
) -> None:
    """Run `task(piece)` for every piece; a task yields how much it has finished since last time.

    `done` is called in the calling thread only. An exception, an interruption included, stops
    every task at its next yield and is raised after all have stopped.
    """
    work = list(pieces)
    count = min(len(work), workers_available() if workers is None else workers)
    if count <= 1:
        for piece in work:
            for finished in task(piece):
                if done is not None:
                    done(finished)
        return
    stop = False

    def complete(piece: T) -> int:
        total = 0
        for finished in task(piece):
            if stop:
                break
            total += finished
        return total

    with ThreadPoolExecutor(count) as pool:
        pending: set[Future[int]] = {pool.submit(complete, piece) for piece in work}
        try:
            while pending:
                ready, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in ready:
                    finished = future.result()
                    if done is not None:
                        done(finished)
        except BaseException:
            stop = True
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def ranges(total: int, length: int) -> list[slice]:
    """Slices of `length` that cover range(total)."""
    return [slice(first, min(first + length, total)) for first in range(0, total, length)]
