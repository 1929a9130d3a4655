"""Flags that are no options of a study stand in a table."""

import pytest

from metassay.cli import options
from metassay.cli.parser import Command, Misuse, Parser

FLAGS = {
    "FILE...": "files",
    "--metric NAME...": "metrics",
    "--max-references N": "how many",
    "--max-cost X": "at most 5% of it",
    "--with FILE": "scores",
    "--no-cache": "keep nothing",
    "-o --output FILE": "where to",
}


def made():
    command = Command("About.", (), lambda parser: options.add_flags(parser, "all", FLAGS), lambda _: 0)
    return Parser("try", command)


def test_flags_are_read_as_they_are_written_in_the_table():
    found = made().read(
        ["a", "--metric", "x", "--max-references", "3", "b", "--metric", "y", "--with", "s.csv", "-o", "t"]
    )
    assert (found.files, found.metric, found.max_references) == (["a", "b"], ["x", "y"], 3)
    assert (found.with_, found.output, found.no_cache, found.max_cost) == ("s.csv", "t", False, None)
    assert made().read(["--no-cache", "--max-cost", "0.5"]).max_cost == 0.5
    assert "at most 5% of it" in made().format_help()


def test_what_is_no_number_is_refused():
    with pytest.raises(Misuse, match="--max-references: invalid int value: 'x'"):
        made().read(["--max-references", "x"])
