"""``metassay systems``."""

from __future__ import annotations

import argparse

from metassay.cli import options, texts
from metassay.cli.parser import Command, Parser
from metassay.cli.running import Output, placed, run_study
from metassay.core import vocabulary
from metassay.errors import UsageError

DEFAULTS = {
    "test": "unpaired-t,paired-t,wilcoxon",
    "cutoff": "theory",
    "alternative": "two-sided",
    "alpha": 0.05,
    "correction": "none",
    "resamples": 2_000,
    "seed": 0,
}
STATISTICS = (
    "system-tests",
    "cutoffs",
    "alternative",
    "alpha",
    "correction",
    "group",
    "resamples",
    "seed",
    "threads",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    group = parser.add_argument_group("scores of whole systems")
    group.add_argument(
        "--corpus",
        action="store_true",
        help="files hold texts: score whole systems with --metric bleu, chrf, chrf++, ter or meteor, and test these",
    )
    texts.add_plain(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "systems")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.systems import systems

    if arguments.corpus:
        return _run_corpus(arguments)
    if arguments.parallel or arguments.reference or arguments.source:
        raise UsageError("--parallel, --reference and --source name texts, which need --corpus")
    return run_study(arguments, systems, ("human", "metric", "references", *STATISTICS))


def _run_corpus(arguments: argparse.Namespace) -> int:
    """Score texts and compare whole systems."""
    from metassay.cli.progress import progress
    from metassay.studies.systems import systems
    from metassay.texts.scorers.corpus import score_corpus
    from metassay.texts.scorers.registry import make_scorers

    if arguments.metric is None:
        raise UsageError("--corpus needs metrics of texts: name some with --metric, such as bleu,chrf,ter")
    if arguments.human is not None:
        raise UsageError("--human has no meaning with --corpus: the files hold texts, and no judgments")
    chosen = {"test": ",".join(vocabulary.CORPUS_TESTS)} | options.given(arguments, STATISTICS)
    output = Output.of(arguments, "systems")
    scorers = make_scorers(arguments.metric)
    with progress(arguments.quiet), placed(arguments):
        found = score_corpus(texts.read(arguments), scorers)
        texts.tell_corpus(found, arguments.quiet)
        output.put(systems(found, **chosen))
    return 0


COMMAND = Command(
    about=(
        "Tests for every pair of systems whether they differ, by each metric and each human criterion, over the "
        "inputs that both systems have. Tests that pair the scores by input find more than the unpaired t, which is "
        "shown for comparison. Their cut-offs come from theory, from swapping scores within pairs (mc), or from "
        "drawing pairs with replacement and swapping (hb). Groups, such as people and machines, are counted against "
        "each other. Human-written references that were scored like systems stay in. paired-bootstrap and "
        "approximate-randomization test scores of whole systems: means over inputs, or with --corpus BLEU, chrF, TER "
        "and METEOR of a system; with --seed 12345 their p-values are those of sacrebleu's --paired-bs and --paired-ar."
    ),
    examples=(
        "metassay systems scores.csv --human relevance",
        "metassay systems scores.csv --metric 'rouge*' --group 'humans=H*' --group 'machines=*'",
        "metassay systems scores.csv --metric rouge-2 --test wilcoxon --cutoff theory,mc,hb --correction holm",
        "metassay systems texts.jsonl --corpus --metric bleu,chrf --test paired-bootstrap --seed 12345",
    ),
    options=_options,
    run=_run,
)
