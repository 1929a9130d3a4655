"""Options of the verbs that work on texts, declared once; see :mod:`metassay.core.options`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from metassay.core import vocabulary as known
from metassay.core.option import CORRUPTED, COUNT, FLAG, Option, among, number

if TYPE_CHECKING:
    from os import PathLike

PARTS = ("outputs", "references", "sources")
"""The parts of texts that can be translated."""

_SCORED, _HOW, _TRANSLATED = "what to score with", "how", "how to translate"


def _parts(_what: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - one or several
    return known.choices("part of the texts", value, PARTS)


MaxReferences = Annotated[int | None, Option("use only the first N references of each input", group=_SCORED, **COUNT)]
LeaveOwnOut = Annotated[
    bool,
    Option(
        "compare people's own texts, outputs that are references themselves, with the other references only",
        group=_SCORED,
        **FLAG,
    ),
]
Scored = Annotated[
    "str | PathLike[str] | None",
    Option(
        "file in which scores are kept by content: a repeated run only scores what is new, and a run that was killed "
        "goes on where it was",
        group=_HOW,
        metavar="FILE",
        absent="in Python nothing is kept; for commands the user's cache",
    ),
]
Processes = Annotated[
    int | None,
    Option(
        "processes to use; they change no number",
        group=_HOW,
        absent="all processors, or this one alone for little work and for a metric with a model of its own",
        **number("N"),
    ),
]
Systems = Annotated[
    "str | Iterable[str] | None",
    Option(
        "systems to corrupt: names or comma lists", group=CORRUPTED, repeated=True, flag="system", absent="all of them"
    ),
]
SourceLanguage = Annotated[
    str | None,
    Option(
        "language of the texts", group=_TRANSLATED, metavar="LANG", flag="from", absent="the one they say, or English"
    ),
]
TranslateWith = Annotated[
    str,
    Option(
        "translator: apertium; marian (the opus-mt model of the two languages) or marian:MODEL by name or path; "
        "command:CMD, a program that reads a text per line and prints a line for each, or command-jsonl:CMD, the same "
        "in JSON; {from} and {to} stand for the languages",
        group=_TRANSLATED,
        flag="with",
    ),
]
Parts = Annotated[
    "str | Iterable[str]",
    Option("parts to translate", _parts, group=_TRANSLATED, **among("PARTS", PARTS), several=True),
]
Translated = Annotated[
    "str | PathLike[str] | None",
    Option(
        "file that keeps translations, so that a repeated or interrupted run only makes what is new",
        group=_TRANSLATED,
        metavar="FILE",
    ),
]
Folder = Annotated[
    "str | PathLike[str] | None",
    Option(
        "folder of data sets, such as metassay datasets get fills",
        metavar="FOLDER",
        group="output",
        absent="METASSAY_DATA, or a cache",
    ),
]
