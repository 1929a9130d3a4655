from __future__ import annotations

from typing import get_args

import pytest

from metassay.core import options as opt
from metassay.core import vocabulary
from metassay.core.signature import VERSION, Signature
from metassay.errors import UnknownName, UsageError, one_line


def levels(value):
    """Return levels as studies take them."""
    return get_args(opt.Levels)[1].take("level", value)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("system", ("system",)),
        ("sys,segment", ("system", "input")),
        (["summary", "item", "no-grouping"], ("input", "global")),
        ("System, WITHIN-system", ("system", "within-system")),
    ],
)
def test_levels_and_their_aliases(said, meant):
    assert levels(said) == meant


def test_kendall_is_tau_b():
    assert vocabulary.statistics("tau-b,kendall,kendall-b,tau-c") == ("kendall", "kendall-c")


def test_unknown_names_are_told_with_the_nearest():
    with pytest.raises(UnknownName, match=r"unknown statistic 'pearsn'; did you mean 'pearson'\? \(known: pearson,"):
        vocabulary.statistics("pearsn")
    with pytest.raises(UsageError, match="no level given; choose from system"):
        levels(" , ")


@pytest.mark.parametrize("value", [0, 1, -1, float("nan"), 2.5])
def test_fractions_lie_between_zero_and_one(value):
    with pytest.raises(UsageError, match=r"confidence must lie in \(0, 1\), got"):
        vocabulary.fraction("confidence", value)


def test_a_percentage_is_understood_and_corrected():
    assert vocabulary.fraction("confidence", 0.95) == 0.95
    with pytest.raises(UsageError, match=r"got 95; did you mean 0\.95\?"):
        vocabulary.fraction("confidence", 95)


@pytest.mark.parametrize("value", [0, -3, 1.5, float("inf"), float("nan")])
def test_counts_are_whole_and_positive(value):
    with pytest.raises(UsageError, match="resamples must be a whole number of at least 1"):
        vocabulary.count("resamples", value)


def test_resamples_and_trials_have_an_end():
    assert vocabulary.repeats("resamples", 10_000_000) == 10_000_000
    with pytest.raises(UsageError, match="resamples must be at most 10,000,000, got 1,000,000,000"):
        vocabulary.repeats("resamples", 1e9)


@pytest.mark.parametrize("value", [0, -1.5, "2", True, float("inf"), float("nan")])
def test_positive_numbers_are_over_zero(value):
    with pytest.raises(UsageError, match="sigma must be a number over 0, got"):
        vocabulary.positive("sigma", value)


def test_a_flag_is_true_or_false():
    assert vocabulary.flag("idf", value=True) is True
    with pytest.raises(UsageError, match="idf must be true or false, got 'yes'"):
        vocabulary.flag("idf", value="yes")


def test_zero_is_a_seed():
    assert vocabulary.seed(0) == 0
    with pytest.raises(UsageError, match="seed"):
        vocabulary.seed(-1)


def test_signature_is_one_line_of_parts_in_order():
    signature = Signature.of("agree", level=("system", "input"), ci="boot-both,0.95", k=10_000, left=None, seed=0)
    assert str(signature) == f"study:agree|level:system,input|ci:boot-both,0.95|k:10000|seed:0|v:{VERSION}"
    assert signature["seed"] == "0"
    assert signature == Signature.of("agree", level=("system", "input"), ci="boot-both,0.95", k=10_000, seed=0)
    with pytest.raises(KeyError):
        signature["left"]


def test_one_line_escapes_and_cuts():
    assert one_line("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert one_line("é🐙<b>") == "é🐙<b>"
    assert len(one_line("x" * 500)) == 120


def test_a_bar_in_a_name_ends_no_part_of_a_signature():
    signature = str(Signature.of("criteria", anchor=["a|seed:7", "b"], seed=0))
    assert [part.partition(":")[0] for part in signature.split("|")] == ["study", "anchor", "seed", "v"]
