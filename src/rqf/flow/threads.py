"""Independent pieces of work on a few threads, stopped at once when anything goes wrong."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from rqf import checks

T = TypeVar("T")

TICK = 0.1  # seconds between two reports of what is finished


_limit: ContextVar[int | None] = ContextVar("limit", default=None)


@contextmanager
def at_most(workers: int | None) -> Iterator[None]:
    """Within the block nothing takes more threads than that, whatever is available."""
    token = _limit.set(None if workers is None else checks.integer("workers", workers, 1))
    try:
        yield
    finally:
        _limit.reset(token)


def workers_available() -> int:
    """Number of threads to use: processors of this process, or fewer within `at_most`."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count() or 1
    limit = _limit.get()
    return count if limit is None else min(count, limit)


def run_each(
    task: Callable[[T], Iterator[int]],
    pieces: Iterable[T],
    workers: int | None = None,
    done: Callable[[int], None] | None = None,
) -> None:
    """Run `task(piece)` for every piece; a task yields how much it has finished since last time.

    `done` is called in the calling thread only, some times a second. An exception, an interruption
    included, stops every task at its next yield and is raised after all have stopped.
    """
    work = list(pieces)
    count = min(len(work), workers_available() if workers is None else workers)
    if count <= 1:
        for piece in work:
            for amount in task(piece):
                if done is not None:
                    done(amount)
        return
    stop = False
    finished: deque[int] = deque()

    def complete(piece: T) -> None:
        for amount in task(piece):
            if stop:
                break
            finished.append(amount)

    def report() -> None:
        amount = 0
        while finished:
            amount += finished.popleft()
        if done is not None and amount:
            done(amount)

    with ThreadPoolExecutor(count) as pool:
        pending: set[Future[None]] = {pool.submit(complete, piece) for piece in work}
        try:
            while pending:
                ready, pending = wait(pending, TICK, return_when=FIRST_COMPLETED)
                report()
                for future in ready:
                    future.result()
        except BaseException:
            stop = True
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def ranges(total: int, length: int) -> list[slice]:
    """Slices of `length` that cover range(total)."""
    return [slice(first, min(first + length, total)) for first in range(0, total, length)]
