"""Connections: an end to waiting for requests that never come whole, and a fair share for every address."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds that the head of a request may take."""
MOST = 250
"""Connections at the same time."""
MOST_PER_ADDRESS = 64
"""Connections of one address at the same time; browsers open six."""


class FairProtocol(H11Protocol):  # type: ignore[misc] # uvicorn is opaque to mypy
    """HTTP in which half-sent requests keep nobody out.

    Where there are too many connections, the one that has waited longest without asking for anything makes room; the
    newcomer goes only if all others are being answered.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take in a connection, and make room for it if need be."""
        super().connection_made(transport)
        self._since = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        for most, of_all in ((MOST_PER_ADDRESS, False), (MOST, True)):
            there = [
                one for one in self.connections if not one.transport.is_closing() and (of_all or one.host == self.host)
            ]
            if len(there) > most:
                waiting = (one for one in there if one.waiting and one is not self)
                min(waiting, key=lambda one: one._since, default=self).transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take in what comes, and watch that the rest of it comes soon."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._calm()
        super().connection_lost(exc)

    @property
    def host(self) -> str:
        """The address at the other end."""
        return str(self.client[0]) if self.client else ""

    @property
    def waiting(self) -> bool:
        """Whether no request is being answered: its head has not come, or not come whole."""
        cycle: Any = self.cycle
        return cycle is None or bool(cycle.response_complete)

    def _watch(self) -> None:
        if not self.waiting:
            self._calm()
        elif self._timer is None:
            self._since = time.monotonic()
            self._timer = self.loop.call_later(PATIENCE, self.transport.abort)

    def _calm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
