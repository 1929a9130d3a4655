"""The archive of Braun et al. (2022), as small files of the form that the authors' code reads."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import FormatError

TEXTS, SYSTEMS, EXPERTS = 12, 17, 3
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


@pytest.fixture
def archive(make):
    """Write the files, with noise that grows from English to German to German put back."""
    random = np.random.default_rng(4)
    n = TEXTS * SYSTEMS
    quality = random.normal(size=n)
    people = np.clip(np.round(3 + quality + random.normal(size=(4, EXPERTS, n))), 1, 5)

    def scores(sign=1.0, more=0.0):
        return {
            pair: (sign * quality + (noise + more) * random.normal(size=n)).tolist()
            for pair, noise in (("en^en", 0.5), ("en^de", 0.55), ("de^en", 3.0))
        }

    rouge = {f"rouge{k}": scores() for k in "1L"}
    nested = {pair: {name: by[pair] for name, by in rouge.items()} | {"t_sec": 1.5} for pair in rouge["rouge1"]}
    content = {
        "scores_human_from_SummEval.json": people.tolist(),
        "scores_bleu.json": scores(),
        "scores_jshannon.json": scores(sign=-1.0, more=0.7),
        "scores_rouge.json": nested,
        "margins.json": {"std": {"bleu": {"coherence": 0.01}}},
        "translations_summaries.jsonl": {"id": "x", "texts": ["a", "b"]},
    }
    for name, value in content.items():
        path = make(f"data/{name}", json.dumps(value))
    make("data/readme.txt", "What the files are.\n")
    return path.parent, content


def test_every_score_is_where_it_belongs(archive):
    folder, content = archive
    scores = ma.read(folder)
    assert scores.shape == (SYSTEMS, TEXTS)
    assert (scores.systems[0], scores.systems[-1]) == ("system-1", "system-17")
    assert scores.metrics == ("bleu", "jshannon", "rouge1", "rougeL")
    assert scores.humans == CRITERIA
    assert [origin.name for origin in scores.sources] == [
        f"scores_{name}.json" for name in ("bleu", "human_from_SummEval", "jshannon", "rouge")
    ]
    assert {origin.format for origin in scores.sources} == {"summary-translation"}
    assert [note.code for note in scores.notes] == ["labels-by-position"]
    assert scores["bleu"].labels("language") == ("de", "de-back", "en")
    # the sixth summary of the third text
    at = 2 * SYSTEMS + 5
    for label, pair in (("en", "en^en"), ("de", "en^de"), ("de-back", "de^en")):
        for metric, values in (
            ("bleu", content["scores_bleu.json"][pair]),
            ("rougeL", content["scores_rouge.json"][pair]["rougeL"]),
        ):
            assert scores.select(language=label)[metric].values[..., 5, 2].item() == values[at]
    assert scores["fluency"].labels("annotator") == ("1", "2", "3")
    assert scores["fluency"].values[1, 5, 2] == content["scores_human_from_SummEval.json"][2][1][at]
    assert [name for name in scores.metrics if scores[name].lower_is_better] == ["jshannon"]


def test_survive_answers_from_the_folder(archive):
    folder, _ = archive
    result = ma.survive(ma.read(folder), statistic="kendall", resample="points", test="tost", p="paper", resamples=200)
    assert result.baseline == "en"
    assert {row.language for row in result.table} == {"de", "de-back"}
    assert {row.margin_kind for row in result.table} == {"constant", "sd", "range"}
    assert not any(math.isnan(row.p_value) for row in result.table)
    tost = {
        (row.metric, row.human, row.language): row
        for row in result.table
        if row.test == "tost" and row.margin_kind == "constant"
    }
    for metric in ("bleu", "jshannon", "rouge1", "rougeL"):
        for criterion in CRITERIA:
            forward, back = tost[metric, criterion, "de"], tost[metric, criterion, "de-back"]
            assert forward.estimate_a > 0.2  # JS is turned around
            assert abs(forward.difference) < 0.1 < -back.difference
            assert not back.equivalent
    assert {shift.language for shift in result.shifts} == {"de"}
    # JS is worse than the others, so some pairs of metrics are resolved, and told after the round trip, too
    assert any(shift.shift_back > 0 for shift in result.shifts)


def test_the_command_reads_the_folder(archive, capsys):
    from metassay.cli import main

    folder, _ = archive
    assert main(["survive", str(folder), "--metric", "bleu", "--human", "relevance", "--resamples", "100"]) == 0
    printed = capsys.readouterr()
    assert "17 systems × 12 inputs" in printed.err
    assert "baseline:en" in printed.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"en^en": [0.5] * 16}, "bleu in en: expected a list of scores, 17 for each text, got 16 of them"),
        ({"en^en": {"f": 3}}, "f in en: expected a list of scores, 17 for each text, got int"),
        ({"en^de": ["x"] * 17}, "field 'bleu in de' must be a number, got 'x'"),
        ([[[1.0] * 17], [[1.0] * 17], [[1.0] * 17], [[1.0] * 18]], "relevance of annotator 1: expected a list"),
    ],
)
def test_what_is_wrong_is_told(make, content, message):
    with pytest.raises(FormatError, match="scores_bleu.json.*" + message) as error:
        ma.read(make("scores_bleu.json", json.dumps(content)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [{"english": [1.0]}, [1, 2], [[1.0], [2.0], [3.0], [4.0]]])
def test_other_json_is_not_taken_for_it(make, content):
    with pytest.raises(FormatError):
        ma.read(make("scores_bleu.json", json.dumps(content)), format="summary-translation")
    with pytest.raises(FormatError, match="not a format that metassay knows"):
        ma.read(make("scores_bleu.json", json.dumps(content)))
