"""Metrics by name: what each needs, how to install it, how to write one with its options, and the list of all."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
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
FORMER = {"judge": "model"}
"""Former names of metrics, understood with a warning; columns keep the name that they had."""


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
            scorers += [_make(*parse_spec(spec), settings or {}) for spec in split_specs(one)]
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


def split_specs(text: str) -> list[str]:
    """Return the specs of a comma list; commas inside brackets or quotes belong to a spec."""
    return [part.strip() for part in _parted(text) if part.strip()]


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
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


def read_value(text: str, kind_of_option: object = "") -> object:
    """Return what an option's text stands for; text in quotes, or for an option that takes only text, is text.

    Examples
    --------
    >>> read_value("1.10"), read_value("1.10", "str | None"), read_value("'1.10'"), read_value("true")
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
    if name in FORMER:
        warnings.warn(
            f"the metric {name} is called {FORMER[name]} now, since {name} asks whether a judge can be trusted",
            DeprecationWarning,
            stacklevel=4,
        )
        name, options = FORMER[name], {"name": name, **options}
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
    values = {option: read_value(text, known[option].annotation) for option, text in options.items()}
    return scorer(**values | dict(settings.get(name, {})))


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One metric of texts."""

    name: str
    """Its name on the command line."""
    summary: str
    """What it measures."""
    needs: str
    """What it looks at beside the output: ``references``, ``source``, or nothing."""
    installed: bool
    """Whether all it needs is here."""
    install: str
    """The command that installs what is missing; empty if nothing needs installing."""
    licence: str
    """The licence of the code that computes it."""
    citation: str
    """Whom to cite."""


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option of a metric."""

    metric: str
    """The metric."""
    option: str
    """The option's name in brackets behind the metric's."""
    default: str
    """What holds if it is not given."""
    meaning: str
    """What it does."""


class Catalogue(Result, study="metrics"):
    """Metrics of texts that metassay knows, and whether they can run here."""

    table: Sequence[CatalogueRow]
    """One row per metric."""
    options: tuple[OptionRow, ...] = ()
    """The options of metrics that were asked for by name."""


def metrics(name: str | Iterable[str] | None = None) -> Catalogue:
    """List every metric that can score texts: what it needs, whether it is installed, and how to install it.

    Parameters
    ----------
    name
        Metrics to show alone, with their options: names or a comma list.

    Examples
    --------
    >>> next(row.needs for row in metrics().table if row.name == "rouge")
    'references'
    >>> metrics("chrf").options[0]
    OptionRow(metric='chrf', option='order', default='6', meaning='The longest character n-grams.')
    """
    wanted = vocabulary.names(METRICS if name is None else name)
    for one in wanted:
        if one not in METRICS:
            raise UnknownName("metric", one, METRICS)
    rows = tuple(
        CatalogueRow(m.name, m.summary, ", ".join(m.needs), m.ready, m.install, m.licence, m.citation)
        for m in map(METRICS.__getitem__, wanted)
    )
    absent = sum(not row.installed for row in rows)
    options = () if name is None else tuple(option for one in wanted for option in _options(METRICS[one]))
    notes = (Note.of("metric-options"),)
    return Catalogue(rows, Signature.of("metrics", known=len(METRICS), missing=absent), notes, options)


def _options(metric: Metric) -> Iterator[OptionRow]:
    """Yield the options of a metric with their defaults, as its documentation explains them."""
    made_by = maker(metric)
    said: dict[str, str] = {}
    # What makes a scorer may take the options of the class that it makes, which explains those, and a class those that
    # it inherits where it does not say more of them.
    made = inspect.get_annotations(made_by, eval_str=True).get("return") if inspect.isfunction(made_by) else made_by
    explained = [each.__doc__ for each in reversed(inspect.getmro(made))] if inspect.isclass(made) else []
    for text in (*explained, made_by.__doc__):
        whole = inspect.cleandoc(text or "")
        section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n[A-Z][a-z]+\n-+\n|\Z)", whole, re.S | re.M)
        for names, words in re.findall(
            r"^(\w[^\n]*)\n((?:[ ]+[^\n]*\n?)+)", section[1] if section else "", re.MULTILINE
        ):
            said |= dict.fromkeys(names.split(", "), " ".join(words.split()).replace("``", ""))
    for option, parameter in inspect.signature(made_by).parameters.items():
        given = parameter.default
        default = ",".join(map(str, given)) if isinstance(given, tuple | list | frozenset) else str(given)
        yield OptionRow(metric.name, option, "none" if given is None else default, said.get(option, ""))
