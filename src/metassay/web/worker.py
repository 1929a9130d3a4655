"""Tasks in processes of their own: a few at a time, the others wait their turn; all of them can be stopped."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from metassay.errors import DataError, MetassayError
from metassay.web.limits import Limits, machine_memory, shares, time_in_words

Answer = dict[str, Any]

_LONGEST_ANSWER = 1 << 25


class Busy(MetassayError):
    """More work is waiting than anybody would wait for."""


class Workshop:
    """Where orders are carried out.

    Reading has places of its own, so that nobody who has just sent a file waits for reports of others.

    Parameters
    ----------
    limits
        Bounds on places, waiting orders, time and memory.
    """

    def __init__(self, limits: Limits) -> None:
        memory, readers, jobs = shares(limits, machine_memory())
        self._limits = replace(limits, memory=memory)
        reading = asyncio.Semaphore(readers)
        self._places = {"look": reading, "report": asyncio.Semaphore(jobs) if jobs else reading}
        self._waiting: list[object] = []

    async def look(self, folder: Path, order: dict[str, Any]) -> Answer:
        """Read the files in a folder and return what is in them."""
        async with self._places["look"]:
            return await self._do(folder, {**order, "task": "look"}, lambda _: None)

    async def report(self, folder: Path, order: dict[str, Any], told: Callable[[Answer], None]) -> Answer:
        """Make a report; `told` hears how far it is, and how many are first while it waits."""
        if len(self._waiting) >= self._limits.waiting:
            raise Busy("too many reports are waiting; try again in a few minutes")
        ticket = object()
        self._waiting.append(ticket)
        try:
            waiter = asyncio.ensure_future(self._places["report"].acquire())
            try:
                await asyncio.wait({waiter}, timeout=0.01)
                while not waiter.done():
                    told({"ahead": self._waiting.index(ticket)})
                    await asyncio.wait({waiter}, timeout=0.5)
            except BaseException:
                # It may have got its place in the very moment in which it was called off.
                if not waiter.cancel() and waiter.result():
                    self._places["report"].release()
                raise
        finally:
            self._waiting.remove(ticket)
        told({})
        try:
            return await self._do(folder, {**order, "task": "report"}, told)
        finally:
            self._places["report"].release()

    async def _do(self, folder: Path, order: dict[str, Any], told: Callable[[Answer], None]) -> Answer:
        seconds = self._limits.seconds
        command = (sys.executable, "-P", "-W", "ignore", "-m", "metassay.web.worker_main")
        # In a session of its own, so that Ctrl-C reaches the server, which then ends it, and not both at once.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, cwd=folder, limit=_LONGEST_ANSWER, start_new_session=True
        )
        try:
            async with asyncio.timeout(seconds):
                answer = await _converse(process, {**order, "limits": asdict(self._limits)}, told)
                await process.wait()
        except TimeoutError:
            raise DataError(
                f"it took longer than {time_in_words(seconds)} and was stopped; take fewer columns or resamples"
            ) from None
        finally:
            await asyncio.shield(_end(process))
        if "error" in answer:
            raise DataError(answer["error"])
        if "result" not in answer:
            raise DataError(f"the work ended without an answer ({_ending(process)}); the file may be damaged")
        result: Answer = answer["result"]
        return result


async def _converse(process: Process, order: dict[str, Any], told: Callable[[Answer], None]) -> Answer:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):
        # The pipe stays open: if it closes, the server is gone, and the process ends.
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
    answer: Answer = {}
    while line := await process.stdout.readline():
        answer = json.loads(line)
        if "done" in answer:
            told(answer)
    return answer


async def _end(process: Process) -> None:
    """See to it that the process is gone, and its pipes with it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    if process.stdin is not None:
        process.stdin.close()
    if process.stdout is not None:
        while await process.stdout.read(1 << 16):
            pass
    await process.wait()


def _ending(process: Process) -> str:
    code = process.returncode or 0
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
