"""``metassay sheet`` and ``metassay plan-labels`` on the command line."""

from __future__ import annotations

import base64
import csv
import json

import pytest

import metassay as ma


@pytest.fixture
def judged(tmp_path):
    rows = [
        f"m{s},q{i},What is {i}?,answer {s}-{i},{i % 2},{(i + s) % 3 % 2},{i % 2}" for s in range(3) for i in range(20)
    ]
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(["model,question_id,prompt,answer,judge-a,judge-b,verdict", *rows]))
    return path


def shown(page):
    content = page.read_text(encoding="utf-8").partition('id="content">')[2].partition("</script>")[0]
    return json.loads(content)


def test_labels(run, judged, tmp_path):
    page = tmp_path / "sheet.html"
    found = run("sheet", judged, "--ask", "label", "--criterion", "right", "--n", "12", "-o", page)
    assert found.code == 0
    assert "12 tasks" in found.err
    content = shown(page)
    assert (content["ask"], content["criterion"], content["answers"]) == ("label", "right", ["fail", "pass"])
    assert len(content["items"]) == 12
    assert all(item["context"].startswith("What is") for item in content["items"])
    assert all(item["chance"] is None for item in content["items"])
    again = run("sheet", judged, "--choose", "variance", "--metric", "judge-a,judge-b", "--n", "12", "-o", page)
    assert again.code == 0
    assert all(0 < item["chance"] <= 1 for item in shown(page)["items"])


def test_pairs_and_corrupted_texts(run, judged, tmp_path):
    page, texts, other = (tmp_path / name for name in ("sheet.html", "texts.jsonl", "other.jsonl"))
    assert run("sheet", judged, "--ask", "prefer", "--pairs", "close", "--metric", "judge-b", "-o", page).code == 0
    assert all(len(item["texts"]) == 2 for item in shown(page)["items"])
    outputs = {("a", str(i)): f"One {i}. Two {i}. Three." for i in range(4)}
    ma.write_texts(ma.Texts(outputs=outputs), texts)
    assert run("corrupt", texts, "--kind", "shuffle", "-o", other).code == 0
    assert run("sheet", texts, "--against", other, "-o", page).code == 0
    assert shown(page)["ask"] == "prefer"


def test_answers_of_two_people_are_two_annotators(judged, tmp_path):
    for person in ("Ann", "Ben"):
        rows = [{"system": "m0", "input": f"q{i}", "annotator": person, "right": "pass"} for i in range(5)]
        (tmp_path / f"right-{person}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = ma.read(judged, tmp_path / "right-Ann.jsonl", tmp_path / "right-Ben.jsonl", human="right")
    assert scores["right"].labels("annotator") == ("Ann", "Ben")
    assert scores.shape == (3, 20)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--ask", "guess"), "unknown ask"),
        (("--choose", "disagreement", "--metric", "judge-a"), "at least two"),
        (("--text", "nothing"), "unknown column of texts"),
        (("--n", "0"), "at least 1"),
        (("--answers", "one"), "at least two"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(run, judged, tmp_path, wrong, told):
    found = run("sheet", judged, *wrong, "-o", tmp_path / "sheet.html")
    assert found.code in (1, 2)
    assert told in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "sheet.html").exists()


def test_plan_of_labels(run, judged):
    found = run("plan-labels", judged, "--human", "verdict", "--metric", "judge-a,judge-b", "--trials", "10")
    assert found.code == 0
    assert "Labels needed for ± 0.03" in found.out
    assert "disagreement" in found.out
    assert all(len(line) <= 100 for line in found.out.splitlines())


@pytest.mark.parametrize("damage", ["shuffle", "shuffle@0.5"])
def test_answers_on_damaged_texts_are_votes_for_downgrade(run, tmp_path, damage):
    page, texts, other, answers = (tmp_path / n for n in ("sheet.html", "texts.jsonl", "other.jsonl", "votes.jsonl"))
    outputs = {(s, str(i)): f"One {i}. Two {s} {i}. Three. Four {i}." for s in ("a", "b@v2") for i in range(8)}
    ma.write_texts(ma.Texts(outputs=outputs, references={str(i): (f"One {i}.",) for i in range(8)}), texts)
    rate = damage.partition("@")[2] or "1"
    assert run("corrupt", texts, "--kind", "shuffle", "--rate", rate, "-o", other).code == 0
    assert run("sheet", texts, "--against", f"{damage}={other}", "-o", page).code == 0
    rows = [json.loads(base64.b64decode(item["of"])) for item in shown(page)["items"]]
    assert {(a, b) for a, b, _ in rows} == {("a", f"a@{damage}"), ("b@v2", f"b@v2@{damage}")}
    facts = {"winner": "model_a", "rater": "Ann", "kind": "human", "first": "model_b"}
    lines = [json.dumps({"input": i, "model_a": a, "model_b": b, **facts}) for a, b, i in rows]
    answers.write_text("\n".join(lines))
    asked = ("--corruption", "shuffle", "--rates", rate, "--metric", "length", "--no-cache", "--votes", answers)
    found = run("downgrade", texts, *asked, "-q", "--format", "csv", "--rows", "votes")
    assert found.code == 0, found.err
    votes = list(csv.DictReader(found.out.splitlines()))
    told = {(row["system"], row["against"], float(row["preferred"]), int(row["n_inputs"])) for row in votes}
    wanted = {name: sum(a == name for a, _, _ in rows) for name in ("a", "b@v2")}
    assert told == {(name, name, 1.0, n) for name, n in wanted.items()}
