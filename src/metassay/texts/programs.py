"""Running other programs: no shell in between, an end to waiting, and one line about whatever goes wrong."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast

from metassay.core.ending import at_the_end, end_with_children
from metassay.errors import DataError, UsageError, one_line

LEAST_OUTPUT = 64 << 20
"""Bytes that any program may print."""
OUTPUT_PER_INPUT = 20
"""Bytes that it may print for each byte that it reads, if that is more."""
LAST_WORDS = 1 << 16
"""Bytes of complaints that are kept, the last ones."""
AFTERWARDS = 2.0
"""Seconds that what a program started may go on printing after the program itself has ended."""


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


def contents_of(arguments: Sequence[str]) -> str:
    """Return letters that stand for the contents of a program and of every argument that is a file.

    Examples
    --------
    >>> contents_of(["sh", "-c", "true"]) == contents_of(["sh", "-x"])
    True
    """
    program = Path(shutil.which(arguments[0]) or arguments[0])
    return ",".join(digest_of_file(file) for file in (program, *filter(_is_file, map(Path, arguments[1:]))))


def digest_of_file(path: Path) -> str:
    """Return letters that stand for the content of a file; of a very large one, for its size, beginning and end."""
    ends = 1 << 20
    made = hashlib.blake2b(digest_size=4)
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            if size <= 64 * ends:
                made.update(file.read())
            else:
                made.update(f"{size}\0".encode() + file.read(ends))
                file.seek(-ends, 2)
                made.update(file.read())
    except OSError as error:
        raise DataError(f"cannot read {one_line(path)!r}: {(error.strerror or str(error)).lower()}") from None
    return made.hexdigest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument may be anything, such as a whole text
        return False


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
        Seconds after which it, and all that it started, is stopped. So it is when it prints without end.
    environment
        Variables beside those of this process.
    """
    try:
        process = _started(arguments, environment)
    except OSError as error:
        raise UsageError(f"{what} cannot be started: {(error.strerror or str(error)).lower()}") from None
    pipes = _Pipes(process, data, most=max(LEAST_OUTPUT, OUTPUT_PER_INPUT * len(data)))
    try:
        ended = pipes.wait(timeout)
    finally:
        # What it left behind is stopped too, also if this process is interrupted.
        _kill(process)
        process.wait()
        pipes.close()
    if pipes.too_much:
        raise DataError(f"{what} printed more than {pipes.most / 1e6:,.0f} MB and was stopped; it must print less")
    if not ended:
        raise DataError(f"{what} gave no answer within {timeout:g} s; allow more time, or try fewer texts")
    last = pipes.complaint.decode("utf-8", "replace").strip().splitlines()
    said = one_line(last[-1]) if last else ""
    if process.returncode != 0:
        raise DataError(f"{what} failed with exit code {process.returncode}" + (f": {said}" if said else ""))
    return Ran(bytes(pipes.out), said)


def lines_of(arguments: Sequence[str], lines: Iterable[str], *, what: str, timeout: float) -> tuple[list[str], str]:
    """Run a program on lines, and return those that it prints, and its complaint; see :func:`call`."""
    ran = call(arguments, "".join(f"{line}\n" for line in lines).encode("utf-8"), what=what, timeout=timeout)
    try:
        return ran.out.decode("utf-8").removesuffix("\n").split("\n") if ran.out else [], ran.complaint
    except UnicodeDecodeError:
        raise DataError(f"{what} printed something that is not UTF-8") from None


class Stopped(Exception):
    """A program said nothing more."""


class Conversation:
    """A program that goes on running, asked by lines and answering by lines.

    It ends with this object, and with Python.

    Parameters
    ----------
    arguments
        The program and its arguments; no shell is between.
    to_start
        Seconds that the first answer may take beside those that every answer may.
    """

    def __init__(self, arguments: Sequence[str], *, to_start: float = 0.0) -> None:
        self._process = _started(arguments)
        self._to_start = to_start
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._complaints: deque[str | None] = deque(maxlen=3)
        # The threads know the two lists and not this object, or it would live as long as they do.
        heard = ((self._process.stdout, self._answers.put), (self._process.stderr, self._complaints.append))
        listeners = [threading.Thread(target=_hear, args=each, daemon=True) for each in heard]
        for listener in listeners:
            listener.start()
        self._to_the_end = listeners[-1].join
        self.stop = weakref.finalize(self, _end, self._process, listeners)

    def ask(self, line: str, timeout: float) -> str:
        """Send a line and return the answer."""
        try:
            stream = _there(self._process.stdin)
            stream.write(line.encode("utf-8", "replace") + b"\n")
            stream.flush()
        except BrokenPipeError:
            raise Stopped(self._last_words()) from None
        timeout, self._to_start = timeout + self._to_start, 0.0
        return self.read(timeout)

    def read(self, timeout: float) -> str:
        """Return the next line of the answer."""
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            raise Stopped(self._last_words())
        return line

    def _last_words(self) -> str:
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._to_the_end(5)
        return " ".join(filter(None, self._complaints)) or f"it ended with status {self._process.returncode}"


def _hear(pipe: IO[bytes] | None, tell: Callable[[str | None], None]) -> None:
    """Pass on every line that a program writes, and None at the end."""
    with _there(pipe) as stream:
        for line in stream:
            tell(line.decode("utf-8", "replace").strip())
    tell(None)


def _end(process: subprocess.Popen[bytes], listeners: Sequence[threading.Thread]) -> None:
    _kill(process)
    process.wait()
    for listener in listeners:
        listener.join(5)
    with contextlib.suppress(OSError):  # what was not sent yet has no reader any more
        _there(process.stdin).close()


_running: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()
_guards: weakref.WeakKeyDictionary[subprocess.Popen[bytes], subprocess.Popen[bytes]] = weakref.WeakKeyDictionary()


def _started(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, so that all that it starts can be stopped with it."""
    if multiprocessing.parent_process() is not None:
        end_with_children()  # a process that metassay started to share its work
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | dict(environment or {}),
        start_new_session=True,
    )
    _running.add(process)
    if os.name == "posix":
        # Ends the program if this process is killed: the pipe closes, and the shell is no longer kept waiting.
        guard = ["/bin/sh", "-c", 'read -r _; kill -9 "-$0"', str(process.pid)]
        _guards[process] = subprocess.Popen(guard, stdin=subprocess.PIPE, start_new_session=True)
    return process


@at_the_end
def stop_all() -> None:
    """Kill all programs that run."""
    for process in list(_running):
        if process.returncode is None:
            _kill(process)


class _Pipes:
    """Feeds a program and listens to it, in bounded memory: one that prints more than `most` bytes is stopped."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes, most: int) -> None:
        self._process, self.most = process, most
        self.out = bytearray()
        self.complaint = b""
        self.too_much = False
        work = (self._listen, self._hear_complaints, lambda: self._feed(data))
        # Daemons: a grandchild in a session of its own may hold a pipe open for ever.
        self._threads = [threading.Thread(target=one, name="metassay-program", daemon=True) for one in work]
        for thread in self._threads:
            thread.start()

    def wait(self, timeout: float) -> bool:
        """Say whether the program ended in time; what it started may go on printing for a moment."""
        deadline = time.monotonic() + timeout
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        self._join(min(AFTERWARDS, deadline - time.monotonic()))
        return True

    def close(self) -> None:
        """Wait until nothing more comes, which is at once where all that could print is dead."""
        self._join(AFTERWARDS)

    def _join(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _listen(self) -> None:
        for part in _parts(self._process.stdout):
            if len(self.out) + len(part) > self.most:
                self.too_much = True
                _kill(self._process)
                return
            self.out += part

    def _hear_complaints(self) -> None:
        for part in _parts(self._process.stderr):
            self.complaint = (self.complaint + part)[-LAST_WORDS:]

    def _feed(self, data: bytes) -> None:
        # A program need not read all, or anything.
        with contextlib.suppress(OSError), _there(self._process.stdin) as stream:
            stream.write(data)


def _parts(pipe: IO[bytes] | None) -> Iterator[bytes]:
    """Yield what comes through a pipe as it comes, and close it."""
    with _there(pipe) as stream:
        while part := os.read(stream.fileno(), 1 << 16):
            yield part


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe that was asked for, which the types do not know."""
    return cast("IO[bytes]", pipe)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all that it started: it has a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if (guard := _guards.pop(process, None)) is not None:
        guard.kill()
        guard.wait()
        _there(guard.stdin).close()
