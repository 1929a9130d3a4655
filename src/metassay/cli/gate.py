"""Requirements as CI reads them: lines, JUnit XML, and annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from metassay.errors import one_line

if TYPE_CHECKING:
    from metassay.studies.judge_rows import RequirementRow


def _told(row: RequirementRow) -> str:
    value = "undefined" if row.value != row.value else f"{row.value:.4g}"
    return f"{row.requirement}: {value} for {one_line(row.judge, 60)} on {one_line(row.human, 60)}"


def unmet(rows: Iterable[RequirementRow]) -> list[str]:
    """Return a line for every unmet requirement."""
    return [f"metassay: not met: {_told(row)}" for row in rows if not row.met]


def github(rows: Iterable[RequirementRow]) -> list[str]:
    """Return the same as commands of GitHub Actions, which take percent signs and line ends escaped."""
    told = (_told(row).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A") for row in rows if not row.met)
    return [f"::error title=metassay judge::requirement not met: {line}" for line in told]


def junit(rows: Iterable[RequirementRow], suite: str = "metassay judge") -> str:
    """Return requirements as JUnit XML: a test case each, with a failure where one is not met."""
    cases = list(rows)
    failed = sum(not row.met for row in cases)
    root = ET.Element("testsuites", tests=str(len(cases)), failures=str(failed))
    top = ET.SubElement(root, "testsuite", name=suite, tests=str(len(cases)), failures=str(failed))
    for row in cases:
        who = f"{one_line(row.human, 60)}.{one_line(row.judge, 60)}"
        case = ET.SubElement(top, "testcase", classname=who, name=row.requirement)
        if not row.met:
            ET.SubElement(case, "failure", message=_told(row))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
