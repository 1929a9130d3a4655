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

from metassay.core import vocabulary
from metassay.core.files import write_text
from metassay.core.options import Names
from metassay.core.scores import NO_SYSTEM, Scores
from metassay.core.texts import Texts
from metassay.errors import DataError, UnknownName, UsageError, listed
from metassay.report.templates import filled
from metassay.studies.choosing import Output, choose_outputs, choose_pairs
from metassay.studies.downgrade_votes import MARK

ANSWERS = {"rate": "1,2,3,4,5", "label": "fail,pass", "prefer": "the left one,the right one,tie,both bad"}
"""What can be asked, and the answers unless others are given."""
PAIRS = ("random", "close")
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


def make_sheet(
    data: Scores | Texts,
    path: str | os.PathLike[str] | None = None,
    *,
    ask: str = "rate",
    criterion: str = "quality",
    answers: str | None = None,
    n: int = 50,
    choose: str = "random",
    pairs: str = "random",
    metric: Names | None = None,
    human: Names | None = None,
    against: Texts | None = None,
    damage: str = "damage",
    text: str | None = None,
    context: str | None = None,
    title: str = "",
    instructions: str = "",
    seed: int = 0,
) -> Sheet:
    """Make a page on which a person rates, labels or compares outputs.

    Parameters
    ----------
    data
        Outputs: texts, or scores with a text of each output.
    path
        Where the page is written; None only returns it.
    ask
        ``rate`` and ``label`` show one output, ``prefer`` two.
    criterion
        What is judged; the name of the column in the answers.
    answers
        A comma list to choose from; by default 1 to 5, or fail and pass.
    n
        How many outputs or pairs.
    choose
        Which outputs: ``random``, ``stratified``, ``disagreement`` or ``variance`` (see the guide).
    pairs
        Which pairs of systems: ``random`` or ``close`` by a metric.
    metric
        Judges whose scores decide about the choice.
    human
        Outputs with a score in these columns are not shown again.
    against
        Other texts of the same systems and inputs, such as corrupted ones; each pair is an output in both.
    damage
        What was done to these, such as ``shuffle`` or ``shuffle@0.5``: in the votes they are called ``SYSTEM@shuffle``,
        as `downgrade` knows them.
    text, context
        Attributes of scores that hold the output and what it answers; by default those with usual names.
    title, instructions
        What the person reads first.
    seed
        Decides about chance. The order differs from person to person.

    Examples
    --------
    >>> import metassay as ma
    >>> texts = ma.Texts(outputs={("a", "1"): "one text", ("b", "1"): "another"})
    >>> len(ma.make_sheet(texts, ask="prefer").items)
    1
    """
    ask = vocabulary.choice("ask", ask, tuple(ANSWERS))
    choose = vocabulary.choice("choose", choose, vocabulary.LABEL_CHOICES)
    pairs = vocabulary.choice("pairs", pairs, PAIRS)
    n = vocabulary.count("n", n)
    given = vocabulary.names(answers or ANSWERS[ask])
    if len(given) < 2 or (ask == "prefer" and answers is not None):
        raise UsageError("answers are a comma list of at least two; those of prefer are fixed")
    if against is not None and ask != "prefer":
        raise UsageError("texts against others are pairs; use ask='prefer'")
    outputs, contexts = _texts(data, text, context)
    there = np.array([[(s, i) in outputs for i in data.inputs] for s in data.systems])
    if human is not None and isinstance(data, Scores):
        for name in data.find(human, "human criterion"):
            there &= np.isnan(data.matrix(name))
    items: list[tuple[Output, ...]]
    shown: Mapping[Output, str] = outputs
    chances: dict[Output, float] = {}
    if against is not None:
        there &= np.array([[(s, i) in against.outputs for i in data.inputs] for s in data.systems])
        there &= np.array(
            [[outputs.get((s, i)) != against.outputs.get((s, i)) for i in data.inputs] for s in data.systems]
        )
        chosen, _ = choose_outputs(data, there, choose, n, metric, seed)
        items = [((s, i), (f"{s}{MARK}{damage}", i)) for s, i in chosen]
        shown = outputs | {changed: against.outputs[intact] for intact, changed in items}
    elif ask == "prefer":
        items = list(choose_pairs(data, there, pairs == "close", n, metric, seed))
    else:
        outputs_chosen, chances = choose_outputs(data, there, choose, n, metric, seed)
        items = [(each,) for each in outputs_chosen]
    page = _page(items, shown, contexts, chances, ask, criterion, given, title, instructions)
    if path is not None:
        write_text(path, page)
    return Sheet(tuple(items), page)


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
    ask: str,
    criterion: str,
    answers: tuple[str, ...],
    title: str,
    instructions: str,
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
    asked = {"ask": ask, "criterion": criterion, "answers": answers, "unnamed": NO_SYSTEM, "items": rows}
    content = json.dumps(asked, ensure_ascii=False).replace("<", "\\u003c")
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    heading = title or {"prefer": "Which of two texts is better?"}.get(ask, f"How good is each text: {criterion}")
    script, style = ((files(_ROOM) / name).read_text(encoding="utf-8") for name in ("sheet.js", "sheet.css"))
    facts = {"title": escape(heading), "instructions": escape(instructions), "style": style, "key": key}
    return filled(_ROOM, "sheet", **facts, content=content, script=script, n=len(items))
