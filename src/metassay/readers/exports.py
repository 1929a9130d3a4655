"""Results that tools for testing and labelling export: promptfoo, DeepEval and Label Studio, as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from metassay.core.frames import record_table
from metassay.core.ledger import Ledger, Place
from metassay.core.reading import Layout
from metassay.readers.source import Record, Source

FORMATS = ("promptfoo", "deepeval", "label-studio")

_FACT = "\0"
"""Before the names of what is known of an input, and is no score, whatever it holds."""
_GRADED = re.compile(r"llm-rubric|g-eval|factuality|(answer|context)-\w+|model-graded-\w+|select-best|pi")
"""Assertions of promptfoo that a model decides."""


def recognise(source: Source) -> str | None:
    """Return the tool whose fields the document has."""
    document = _document(source)
    if isinstance(document, dict):
        results = document.get("results")
        if isinstance(results, dict) and _first(results.get("results")).keys() >= {"success", "score"}:
            return "promptfoo"
        return "deepeval" if "metricsData" in _first(document.get("testCases")) else None
    first = _first(document)
    marked = _first(first.get("annotations"))
    return "label-studio" if isinstance(first.get("data"), dict) and "result" in marked else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write the scores into the ledger as the table they are."""
    try:
        rows = list(_ROWS[name](_document(source)))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise source.wrong(f"not an export of {name}: a field is missing, or holds something else") from None
    if not rows:
        raise source.wrong(f"there is no result in the export of {name}")
    names = list(dict.fromkeys(key for row in rows for key in row))
    roles: dict[str, tuple[str, ...]] = {role: (role,) for role in ("system", "input", "annotator") if role in names}
    values = tuple(key for key in names if key not in roles)
    for key in values:
        if key.startswith(_FACT):
            ledger.attributes.add(key.removeprefix(_FACT))
        elif name == "label-studio":
            ledger.say_kind(key, "human", Place(source.shown))
    table = {key.removeprefix(_FACT): [row.get(key) for row in rows] for key in names}
    layout = Layout("wide", roles, {}, tuple(key.removeprefix(_FACT) for key in values), ())
    record_table(ledger, table, source.shown, range(1, len(rows) + 1), layout)
    return name


def _document(source: Source) -> Any:  # noqa: ANN401 - JSON
    if not source.first_line.startswith(("{", "[")):
        return None
    return source.document if source.first_record is None else source.first_record


def _first(value: object) -> Record:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}


def _promptfoo(document: Any) -> Iterator[Record]:  # noqa: ANN401 - JSON
    """Yield a row per test; a system is a provider with a prompt, and ``namedScores`` are metrics of their own."""
    results = document["results"]["results"]
    prompts = {one.get("promptIdx") for one in results}
    for one in results:
        provider = one.get("provider") or {}
        system = provider.get("label") or provider.get("id") if isinstance(provider, dict) else str(provider)
        if len(prompts) > 1:
            system = f"{system}, {(one.get('prompt') or {}).get('label') or one.get('promptIdx')}"
        case = one.get("testIdx", one.get("description"))
        yield {
            "system": system or "unnamed",
            "input": str(case),
            "success": float(bool(one["success"])),
            "score": one["score"],
            **_graded(one.get("gradingResult")),
            **(one.get("namedScores") or {}),
            **_facts(one.get("vars") or (one.get("testCase") or {}).get("vars")),
        }


def _graded(result: Any) -> Record:  # noqa: ANN401 - JSON
    """Return what a model said of an output: the assertion, numbered if there are several alike, and its score."""
    found: Record = {}
    for one in (result or {}).get("componentResults") or ():
        about = one.get("assertion") or {}
        kind = str(about.get("type") or "").removeprefix("not-")
        if _GRADED.fullmatch(kind) and not about.get("metric"):
            name = next(n for n in (kind, *(f"{kind} {at}" for at in range(2, 999))) if n not in found)
            found[name] = one.get("score")
    return found


def _facts(facts: Any) -> Record:  # noqa: ANN401 - JSON
    """Return texts and numbers that are known of an input; names of roles are told from them."""
    own = {str(k): v for k, v in (facts or {}).items() if isinstance(v, str | int | float)}
    taken = ("system", "input", "annotator")
    return {f"{_FACT}{k}_" if k in taken else f"{_FACT}{k}": str(v) for k, v in own.items()}


def _deepeval(document: Any) -> Iterator[Record]:  # noqa: ANN401 - JSON
    for at, case in enumerate(document["testCases"]):
        scores = {one["name"]: one.get("score") for one in case.get("metricsData") or () if "name" in one}
        texts = {name: case[name] for name in ("actualOutput", "expectedOutput") if isinstance(case.get(name), str)}
        facts = _facts({"question": str(case.get("input", "")), **texts})
        yield {"input": str(case.get("name") or at), **facts, **scores}


def _label_studio(document: Any) -> Iterator[Record]:  # noqa: ANN401 - JSON
    """Yield a row per annotation; regions of a text are not read."""
    for task in document:
        facts = _facts(task["data"])
        for marked in task.get("annotations") or ():
            if marked.get("was_cancelled"):
                continue
            by = marked.get("completed_by")
            who = by.get("email") or by.get("id") if isinstance(by, dict) else by
            given = {}
            for one in marked.get("result") or ():
                value = one.get("value") or {}
                said = value.get("rating", value.get("number", (value.get("choices") or [None])[0]))
                if said is not None and one.get("from_name"):
                    given[one["from_name"]] = said
            yield {"input": str(task["id"]), "annotator": str(who), **facts, **given}


_ROWS: dict[str, Callable[[Any], Iterator[Record]]] = {
    "promptfoo": _promptfoo,
    "deepeval": _deepeval,
    "label-studio": _label_studio,
}
