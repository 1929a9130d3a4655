"""``metassay downgrade``: the options are the study's own, and what reading needs."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.core import vocabulary
from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.studies.downgrade import Damaged


def add(parser: Parser) -> None:
    """Add the options."""
    from metassay.texts.changes.kinds import KINDS

    options.add_files(parser, "downgrade")
    options.add(parser, {"human": options.of("agree")["human"]})
    options.add_flags(
        parser,
        "corruption of texts",
        {
            "--corruption KIND...": "FILE holds texts: corrupt and score them in these ways: " + ", ".join(KINDS),
            "--rates SHARES": "shares of the units to corrupt, a comma list such as 0.1,0.25,0.5,1 (default: depends "
            "on the kind, mostly 1)",
            **texts.NO_CACHE,
        },
    )
    options.add(parser, {name: options.of("corrupt")[name] for name in ("backend", "seed")})
    options.add(parser, _scoring())
    after = "FILE holds scores: this file has the scores of the corrupted outputs, with the same labels, such as "
    after += "shuffle=shuffled.csv; may be repeated"
    options.add_flags(parser, "scores of corrupted texts", {"--after [KIND[@RATE]=]FILE...": after})
    said = "human votes on corrupted outputs, named SYSTEM@KIND such as M11@shuffle, against intact ones; shown beside "
    said += "the preferences of each metric"
    options.add_flags(parser, "people", {"--votes FILE": said})
    options.add(parser, options.places())
    options.add_output(parser, "downgrade")


def _scoring() -> options.Options:
    return {name: options.of("score")[name] for name in ("cache", "processes")}


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.cli.running import Output, placed
    from metassay.readers import read_votes
    from metassay.studies.downgrade import downgrade

    if (arguments.corruption is None) == (arguments.after is None):
        raise UsageError(
            "give either --corruption KIND with texts and --metric, or --after FILE with scores of corrupted outputs"
        )
    chosen = options.given(arguments, options.of("downgrade"), leave_out=("metric",))
    place = placed(arguments)
    output = Output.of(arguments, "downgrade")
    with progress(arguments.quiet), place:
        if arguments.corruption is not None:
            before, after = from_texts(arguments)
        else:
            before, after = from_scores(arguments)
            if arguments.metric is not None:
                chosen["metric"] = arguments.metric
        if arguments.votes is not None:
            chosen["votes"] = read_votes(arguments.votes)
        result = downgrade(before, after, **chosen)
    output.put(result)
    return 0


def from_texts(arguments: argparse.Namespace) -> tuple[Scores, list[Damaged]]:
    """Corrupt texts in every way that was named, and score them all."""
    from metassay.studies.downgrade import Damaged
    from metassay.texts.changes.corruptions import corrupt
    from metassay.texts.changes.kinds import KINDS
    from metassay.texts.scorers.registry import make_scorers
    from metassay.texts.scorers.scoring import score

    if arguments.metric is None:
        raise UsageError("no metric given; name some with --metric, and see them with: metassay metrics")
    kinds = [
        vocabulary.choice("kind of corruption", kind, tuple(KINDS), {"lemmatise": "lemmatize"})
        for kind in vocabulary.names(",".join(arguments.corruption))
    ]
    rates = (None,) if arguments.rates is None else vocabulary.shares("rates", arguments.rates)
    if not kinds or not rates:
        raise UsageError("nothing to corrupt; name kinds with --corruption and shares with --rates")
    scorers = make_scorers(arguments.metric)
    seed = vocabulary.seed(0 if arguments.seed is None else arguments.seed)
    # files are tables of texts here, since plain ones could not be told from scores
    found = texts.read(arguments)
    how = texts.kept(arguments, options.given(arguments, _scoring()))
    before = score(found, scorers, **how)
    after = []
    for kind in dict.fromkeys(kinds):
        for rate in rates:
            damaged = corrupt(found, kind, rate=rate, seed=seed, backend=arguments.backend or "built-in")
            row = damaged.table[0]
            changed = sum(r.n_changed_texts for r in damaged.table) / sum(r.n_texts for r in damaged.table)
            after.append(Damaged(score(damaged.texts, scorers, **how), row.kind, row.human, row.rate, changed))
    return before.declare(lower_is_better=arguments.lower_is_better or ()), after


def from_scores(arguments: argparse.Namespace) -> tuple[Scores, list[Damaged]]:
    """Read the scores before the corruption, and those after each."""
    from metassay.cli.running import read_scores
    from metassay.studies.downgrade import Damaged
    from metassay.texts.changes.kinds import KINDS

    for name in ("rates", "seed", "cache", "processes"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} cannot be used with --after, which names scores of texts already corrupted")
    before = read_scores(arguments)
    after = []
    for given in arguments.after:
        label, sign, path = given.rpartition("=")
        kind, at, share = label.partition("@")
        kind = kind if sign else "damage"
        scores = read_scores(arguments, [path])
        criterion = KINDS[kind].criterion if kind in KINDS else None
        after.append(Damaged(scores, kind or "damage", criterion, _rate(share) if at else 1.0))
    return before, after


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= 1:
        raise UsageError(f"the rate in --after KIND@RATE=FILE must lie in [0, 1], got {one_line(text, 20)!r}")
    return rate
