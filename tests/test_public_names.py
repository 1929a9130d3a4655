"""The public face: its names, what importing it costs, and that every name explains itself."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import metassay as ma

NAMES = [
    "Agreement",
    "Biases",
    "Catalogue",
    "Column",
    "Combined",
    "Comparison",
    "Confounding",
    "Contradiction",
    "CorpusScores",
    "Corruption",
    "Coverage",
    "DamagedRouge1",
    "Damaged",
    "DataError",
    "Datasets",
    "Decisions",
    "Differences",
    "Difficulty",
    "Downgrade",
    "Drift",
    "Estimates",
    "FormatError",
    "LabelPlan",
    "JudgeCard",
    "JudgeVotes",
    "Leaderboard",
    "Look",
    "MetassayError",
    "Normality",
    "Plan",
    "Power",
    "Precision",
    "Profile",
    "Ranking",
    "Reliability",
    "Report",
    "Reproduction",
    "ScorePairs",
    "Scores",
    "Sheet",
    "Signature",
    "Size",
    "Slices",
    "Stability",
    "Statistic",
    "Survival",
    "SystemComparison",
    "Texts",
    "Translation",
    "UnknownName",
    "UsageError",
    "Votes",
    "Widths",
    "__version__",
    "agree",
    "ask_model",
    "bias",
    "compare",
    "composite",
    "corrupt",
    "criteria",
    "datasets",
    "decisions",
    "differences",
    "difficulty",
    "downgrade",
    "drift",
    "estimate",
    "example",
    "find_dataset",
    "get_dataset",
    "judge",
    "judge_votes",
    "leaderboard",
    "load",
    "look",
    "make_report",
    "make_votes_report",
    "make_sheet",
    "metrics",
    "normality",
    "pairs",
    "plan",
    "plan_labels",
    "precision",
    "profile",
    "rank",
    "read",
    "read_parallel",
    "read_tasks",
    "read_texts",
    "read_votes",
    "register",
    "reliability",
    "reproduce",
    "score",
    "score_by_reference",
    "score_corpus",
    "scorer",
    "simulate_coverage",
    "simulate_power",
    "simulate_size",
    "stability",
    "survive",
    "systems",
    "translate",
    "widths",
    "write",
    "write_texts",
]
"""Whoever changes this list changes what users may rely on: say so in the changelog."""

HEAVY = ("numpy", "scipy", "rich", "narwhals", "pandas", "polars", "pyarrow", "threadpoolctl", "vl_convert")


def test_public_names():
    assert sorted(ma.__all__) == sorted(NAMES)
    assert dir(ma) == sorted(ma.__all__)


def test_every_public_name_exists_and_explains_itself():
    for name in ma.__all__:
        value = getattr(ma, name)
        if name != "__version__":
            assert inspect.getdoc(value), f"{name} has no docstring"
            assert value.__module__.startswith("metassay.")


def test_every_field_and_method_of_public_classes_explains_itself():
    for name in ma.__all__:
        value = getattr(ma, name)
        if inspect.isclass(value):
            for attribute, member in vars(value).items():
                if not attribute.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    assert inspect.getdoc(member), f"{name}.{attribute} has no docstring"


def test_studies_document_every_parameter():
    for study in (ma.agree, ma.compare, ma.normality):
        text = inspect.getdoc(study)
        named = {word.strip() for line in text.splitlines() if not line.startswith(" ") for word in line.split(",")}
        missing = [p for p in inspect.signature(study).parameters if p not in named]
        assert not missing, f"{study.__name__} does not document {missing}"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'agrees'"):
        _ = ma.agrees


def test_the_version_is_the_one_in_signatures():
    assert str(ma.Signature.of("agree")) == f"study:agree|v:{ma.__version__}"


def test_importing_costs_nothing_heavy():
    code = f"import sys, metassay; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_first_agreement_does_without_scipy_stats():
    # scipy.stats costs more to load than everything else together.
    code = (
        "import sys, metassay as ma; ma.agree(ma.example(), human='relevance', level='system', resamples=10);"
        "print('scipy.stats' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_tree_of_errors():
    assert issubclass(ma.UnknownName, ma.UsageError)
    assert issubclass(ma.UsageError, ma.MetassayError)
    assert issubclass(ma.FormatError, ma.DataError)
    assert issubclass(ma.Contradiction, ma.DataError)
    assert issubclass(ma.DataError, ma.MetassayError)
    assert issubclass(ma.MetassayError, Exception)
    assert (ma.UsageError.exit_code, ma.DataError.exit_code) == (2, 1)
