"""Make reports in the browser.

Serves the report in the browser, for people who do not use a terminal. They drop files with scores, say which columns
are human judgments, and read and download the report. By default only this machine has access, and no files are kept.
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
    where = {
        "--host HOST": "address to listen at (default: 127.0.0.1, this machine only)",
        "--port N": "port; 0 chooses a free one (default: 8765)",
        "--name NAME...": "a further host name of the server; may be repeated",
        "--open": "open the page in a browser",
    }
    limits = {
        "--max-upload MB": "largest upload (default: 50)",
        "--max-minutes MINUTES": "time limit of one report (default: 15)",
        "--expire MINUTES": "delete files that were not used for this long (default: 60)",
    }
    kept = {"--keep FOLDER": "keep copies of files and reports in this folder (default: nothing is kept)"}
    for title, flags in {"where": where, "limits": limits, "output": {**kept, **options.QUIET}}.items():
        options.add_flags(parser, title, flags)
    parser.set_defaults(host="127.0.0.1", port=8765, name=[], max_upload=50.0, max_minutes=15.0, expire=60.0)


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
