"""``metassay bias``: votes, scores, or texts that a judge is asked about again; the study declares the rest."""

from __future__ import annotations

import argparse

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.core.vocabulary import PROBES
from metassay.errors import UsageError


def add(parser: Parser) -> None:
    """Add the files, how to read them, and the options of the study."""
    options.add_files(parser, "bias", "scores or votes (two systems and a winner) in any known format; - is stdin")
    again = "FILE holds texts: change them in these ways and ask the judges named by --metric again: "
    later = (
        "FILE holds scores: this file has the scores of the changed outputs, such as padding=padded.csv; may be "
        "repeated"
    )
    flags = {
        "--corruption KIND...": again + ", ".join(PROBES),
        "--after [KIND=]FILE...": later,
        "--rates SHARES": "shares of the sentences or names to change, a comma list (default: all)",
        **texts.NO_CACHE,
    }
    options.add_flags(parser, "probes", flags)
    options.add(parser, {name: options.of("corrupt")[name] for name in ("backend", "seed")})
    options.add(parser, {name: options.of("score")[name] for name in ("cache", "processes")})
    options.add(parser, options.slicing(options.of("bias")))
    options.add(parser, options.places())
    options.add_output(parser, "bias")


def run(arguments: argparse.Namespace) -> int:
    """Read votes, scores or texts, and look for what sways the judges."""
    from metassay.cli.commands import downgrade
    from metassay.cli.progress import progress
    from metassay.cli.running import Output, placed, read_votes_or_scores, run_study
    from metassay.studies.bias import bias

    if arguments.corruption is None and arguments.after is None:
        return run_study(arguments, "bias", read_votes_or_scores)
    if arguments.corruption is not None and arguments.after is not None:
        raise UsageError("--corruption changes texts and asks again; --after names scores of changed texts; give one")
    if arguments.by is not None:
        raise UsageError("--by cannot be used with --corruption or --after; slices need the scores alone")
    asked = arguments.corruption is not None
    chosen = options.given(arguments, options.of("bias"), leave_out=("metric",) if asked else ())
    place, output = placed(arguments), Output.of(arguments, "bias")
    with progress(arguments.quiet), place:
        before, after = (downgrade.from_texts if asked else downgrade.from_scores)(arguments)
        result = bias(before, after=after, **chosen)
    output.put(result)
    return 0
