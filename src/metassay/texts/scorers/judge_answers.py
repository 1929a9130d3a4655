"""What a judge answered: finding the score in it, or none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metassay.core import vocabulary
from metassay.errors import UsageError, one_line

PARSERS = ("number", "json", "regex")
LONGEST = 50_000
"""Letters of an answer that are looked at: its end, where the score stands."""

_NUMBER = r"[-−+]?\d+(?:[.,]\d+)*"
_ANY = re.compile(rf"(?<![\w.,/]){_NUMBER}(?!\w)(?!\s*%)")
_LABELLED = re.compile(
    rf"\b(?:score|rating)\b[\s\"'*_:=]{{0,9}}(?:is\b|of\b)?[\s\"'*_:=]{{0,9}}({_NUMBER})(?![\w%])", re.IGNORECASE
)
_OF_ANOTHER = re.compile(r"[*_]{0,3}\s{0,3}(?:/|out\s{1,3}of)\s{0,3}\d", re.IGNORECASE)
_THOUGHT = re.compile(r".*</think(?:ing)?>", re.DOTALL)


class Found(NamedTuple):
    """A number in an answer."""

    value: float
    """The number."""
    start: int
    """Where it begins in the answer."""
    text: str
    """How it is written."""


class Reading(NamedTuple):
    """What became of one answer."""

    score: float
    """The score; NaN if there is none."""
    why: str
    """Why there is none, or nothing."""


WHY = ("unread", "refused", "empty", "cut", "rejected")
"""Why an answer gives no score."""


class Parser:
    """Finds the score in an answer.

    Parameters
    ----------
    kind
        ``number``: the number behind the last "Score:" or "Rating:", and without one the last number of the answer,
        where mentions of the scale ("1 to 5", "/5", "out of 5") do not count. ``json``: a field of the last JSON object
        in the answer. ``regex``: the first group of a pattern, at its last match.
    field
        The field of the JSON object.
    pattern
        The pattern.
    """

    def __init__(self, kind: str = "number", *, field: str = "score", pattern: str | None = None) -> None:
        self._kind = vocabulary.choice("parser", kind, PARSERS)
        self._field = str(field)
        self._pattern: re.Pattern[str] | None = None
        if self._kind == "regex":
            try:
                self._pattern = re.compile(str(pattern) if pattern is not None else "")
            except re.error as error:
                raise UsageError(f"pattern {one_line(pattern, 60)!r} is not a regular expression: {error}") from None
            if self._pattern.groups < 1:
                raise UsageError("parser=regex needs a pattern=… with a group around the score, such as 'Score: (\\d)'")
        elif pattern is not None:
            raise UsageError("pattern goes with parser=regex")
        told = {"json": f",{self._field}", "regex": f",{self._pattern.pattern if self._pattern else ''}"}
        self.signature = self._kind + told.get(self._kind, "")

    def find(self, answer: str, low: float, high: float, *, cut: bool = False) -> Found | None:
        """Return the score, or None if there is none or it lies outside the scale.

        Parameters
        ----------
        answer
            What the judge wrote. Thoughts that end with ``</think>`` are left out.
        low, high
            The ends of the scale.
        cut
            Whether the answer was cut off at its longest. A number is then taken only where it begins the answer or
            stands behind a label, and not if the next digit may be what was cut off.

        Examples
        --------
        >>> Parser().find("Two slips. Score: 4/5", 1, 5).value
        4.0
        >>> Parser().find("I cannot judge this.", 1, 5) is None
        True
        """
        shift = max(0, len(answer) - LONGEST)
        thought = _THOUGHT.match(answer, shift)
        shift = thought.end() if thought else shift
        text = answer[shift:]
        if self._kind == "json":
            found = self._in_json(text)
        elif self._pattern is not None:
            matches = list(self._pattern.finditer(text))
            found = _as_found(matches[-1][1], matches[-1].start(1)) if matches and matches[-1][1] else None
        else:
            found = _in_words(text, low, high, cut=cut)
        if found is None or not low <= found.value <= high:
            return None
        if cut and high >= 10 and found.start + len(found.text) == len(text):
            return None
        return found._replace(start=found.start + shift)

    def _in_json(self, text: str) -> Found | None:
        decoder = json.JSONDecoder()
        best, at = None, text.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                at = text.find("{", at + 1)
                continue
            if isinstance(value, dict) and self._field in value:
                best = (value[self._field], at, end)
            at = text.find("{", end)
        if best is None:
            return None
        value, start, end = best
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        # where the number itself stands matters only for the probabilities of its tokens
        label = re.compile(rf"{re.escape(json.dumps(self._field))}\s*:\s*\"?\s*")
        places = [match.end() for match in label.finditer(text, start, end)]
        return _as_found(str(value), places[-1] if places else start)


def _in_words(text: str, low: float, high: float, *, cut: bool) -> Found | None:
    text = _without_scale(text, low, high)
    labelled = list(_LABELLED.finditer(text))
    if labelled:
        return _on_scale(text, labelled[-1][1], labelled[-1].start(1))
    numbers = list(_ANY.finditer(text))
    if not numbers or (cut and text[: numbers[0].start()].strip(" \n\t*\"'")):
        return None
    last = numbers[0] if cut else numbers[-1]
    return _on_scale(text, last[0], last.start())


def _on_scale(text: str, written: str, start: int) -> Found | None:
    """Return a number, unless it is said to be out of another number than the scale's highest."""
    return None if _OF_ANOTHER.match(text, start + len(written)) else _as_found(written, start)


def _without_scale(text: str, low: float, high: float) -> str:
    """Put blanks over mentions of the scale, so that its ends are not taken for a score."""
    ends = f"{low:g}", f"{high:g}"
    low_end, high_end = (re.escape(end) + r"(?:\.0)?(?![\d.]*\d)" for end in ends)
    gap = r"\s{0,3}"  # bounded, or a long run of blanks would take forever
    spans = rf"(?<![\d.]){low_end}{gap}(?:-|–|—|to|and|through|\.\.\.?){gap}{high_end}"
    of = rf"(?<=[\d*_\s]){gap}(?:/|out\s{{1,3}}of|of){gap}{high_end}"
    return re.sub(rf"{spans}|{of}", lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)


def _as_found(written: str, start: int) -> Found | None:
    """Return a number as written; None where commas or points leave open which number is meant."""
    plain = written.strip().replace("−", "-")
    if plain.count(",") + plain.count(".") > 1 or re.search(r",\d{3}$", plain):
        return None
    try:
        value = float(plain.replace(",", "."))
    except ValueError:
        return None
    return Found(value, start, written) if math.isfinite(value) else None


def read_choice(choice: Mapping[str, Any], parser: Parser, low: float, high: float, *, logprobs: bool) -> Reading:
    """Return the score in a choice of the endpoint's answer, or why there is none."""
    message, ended = choice["message"], choice.get("finish_reason")
    text = text_of(message.get("content"))
    if message.get("refusal") or ended == "content_filter":
        return Reading(math.nan, "refused")
    if not text.strip():
        return Reading(math.nan, "cut" if ended == "length" else "empty")
    found = parser.find(text, low, high, cut=ended == "length")
    if found is None:
        return Reading(math.nan, "cut" if ended == "length" else "unread")
    if not logprobs:
        return Reading(found.value, "")
    given = choice.get("logprobs")
    tokens = given.get("content") if isinstance(given, Mapping) else None
    mean = expectation(found, text, tokens, low, high)
    return Reading(found.value, "plain") if mean is None else Reading(mean, "")


def text_of(content: object) -> str:
    """Return the text of a message, which some endpoints give in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""


def expectation(found: Found, answer: str, tokens: object, low: float, high: float) -> float | None:
    """Return the mean of the scale under the judge's own probabilities, at the token that holds the score.

    G-Eval (Liu et al., 2023), equation 1: the sum of p(s) · s over the scores s of the scale. Tokens that are no whole
    number of the scale have no part in it, and the others' probabilities are made to add up to 1.

    Parameters
    ----------
    found
        The score in the answer.
    answer
        The answer.
    tokens
        ``logprobs.content`` of the answer: tokens, each with its likeliest alternatives.
    low, high
        The ends of the scale.

    Returns
    -------
    float or None
        None if there are no probabilities for this score.

    Examples
    --------
    >>> top = [{"token": "4", "logprob": -0.6931471805599453}, {"token": "2", "logprob": -0.6931471805599453}]
    >>> expectation(Found(4.0, 0, "4"), "4", [{"token": "4", "top_logprobs": top}], 1, 5)
    3.0
    """
    if not isinstance(tokens, Sequence) or isinstance(tokens, str):
        return None
    at, holder = 0, None
    for token in tokens:
        if not isinstance(token, Mapping) or not isinstance(token.get("token"), str):
            return None
        text = token["token"]
        if at <= found.start < at + len(text):
            holder = token
            break
        at += len(text)
    if holder is None or holder["token"].strip() != found.text or not answer.startswith(holder["token"], at):
        return None
    weights: dict[float, float] = {}
    top = holder.get("top_logprobs")
    for one in top if isinstance(top, Sequence) else ():
        if isinstance(one, Mapping) and isinstance(one.get("logprob"), int | float):
            text = str(one.get("token")).strip()
            if re.fullmatch(r"\d", text) and low <= int(text) <= high:
                weights[float(text)] = weights.get(float(text), 0.0) + math.exp(min(0.0, one["logprob"]))
    total = sum(weights.values())
    return sum(value * weight for value, weight in weights.items()) / total if total > 0 else None
