"""Public files that were not made for metassay, as they are; they are not part of the project."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import metassay as ma
from metassay.core.scales import Scale
from metassay.errors import FormatError, UsageError


@pytest.mark.parametrize(
    ("name", "inputs", "people"), [("cebab_stars", 711, 10), ("lgbteen", 880, 4), ("mtbench", 120, 3), ("wax", 246, 8)]
)
def test_alternative_annotators(shared_data, name, inputs, people):
    human, judges = (shared_data / "alttest" / name / f"{who}_annotations.json" for who in ("human", "llm"))
    scores = ma.read(f"human={human}", f"judge={judges}")
    assert (scores.shape, scores.has_systems) == ((1, inputs), False)
    assert len(scores["label"].labels("annotator")) == people
    assert len(scores.metrics) == 6
    assert scores["gpt-4o"].scale == scores["label"].scale
    assert scores["label"].scale.kind == ("interval" if name == "cebab_stars" else "nominal")
    with pytest.raises(UsageError, match="human=FILE and judge=FILE"):
        ma.read(human, judges)


@pytest.mark.parametrize(
    ("name", "criterion", "yes"), [("cola", "grammaticality", 719), ("dices_350_expert", "safety", 175)]
)
def test_judge_bench(shared_data, name, criterion, yes):
    scores = ma.read(shared_data / "judge-bench" / f"{name}.json")
    assert scores[criterion].scale == Scale("binary", ("No", "Yes"))
    assert np.nansum(scores[criterion].values) == yes
    assert all(each.axis == "input" for each in scores.attributes.values())


def test_verdicts_of_llmbar_add_up_to_the_statistics_of_its_owners(shared_data):
    votes = ma.read_votes(shared_data / "llmbar" / "Natural")
    gold = {votes.inputs[i]: w for i, w in zip(votes.of("gold").input, votes.of("gold").winner, strict=True)}
    assert len(gold) == 100
    for path in sorted((shared_data / "llmbar").rglob("statistics.json")):
        said = json.loads(path.read_text())
        judge = votes.of("/".join(path.parts[-3:-1]))
        right = np.array([gold[votes.inputs[i]] == w for i, w in zip(judge.input, judge.winner, strict=True)])
        for order, name in enumerate(("correct_False", "correct_True")):
            assert said[name].startswith(f"{right[judge.first == order].sum()} /"), path


def test_people_of_pandalm_agree_as_published(shared_data):
    votes = ma.read_votes(shared_data / "pandalm")
    assert (len(votes), len(votes.systems), votes.judges) == (4970, 5, ("gpt", "pandalm"))
    said = {
        name: dict(zip((v := votes.of(name)).input.tolist(), v.winner.tolist(), strict=True)) for name in votes.humans
    }
    kappas = []
    for a, b in combinations(votes.humans, 2):
        table = np.zeros((3, 3))
        for key in said[a].keys() & said[b].keys():
            table[said[a][key], said[b][key]] += 1
        table /= table.sum()
        chance = (table.sum(0) * table.sum(1)).sum()
        kappas.append(round(float((np.trace(table) - chance) / (1 - chance)), 2))
    assert sorted(kappas) == [0.85, 0.86, 0.88]


def test_votes_of_evalica_give_its_win_rates(shared_data):
    votes = ma.read_votes(shared_data / "evalica" / "llmfao.csv")
    assert (len(votes), len(votes.systems), len(votes.raters)) == (8931, 59, 124)
    lines = (shared_data / "evalica" / "llmfao-golden.csv").read_text().splitlines()[1:]
    golden = {item: float(score) for name, item, score in (line.rsplit(",", 2) for line in lines) if name == "counting"}
    wins = votes.counts().sum(axis=1)
    for system, expected in golden.items():
        assert wins[votes.systems.index(system)] == pytest.approx(expected)


def test_unieval_without_systems_or_documents(shared_data):
    published = json.loads((shared_data.parent / "reference" / "unieval.json").read_text())
    scores = ma.read(shared_data / "unieval" / "sfres_result.json")
    expected = next(values for name, values in published.items() if name.startswith("sfres"))
    for criterion, numbers in expected.items():
        rows = ma.agree(
            scores,
            human=criterion,
            metric=f"predicted_{criterion}",
            level="global",
            statistic="pearson,spearman,kendall",
            resamples=100,
        ).table
        np.testing.assert_allclose([row.estimate for row in rows], numbers, atol=1e-6)
    assert ma.read(shared_data / "unieval" / "topical_chat_result.json").shape == (6, 60)


def test_frank(shared_data):
    scores = ma.read(shared_data / "frank")
    assert (scores.shape, len(scores.metrics)) == ((9, 499), 15)
    assert "design-disconnected" in [note.code for note in scores.notes]
    assert {name: each.axis for name, each in scores.attributes.items()} == {"dataset": "input", "split": "input"}


def test_inspect(shared_data):
    logs = shared_data / "inspect"
    both = ma.read(logs / "popularity.json", logs / "security-guide.json")
    assert both.shape == (1, 6)
    assert ma.read(logs / "mmlu-summary-choices.eval")["choice"].values.tolist() == [[0]]
    with pytest.raises(FormatError, match="none of the 10 samples of the log has a score"):
        ma.read(logs / "popularity.eval")


def test_wmt20(shared_data):
    scores = ma.read(shared_data / "wmt20", language="en-de")
    assert (len(scores.systems), len(scores.metrics), scores.humans) == (20, 19, ("RAW.SCR", "Z.SCR"))
    # People's own tables and the metrics' spell the human translations differently.
    assert set(scores.groups) == {"Human-A.0", "Human-B.0", "Human-P.0", "HUMAN-A", "HUMAN-B", "HUMAN-C"}
    (skipped,) = {note.code for note in scores.notes}
    assert skipped == "file-of-other-language"


def test_system_scores_of_wmt23_are_official(shared_data):
    published = json.loads((shared_data.parent / "reference" / "wmt23-en-de.json").read_text())["rows"]
    official = {
        row["metric"].removesuffix("[noref]"): row["value"]
        for row in published
        if (row["level"], row["statistic"]) == ("sys", "Pearson")
    }
    scores = ma.read(shared_data / "wmt23")
    assert (scores.shape, len(scores.metrics), len(set(scores.clusters.values()))) == ((14, 557), 45, 192)
    kept = scores.without_references()
    human = kept.system_matrix("mqm")
    people = np.nanmean(human, axis=1)
    checked = 0
    for name in kept.metrics:
        expected = official.get(name.removesuffix("-refA").removesuffix("-src"))
        if expected is not None:
            means = np.nanmean(kept.system_matrix(name), axis=1)
            assert np.corrcoef(means, people)[0, 1] == pytest.approx(expected, abs=1e-6), name
            checked += 1
    assert checked > 20
    assert ma.read(shared_data / "wmt23", metric="BLEU-*").metrics == ("BLEU-refA",)
