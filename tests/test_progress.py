"""Progress bars: late, on terminals only, and gone at the end."""

from __future__ import annotations

import io
import os
import pty
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rqf import progress


class Terminal:
    """The two ends of a pseudo-terminal: a stream to write to, and what was seen."""

    def __init__(self) -> None:
        self.end, other = pty.openpty()
        self.stream = open(other, "w", encoding="utf-8")  # noqa: SIM115

    @contextmanager
    def bar(self) -> Iterator[Callable[[int], None]]:
        """A bar on this terminal."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stderr", self.stream)
            with progress.bar("thinking", 10) as advance:
                yield advance

    def seen(self) -> str:
        self.stream.flush()
        os.set_blocking(self.end, False)
        try:
            return os.read(self.end, 1 << 20).decode()
        except BlockingIOError:
            return ""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    terminal = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield terminal
    terminal.stream.close()
    os.close(terminal.end)


def test_a_bar_appears_before_anything_is_finished(terminal: Terminal) -> None:
    with terminal.bar() as advance:
        began = time.monotonic()
        text = ""
        while "thinking" not in text and time.monotonic() - began < 20:
            time.sleep(0.05)
            text += terminal.seen()
        assert "thinking" in text
        assert "0 %" in text
        advance(4)
        while "40 %" not in text and time.monotonic() - began < 20:
            time.sleep(0.05)
            text += terminal.seen()
        assert "40 %" in text
    assert "\x1b[?25h" in terminal.seen()


def test_a_bar_knows_what_was_finished_before_it_appeared(terminal: Terminal) -> None:
    with terminal.bar() as advance:
        advance(7)
        time.sleep(0.1)
        began = time.monotonic()
        text = ""
        while "70 %" not in text and time.monotonic() - began < 20:
            time.sleep(0.05)
            text += terminal.seen()
        assert "70 %" in text


def test_short_work_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.5)
    with terminal.bar() as advance:
        advance(10)
    time.sleep(0.8)
    assert terminal.seen() == ""


def test_a_failure_takes_the_bar_away(terminal: Terminal) -> None:
    def fail() -> None:
        with terminal.bar():
            time.sleep(1.0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert "thinking" in terminal.seen()
    time.sleep(0.3)
    assert terminal.seen() == ""


def test_nothing_is_drawn_on_a_dumb_terminal(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with terminal.bar() as advance:
        time.sleep(0.3)
        advance(10)
    assert terminal.seen() == ""


def test_nothing_is_drawn_into_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress.bar("thinking", 10) as advance:
        time.sleep(0.3)
        advance(10)
    assert pipe.getvalue() == ""
