"""Results that tools for testing and labelling export: promptfoo, DeepEval and Label Studio, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from metassay.core.frames import record_table
from metassay.core.ledger import Ledger, Place
from metassay.core.reading import understand
from metassay.readers.source import Record, Source

FORMATS = ("promptfoo", "deepeval", "label-studio")


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
    layout = understand(names, ledger.reading, source.shown, "wide")
    table = {key: [row.get(key) for row in rows] for key in names}
    if name == "label-studio":
        facts = {key for task in _document(source) for key in task["data"]}
        for key in layout.values:
            if key not in facts:
                ledger.say_kind(key, "human", Place(source.shown))
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
            **(one.get("namedScores") or {}),
            **{str(k): str(v) for k, v in (one.get("vars") or {}).items() if isinstance(v, str | int | float)},
        }


def _deepeval(document: Any) -> Iterator[Record]:  # noqa: ANN401 - JSON
    for at, case in enumerate(document["testCases"]):
        scores = {one["name"]: one.get("score") for one in case.get("metricsData") or () if "name" in one}
        texts = {name: case[name] for name in ("actualOutput", "expectedOutput") if isinstance(case.get(name), str)}
        yield {"input": str(case.get("name") or at), "question": str(case.get("input", "")), **texts, **scores}


def _label_studio(document: Any) -> Iterator[Record]:  # noqa: ANN401 - JSON
    """Yield a row per annotation; regions of a text are not read."""
    for task in document:
        facts = {k: v for k, v in task["data"].items() if isinstance(v, str | int | float)}
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
