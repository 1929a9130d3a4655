"""The command line: argv in, readers, studies and report at work, an exit code out.

Nothing heavy is imported before it is known that there is work to do, so that help is instant.
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Sequence

from metassay.cli.commands import COMMANDS, GROUPS, load, question
from metassay.cli.parser import Command, Family, Misuse, Parser
from metassay.core.ending import end_with_children
from metassay.core.signature import VERSION
from metassay.errors import MetassayError, one_line

DONE = 0
DATA_DOES_NOT_ALLOW_IT = 1
BUG = 70
INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv
        The arguments without the program's name; by default those of this process.

    Returns
    -------
    int
        0 done, 1 the data does not allow it, 2 wrong usage, 70 a bug in metassay.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        end_with_children()
    with warnings.catch_warnings():
        # what a reader must know stands in the notes of a result; the rest is no business of a terminal
        warnings.simplefilter("ignore")
        return _guarded(arguments)


def _guarded(argv: list[str]) -> int:
    """Run the command; every failure becomes one line and an exit code."""
    try:
        code = _dispatch(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit as stop:  # argparse leaves this way after printing help
        return stop.code if isinstance(stop.code, int) else DONE
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if "--traceback" in argv or os.environ.get("METASSAY_TRACEBACK"):
            raise
        return _complain(error)
    return code


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        if len(argv) > 1 and argv[1] in COMMANDS:
            return _dispatch([*argv[1:], "--help"])
        print(overview(), end="")
        return DONE
    if argv[0] in ("-V", "--version"):
        print(f"metassay {VERSION}")
        return DONE
    name, rest = argv[0], argv[1:]
    if name == "--traceback" and rest:
        return _dispatch([*rest, name])
    if name not in COMMANDS:
        raise Misuse(_unknown(name), "metassay")
    command = load(name)
    if isinstance(command, Family):
        if not rest or rest[0] in ("-h", "--help"):
            print(command.help(name), end="")
            return DONE
        part = command.choose(name, rest)
        command, name, rest = load(f"{name}-{part}"), f"{name} {part}", rest[1:]
    assert isinstance(command, Command), "a part of a family is no family"
    return command.run(Parser(name, command).read(rest))


def overview() -> str:
    """Return the help of the whole command line: every command with its question."""
    width = max(map(len, COMMANDS))
    commands = "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<{width}}  {question(name)}" for name in names)])
        for title, names in GROUPS.items()
    )
    return f"""\
usage: metassay COMMAND [FILE...] [options]

How far can an automatic metric, or a model used as a judge, be trusted in
place of people?

{commands}

examples:
  metassay demo                                  a tour on example data
  metassay look FILE                             what a file contains
  metassay agree scores.csv --human relevance    one question
  metassay report scores.csv --human relevance   all of them, on one page

metassay COMMAND --help explains a command; --version prints the version.
"""


def _unknown(name: str) -> str:
    if name.startswith("-"):
        return f"a command comes first, got the option '{one_line(name, 60)}' (commands: {', '.join(COMMANDS)})"
    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"unknown command '{one_line(name, 60)}'{hint} (commands: {', '.join(COMMANDS)})"


def _complain(error: Exception) -> int:
    """Tell what went wrong in one line, and return the exit code for it."""
    from metassay.cli.running import say

    code = DATA_DOES_NOT_ALLOW_IT
    if isinstance(error, Misuse):
        say(f"{error.prog}: error: {_flat(error)} (see {error.prog} --help)")
        code = error.exit_code
    elif isinstance(error, MetassayError):
        say(f"metassay: error: {_flat(error)}")
        code = error.exit_code
    elif isinstance(error, MemoryError):
        say("metassay: error: out of memory; study fewer metrics at a time, or fewer inputs")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        say(f"metassay: error: {_flat(where)}{_flat(error.strerror or error)}")
        if error.filename is None:  # no file was named, so it is stdout that cannot be written
            _forget_stdout()
    else:
        what = f"{type(error).__name__}: {_flat(error)}"
        say(f"metassay: error: this is a bug in metassay ({what}); run again with --traceback and report it")
        code = BUG
    return code


def _flat(text: object) -> str:
    return one_line(text, 2000)


def _forget_stdout() -> None:
    """Let what is still buffered for a closed pipe or a full disk go nowhere, or Python complains at exit."""
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
    except (OSError, ValueError, AttributeError):
        pass
