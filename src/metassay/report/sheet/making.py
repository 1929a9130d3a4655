"""From outputs to the page on which a person judges them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import numpy as np

from metassay.core import sheet_options as sh
from metassay.core import vocabulary
from metassay.core.files import write_text
from metassay.core.scores import NO_SYSTEM, Scores
from metassay.core.study import study
from metassay.core.texts import Texts
from metassay.errors import DataError, UnknownName, UsageError, listed
from metassay.report.templates import filled
from metassay.studies.choosing import Output, choose_outputs, choose_pairs, judges_of, showable
from metassay.studies.downgrade_votes import MARK

TEXT = ("output", "answer", "response", "completion", "summary", "translation", "text", "generation")
CONTEXT = ("prompt", "source", "question", "instruction", "article", "document", "input_text")
"""Attributes that are taken for the output and for what it answers."""
_ROOM = "metassay.report.sheet"


@dataclass(frozen=True)
class Sheet:
    """What was written."""

    items: tuple[tuple[Output, ...], ...]
    """What is shown: the output, or both outputs of a pair, by system and input."""
    page: str
    """The page."""
    judges: tuple[str, ...] = ()
    """The columns that the choice looked at."""


@dataclass(frozen=True)
class _Asked:
    """What is asked, and how."""

    ask: str
    criterion: str
    answers: tuple[str, ...]
    title: str
    instructions: str


@study
def make_sheet(
    data: Scores | Texts,
    path: str | os.PathLike[str] | None = None,
    *,
    ask: sh.Ask = None,
    criterion: sh.Criterion = "quality",
    answers: sh.Answers = None,
    n: sh.Tasks = 50,
    choose: sh.Choose = "random",
    pairs: sh.Pairs = "random",
    metric: sh.Judges = None,
    human: sh.Judged = None,
    text: sh.TextColumn = None,
    context: sh.ContextColumn = None,
    title: sh.Title = None,
    instructions: sh.Instructions = None,
    seed: sh.Seed = 0,
    against: Texts | None = None,
    damage: str = "damage",
) -> Sheet:
    """Make a page on which a person rates, labels or compares outputs.

    Parameters
    ----------
    data
        Outputs: texts, or scores with a text of each output.
    path
        Where the page is written; None only returns it.
    against
        Other texts of the same systems and inputs, such as corrupted ones; each pair is an output in both.
    damage
        What was done to these, such as ``shuffle`` or ``shuffle@0.5``: in the votes they are called ``SYSTEM@shuffle``,
        as `downgrade` knows them.

    Examples
    --------
    >>> import metassay as ma
    >>> texts = ma.Texts(outputs={("a", "1"): "one text", ("b", "1"): "another"})
    >>> len(ma.make_sheet(texts, ask="prefer").items)
    1
    """
    asked = ask or ("rate" if against is None else "prefer")
    given = vocabulary.names(answers or sh.ANSWERS[asked])
    if len(given) < 2 or (asked == "prefer" and answers is not None):
        raise UsageError("answers must be a comma list of at least two; those of prefer are fixed")
    if against is not None and asked != "prefer":
        raise UsageError("against compares pairs of texts; use ask='prefer'")
    outputs, contexts = _texts(data, text, context)
    there = showable(data, outputs, human, against)
    paired = asked == "prefer" and against is None
    names = judges_of(data, metric) if (pairs == "close" if paired else choose != "random") else ()
    items: list[tuple[Output, ...]]
    shown: Mapping[Output, str] = outputs
    chances: dict[Output, float] = {}
    if paired:
        items = list(choose_pairs(data, there, pairs == "close", n, names, seed))
    else:
        chosen, chances = choose_outputs(data, there, choose, n, names, seed)
        items = [(each,) for each in chosen]
    if against is not None:
        items = [((s, i), (f"{s}{MARK}{damage}", i)) for ((s, i),) in items]
        shown, chances = outputs | {changed: against.outputs[intact] for intact, changed in items}, {}
    page = _page(items, shown, contexts, chances, _Asked(asked, criterion, given, title or "", instructions or ""))
    if path is not None:
        write_text(path, page)
    return Sheet(tuple(items), page, tuple(names))


def _texts(data: Scores | Texts, text: str | None, context: str | None) -> tuple[dict[Output, str], dict[str, str]]:
    """Return texts by system and input, and what they answer by input."""
    if isinstance(data, Texts):
        return dict(data.outputs), dict(data.sources)
    found = data.attributes
    for name in (text, context):
        if name is not None and name not in found:
            raise UnknownName("column of texts", name, found)
    own = [name for name, each in found.items() if each.axis == ("output" if data.has_systems else "input")]
    name = text or next((name for name in TEXT if name in own), own[0] if len(own) == 1 else None)
    if name is None:
        raise DataError(
            f"which column holds the texts of outputs? Name it with text=… or --text (texts: {listed(found) or 'none'})"
        )
    about = context or next((each for each in CONTEXT if each in found and found[each].axis == "input"), None)
    texts = np.broadcast_to(found[name].texts(), data.shape)
    outputs = {
        (s, i): str(texts[a, b])
        for a, s in enumerate(data.systems)
        for b, i in enumerate(data.inputs)
        if texts[a, b] is not None
    }
    contexts = {} if about is None else dict(zip(data.inputs, found[about].texts().tolist(), strict=True))
    return outputs, {key: value for key, value in contexts.items() if value is not None}


def _page(
    items: list[tuple[Output, ...]],
    shown: Mapping[Output, str],
    contexts: Mapping[str, str],
    chances: Mapping[Output, float],
    asked: _Asked,
) -> str:
    """Return the page; names of systems stand in it only in a form that nobody reads by accident."""
    rows = [
        {
            "of": base64.b64encode(json.dumps([*(s for s, _ in item), item[0][1]]).encode()).decode(),
            "context": contexts.get(item[0][1], ""),
            "texts": [shown[each] for each in item],
            "chance": chances.get(item[0]),
        }
        for item in items
    ]
    facts: dict[str, object] = {
        "ask": asked.ask,
        "criterion": asked.criterion,
        "answers": asked.answers,
        "unnamed": NO_SYSTEM,
    }
    facts["items"] = rows
    content = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    plain = {"prefer": "Which of two texts is better?"}.get(asked.ask, f"How good is each text: {asked.criterion}")
    script, style = (f"\n{(files(_ROOM) / name).read_text(encoding='utf-8')}" for name in ("sheet.js", "sheet.css"))
    told = {"title": escape(asked.title or plain), "instructions": escape(asked.instructions), "key": key}
    # Nothing but this very script runs, whatever stands in the texts.
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return filled(
        _ROOM, "sheet", **told, n=len(items), content=content, script=script, style=style, own=f"sha256-{own}"
    )
