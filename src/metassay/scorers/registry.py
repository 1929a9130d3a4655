"""Metrics by name: what each needs, how to install it, and how to write one with its options."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from metassay.errors import UnknownName, UsageError, one_line
from metassay.scorers.base import Need, Scorer


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


_SACREBLEU: dict[str, Any] = {
    "packages": ("sacrebleu",),
    "install": "pip install 'metassay[lexical]'",
    "licence": "Apache-2.0 (sacrebleu)",
}
_HERE = "metassay.scorers"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "rouge",
            "Overlap of n-grams, longest common subsequences and skip-bigrams with references, as ROUGE-1.5.5.",
            f"{_HERE}.rouge:Rouge",
            ("references",),
            citation="Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries",
        ),
        Metric(
            "bleu",
            "Precision of n-grams against references, for single outputs.",
            f"{_HERE}.overlap:Bleu",
            ("references",),
            citation="Papineni et al. (2002), BLEU; Post (2018), A Call for Clarity in Reporting BLEU Scores",
            **_SACREBLEU,
        ),
        Metric(
            "chrf",
            "F-score of character n-grams against references.",
            f"{_HERE}.overlap:ChrF",
            ("references",),
            citation="Popović (2015), chrF: character n-gram F-score for automatic MT evaluation",
            **_SACREBLEU,
        ),
        Metric(
            "chrf++",
            "F-score of character and word n-grams against references.",
            f"{_HERE}.overlap:ChrFPlusPlus",
            ("references",),
            citation="Popović (2017), chrF++: words helping character n-grams",
            **_SACREBLEU,
        ),
        Metric(
            "ter",
            "Edits needed to turn the output into a reference; small is good. Slow: a few outputs a second.",
            f"{_HERE}.overlap:Ter",
            ("references",),
            citation="Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human Annotation",
            **_SACREBLEU,
        ),
        Metric(
            "js",
            "Jensen-Shannon divergence between the n-grams of the output and those of source or references.",
            f"{_HERE}.divergence:JensenShannon",
            ("source",),
            citation="Louis and Nenkova (2013), Automatically Assessing Machine Summary Content",
        ),
        Metric(
            "novel",
            "Share of the output's n-grams that the source does not have.",
            f"{_HERE}.statistics:NovelNgrams",
            ("source",),
            citation="See, Liu and Manning (2017), Get To The Point",
        ),
        Metric(
            "repeated",
            "Share of the output's n-grams that occur more than once in it.",
            f"{_HERE}.statistics:RepeatedNgrams",
            (),
        ),
        Metric(
            "fragments",
            "Coverage, density and compression of the source by the output.",
            f"{_HERE}.statistics:Fragments",
            ("source",),
            citation="Grusky, Naaman and Artzi (2018), Newsroom",
        ),
        Metric("length", "How long the output is: tokens, sentences, characters.", f"{_HERE}.statistics:Length", ()),
        Metric(
            "ngram-graphs",
            "AutoSummENG, MeMoG and NPowER: graphs of neighbouring character n-grams, compared with references.",
            f"{_HERE}.ngram_graphs:NgramGraphs",
            ("references",),
            citation="Giannakopoulos et al. (2008), Summarization System Evaluation Revisited: N-Gram Graphs",
        ),
    )
}
"""Every known metric by name."""


def register(*metrics: Metric) -> None:
    """Add metrics to the registry."""
    for metric in metrics:
        METRICS[metric.name] = metric


def make_scorers(wanted: str | Scorer | Iterable[str | Scorer]) -> list[Scorer]:
    """Return scorers for metrics given by name or as scorers.

    A name may carry options in square brackets: ``rouge[stem=none,references=mean]``. Several names stand in a
    comma list. Options and installation are checked before anything is scored.
    """
    given: Iterable[str | Scorer] = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else wanted
    scorers: list[Scorer] = []
    for one in given:
        if isinstance(one, str):
            scorers += [_make(*_parse(spec)) for spec in _split(one)]
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
    """Return the specs of a comma list; commas inside brackets belong to a spec."""
    parts = re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", text)
    return [part.strip() for part in parts if part.strip()]


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    match = re.fullmatch(r"([^\[\]]+)(?:\[(.*)\])?", spec, re.DOTALL)
    if match is None:
        raise UsageError(f"a metric is written NAME or NAME[option=value,…], got {one_line(spec, 60)!r}")
    options = {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"an option of {match[1]} is written option=value, got {one_line(part, 40)!r}")
        options[key.strip().replace("-", "_")] = _value(value.strip())
    return match[1].strip(), options


def _value(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": "none"}.get(text.lower(), text)


def _make(name: str, options: dict[str, Any]) -> Scorer:
    if name not in METRICS:
        raise UnknownName("metric", name, METRICS)
    metric = METRICS[name]
    if metric.missing:
        raise UsageError(f"{name} needs {', '.join(metric.missing)}, not installed here; run: {metric.install}")
    module, _, attribute = metric.home.partition(":")
    scorer = getattr(importlib.import_module(module), attribute)
    known = [p for p in inspect.signature(scorer).parameters if p != "self"]
    for option in options:
        if option not in known:
            raise UnknownName(f"option of {name}", option, known)
    made: Scorer = scorer(**options)
    return made
