"""Metrics by name: what each needs, how to install it, and how to write one with its options."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from metassay.errors import UnknownName, UsageError, one_line
from metassay.texts.scorers.base import Need, Scorer


@dataclass(frozen=True, slots=True)
class Metric:
    """An entry of the registry: everything to know about a metric before it is loaded."""

    name: str
    """The name on the command line."""
    summary: str
    """What it measures, in a sentence."""
    home: str
    """Where its scorer is, as ``module:Class``."""
    needs: tuple[Need, ...]
    """What it looks at beside the output."""
    packages: tuple[str, ...] = ()
    """Python modules that must be importable."""
    programs: tuple[str, ...] = ()
    """Programs that must be on the path."""
    files: tuple[str, ...] = ()
    """Files that must be there, unless an option names others."""
    install: str = ""
    """The command that installs what is missing; empty if nothing is needed."""
    licence: str = "Apache-2.0"
    """The licence of the code that computes it."""
    citation: str = ""
    """Whom to cite."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules and programs that are not there."""
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        return tuple(absent + [name for name in self.programs if shutil.which(name) is None])

    @property
    def ready(self) -> bool:
        """Whether it can run here without being told where things are."""
        return not self.missing and all(Path(name).is_file() for name in self.files)


def _listed() -> dict[str, Metric]:
    text = files("metassay").joinpath("data", "metrics.json").read_text(encoding="utf-8")
    found = {}
    for name, known in json.loads(text).items():
        several = {key: tuple(value) for key, value in known.items() if isinstance(value, list)}
        found[name] = Metric(**{**known, **several, "name": name, "home": f"{__package__}.{known['home']}"})
    return found


METRICS: dict[str, Metric] = _listed()
"""Every known metric by name; those of this package are listed in ``data/metrics.json``."""


def register(*metrics: Metric) -> None:
    """Add metrics to the registry."""
    for metric in metrics:
        METRICS[metric.name] = metric


def make_scorers(
    wanted: str | Scorer | Iterable[str | Scorer], settings: Mapping[str, Mapping[str, object]] | None = None
) -> list[Scorer]:
    """Return scorers for metrics given by name or as scorers.

    A name may carry options in square brackets: ``rouge[references=average]``; a value with commas or brackets
    of its own stands in quotes. Several names stand in a comma list. Options and installation are checked before
    anything is scored. `settings` are further options of metrics by name, which win over those in brackets.
    """
    given: Iterable[str | Scorer] = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else wanted
    scorers: list[Scorer] = []
    for one in given:
        if isinstance(one, str):
            scorers += [_make(*_parse(spec), settings or {}) for spec in _split(one)]
        else:
            scorers.append(one)
    if not scorers:
        raise UsageError(f"no metric given; choose from {', '.join(METRICS)}")
    seen: dict[str, str] = {}
    for scorer in scorers:
        for column in scorer.columns:
            if column in seen:
                raise UsageError(
                    f"two metrics give the score {one_line(column)!r}: {seen[column]} and {scorer.signature}; "
                    "score them in two runs"
                )
            seen[column] = scorer.signature
    return scorers


def _split(text: str) -> list[str]:
    """Return the specs of a comma list; commas inside brackets or quotes belong to a spec."""
    return [part.strip() for part in _parted(text) if part.strip()]


def _parse(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name and the options, as written, of a spec such as ``command[run="./mine -x 1,2",name=mine]``."""
    match = re.fullmatch(r"([^\[\]]+)(?:\[(.*)\])?", spec, re.DOTALL)
    if match is None:
        raise UsageError(f"a metric is written NAME or NAME[option=value,…], got {one_line(spec, 60)!r}")
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in _parted(match[2] or ""))):
        key, equals, value = part.partition("=")
        name = key.strip().replace("-", "_")
        if not equals:
            raise UsageError(
                f"an option of {match[1]} is written option=value, got {one_line(part, 40)!r}; "
                "a value with commas stands in quotes"
            )
        if name in options:
            raise UsageError(f"the option {one_line(name, 40)!r} of {one_line(match[1], 40)} is given twice")
        options[name] = value.strip()
    return match[1].strip(), options


def _parted(text: str) -> list[str]:
    """Part text at its commas, but not inside square brackets or quotes.

    A quote opens behind anything but a letter or digit, so that an apostrophe in a word is none.
    """
    parts, start, depth, quote = [], 0, 0, ""
    at = 0
    while at < len(text):
        letter = text[at]
        if quote:
            if letter == "\\" and quote == '"':
                at += 1
            elif letter == quote:
                quote = ""
        elif letter in "\"'" and not (at and text[at - 1].isalnum()):
            quote = letter
        elif letter in "[]":
            depth += 1 if letter == "[" else -1
            if depth < 0:
                break
        elif letter == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    if quote or depth:
        what = f"quote {quote}" if quote else "bracket"
        raise UsageError(f"a {what} in {one_line(text, 60)!r} has no partner; a metric is written NAME[option=value,…]")
    return [*parts, text[start:]]


_IN_QUOTES = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)


def _value(text: str, kind_of_option: object = "") -> object:
    """Return what an option's text stands for; text in quotes, or for an option that takes only text, is text.

    Examples
    --------
    >>> _value("1.10"), _value("1.10", "str | None"), _value("'1.10'"), _value("true")
    (1.1, '1.10', '1.10', True)
    """
    quoted = _IN_QUOTES.fullmatch(text)
    if quoted:
        return quoted[1] if quoted[2] is None else re.sub(r'\\(["\\])', r"\1", quoted[2])
    kinds = set(re.findall(r"\w+", str(kind_of_option)))
    if "str" in kinds and not kinds & {"int", "float", "bool"}:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": "none"}.get(text.lower(), text)


def maker(metric: Metric) -> Callable[..., Scorer]:
    """Return what makes the scorer of a metric from its options."""
    module, _, attribute = metric.home.partition(":")
    made_by: Callable[..., Scorer] = getattr(importlib.import_module(module), attribute)
    return made_by


def _make(name: str, options: dict[str, str], settings: Mapping[str, Mapping[str, object]]) -> Scorer:
    if name not in METRICS:
        raise UnknownName("metric", name, METRICS)
    metric = METRICS[name]
    if metric.missing:
        raise UsageError(f"{name} needs {', '.join(metric.missing)}, not installed here; run: {metric.install}")
    scorer = maker(metric)
    known = inspect.signature(scorer).parameters
    for option in options:
        if option not in known:
            raise UnknownName(f"option of {name}", option, known)
    values = {option: _value(text, known[option].annotation) for option, text in options.items()}
    return scorer(**values | dict(settings.get(name, {})))
