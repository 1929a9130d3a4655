"""Records of Argilla, in which each question has answers of users: nested or flat, of both of its versions."""

from __future__ import annotations

import json
from typing import Any

from metassay.readers.judged import Judged
from metassay.readers.source import Record

USERS = ".responses.users"
"""How a column of users ends, beside one of their answers."""
_COUNTED = (None, "submitted")
"""States of answers that count: drafts, and what a user discarded, do not."""


def answers(record: Record) -> list[Record]:
    """Return a row per user, with suggestions of models beside it; nothing for a record of another kind."""
    nested = isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), dict | list)
    given = _nested(record) if nested else _flattened(record)
    if given is None:
        return []
    rest, said, suggested = given
    shared = {**rest, **{name: _value(value) for name, value in suggested.items()}}
    users: dict[str, Record] = {}
    for question, user, value, status in said:
        if status in _COUNTED and value is not None:
            users.setdefault(str(user), {})[question] = _value(value)
    return [Judged({**shared, "annotator": user, **own}, own) for user, own in users.items()] or [shared]


Given = tuple[Record, list[tuple[str, Any, Any, Any]], Record]
"""What is known of a record; question, user, answer and status of each response; and what models suggest."""


def _nested(record: Record) -> Given:
    responses, suggested = record["responses"], record.get("suggestions") or {}
    if isinstance(responses, dict):
        said = [
            (name, one.get("user_id"), one.get("value"), one.get("status"))
            for name, many in responses.items()
            for one in many
        ]
    else:
        said = [
            (name, one.get("user_id"), each.get("value"), one.get("status"))
            for one in responses
            for name, each in (one.get("values") or {}).items()
        ]
    if isinstance(suggested, list):
        suggested = {one.get("question_name"): one for one in suggested}
    models = {_called(one.get("agent"), name): one.get("value") for name, one in suggested.items()}
    gone = ("fields", "metadata", "responses", "suggestions", "vectors", "_server_id", "external_id", "status")
    rest = {name: value for name, value in record.items() if name not in gone}
    return {**rest, **record["fields"], **(record.get("metadata") or {})}, said, models


def _flattened(record: Record) -> Given | None:
    """Return what a flat record holds: lists of answers and of users, or a list of both for each question."""
    questions = [name.removesuffix(USERS) for name in record if name.endswith(USERS)]
    said: list[tuple[str, Any, Any, Any]] = []
    ends: tuple[str, ...]
    if questions:
        for name in questions:
            values, users = record.get(f"{name}.responses") or [], record[name + USERS] or []
            status = record.get(f"{name}.responses.status") or [None] * len(users)
            said += [(name, *one) for one in zip(users, values, status, strict=False)]
        ends = (".responses", USERS, ".responses.status", ".suggestion", ".suggestion.score", ".suggestion.agent")
        agents = {name: record.get(f"{name}.suggestion.agent") for name in questions}
    else:
        questions = [name for name, value in record.items() if _is_question(value)]
        if not questions:
            return None
        said = [(name, one["user_id"], one["value"], one.get("status")) for name in questions for one in record[name]]
        ends = ("", "-suggestion", "-suggestion-metadata")
        agents = {name: (record.get(f"{name}-suggestion-metadata") or {}).get("agent") for name in questions}
    models = {
        _called(agents[name], name): record.get(name + end)
        for name in questions
        for end in ends
        if end in (".suggestion", "-suggestion") and record.get(name + end) is not None
    }
    own = {name + end for name in questions for end in ends}
    rest = {name: value for name, value in record.items() if name not in own and name != "_server_id"}
    return rest, said, models


def _is_question(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(one, dict) and {"user_id", "value"} <= one.keys() <= {"user_id", "value", "status"}
            for one in value
        )
    )


def _called(agent: object, question: str) -> str:
    return f"{agent or 'suggestion'}:{question}"


def _value(value: object) -> object:
    """Return an answer; several labels are one, and ranks and spans a text."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(sorted(value))
    return json.dumps(value) if isinstance(value, list | dict) else value
