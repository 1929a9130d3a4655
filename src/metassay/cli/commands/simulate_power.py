"""``metassay simulate power``."""

from __future__ import annotations

import argparse
from functools import partial, update_wrapper
from typing import Any

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study
from metassay.errors import UsageError

DEFAULTS = {
    "level": "system,input",
    "coefficient": "pearson",
    "test": "williams,paired-boot-both,perm-both",
    "alpha": 0.05,
    "trials": 1_000,
    "resamples": 999,
    "seed": 0,
}
STATISTICS = ("level", "coefficient", "metric-tests", "alpha", "trials", "resamples", "seed")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    group = parser.add_argument_group("how the metric is damaged")
    group.add_argument(
        "--texts",
        action="append",
        metavar="FILE",
        help="outputs with references, on the same systems and inputs: ROUGE-1 is computed from them, and from a "
        "random share of the words of each output; repeat it for more files",
    )
    options.add(parser, "how much", ("keep", "noise"), {"keep": "0.1 to 1 in steps of 0.1", "noise": "0.25,0.5,1,2,4"})
    group.add_argument("--measure", metavar="NAME", help="f1, recall or precision of ROUGE-1 (default: f1)")
    group.add_argument(
        "--with-references",
        metavar="HOW",
        help="several references: average, best, jackknife, rouge-1.5.5-best, or first (default: average)",
    )
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES)
    options.add_output(parser, "simulate-power")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.power import simulate_power

    names = ["human", "references", *STATISTICS, "threads"]
    if arguments.texts is None:
        for name in ("keep", "measure", "with-references"):
            if getattr(arguments, name.replace("-", "_")) is not None:
                raise UsageError(f"--{name} is about ROUGE-1, which needs --texts FILE; without texts use --noise")
        return run_study(arguments, simulate_power, [*names, "metric", "noise"])
    for name in ("noise", "metric"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} has no meaning with --texts, from which ROUGE-1 is computed and damaged")
    damage = _rouge(arguments)
    study = update_wrapper(partial(simulate_power, damage=damage), simulate_power)
    return run_study(arguments, study, names)


def _rouge(arguments: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded here, so that help is instant
    from metassay.readers import read_texts
    from metassay.texts.scorers.damaged import DamagedRouge1

    chosen = options.given(arguments, ("keep", "measure"))
    if arguments.with_references is not None:
        chosen["references"] = arguments.with_references
    return DamagedRouge1(read_texts(*arguments.texts), **chosen)


COMMAND = Command(
    about=(
        "Makes a metric worse, many times, and counts how often each test finds that the intact one agrees better "
        "with people. With --texts the metric is ROUGE-1, and the damaged one sees a random share of the words; "
        "without texts, noise is added to the scores of the metrics in the files."
    ),
    examples=(
        "metassay simulate power scores.csv --human relevance --metric rouge-1 --noise 0.5,1,2",
        "metassay simulate power human.csv --texts texts.jsonl --human relevance --keep 0.2,0.5,0.8",
        "metassay simulate power scores.csv --human relevance --workers 2 --checkpoint power.checkpoint",
    ),
    options=_options,
    run=_run,
)
