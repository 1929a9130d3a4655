"""What is in these files? Scores or votes; the study says what is shown."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser


def add(parser: Parser) -> None:
    """Add the files, how to read them, and where the result goes."""
    options.add_flags(parser, "files", {"FILE...": "scores or votes in any known format; - is stdin"})
    options.add(parser, {name: options.of("agree")[name] for name in ("human", "metric")})
    options.add(parser, options.reading())
    options.add(parser, options.places())
    options.add_output(parser, "look")


def run(arguments: argparse.Namespace) -> int:
    """Read scores, or votes if the files hold such, and show what is in them."""
    from metassay.cli.running import Output, placed, read_votes_or_scores
    from metassay.studies.look import look

    output, files = Output.of(arguments, "look"), [*arguments.files, *_said(arguments)]
    arguments.quiet = True  # the study says what was read
    with placed(arguments):
        result = look(read_votes_or_scores(arguments), files=files)
    output.put(result)
    return 0


def _said(arguments: argparse.Namespace) -> list[str]:
    """Return the options that say how files are read and who is human, to be pasted with the files."""
    people = arguments.human or ()
    found = [part for name in ([people] if isinstance(people, str) else people) for part in ("--human", str(name))]
    for name, value in options.given(arguments, options.reading()).items():
        flag = "--input-format" if name == "format" else f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            found += [flag] if each is True else [flag, str(each)]
    return found
