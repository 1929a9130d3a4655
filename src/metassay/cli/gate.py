"""A gate: what must hold, as CI reads it. Lines, JUnit XML, annotations of GitHub Actions, and an exit code."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.studies.requirements import RequirementRow

UNMET = 3
"""The exit code of a gate that was not passed."""
_FLAGS = {
    "--junit FILE": "write the requirements as a JUnit XML file, one test case each",
    "--github": "also report unmet requirements as GitHub Actions annotations",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold."""

    name: str
    """What it is."""
    owner: tuple[str, str]
    """What it is about: a judge, and the human criterion or the version that it is compared with."""
    found: str
    """What was found."""
    met: bool
    """Whether it holds."""

    @property
    def told(self) -> str:
        """The check in a line."""
        return f"{self.name}: {self.found}"


def of_requirements(rows: Iterable[RequirementRow], word: str) -> list[Check]:
    """Return requirements as checks; `word` stands between a judge and what it is compared with."""
    from metassay.report.numbers import significant

    found = []
    for row in rows:
        who = one_line(row.judge, 60), one_line(row.human, 60)
        text = f"{significant(row.value)} for {who[0]} {word} {who[1]}"
        found.append(Check(row.requirement, who, text, row.met))
    return found


@dataclass(frozen=True, slots=True)
class Gate:
    """Where it is told what holds; whatever is wrong with that is known before any work is done."""

    suite: str
    """The command."""
    junit: str | None
    """The JUnit file."""
    github: bool
    """Whether GitHub Actions are told."""
    quiet: bool
    """Whether nothing but what is not met is said."""

    @staticmethod
    def add(parser: Parser, flags: dict[str, str] | None = None) -> None:
        """Add the options, after others of the same group."""
        options.add_flags(parser, "gate", {**(flags or {}), **_FLAGS})

    @classmethod
    def of(cls, arguments: argparse.Namespace, suite: str, needs: Sequence[str]) -> Gate:
        """Check the options; without one of those that are needed there is nothing to tell."""
        from metassay.cli.running import spare_inputs
        from metassay.core.files import check_writable

        asked = [flag for flag in ("junit", "github") if getattr(arguments, flag)]
        if asked and all(getattr(arguments, name, None) is None for name in needs):
            raise UsageError(f"--{asked[0]} cannot be used without {' or '.join(f'--{name}' for name in needs)}")
        if arguments.junit:
            spare_inputs(arguments.junit, arguments.files, "--junit")
            check_writable(arguments.junit)
        return cls(suite, arguments.junit, arguments.github, arguments.quiet)

    def close(self, checks: Sequence[Check]) -> int:
        """Tell what does not hold in a line each, write files, and return the exit code."""
        from metassay.cli.running import say, tell_written
        from metassay.core.files import write_text

        if self.junit:
            write_text(self.junit, _junit(checks, f"metassay {self.suite}"))
            tell_written(self.junit, self.quiet)
        failed = [check for check in checks if not check.met]
        for check in failed:
            say(f"metassay: not met: {check.told}")
        for check in failed if self.github else ():
            # GitHub takes percent signs and line ends escaped.
            line = check.told.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            say(f"::error title=metassay {self.suite}::requirement not met: {line}")
        return UNMET if failed else 0


def _junit(checks: Sequence[Check], suite: str) -> str:
    """Return checks as JUnit XML: a test case each, with a failure where one is not met."""
    counts = {"tests": str(len(checks)), "failures": str(sum(not check.met for check in checks))}
    root = ET.Element("testsuites", counts)
    top = ET.SubElement(root, "testsuite", {"name": suite, **counts})
    for check in checks:
        case = ET.SubElement(top, "testcase", classname=".".join(reversed(check.owner)), name=check.name)
        if not check.met:
            ET.SubElement(case, "failure", message=check.told)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
