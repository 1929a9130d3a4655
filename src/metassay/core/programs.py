"""Running other programs: no shell in between, an end to waiting, and one line about whatever goes wrong."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from metassay.errors import DataError, UsageError, one_line


class Ran(NamedTuple):
    """What a program left behind."""

    out: bytes
    """What it printed."""
    complaint: str
    """The last line that it wrote to standard error, fit for a message; empty if there was none."""


def arguments_of(command: str, filled: Callable[[str], str] = str) -> list[str]:
    """Return the program and the arguments of a command that is quoted as in a shell, if the program is there.

    Parameters
    ----------
    command
        The command.
    filled
        Puts values into the places that an argument keeps for them, after arguments were parted.

    Examples
    --------
    >>> arguments_of("sort -k '1 2'")
    ['sort', '-k', '1 2']
    """
    try:
        arguments = [filled(argument) for argument in shlex.split(command)]
    except ValueError as error:
        raise UsageError(
            f"the command {one_line(command, 80)!r} is not well quoted: {one_line(error).lower()}"
        ) from None
    if not arguments or shutil.which(arguments[0]) is None:
        raise UsageError(f"the command {one_line(command, 80)!r} names no program that can be found")
    return arguments


def call(
    arguments: Sequence[str], data: bytes, *, what: str, timeout: float, environment: Mapping[str, str] | None = None
) -> Ran:
    """Run a program on some input and return what it prints; whatever goes wrong is one line.

    Parameters
    ----------
    arguments
        The program and its arguments; no shell is between.
    data
        Its standard input.
    what
        The program's name for messages.
    timeout
        Seconds after which it, and all that it started, is stopped.
    environment
        Variables beside those of this process.
    """
    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | dict(environment or {}),
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(f"{what} cannot be started: {(error.strerror or str(error)).lower()}") from None
    try:
        out, complaint = process.communicate(data, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise DataError(f"{what} gave no answer within {timeout:g} s; allow more time, or try fewer texts") from None
    finally:
        if process.poll() is None:
            _stop(process)
    last = complaint.decode("utf-8", "replace").strip().splitlines()
    said = one_line(last[-1]) if last else ""
    if process.returncode != 0:
        raise DataError(f"{what} failed with exit code {process.returncode}" + (f": {said}" if said else ""))
    return Ran(out, said)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a program and all that it started: it has a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()
