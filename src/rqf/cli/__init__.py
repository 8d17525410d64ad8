"""The command line: words in, calls of the package, tables out. No science of its own.

One file a command. What every command does with a mistake, an interruption or a closed pipe is in
`guard`; the options that several commands share are in `options`.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Any

import typer

from rqf.cli import attractor, lyapunov, phase, reproduce, simulate, verify
from rqf.cli.guard import Commands
from rqf.cli.options import Debug, Version

COMMANDS = {
    "verify": verify,
    "reproduce": reproduce,
    "simulate": simulate,
    "lyapunov": lyapunov,
    "attractor": attractor,
    "phase": phase,
}
EXIT_CODES = (
    "Exit codes: 0 all is well, 1 a claim fails, 2 bad input or an output that cannot be written,"
    " 3 a defect of the program, 130 interrupted."
)

app = typer.Typer(
    name="rqf",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True, epilog=EXIT_CODES)
def top(context: typer.Context, version: Version = False, debug: Debug = False) -> None:
    """Synchronization by common noise on spheres."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for name, module in COMMANDS.items():
    app.command(name, epilog=f"Example: {module.EXAMPLE}")(module.command)


def main() -> None:
    """The entry point `rqf`."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the program
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    before = {
        number: signal.signal(number, _leave)
        for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
        if number is not None and signal.getsignal(number) is signal.SIG_DFL
    }
    try:
        app(prog_name="rqf")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: Any) -> None:
    """End by way of every `finally`, so that nothing half-written stays."""
    raise SystemExit(128 + number)
