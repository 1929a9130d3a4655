"""Opening the door, and closing it."""

from __future__ import annotations

import importlib.util
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from pathlib import Path

from metassay.errors import UsageError, one_line
from metassay.web.limits import Limits

PACKAGES = ("starlette", "uvicorn", "python_multipart")


def check_packages() -> None:
    """Raise if a package is missing, with the command that installs it."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"serve needs {', '.join(missing)}; run: pip install 'metassay[serve]'")


def is_local(host: str) -> bool:
    """Return whether only this machine reaches a host.

    Examples
    --------
    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("::1"), is_local("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    limits: Limits | None = None,
    keep: Path | None = None,
    names: Iterable[str] = (),
    open_browser: bool = False,
    said: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted; then stop all work and delete everything that was not to be kept.

    Parameters
    ----------
    host
        The address to listen at; by default this machine alone is served.
    port
        The port; 0 takes any that is free.
    limits
        What may be asked.
    keep
        A folder for copies of what was sent and made; by default nothing is kept.
    names
        Further names by which browsers reach the server.
    open_browser
        Whether to open the page.
    said
        Is told the address.
    """
    check_packages()
    import uvicorn

    from metassay.web.app import make_app
    from metassay.web.connections import MOST, FairProtocol

    if keep is not None and not keep.is_dir():
        raise UsageError(f"--keep: there is no directory {one_line(keep)!r}")
    door = _door(host, port)
    with door:
        bound = door.getsockname()[1]
        local = is_local(host)
        # An address that stands for all addresses cannot be opened in a browser.
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        address = f"http://[{shown}]:{bound}/" if ":" in shown else f"http://{shown}:{bound}/"
        app = make_app(
            limits, keep=keep, local=local, names=(*names, host, *(() if local else (socket.gethostname(),)))
        )
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=FairProtocol,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                lifespan="on",
                limit_concurrency=MOST + 1,
                timeout_graceful_shutdown=3,
            )
        )
        # A terminal that is closed ends the server as Ctrl-C does, unless it was started with nohup.
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, server.handle_exit)
        said(f"metassay is at {address} (Ctrl-C ends it)")
        if not local:
            said("anyone who can reach this machine can use it, without a password and unencrypted")
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server.run(sockets=[door])


def _door(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(f"there is no address {one_line(host)!r} to listen at") from None
    door = socket.socket(family, kind, protocol)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(place)
        # Listening at once, so that a browser that is opened now finds somebody.
        door.listen(128)
    except OSError as error:
        door.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot listen at {one_line(host)} port {port}: {reason}; try another --port") from None
    return door
