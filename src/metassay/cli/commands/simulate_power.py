"""``metassay simulate power``: the options are the study's own, and what reading needs."""

from __future__ import annotations

import argparse
from typing import Any

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.cli.running import run_study
from metassay.errors import UsageError


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "simulate_power")
    options.add_flags(
        parser,
        "how the metric is corrupted",
        {
            "--texts FILE...": "outputs with references, on the same systems and inputs: ROUGE-1 is computed from "
            "them, and from a random share of the words of each output; may be repeated",
            "--keep SHARE": "shares of the words that the corrupted metric sees, a comma list; needs --texts (default: "
            "0.1 to 1)",
            "--measure NAME": "f1, recall or precision of ROUGE-1 (default: f1)",
            "--with-references HOW": "how several references are combined: average, best, jackknife, rouge-1.5.5-best, "
            "or first (default: average)",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    if arguments.texts is None:
        for name in ("keep", "measure", "with-references"):
            if getattr(arguments, name.replace("-", "_")) is not None:
                raise UsageError(f"--{name} is for ROUGE-1, which needs --texts FILE; without texts use --noise")
        return run_study(arguments, "simulate_power")
    for name in ("noise", "metric"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} cannot be used with --texts, from which ROUGE-1 is computed and corrupted")
    return run_study(arguments, "simulate_power", damage=_rouge(arguments))


def _rouge(arguments: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded here, so that help is instant
    from metassay.readers.texts import read_texts
    from metassay.texts.scorers.damaged import DamagedRouge1

    chosen = {name: getattr(arguments, name) for name in ("keep", "measure") if getattr(arguments, name) is not None}
    if arguments.with_references is not None:
        chosen["references"] = arguments.with_references
    return DamagedRouge1(read_texts(*arguments.texts), **chosen)
