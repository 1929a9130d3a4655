"""``metassay systems``: the options are the study's own, and what scores of whole systems need."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.cli.running import run_study
from metassay.core import vocabulary
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.corpus import CorpusScores


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "systems")
    text = "files hold texts: score whole systems with --metric bleu, chrf, chrf++, ter or meteor, and test these"
    options.add_flags(parser, "scores of whole systems", {"--corpus": text})
    texts.add_plain(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    if arguments.corpus:
        return _run_corpus(arguments)
    if arguments.parallel or arguments.reference or arguments.source:
        raise UsageError("--parallel, --reference and --source name texts, which need --corpus")
    return run_study(arguments, "systems")


def _run_corpus(arguments: argparse.Namespace) -> int:
    """Score texts and compare whole systems."""
    from metassay.texts.scorers.registry import make_scorers
    from metassay.texts.scorers.scoring import score_corpus

    if arguments.metric is None:
        raise UsageError("--corpus needs metrics of texts: name some with --metric, such as bleu,chrf,ter")
    if arguments.human is not None:
        raise UsageError("--human cannot be used with --corpus: the files hold texts, and no judgments")
    scorers = make_scorers(arguments.metric)

    def scored(arguments: argparse.Namespace) -> CorpusScores:
        found = score_corpus(texts.read(arguments), scorers)
        texts.tell_corpus(found, arguments.quiet)
        return found

    return run_study(
        arguments, "systems", scored, ("metric", "human", "references"), test=",".join(vocabulary.CORPUS_TESTS)
    )
