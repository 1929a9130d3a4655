"""All of it, in the browser.

Serves the report in the browser, for people who do not use a terminal: drop files with scores, say which columns
people gave, watch it being made, read and download it. Only this machine is served, and nothing is kept, unless asked.
Needs: pip install 'metassay[serve]'.

    metassay serve --open
    metassay serve --host 0.0.0.0 --name scores.example.org --keep reports
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

USAGE = "[options]"


def add(parser: Parser) -> None:
    """Add the options."""
    group = parser.group("where")
    group.add_argument(
        "--host",
        metavar="HOST",
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, this machine only)",
    )
    group.add_argument("--port", metavar="N", type=int, default=8765, help="port; 0 takes a free one (default: 8765)")
    group.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="a further name by which browsers reach it; repeatable",
    )
    group.add_argument("--open", action="store_true", help="open the page in a browser")
    group = parser.group("limits")
    group.add_argument("--max-upload", metavar="MB", type=float, default=50, help="size of an upload (default: 50)")
    group.add_argument(
        "--max-minutes", metavar="N", type=float, default=15, help="time that one report may take (default: 15)"
    )
    group.add_argument(
        "--expire",
        metavar="MINUTES",
        type=float,
        default=60,
        help="delete what nobody has used for so long (default: 60)",
    )
    group = parser.group("output")
    group.add_argument(
        "--keep", metavar="FOLDER", help="keep copies of files and reports there (default: nothing is kept)"
    )
    options.add_quiet(group)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from dataclasses import replace
    from pathlib import Path

    from metassay.cli.running import say
    from metassay.web.limits import MEGABYTE, Limits
    from metassay.web.serving import serve

    if not 0 <= arguments.port <= 65535:
        raise UsageError(f"port must lie between 0 and 65535, got {arguments.port}")
    for name in ("max_upload", "max_minutes", "expire"):
        if not 0 < getattr(arguments, name) < 1e6:
            raise UsageError(f"{name.replace('_', '-')} must be more than 0, got {getattr(arguments, name):g}")
    limits = replace(
        Limits(),
        upload=int(arguments.max_upload * MEGABYTE),
        unpacked=max(Limits().unpacked, int(arguments.max_upload * MEGABYTE)),
        seconds=60 * arguments.max_minutes,
        lifetime=60 * arguments.expire,
    )
    keep = None if arguments.keep is None else Path(arguments.keep)
    try:
        serve(
            host=arguments.host,
            port=arguments.port,
            limits=limits,
            keep=keep,
            names=arguments.name,
            open_browser=arguments.open,
            said=say,
        )
    except KeyboardInterrupt:
        # This is how a server is meant to end.
        if not arguments.quiet:
            say("stopped; " + ("nothing is kept" if keep is None else "what was made is kept"))
    return 0
