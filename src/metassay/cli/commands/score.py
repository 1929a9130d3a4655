"""Which scores do metrics give to these texts?

Scores every output with every named metric and writes a tidy table of scores for the other commands. Scores are cached
by content, so a repeated or interrupted run scores only what is new. The file is written completely or not at all.

    metassay score texts.jsonl --metric rouge,chrf -o scores.csv
    metassay score texts.jsonl --metric 'rouge[references=average],length' -o scores.parquet
    metassay score texts.jsonl --metric bleu,chrf,ter --corpus -o systems.csv
    metassay score texts.jsonl --metric meteor --with human.jsonl --with bewte.jsonl -o scores.csv
    metassay score --parallel a=a.txt --parallel b=b.txt --reference ref.txt --metric chrf -o scores.csv
"""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from typing import TYPE_CHECKING

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.errors import DataError, UsageError, listed, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.texts import Texts
    from metassay.texts.scorers.base import Scorer


def add(parser: Parser) -> None:
    """Add the options."""
    texts.add_files(parser)
    options.add_flags(
        parser,
        "what to score with",
        {
            "--metric NAME...": "metrics, a comma list; options in brackets, such as rouge[stem=none] (see metassay "
            "metrics)",
            "--by-reference": "score against each reference separately; the column reference says which",
            "--corpus": "score whole systems (bleu, chrf, chrf++, ter, meteor) as sacrebleu does, not single outputs",
            "--with FILE...": "existing scores, from people or other programs, to include in the output; may be "
            "repeated",
        },
    )
    options.add_flags(
        parser,
        "a model as a judge",
        {
            "--max-cost X": "upper limit of the cost of all judges together, in the unit of price_in and price_out",
            "--trust": "use a judge's config file even if other users can write to it; it decides where texts and "
            "keys are sent",
        },
    )
    options.add(parser, options.of("score"))
    options.add_flags(parser, "scoring", texts.NO_CACHE)
    options.add(parser, {name: each for name, each in options.places().items() if name != "checkpoint"})
    where = {"-o --output FILE": "tidy scores; ends in .csv, .tsv, .jsonl or .parquet"}
    options.add_flags(parser, "output", {**where, **options.SAFE_CSV, **options.QUIET})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.cli.running import placed, say, spare_inputs, tell_written
    from metassay.core.files import check_writable
    from metassay.readers import read
    from metassay.readers.writing import write
    from metassay.report.notes import sentences
    from metassay.texts.scorers.judge import Judge
    from metassay.texts.scorers.registry import make_scorers
    from metassay.texts.scorers.scoring import score, score_by_reference

    if arguments.metric is None:
        raise UsageError("no metric given; name some with --metric, and see them with: metassay metrics")
    if arguments.output is None:
        raise UsageError("no file to write to; name one with -o FILE")
    if not arguments.output.removesuffix(".gz").endswith((".csv", ".tsv", ".jsonl", ".parquet")):
        raise UsageError(f"-o {one_line(arguments.output)!r} must end in .csv, .tsv, .jsonl or .parquet")
    if arguments.safe_csv and not arguments.output.removesuffix(".gz").endswith((".csv", ".tsv")):
        raise UsageError(f"--safe-csv cannot be used for {one_line(arguments.output)!r}, which is not CSV")
    spare_inputs(arguments.output, texts.paths(arguments))
    if arguments.corpus and (arguments.by_reference or arguments.with_):
        raise UsageError("--corpus scores whole systems, and cannot be used with --by-reference or --with")
    if arguments.leave_own_out and (arguments.corpus or arguments.by_reference):
        raise UsageError("--leave-own-out cannot be used with --corpus or --by-reference")
    check_writable(arguments.output)
    if arguments.output.endswith(".parquet") and importlib.util.find_spec("pyarrow") is None:
        raise UsageError("writing Parquet needs pyarrow; run: pip install 'metassay[parquet]'")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DeprecationWarning)
        scorers = make_scorers(arguments.metric, {"model": _settings_of_judges(arguments)})
    for line in dict.fromkeys(str(one.message) for one in told if one.category is DeprecationWarning):
        say(f"warning: {line}")
    if arguments.max_cost is not None and not any(isinstance(scorer, Judge) for scorer in scorers):
        raise UsageError("--max-cost is for judges, and none of the metrics is one")
    others = read(*arguments.with_) if arguments.with_ else None
    found = texts.read(arguments)
    if others is not None:
        _check_shared(others, found)
    if arguments.corpus:
        _score_corpus(arguments, found, scorers)
        return 0
    how = texts.kept(arguments, options.given(arguments, options.of("score"), leave_out=("leave_own_out",)))
    with progress(arguments.quiet), placed(arguments):
        if arguments.by_reference:
            scores = score_by_reference(found, scorers, **how)
        else:
            scores = score(found, scorers, leave_own_out=bool(arguments.leave_own_out), **how)
    write(scores if others is None else scores.merge(others), arguments.output, safe=arguments.safe_csv)
    if not arguments.quiet:
        for line in (*map(str, scores.sources[len(found.provenance) :]), *sentences(scores.notes)):
            say(line)
    tell_written(arguments.output, arguments.quiet)
    return 0


def _settings_of_judges(arguments: argparse.Namespace) -> dict[str, object]:
    from metassay.texts.scorers.judge_cost import Allowance

    settings: dict[str, object] = {"trust": True} if arguments.trust else {}
    # one allowance, which all judges share
    return settings if arguments.max_cost is None else settings | {"max_cost": Allowance(arguments.max_cost)}


def _score_corpus(arguments: argparse.Namespace, found: Texts, scorers: list[Scorer]) -> None:
    """Write a score for each system, and tell the recipes."""
    from metassay.cli.running import tell_written
    from metassay.readers.writing import write
    from metassay.texts.scorers.scoring import score_corpus

    scores = score_corpus(found, scorers, max_references=arguments.max_references)
    write(scores.to_scores(), arguments.output, safe=arguments.safe_csv)
    texts.tell_corpus(scores, arguments.quiet)
    tell_written(arguments.output, arguments.quiet)


def _check_shared(scores: Scores, found: Texts) -> None:
    """Raise if scores and texts are about different things, before any work is done."""
    for what, here, there in (("system", found.systems, scores.systems), ("input", found.inputs, scores.inputs)):
        if not set(here) & set(there):
            raise DataError(
                f"--with: no {what} of the scores is one of the texts; "
                f"the scores have {listed(there, 3)}, the texts {listed(here, 3)}"
            )
