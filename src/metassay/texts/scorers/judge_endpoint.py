"""An endpoint that speaks the chat protocol of OpenAI: one question, one answer, and patience in between."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import os
import random
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metassay.errors import UsageError, one_line
from metassay.texts.scorers.judge_cost import Account

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
LARGEST = 8 << 20
"""Bytes of an answer beyond which it is none."""
LONGEST_WAIT = 60.0
"""Seconds between two tries, if the endpoint does not say otherwise."""
LONGEST_ASKED_WAIT = 600.0
"""Seconds that the endpoint may ask to wait."""

_FOR_ONE_TEXT = re.compile(
    r"context[ _]length|maximum context|too long|too large|string_above_max_length|"
    r"content[ _](?:filter|policy|management)|prompt is too|input length",
    re.IGNORECASE,
)


class Trouble(Exception):
    """A request that got no answer."""

    free = False
    """Whether it cost nothing for sure: it was not sent, or refused."""


class Failure(Trouble):
    """The endpoint cannot be used; nothing more is asked of it."""


class Rejection(Trouble):
    """The endpoint does not take this one text: it is too long, or against its rules."""


class Unfit(Trouble):
    """The endpoint does not understand the request."""


class _Passing(Trouble):
    """Something that may have gone by at the next try."""

    def __init__(self, message: str, wait: float | None = None, *, absent: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        self.absent = self.free = absent


class _Deadline:
    """Hangs up when the seconds of a request are over, whatever the other side is at.

    The timeout of a socket is one of every single read, and a byte at a time can keep it waiting for ever: in the TLS
    handshake, in the headers and in the body.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        """Whether it hung up."""
        self._twin: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._hang_up)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._twin is not None:
                self._twin.close()

    def connect(self, *arguments: Any) -> socket.socket:  # noqa: ANN401 - those of socket.create_connection
        """Connect, and remember the connection; TLS takes the socket itself over, so it is a twin that hangs up."""
        made = socket.create_connection(*arguments)
        with self._lock:
            self._twin = made.dup()
        if self.passed:
            self._hang_up()
        return made

    def _hang_up(self) -> None:
        self.passed = True
        with self._lock, contextlib.suppress(OSError):
            if self._twin is not None:
                self._twin.shutdown(socket.SHUT_RDWR)


class _Request(urllib.request.Request):
    """A request with a deadline."""

    deadline: _Deadline


def _timed(kind: Any, request: _Request) -> Any:  # noqa: ANN401 - the classes of http.client
    def make(*arguments: Any, **settings: Any) -> http.client.HTTPConnection:  # noqa: ANN401
        connection: http.client.HTTPConnection = kind(*arguments, **settings)
        # where http.client looks for it, so that TLS is covered as well
        setattr(connection, "_create_connection", request.deadline.connect)  # noqa: B010
        return connection

    return make


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: _Request) -> http.client.HTTPResponse:  # type: ignore[override]
        """Open a connection that has a deadline."""
        return self.do_open(_timed(http.client.HTTPConnection, req), req)


class _Encrypted(urllib.request.HTTPSHandler):
    def __init__(self) -> None:
        self._tls = ssl.create_default_context()
        self._tls.set_alpn_protocols(["http/1.1"])
        super().__init__(context=self._tls)

    def https_open(self, req: _Request) -> http.client.HTTPResponse:  # type: ignore[override]
        """Open a connection that has a deadline."""
        return self.do_open(_timed(http.client.HTTPSConnection, req), req, context=self._tls)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nobody: the key is for the host that the user named."""

    def redirect_request(self, *_: object) -> None:
        """Return nothing, so that a redirect is an error."""


@dataclass
class Endpoint:
    """Sends requests and waits for answers."""

    base_url: str
    """Where the protocol is spoken, such as ``https://api.openai.com/v1``."""
    key: str | None
    """What to identify with; None for an endpoint that asks for nothing. It goes to this host alone, and into no
    message."""
    key_name: str
    """The environment variable that the key is from, for messages."""
    account: Account
    """Counts requests, and says whether there is money for the next."""
    timeout: float
    """Seconds that one request may last, from the first byte sent to the last one received."""
    retries: int
    """How often a request is repeated after a failure that may pass: too many requests, an error of the server, no
    connection, no answer in time, or an answer that is not of the protocol."""
    backoff: float
    """Seconds before the first repeat, twice as many before each further one, times a random number from 0.5 to 1. A
    Retry-After of the endpoint is obeyed instead."""

    def __post_init__(self) -> None:
        self._url, self.told = _address(self.base_url)
        # what TLS needs takes a while to load
        timed = _Encrypted() if self._url.startswith("https:") else _Plain()
        self._opener = urllib.request.build_opener(_NoRedirect(), timed)
        self._answered = False

    def ask(self, body: Mapping[str, object], stop: threading.Event) -> dict[str, Any]:
        """Return what the endpoint answers to a request.

        Parameters
        ----------
        body
            The request.
        stop
            Ends the waiting between two tries.

        Raises
        ------
        Failure
            If there is no answer, after all repeats or because none would help.
        Rejection
            If the endpoint does not take this text.
        Unfit
            If the endpoint does not understand the request.
        Overspent
            If the request could cost more than there is.
        """
        data = json.dumps(body).encode("ascii")
        tried = 0
        while True:
            try:
                answer = self._paid(body, data, stop, again=tried > 0)
            except _Passing as error:
                # where nobody ever answered, the address is more likely wrong than busy
                most = min(2, self.retries) if error.absent and not self._answered else self.retries
                if tried >= most:
                    tries = f", {tried + 1} times" if tried else ""
                    raise Failure(f"the endpoint {self.told} {error}{tries}") from None
                wait = error.wait
                if wait is None:
                    # the moment of a repeat changes no score: it needs no seed
                    wait = min(LONGEST_WAIT, self.backoff * 2**tried) * random.uniform(0.5, 1)
                elif wait > LONGEST_ASKED_WAIT:
                    raise Failure(f"the endpoint {self.told} {error} and asks to wait {wait:,.0f} s") from None
                tried += 1
                if stop.wait(wait):
                    raise Failure("stopped") from None
            else:
                self._answered = True
                return answer

    def _paid(self, body: Mapping[str, Any], data: bytes, stop: threading.Event, *, again: bool) -> dict[str, Any]:
        """Send a request if there is money for it, and book what it cost."""
        most = self.account.reserve(body, len(data))
        answer, free = None, stop.is_set()
        try:
            if free:
                raise Failure("stopped")
            self.account.sent(again=again)
            answer = self._once(data)
        except Trouble as error:
            free = free or error.free
            raise
        finally:
            self.account.settle(most, answer, free=free)
        return answer

    def _once(self, data: bytes) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "metassay"}
        request = _Request(self._url, data, headers, method="POST")
        if self.key is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self.key}")
        with _Deadline(self.timeout) as request.deadline:
            try:
                with self._opener.open(request, timeout=self.timeout) as response:
                    content = self._read(response)
            except urllib.error.HTTPError as error:
                with error:
                    complaint = self._complaint(error)
                complaint.free = True
                raise complaint from None
            except (OSError, http.client.HTTPException) as error:
                reason = error.reason if isinstance(error, urllib.error.URLError) else error
                raise self._no_connection(TimeoutError() if request.deadline.passed else reason) from None
            if request.deadline.passed:  # what was hung up looks like an answer that ended
                raise self._no_connection(TimeoutError())
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise _Passing(f"gave an answer that is not JSON: {self._shown(content)}") from None
        if not isinstance(answer, dict) or not _choices(answer):
            raise _Passing(f"gave an answer without choices: {self._shown(content)}")
        return answer

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        parts, size = [], 0
        while part := response.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                raise Failure(f"the endpoint {self.told} answered more than {LARGEST >> 20} MB to one request")
        if response.length:  # read1 does not say that an answer was cut off
            raise http.client.IncompleteRead(b"", response.length)
        return b"".join(parts)

    def _no_connection(self, reason: object) -> Trouble:
        if isinstance(reason, ssl.SSLCertVerificationError):
            return Failure(f"the endpoint {self.told} has no valid certificate: {one_line(reason.verify_message, 80)}")
        if isinstance(reason, TimeoutError):
            return _Passing(f"gave no answer within {self.timeout:g} s")
        if isinstance(reason, http.client.HTTPException | ConnectionResetError | BrokenPipeError):
            return _Passing("broke off the connection")
        text = getattr(reason, "strerror", None) or str(reason)
        absent = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        return _Passing(f"cannot be reached ({self._hidden(one_line(text, 80)).lower()})", absent=absent)

    def _complaint(self, error: urllib.error.HTTPError) -> Trouble:
        """Return what an answer other than 200 means."""
        try:
            content = error.read(1 << 16)
        except (OSError, http.client.HTTPException):
            content = b""
        code, said = error.code, self._said(content)
        told = f"answered {code}" + (f": {said}" if said else "")
        if code in (408, 409, 425, 429) or code >= 500:
            if "insufficient_quota" in content.decode("utf-8", "replace"):
                return Failure(f"the endpoint {self.told} {told}")
            return _Passing(told, retry_after(error.headers.get("Retry-After")))
        if code in (401, 403):
            remedy = f"is the key in {self.key_name} right?" if self.key else "name the variable of a key: key_env=…"
            return Failure(f"the endpoint {self.told} {told}; {remedy}")
        if 300 <= code < 400:
            target = one_line(error.headers.get("Location") or "elsewhere", 80)
            return Failure(
                f"the endpoint {self.told} redirects to {self._hidden(target)}, which is not followed; "
                "give that as base_url if you trust it"
            )
        if code == 404:
            return Failure(f"the endpoint {self.told} {told}; are base_url and model right?")
        if code == 413 or (code in (400, 422) and _FOR_ONE_TEXT.search(content.decode("utf-8", "replace"))):
            return Rejection(said or told)
        if code in (400, 422):
            return Unfit(f"the endpoint {self.told} {told}")
        return Failure(f"the endpoint {self.told} {told}")

    def _said(self, content: bytes) -> str:
        """Return the message in an error's body."""
        try:
            body = json.loads(content)
            error = body.get("error", body)
            text = error if isinstance(error, str) else error.get("message") or error.get("detail") or ""
        except (ValueError, AttributeError, RecursionError):
            text = re.sub(r"<[^>]{0,200}>|\s+", " ", content.decode("utf-8", "replace")).strip()
        return one_line(self._hidden(str(text)), 160)

    def _shown(self, content: bytes) -> str:
        return repr(one_line(self._hidden(content[:400].decode("utf-8", "replace")), 60))

    def _hidden(self, text: str) -> str:
        return hide(text, self.key)


def hide(text: str, key: str | None) -> str:
    """Return text without the key, in case it is echoed."""
    return text.replace(key, "[key]") if key else text


def _choices(answer: Mapping[str, Any]) -> bool:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    return all(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in choices)


def retry_after(value: str | None) -> float | None:
    """Return the seconds that a Retry-After asks for, given as seconds or as a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None


def _address(base_url: str) -> tuple[str, str]:
    """Return the address that requests go to, and the one to show, which has no query."""
    try:
        parts = urllib.parse.urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
        parts = urllib.parse.urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not base_url.isprintable() or " " in base_url:
        raise UsageError(
            f"base_url must begin with http:// or https:// and a host, got {one_line(base_url.partition('?')[0], 60)!r}"
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError("base_url must not hold a password; put the key into a variable and name it with key_env")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    whole = urllib.parse.urlunsplit((parts.scheme, parts.netloc, f"{path}/chat/completions", parts.query, ""))
    return whole, urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def key_for(base_url: str, key_env: str | None) -> tuple[str, str | None]:
    """Return the name of the variable and the key in it, if one is to be sent."""
    name = key_env
    if name is None and str(base_url).startswith(f"{OPENAI.rsplit('/', 1)[0]}/"):
        name = OPENAI_KEY
    if name is None or name == "none":
        return "", None
    shown = one_line(name, 60)
    key = os.environ.get(str(name), "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {shown} holds no key for the judge; set it, or name another with key_env=…"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        # what is wrong with it is told without showing it
        raise UsageError(f"the key in the environment variable {shown} has characters that are not allowed in a key")
    return shown, key
