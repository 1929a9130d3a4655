"""Who may ask: only pages of this very server, under a name that it knows, and told to keep to themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What pages of the server may load: its own style, program and first screens, and nothing else."""

REPORT_POLICY = "sandbox allow-scripts allow-downloads allow-modals; frame-ancestors 'none'"
"""A report brings its own policy; on top of it, it is kept from everything else on this server."""
FIRST_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
"""The first screen of a report is shown within a page of this server, and can reach nothing of it."""

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # "no-referrer" would make browsers hide the origin of forms, by which they are told from forms of others.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": POLICY,
}

_SAFE = ("GET", "HEAD")


class Guard:
    """Turns away what a foreign page could send, and adds the headers that keep browsers strict.

    A page of another site can make a browser send requests here, and can point its own name at this address. The first
    shows in ``Origin``, the second in ``Host``.

    Parameters
    ----------
    app
        What is guarded.
    local
        Whether only this machine is served; else any address in numbers is right as well, since no name is in it
        that somebody could point elsewhere.
    names
        Further names under which the server may be asked for.
    """

    def __init__(self, app: App, *, local: bool = True, names: Iterable[str] = ()) -> None:
        self._app = app
        self._local = local
        self._names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self.refuses(scope["method"], scope["headers"])
        if refusal:
            body = f"{refusal}\n".encode()
            await send(_headed({"type": "http.response.start", "status": 403, "headers": _plain(body)}))
            await send({"type": "http.response.body", "body": body})
            return

        async def strict(message: Message) -> None:
            await send(_headed(message) if message["type"] == "http.response.start" else message)

        await self._app(scope, receive, strict)

    def refuses(self, method: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return why a request is refused, or nothing."""
        given: dict[bytes, list[str]] = {}
        for name, value in headers:
            given.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts = given.get(b"host", [])
        if len(hosts) != 1 or not self._knows(hosts[0]):
            return "This server does not answer to that name; open the address that it printed when it was started."
        origins = given.get(b"origin", [])
        if method in _SAFE and not origins:
            return ""
        foreign = "This request comes from another page and is refused."
        if origins:
            return "" if origins in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"]) else foreign
        # Programs send neither; browsers that leave out the origin still tell where a request comes from.
        return "" if given.get(b"sec-fetch-site", ["none"]) in (["same-origin"], ["none"]) else foreign

    def _knows(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if not name or parts.netloc != host or parts.username is not None:
            return False
        if name in self._names:
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._local


def _plain(body: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]


def _headed(message: Message) -> Message:
    """Add the strict headers that a response does not set itself."""
    own = {name.lower() for name, _ in message["headers"]}
    extra = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in own]
    return {**message, "headers": [*message["headers"], *extra]}
