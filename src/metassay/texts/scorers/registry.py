"""Metrics by name: what each needs, how to install it, and how to write one with its options."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


_SACREBLEU: dict[str, Any] = {
    "packages": ("sacrebleu",),
    "install": "pip install 'metassay[lexical]'",
    "licence": "Apache-2.0 (sacrebleu)",
}
_TORCH: dict[str, Any] = {
    "packages": ("torch", "transformers"),
    "install": "pip install 'metassay[embeddings]'",
    "licence": "Apache-2.0; that of the model is its own",
}
_MODELS: dict[str, Any] = _TORCH | {"install": "pip install 'metassay[models]'"}
_HERE = "metassay.texts.scorers"

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
            "meteor",
            "Words aligned by form, stem, synonym and paraphrase with references: METEOR 1.5, English.",
            f"{_HERE}.meteor:Meteor",
            ("references",),
            packages=("pycocoevalcap",),
            programs=("java",),
            install="apt install default-jre-headless; pip install 'metassay[meteor]'",
            licence="LGPL-2.1 (METEOR 1.5)",
            citation="Denkowski and Lavie (2014), Meteor Universal",
        ),
        Metric(
            "meteor-nltk",
            "Words aligned by form, stem and WordNet's synonyms with references, as NLTK computes METEOR.",
            f"{_HERE}.meteor:MeteorNltk",
            ("references",),
            packages=("nltk",),
            files=("/usr/share/wordnet/data.noun", "/usr/share/wordnet/index.sense"),
            install="apt install wordnet-base wordnet-sense-index; pip install 'metassay[meteor]'",
            licence="Apache-2.0 (NLTK), WordNet licence",
            citation="Banerjee and Lavie (2005), METEOR; Bird, Klein and Loper (2009), NLTK",
        ),
        Metric(
            "cider",
            "Cosine of n-grams with references, weighed by how few inputs have them: CIDEr-D or CIDEr.",
            f"{_HERE}.cider:Cider",
            ("references",),
            citation="Vedantam, Zitnick and Parikh (2015), CIDEr: Consensus-based Image Description Evaluation",
        ),
        Metric(
            "s3",
            "A regression from ROUGE, divergence and word vectors to people's scores: s3[model=FILE,vectors=FILE].",
            f"{_HERE}.s3:S3",
            ("references",),
            packages=("nltk",),
            install="pip install 'metassay[meteor]'",
            citation="Peyrard, Botschen and Gurevych (2017), Learning to Score System Summaries",
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
        Metric(
            "bertscore",
            "Likeness of tokens in context, each with the nearest of the reference.",
            f"{_HERE}.bertscore:BertScore",
            ("references",),
            citation="Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT",
            **_TORCH
            | {
                "packages": ("torch", "transformers", "bert_score"),
                "licence": "MIT (bert-score); that of the model is its own",
            },
        ),
        Metric(
            "moverscore",
            "Cost of moving the words of the output, as vectors in context, onto those of the reference.",
            f"{_HERE}.movers:MoverScore",
            ("references",),
            citation="Zhao et al. (2019), MoverScore: Text Generation Evaluating with Contextualized Embeddings",
            **_TORCH | {"packages": ("torch", "transformers", "ot")},
        ),
        Metric(
            "sentence-mover",
            "Sentence Mover's Similarity: cost of moving sentences onto those of the reference; also words, or both.",
            f"{_HERE}.movers:SentenceMover",
            ("references",),
            citation="Clark, Celikyilmaz and Smith (2019), Sentence Mover's Similarity",
            **_TORCH | {"packages": ("torch", "transformers", "ot")},
        ),
        Metric(
            "rouge-we",
            "ROUGE-N in which words of like meaning match, by vectors from a file: rouge-we[vectors=FILE].",
            f"{_HERE}.rouge_we:RougeWE",
            ("references",),
            citation="Ng and Abrecht (2015), Better Summarization Evaluation with Word Embeddings for ROUGE",
        ),
        Metric(
            "supert",
            "Likeness of tokens in context to the first sentences of the source; needs no reference.",
            f"{_HERE}.supert:Supert",
            ("source",),
            citation="Gao, Zhao and Eger (2020), SUPERT: Towards New Frontiers in Unsupervised Evaluation Metrics",
            **_TORCH,
        ),
        Metric(
            "command",
            "Any program that prints a number for each output: command[run=./mine.sh].",
            f"{_HERE}.command:Command",
            ("references", "source"),
        ),
        Metric(
            "python",
            "Any Python function: python[call=package.module:function] or file.py:function.",
            f"{_HERE}.callables:Python",
            ("references", "source"),
        ),
        Metric(
            "judge",
            "A model asked for a score, over any OpenAI-compatible endpoint: judge[config=judge.toml].",
            f"{_HERE}.judge_config:judge",
            ("references", "source"),
            citation="Liu et al. (2023), G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment",
        ),
        Metric(
            "blanc-help",
            "How many more masked words of the source a language model guesses with the output before them.",
            f"{_HERE}.blanc:BlancHelp",
            ("source",),
            citation="Vasilyev, Dharnidharka and Bohannon (2020), Fill in the BLANC",
            **_MODELS,
        ),
        Metric(
            "blanc-tune",
            "How many more masked words of the source a language model guesses after it was tuned on the output.",
            f"{_HERE}.blanc:BlancTune",
            ("source",),
            citation="Vasilyev, Dharnidharka and Bohannon (2020), Fill in the BLANC",
            **_MODELS,
        ),
        Metric(
            "estime",
            "Words of the output where the source, in the like context, has another word; few are good.",
            f"{_HERE}.estime:Estime",
            ("source",),
            citation="Vasilyev and Bohannon (2021), ESTIME: Estimation of Summary-to-Text Inconsistency",
            **_MODELS,
        ),
        Metric(
            "summaqa",
            "Blanks in the sentences of the source, filled from the output by a question answering model.",
            f"{_HERE}.summaqa:SummaQA",
            ("source",),
            citation="Scialom et al. (2019), Answers Unite! Unsupervised Metrics for Reinforced Summarization Models",
            **_MODELS,
        ),
        Metric(
            "qaeval",
            "Questions about the noun phrases of the references, answered from the output.",
            f"{_HERE}.qaeval:QAEval",
            ("references",),
            citation="Deutsch, Bedrax-Weiss and Roth (2021), Towards Question-Answering as an Automatic Metric",
            **_MODELS | {"install": "pip install 'metassay[models,text]'"},
        ),
    )
}
"""Every known metric by name."""


def register(*metrics: Metric) -> None:
    """Add metrics to the registry."""
    for metric in metrics:
        METRICS[metric.name] = metric


def make_scorers(
    wanted: str | Scorer | Iterable[str | Scorer], settings: Mapping[str, Mapping[str, object]] | None = None
) -> list[Scorer]:
    """Return scorers for metrics given by name or as scorers.

    A name may carry options in square brackets: ``rouge[stem=none,references=mean]``; a value with commas or brackets
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


def _make(name: str, options: dict[str, str], settings: Mapping[str, Mapping[str, object]]) -> Scorer:
    if name not in METRICS:
        raise UnknownName("metric", name, METRICS)
    metric = METRICS[name]
    if metric.missing:
        raise UsageError(f"{name} needs {', '.join(metric.missing)}, not installed here; run: {metric.install}")
    module, _, attribute = metric.home.partition(":")
    scorer = getattr(importlib.import_module(module), attribute)
    known = inspect.signature(scorer).parameters
    for option in options:
        if option not in known:
            raise UnknownName(f"option of {name}", option, known)
    values = {option: _value(text, known[option].annotation) for option, text in options.items()}
    made: Scorer = scorer(**values | dict(settings.get(name, {})))
    return made
