"""What becomes of a mistake: one line on stderr and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from rqf.errors import RqfError

BAD_INPUT = 2
DEFECT = 3
INTERRUPTED = 130
PIPE_CLOSED = 141


class Commands(TyperGroup):
    """The commands, with one way to fail for all of them."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        try:
            code = super().main(words, prog_name, complete_var, False, windows_expand_args, **extra)
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except Exception as error:
            _fail(*_told(error), debug)
        if code == INTERRUPTED:
            _fail("interrupted", code, debug)
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # whoever read the output has gone; nothing more can be said there
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        return result


def _told(error: Exception) -> tuple[str, int]:
    """What to say of an exception, and the exit code."""
    if isinstance(error, RqfError):
        return f"error: {error}", BAD_INPUT
    if isinstance(error, typer.BadParameter.__mro__[1]):  # any misuse of the command line
        return f"error: {_usage(error)}", BAD_INPUT
    if isinstance(error, MemoryError):
        return f"error: not enough memory ({error})", BAD_INPUT
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"error: {error.strerror or error}{where}", BAD_INPUT
    kind = type(error).__name__
    return f"error: {kind}: {error} (a defect of rqf; --debug shows where)", DEFECT


def _usage(error: Any) -> str:
    """The complaint of the parser, and where help is."""
    path = error.ctx.command_path if error.ctx is not None else "rqf"
    return f"{error.format_message().rstrip('.')}; see {path} --help"


def _fail(line: str, code: int, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exc()
    typer.echo(" ".join(line.split()), err=True)
    sys.exit(code)
