"""The application: what each address answers."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from metassay.errors import MetassayError, UsageError, one_line
from metassay.readers import FORMATS
from metassay.web import choices, pages
from metassay.web.limits import Limits, in_words
from metassay.web.security import FIRST_POLICY, REPORT_POLICY, Guard
from metassay.web.sessions import Session, Sessions, safe_name
from metassay.web.worker import Busy, Workshop

PATIENCE = 300.0
"""Seconds that an upload may take."""

SILENCE = 30.0
"""Seconds within which more of it must come."""

_FORM = 1_000_000
"""Bytes of a form without files."""

_DRAINED = 10
"""Uploads of up to so many times the limit are heard to the end, since browsers show no answer before."""


class TooLarge(Exception):
    """More was sent than is allowed."""


class Front:
    """The handlers of all addresses, and what they share.

    Parameters
    ----------
    limits
        What may be asked.
    keep
        A folder for copies of what was sent and made.
    """

    def __init__(self, limits: Limits, keep: Path | None) -> None:
        self.limits = limits
        self.keep = keep

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[dict[str, Sessions]]:  # noqa: ANN401, ARG002 - Starlette's
        """Make the folder of all sessions, sweep it from time to time, and take it away in the end."""
        self.workshop = Workshop(self.limits)
        self.sessions = Sessions(self.limits, self.keep)
        sweeping = asyncio.create_task(self.sessions.sweeping())
        try:
            yield {"sessions": self.sessions}
        finally:
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping
            await self.sessions.close()

    # -- files come in --------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        """Show where to drop files."""
        return HTMLResponse(pages.home(self.limits, self.keep is not None))

    async def upload(self, request: Request) -> Response:
        """Take in files and begin to read them."""
        limit = self.limits.upload
        # Boundaries and headers of a form come on top of its files.
        async with (
            asyncio.timeout(PATIENCE),
            _form(request, limit + _FORM, self.limits.files, 10 + len(choices.READING)) as form,
        ):
            sent = [item for item in form.getlist("files") if isinstance(item, UploadFile) and item.filename]
            if not sent:
                raise UsageError("no file was sent; choose at least one")
            if sum(item.size or 0 for item in sent) > limit:
                raise TooLarge
            language, format = (choices.text(form, name, 40) or None for name in ("language", "format"))
            if format is not None and format not in FORMATS:
                raise UsageError(f"there is no format {one_line(format)!r}")
            session = await self.sessions.begin(_person(request))
            session.format, session.language, session.reading = format, language, choices.reading(form)
            try:
                for item in sent:
                    name = safe_name(item.filename, set(session.files))
                    session.files.append(name)
                    await asyncio.to_thread(_save, item.file, session.inbox / name)
            except BaseException:
                await self.sessions.end(session)
                raise
        return self._begin(request, session)

    async def example(self, request: Request) -> Response:
        """Begin a session with the example data."""
        async with _form(request, _FORM, 0, 10) as form:
            name = "votes.csv" if choices.text(form, "file", 40) == "votes.csv" else "example.csv"
        session = await self.sessions.begin(_person(request))
        session.files.append(name)
        with as_file(files("metassay").joinpath("data", name)) as path:
            await asyncio.to_thread(shutil.copyfile, path, session.inbox / name)
        return self._begin(request, session)

    def _begin(self, request: Request, session: Session) -> Response:
        session.job = asyncio.create_task(self._look(session))
        address = f"/s/{session.key}"
        return JSONResponse({"address": address}) if _wants_json(request) else RedirectResponse(address, 303)

    async def _look(self, session: Session) -> None:
        try:
            session.found = await self.workshop.look(session.inbox, self._order(session))
            session.stage = "choosing"
        except MetassayError as error:
            session.error, session.stage = str(error), "unreadable"
            await asyncio.to_thread(shutil.rmtree, session.inbox, True)
        except Exception as error:
            session.error, session.stage = _bug(error), "unreadable"
            raise

    def _order(self, session: Session) -> dict[str, Any]:
        said = {"format": session.format, "language": session.language, "reading": session.reading}
        return {"files": session.files, **said}

    # -- a report comes out ---------------------------------------------------------------------

    async def show(self, request: Request) -> Response:
        """Show a session."""
        return HTMLResponse(pages.of_session(self._session(request), self.limits, self.keep is not None))

    async def state(self, request: Request) -> Response:
        """Tell how far a session is."""
        session = self._session(request)
        return JSONResponse(
            {
                "stage": session.stage,
                "done": session.progress.get("done", 0.0),
                "words": pages.progress_in_words(session),
                "spent": pages.time_spent(session),
                "first": session.stage == "working" and session.first.exists(),
            }
        )

    async def order(self, request: Request) -> Response:
        """Begin to make the report."""
        session = self._session(request)
        if session.stage not in ("choosing", "done") or session.busy:
            raise HTTPException(409, "This session is already at work.")
        async with _form(request, _FORM, 0, 2 * self.limits.columns + 10) as form:
            session.choices = choices.read(form, session.found)
            session.error = choices.objection(session.choices, self.limits)
        if session.error:
            session.stage = "choosing"
        else:
            session.first.unlink(missing_ok=True)
            session.stage, session.progress, session.started = "working", {}, time.monotonic()
            session.job = asyncio.create_task(self._make(session))
        return RedirectResponse(f"/s/{session.key}", 303)

    async def _make(self, session: Session) -> None:
        chosen = session.choices
        order = {
            **self._order(session),
            "language": chosen["language"] or session.language,
            "columns": choices.in_order(chosen),
            "output": str(session.report),
            "first": str(session.first),
            "title": chosen["title"],
            "options": {name: chosen[name] for name in choices.OPTIONS},
        }
        try:
            session.made = await self.workshop.report(session.inbox, order, partial(setattr, session, "progress"))
            await asyncio.to_thread(self.sessions.put_away, session)
            session.stage = "done"
        except MetassayError as error:
            session.error, session.stage = str(error), "choosing"
        except OSError as error:
            session.error, session.stage = f"the report could not be stored: {error.strerror}", "choosing"
        except Exception as error:
            session.error, session.stage = _bug(error), "choosing"
            raise

    async def stop(self, request: Request) -> Response:
        """Stop making the report."""
        session = self._session(request)
        if session.stage == "working":
            await session.stop()
            if session.stage == "working":
                session.stage, session.error = "choosing", "stopped; nothing was made"
        return RedirectResponse(f"/s/{session.key}", 303)

    async def report(self, request: Request) -> Response:
        """Show the report, kept apart from everything else here."""
        return FileResponse(
            self._made(request),
            media_type="text/html; charset=utf-8",
            headers={"content-security-policy": REPORT_POLICY},
        )

    async def first(self, request: Request) -> Response:
        """Show the first screen of a report while the rest is computed; only pages of this server may frame it."""
        session = self._session(request)
        if not session.first.exists():
            raise HTTPException(404, "The first screen is not ready yet.")
        headers = {"content-security-policy": FIRST_POLICY, "x-frame-options": "SAMEORIGIN"}
        return FileResponse(session.first, media_type="text/html; charset=utf-8", headers=headers)

    async def cost(self, request: Request) -> Response:
        """Tell what a report with these choices will cost."""
        session = self._session(request)
        if not session.found:
            raise HTTPException(409, "The files are not read yet.")
        async with _form(request, _FORM, 0, 2 * self.limits.columns + 10) as form:
            return JSONResponse({"words": pages.cost_in_words(session, self.limits, choices.read(form, session.found))})

    async def download(self, request: Request) -> Response:
        """Hand over the report as a file."""
        return FileResponse(self._made(request), media_type="text/html; charset=utf-8", filename="report.html")

    async def delete(self, request: Request) -> Response:
        """Delete a session and all its files."""
        await self.sessions.end(self._session(request))
        return HTMLResponse(pages.wrong("Deleted", "Your files and the report are deleted."))

    def _session(self, request: Request) -> Session:
        session = self.sessions.find(request.path_params["key"])
        if session is None:
            raise HTTPException(404, "This session has ended, and its files are deleted.")
        return session

    def _made(self, request: Request) -> Path:
        session = self._session(request)
        if session.stage != "done":
            raise HTTPException(404, "There is no report yet.")
        return session.report

    # -- the rest -------------------------------------------------------------------------------

    async def complain(self, request: Request, error: Exception) -> Response:
        """Say in one line what went wrong."""
        status, message = 400, one_line(error, 1000)
        if isinstance(error, HTTPException):
            status, message = error.status_code, str(error.detail)
        elif isinstance(error, TooLarge):
            status = 413
            message = (
                f"At most {in_words(self.limits.upload)} can be sent at once. Send fewer files, or pack them with gzip."
            )
        elif isinstance(error, Busy):
            status = 503
        elif isinstance(error, TimeoutError):
            status, message = 408, "Sending took too long; try again."
        if _wants_json(request):
            return JSONResponse({"error": message}, status)
        return HTMLResponse(pages.wrong("That did not work", message), status)


def make_app(
    limits: Limits | None = None, *, keep: Path | None = None, local: bool = True, names: Iterable[str] = ()
) -> Guard:
    """Return the application, with its guard.

    Parameters
    ----------
    limits
        What may be asked of it.
    keep
        A folder for copies of what was sent and made; by default nothing is kept.
    local
        Whether only this machine is served.
    names
        Further names under which it may be asked for.
    """
    front = Front(limits or Limits(), keep)
    told: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = dict.fromkeys(
        (HTTPException, MetassayError, TooLarge, TimeoutError), front.complain
    )
    routes = [
        Route("/", front.home),
        Route("/upload", front.upload, methods=["POST"]),
        Route("/example", front.example, methods=["POST"]),
        Route("/s/{key}", front.show),
        Route("/s/{key}/state", front.state),
        Route("/s/{key}/report", front.order, methods=["POST"]),
        Route("/s/{key}/report", front.report),
        Route("/s/{key}/first", front.first),
        Route("/s/{key}/cost", front.cost, methods=["POST"]),
        Route("/s/{key}/download", front.download),
        Route("/s/{key}/stop", front.stop, methods=["POST"]),
        Route("/s/{key}/delete", front.delete, methods=["POST"]),
        *(Route(f"/{name}", _asset(name, kind)) for name, kind in (("style.css", "css"), ("page.js", "javascript"))),
        Route("/favicon.ico", _nothing),
    ]
    return Guard(Starlette(routes=routes, exception_handlers=told, lifespan=front.lifespan), local=local, names=names)


def _asset(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:  # noqa: ARG001 - Starlette's
        return Response(pages.asset(name), media_type=f"text/{kind}")

    return answer


async def _nothing(request: Request) -> Response:  # noqa: ARG001 - Starlette's
    return Response(status_code=204)


def _person(request: Request) -> str:
    return request.client.host if request.client else ""


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


@asynccontextmanager
async def _form(request: Request, limit: int, most_files: int, most_fields: int) -> AsyncIterator[FormData]:
    """Read a form of at most `limit` bytes; what is said about its length is checked, and what comes is counted."""
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > limit:
        await _drain(request.receive, _DRAINED * limit if int(said) <= _DRAINED * limit else 0)
        raise TooLarge
    came = 0

    async def counted() -> Any:  # noqa: ANN401 - ASGI's messages
        nonlocal came
        async with asyncio.timeout(SILENCE):
            message = await request.receive()
        came += len(message.get("body", b""))
        if came > limit:
            if message.get("more_body"):
                await _drain(request.receive, _DRAINED * limit)
            raise TooLarge
        return message

    try:
        reading = Request(request.scope, counted)
        async with reading.form(max_files=most_files, max_fields=most_fields) as form:
            yield form
    except ClientDisconnect:
        raise HTTPException(400, "The connection broke off.") from None


async def _drain(receive: Callable[[], Awaitable[Any]], limit: int) -> None:
    """Hear out up to `limit` bytes and forget them: a browser that is cut short shows its own error, not ours."""
    while limit > 0:
        async with asyncio.timeout(SILENCE):
            message = await receive()
        limit -= len(message.get("body", b""))
        if not message.get("more_body"):
            return


def _save(source: Any, path: Path) -> None:  # noqa: ANN401 - a spooled file
    with path.open("xb") as target:
        shutil.copyfileobj(source, target)


def _bug(error: Exception) -> str:
    return f"this is a bug in metassay ({type(error).__name__}: {one_line(error, 200)})"
