"""An argument parser whose errors are one line each."""

from __future__ import annotations

import argparse
import difflib
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from metassay.errors import UsageError, one_line

TARGETS = ("output", "figure", "checkpoint", "cache", "back", "changes")
"""Options of all commands that name files to be written."""
PLAIN = "plain text files instead, aligned line by line"
"""The heading above plain text files, the rarer way to give texts."""
LAST = (PLAIN, "output", "which part of the data", "how to read the files", "reproducibility and speed", "options")
"""Groups of options that stand last in the help, after what is asked every day; the last is argparse's own."""


def _shown(examples: Sequence[str], width: int) -> str:
    """Return command lines, each broken before an option where it is too long, so that it can still be pasted."""
    lines = []
    for example in examples:
        line, *options = example.split(" --")
        for option in options:
            if len(line) + len(option) + 7 > width:
                lines.append(f"  {line} \\")
                line = "    "
            line += f"{'' if line.isspace() else ' '}--{option}"
        lines.append(f"  {line}")
    return "\n".join(lines)


class Misuse(UsageError):
    """The command line is wrong; `prog` says which command should explain itself."""

    def __init__(self, message: str, prog: str) -> None:
        super().__init__(message)
        self.prog = prog


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what it tells about itself, its options, and what it does."""

    about: str
    """A paragraph for people who meet the command for the first time."""
    examples: Sequence[str]
    """Command lines that work."""
    options: Callable[[Parser], None]
    """Adds the options to a parser."""
    run: Callable[[argparse.Namespace], int]
    """Does the work and returns the exit code."""
    usage: str = "FILE... [options]"
    """What follows the command's name."""


@dataclass(frozen=True, slots=True)
class Family:
    """A command that is several: ``metassay NAME PART``, each part a command of its own."""

    about: str
    """A paragraph for people who meet the commands for the first time."""
    examples: Sequence[str]
    """Command lines that work."""
    parts: Mapping[str, str]
    """Every part and the question it answers; part P of family F is the module ``F_P``."""

    def help(self, name: str) -> str:
        """Return what the family tells about itself."""
        width = min(shutil.get_terminal_size((100, 24)).columns, 110)
        longest = max(map(len, self.parts))
        parts = "\n".join(f"  {part:<{longest}}  {question}" for part, question in self.parts.items())
        examples = _shown(self.examples, width)
        return (
            f"usage: metassay {name} {'|'.join(self.parts)} [FILE...] [options]\n\n"
            f"{textwrap.fill(self.about, width - 2)}\n\n{name}:\n{parts}\n\nexamples:\n{examples}\n\n"
            f"metassay {name} {next(iter(self.parts))} --help explains a part.\n"
        )

    def choose(self, name: str, argv: Sequence[str]) -> str:
        """Return the part that the arguments after the family's name begin with."""
        if not argv or argv[0].startswith("-"):
            raise Misuse(f"one of {', '.join(self.parts)} must come first", f"metassay {name}")
        if argv[0] not in self.parts:
            near = difflib.get_close_matches(argv[0], self.parts, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            known = ", ".join(self.parts)
            raise Misuse(f"unknown part '{one_line(argv[0], 60)}'{hint} (known: {known})", f"metassay {name}")
        return argv[0]


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that never breaks a method's name at its hyphen."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Return a switch as what it changes; the other form, which says the default, is understood all the same."""
        if not isinstance(action, argparse.BooleanOptionalAction):
            return super()._format_action_invocation(action)
        usual = bool(getattr(action, "usual", False))
        return next(text for text in action.option_strings if text.startswith("--no-") == usual)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)


class Parser(argparse.ArgumentParser):
    """An argument parser for one command; positions and options may be mixed."""

    def __init__(self, name: str, command: Command) -> None:
        width = min(shutil.get_terminal_size((100, 24)).columns, 110)
        examples = _shown(command.examples, width)
        super().__init__(
            prog=f"metassay {name}",
            usage=f"metassay {name} {command.usage}",
            description=textwrap.fill(command.about, width - 2),
            epilog=f"examples:\n{examples}",
            formatter_class=partial(_Help, width=width, max_help_position=26),
            allow_abbrev=False,
        )
        self._groups: dict[str, Any] = {}
        command.options(self)
        self.add_argument("--traceback", action="store_true", help=argparse.SUPPRESS)
        self._action_groups.sort(key=lambda group: LAST.index(group.title) if group.title in LAST else -1)

    def group(self, title: str) -> Any:  # noqa: ANN401 - argparse does not export the type of its groups
        """Return the group of options under a heading, a new one if there is none."""
        if title not in self._groups:
            self._groups[title] = self.add_argument_group(title)
        return self._groups[title]

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments that follow the command's name."""
        # argparse forgets a lone "--" between mixed positions, so what follows it is kept apart here
        before, after = list(argv), []
        if "--" in before:
            at = before.index("--")
            before, after = before[:at], before[at + 1 :]
        found, unknown = self.parse_known_intermixed_args(before)
        wrong = [text for text in unknown if text.startswith("-") and text != "-"]
        if wrong or (unknown and not hasattr(found, "files")):
            self.error(self._unknown(wrong[0] if wrong else unknown[0]))
        if hasattr(found, "files"):
            found.files = [*found.files, *after]
        elif after:
            self.error(self._unknown(after[0]))
        self._check_targets(found)
        return found

    def _check_targets(self, found: argparse.Namespace) -> None:
        """Raise if two options name one file to write to: the second would destroy what the first wrote."""
        seen: dict[Path, str] = {}
        for name in TARGETS:
            value = getattr(found, name, None)
            if value is None or value == "-" or (Path(value).exists() and not Path(value).is_file()):
                continue  # stdout and devices take anything from anybody
            option = "-o" if name == "output" else f"--{name}"
            other = seen.setdefault(Path(value).resolve(), option)
            if other != option:
                raise UsageError(f"{other} and {option} name the same file, {one_line(value)!r}; choose another name")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print with the whole usage above it."""
        raise Misuse(one_line(message.removeprefix("argument "), 400), self.prog)

    def _unknown(self, text: str) -> str:
        option = text.split("=")[0]
        known = [flag for flag in self._option_string_actions if flag != "--traceback"]
        near = difflib.get_close_matches(option, known, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"unknown {'option' if text.startswith('-') else 'argument'} '{one_line(option, 60)}'{hint}"
