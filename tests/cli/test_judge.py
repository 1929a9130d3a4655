"""metassay judge: the card on the command line, and the gate."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

DATA = str(files("metassay").joinpath("data", "judge.csv"))
VOTES = str(files("metassay").joinpath("data", "votes.csv"))
PEOPLE = "dora,emil,farah,goran"
CARD = ("judge", DATA, "--human", "verdict_*", "--judge", "*-judge")


def test_the_answer_stands_first(run):
    code, out, err = run(*CARD, "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("strict-judge (verdict) agrees with the majority of the 3 people")
    assert out.index("Judges against people") < out.index("Worst slices of each judge")
    assert "judges:2" in out


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("agreement", "Gwet's AC1"),
        ("people", "all pairs of people"),
        ("confusion", "216 (88%, 81–92%)"),
        ("disagreements", "Worst disagreements"),
        ("alternative", "Passes if equal: how often"),
        ("epsilon", "0.15"),
        ("ranks", "Possible ranks: by paired tests"),
    ],
)
def test_views(run, view, words):
    code, out, _ = run(*CARD, "--quiet", "--view", view)
    assert code == 0
    assert words in " ".join(out.split())


def test_a_gate_ends_with_three_and_a_line_for_each(run, tmp_path):
    report = tmp_path / "junit.xml"
    ask = ("--require", "kappa.low>=0.7", "--require", "bias.abs<=0.05")
    code, _, err = run(*CARD, "--quiet", *ask, "--junit", report, "--github")
    assert code == 3
    lines = [line for line in err.splitlines() if line.startswith("metassay: not met: ")]
    assert lines == [
        "metassay: not met: kappa.low>=0.7: 0.6108 for kind-judge on verdict",
        "metassay: not met: bias.abs<=0.05: 0.08571 for kind-judge on verdict",
    ]
    assert err.count("::error title=metassay judge::") == 2
    suite = ET.parse(report).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    assert run(*CARD, "--quiet", "--require", "strict-judge:kappa>=0.7").code == 0


def test_misuse_is_one_line(run):
    code, _, err = run(*CARD, "--junit", "x.xml")
    assert (code, err.strip()) == (2, "metassay: error: --junit cannot be used without --require")
    code, _, err = run(*CARD, "--require", "kappa")
    assert code == 2
    assert "a requirement is NAME" in err
    code, _, err = run(*CARD, "--epsilon", "novices")
    assert code == 2
    assert "epsilon must be experts, skilled, crowd or a number" in err


def test_json_and_show(run, tmp_path):
    kept = tmp_path / "card.json"
    assert run(*CARD, "--quiet", "-o", kept).code == 0
    assert len(json.loads(kept.read_text())["tables"]["epsilon_curve"]) == 14
    code, out, _ = run("show", kept, "--view", "confusion")
    assert code == 0
    assert "Confusion table of strict-judge" in out
    code, out, _ = run(*CARD, "--quiet", "--format", "csv", "--rows", "disagreements")
    assert out.startswith("judge,human,system,input,said_judge,said_people,gap,texts\n")


def test_files_with_roles(run, tmp_path):
    people, judges = tmp_path / "people.json", tmp_path / "models.json"
    items = [str(k) for k in range(60)]
    people.write_text(json.dumps({who: {i: int(i) % 2 for i in items} for who in ("ann", "bob")}))
    judges.write_text(json.dumps({"gpt": {i: int(i) % 3 % 2 for i in items}}))
    code, out, _ = run("judge", f"human={people}", f"judge={judges}", "--quiet", "--format", "json")
    assert code == 0
    row = json.loads(out)["rows"][0]
    assert (row["judge"], row["human"], row["n_people"], row["n_items"]) == ("gpt", "label", 2, 60)


def test_an_empty_view_says_what_it_needs_and_no_table_comes_twice(run):
    _, out, _ = run(*CARD, "--quiet", "--view", "calibration")
    assert "The view calibration is empty: it needs a judge that gives probabilities" in " ".join(out.split())
    scored = ("judge", DATA, "--human", "verdict_*", "--judge", "kind-judge-grade", "--quiet")
    _, out, _ = run(*scored, "--view", "threshold,calibration,operating")
    assert out.count("Chosen thresholds, on held-out items") == 1


def test_columns_without_a_common_name_are_people_if_somebody_says_so(run, tmp_path):
    table = tmp_path / "v.csv"
    lines = [f"q{k},{k % 2},{k % 2},{(k + k // 9) % 2}" for k in range(60)]
    table.write_text("\n".join(["id,anna,ben,judge", *lines]))
    ask = ("judge", table, "--judge", "judge", "--quiet")
    assert "the majority of the 2 people" in run(*ask, "--people", "verdict=anna,ben").out
    _, out, _ = run(*ask, "--human", "anna,ben")
    assert "anna, ben are treated as different criteria" in " ".join(out.split())


def test_slices_are_made_or_refused(run):
    code, out, err = run(*CARD, "--quiet", "--by", "category", "--format", "csv")
    assert (code, err) == (0, "")
    assert out.startswith("slice,judge,human,")
    assert len({line.partition(",")[0] for line in out.splitlines()[1:]}) > 1
    assert run(*CARD, "--quiet", "--by", "category", "--format", "csv", "--rows", "between_slices").code == 0
    code, _, err = run(*CARD, "--by", "category", "--require", "kappa>=0")
    assert (code, "--require is for all items and --by makes slices" in err) == (2, True)
    code, _, err = run("judge", VOTES, "--human", PEOPLE, "--quiet", "--by", "category")
    assert (code, "makes slices of scores, got Votes; for votes, use --select" in err) == (2, True)


@pytest.mark.parametrize("source", [VOTES, DATA])
def test_judge_and_report_read_stdin(spawn, source, tmp_path):
    people = PEOPLE if source == VOTES else "verdict_*"
    stdin = Path(source).read_bytes()
    named = spawn("judge", source, "--human", people, "--quiet")
    assert spawn("judge", "-", "--human", people, "--quiet", stdin=stdin) == named
    assert named.code == 0
    if source == VOTES:
        page = tmp_path / "page.html"
        assert spawn("report", "-", "--human", people, "--quiet", "-o", page, stdin=stdin).code == 0
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_file_of_labels_beside_a_file_of_people_needs_no_more_words(run, tmp_path):
    people = {
        "dataset": "x",
        "annotations": [{"metric": "safety", "category": "categorical", "labels_list": ["No", "Yes"]}],
        "instances": [
            {"id": i, "instance": f"text {i}", "annotations": {
                "safety": {"majority_human": "Yes" if i % 3 else "No", "individual_human_scores": ["Yes"]}}}
            for i in range(60)
        ],
    }  # fmt: skip
    (tmp_path / "people.json").write_text(json.dumps(people))
    # No word of this header is known, and its cells are texts.
    rows = [f"{i},{'Yes' if i % 3 else 'No'},{'Yes' if i % 2 else 'No'}" for i in range(60)]
    (tmp_path / "models.csv").write_text("\n".join(["id,model-a,model-b", *rows]))
    code, out, err = run("judge", f"human={tmp_path / 'people.json'}", f"judge={tmp_path / 'models.csv'}")
    assert code == 0, err
    assert "model-a" in out
    code, _, err = run("judge", tmp_path / "people.json")
    assert code == 1
    assert "add a file that has one, such as judge=FILE" in err
