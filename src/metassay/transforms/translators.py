"""Who translates: Apertium, a Marian model, or any command, by name."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from metassay.errors import DataError, UsageError, one_line

Unit = Literal["text", "line", "sentence"]
"""What a translator takes at a time; it sees no line breaks unless it takes whole texts."""

NAMES = ("apertium", "marian", "marian:MODEL", "command:CMD", "command-jsonl:CMD")
"""The translators, as they are named."""


class Translated(NamedTuple):
    """A segment in the other language."""

    text: str
    """The translation."""
    unknown: int | None
    """Words that the translator did not know; None if it does not tell."""
    cut: bool = False
    """Whether the segment was too long for the translator, so that its end is lost."""


class Translator(Protocol):
    """Translates in one direction. Making one checks that all it needs is there, so nothing fails after work began."""

    @property
    def signature(self) -> str:
        """The recipe in one line, part of the cache's key."""
        ...

    @property
    def unit(self) -> Unit:
        """What it takes at a time."""
        ...

    @property
    def batch(self) -> int:
        """How many segments it takes in one call."""
        ...

    @property
    def threads(self) -> int | None:
        """How many calls may run side by side; None for one per processor."""
        ...

    def translate(self, segments: Sequence[str]) -> list[Translated]:
        """Return one translation per segment, in order."""
        ...


def translator(name: str, source: str, target: str, *, timeout: float) -> Translator:
    """Return the translator of a name for a direction, ready for work.

    Parameters
    ----------
    name
        One of :data:`NAMES`. In a model or a command, ``{from}`` and ``{to}`` stand for the languages.
    source, target
        The two languages, such as ``"en"`` and ``"es"``.
    timeout
        Seconds that one call of a program may last.
    """
    kind, _, rest = name.partition(":")
    if kind == "apertium" and not rest:
        from metassay.transforms.apertium import Apertium

        return Apertium(source, target, timeout=timeout)
    if kind == "marian":
        from metassay.transforms.marian import Marian

        return Marian(source, target, *([rest] if rest else []))
    if kind in ("command", "command-jsonl") and rest.strip():
        from metassay.transforms.command import Command

        return Command(rest, source, target, json_lines=kind == "command-jsonl", timeout=timeout)
    raise UsageError(f"a translator is one of {', '.join(NAMES)}; got {one_line(name, 60)!r}")


_HOLE = re.compile(r"\{(from|to)\}")


def filled(template: str, source: str, target: str) -> str:
    """Return a template with the languages in the places of ``{from}`` and ``{to}``."""
    return _HOLE.sub(lambda match: source if match[1] == "from" else target, template)


def call(
    arguments: Sequence[str], data: bytes, *, what: str, timeout: float, environment: Mapping[str, str] | None = None
) -> bytes:
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
    if process.returncode != 0:
        last = complaint.decode("utf-8", "replace").strip().splitlines()
        said = f": {one_line(last[-1])}" if last else ""
        raise DataError(f"{what} failed with exit code {process.returncode}{said}")
    return out


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a program and all that it started: it has a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()
