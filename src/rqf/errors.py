"""One family of exceptions: what a person can put right, told in one line.

Every message names the argument, its value and what is allowed. The command line prints the
message of an `RqfError` and nothing else; anything outside this family is a defect of the package.
"""

from __future__ import annotations


class RqfError(Exception):
    """Base of every error that a user of the package can cause and mend."""


class InvalidArgument(RqfError, ValueError):
    """An argument has a value that is not allowed; the message says which and what is."""


class OutputError(RqfError, OSError):
    """A result cannot be written where it was asked for; nothing is left behind there."""
