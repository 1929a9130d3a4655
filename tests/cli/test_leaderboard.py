"""``metassay leaderboard``: one command from files to tables, figures and errors of one line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import metassay as ma
from metassay.cli import main


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    lines = ["system,input,language,domain,human,bleu,comet"]
    for language in ("de", "zh"):
        for s in range(6):
            for i in range(12):
                z = s + random.normal()
                score = z + random.normal(), z + 3 * random.normal()
                lines.append(f"s{s},{language}{i},{language},{'news' if i < 6 else 'chat'},{z},{score[0]},{score[1]}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines))
    return path


def run(*arguments):
    return main([str(each) for each in arguments])


def test_all_languages_are_tasks(table, tmp_path, capsys):
    wanted = ("leaderboard", table, "--human", "human", "--statistic", "pearson@input", "-q")
    assert run(*wanted, "--language", "*", "-o", tmp_path / "b.json") == 0
    found = json.loads((tmp_path / "b.json").read_text())
    assert {row["task"] for row in found["tables"]["tasks"]} == {"de", "zh"}
    assert "tasks:2" in found["signature"]
    assert "coef:pearson@input" in found["signature"]
    assert run(*wanted, "--language", "zh,de", "--average", "zh=3,de=1", "--view", "tasks") == 0
    assert "zh (6 × 12)" in capsys.readouterr().out
    assert run(*wanted, "--language", "*", "--by", "domain") == 2
    assert "both name tasks" in capsys.readouterr().err


def test_files_need_not_hold_every_language(tmp_path, capsys):
    people = [f"{70 + s} {s / 10} 9 sys.{s} 9" for s in range(6)]
    (tmp_path / "ad-sys-scores-en-de.csv").write_text("\n".join(["RAW.SCR Z.SCR N SYS N.ALL", *people]))
    lines = [f"bleu\t{lp}\tnews\tnews\tsys.{s}\t{(s * 7) % 5}" for lp in ("en-de", "cs-en", "zh-en") for s in range(6)]
    (tmp_path / "bleu.sys.score").write_text("\n".join(lines))
    assert run("leaderboard", *sorted(tmp_path.iterdir()), "--language", "*", "--statistic", "pearson@system") == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "read" in line] == told[:1]


def test_a_task_that_people_tie_is_named(table, capsys):
    rows = [line.split(",") for line in table.read_text().splitlines()]
    table.write_text("\n".join(",".join([*row[:4], "1" if row[2] == "zh" else row[4], *row[5:]]) for row in rows))
    assert run("leaderboard", table, "--human", "human", "--language", "*", "--statistic", "pearson@system", "-q") == 0
    assert "zh, human, system level, Pearson: undefined, because people tie" in capsys.readouterr().out.replace(
        "\n", " "
    )


def test_a_column_names_tasks_and_every_format_is_written(table, tmp_path, capsys):
    wanted = ("leaderboard", table, "--language", "de", "--human", "human", "--by", "domain", "-q")
    for name in ("b.tex", "b.md", "b.csv", "b.html", "b.txt"):
        assert run(*wanted, "--statistic", "spa,acc-eq", "-o", tmp_path / name) == 0
        assert "bleu" in (tmp_path / name).read_text(encoding="utf-8")
    assert run(*wanted, "--statistic", "spa", "--rows", "tests", "--format", "csv") == 0
    assert capsys.readouterr().out.startswith("metric_a,metric_b")
    assert run(*wanted, "--by", "genre") == 2


def test_bad_options_are_one_line(table, capsys):
    for more, said in (
        (("--average", "fr=1"), "task"),
        (("--average", "de"), "TASK=WEIGHT"),
        (("--statistic", "spa@input"), "not defined at input level"),
        (("--statistic", "spa@word"), "level"),
    ):
        assert run("leaderboard", table, "--language", "*", "--human", "human", *more) == 2
        err = capsys.readouterr().err.strip().splitlines()
        assert said in err[-1]


@pytest.mark.parametrize(
    "what", ["people tie all", "a metric ties all", "three systems", "people judged whole systems"]
)
def test_edges_have_a_reason_and_no_wrong_number(what, tmp_path, capsys):
    random = np.random.default_rng(1)
    systems, whole = 3 if what == "three systems" else 6, what == "people judged whole systems"
    z = np.arange(systems)[:, None] + random.normal(size=(systems, 12))
    human = np.ones_like(z) if what == "people tie all" else z
    metric = np.full_like(z, 3.0) if what == "a metric ties all" else z + random.normal(size=z.shape)
    cells = [(s, i) for s in range(systems) for i in range(12)]
    head = "system,input,m,n" if whole else "system,input,h,m,n"
    lines = [[f"s{s}", f"i{i}", *([] if whole else [human[s, i]]), metric[s, i], -z[s, i]] for s, i in cells]
    files = [tmp_path / "scores.csv"]
    files[0].write_text("\n".join([head, *(",".join(map(str, line)) for line in lines)]))
    if whole:
        files.append(tmp_path / "people.csv")
        files[1].write_text("\n".join(["system,h", *(f"s{s},{s}" for s in range(systems))]))
        assert run("leaderboard", *files, "--human", "h", "-q") == 1
        assert "'h' has scores of whole systems only, and spa compares" in capsys.readouterr().err
    statistic = "pairwise-accuracy@system,pearson@system" if whole else "spa,acc-eq"
    out = tmp_path / "b.json"
    assert run("leaderboard", *files, "--human", "h", "--statistic", statistic, "-q", "-o", out) == 0
    found = json.loads(out.read_text())
    rows = {(row["metric"], row["statistic"]): row for row in found["rows"]}
    codes = {note["code"] for note in found["notes"]}
    if what == "three systems":
        assert rows["m", "spa"]["low"] is None
        assert {"no-interval", "no-test"} <= codes
    elif whole:
        assert rows["n", "pairwise-accuracy"]["estimate"] == 0
    else:
        assert rows["m", "spa"]["estimate"] is None
        assert "agreement-undefined" in codes
        reason = "people-tied" if what == "people tie all" else "metric-tied"
        assert {note["reason"] for note in found["notes"] if note["code"] == "agreement-undefined"} == {reason}
        assert (rows["n", "spa"]["estimate"] is None) == (what == "people tie all")
        assert (rows["n", "acc-eq"]["estimate"] is None) == (what == "people tie all")
    wanted = ("--human", "h", "--statistic", "spa", "--level", "system", "-q")
    expected = {"people tie all": "people-tied", "a metric ties all": "metric-tied", "three systems": None}
    for study in ("agree", "compare"):
        assert run(study, *files, *wanted, "-o", out) == 0
        notes = json.loads(out.read_text())["notes"]
        reasons = {note["reason"] for note in notes if note["code"] == "agreement-undefined"}
        assert reasons - {None} == {expected.get(what, "people-whole")} - {None}
        assert run(study, *files, *wanted) == 0
        assert (
            "give these, or use --statistic pairwise-accuracy" in " ".join(capsys.readouterr().out.split())
        ) == whole


def test_a_report_has_the_leaderboard_over_tasks(table, tmp_path, capsys):
    wanted = ("report", table, "--human", "human", "--resamples", "50", "-q", "-o", tmp_path / "r.html")
    assert run(*wanted, "--language", "de", "--by", "domain") == 0
    one = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Leaderboard: human, 2 tasks (6 systems × 6 inputs)" in one
    assert 'href="#agree"' in one
    assert 'href="#leaderboard"' in one
    assert run(*wanted, "--language", "*") == 0
    several = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "2 tasks: de (6 systems × 12 inputs), zh (6 systems × 12 inputs)." in several
    assert "Leaderboard: human, 2 tasks (6 systems × 12 inputs)" in several
    assert 'href="#agree"' not in several
    assert "leads with" in capsys.readouterr().out
    assert run(*wanted, "--language", "*", "--by", "domain") == 2
    assert run(*wanted, "--language", "*", "--title", "Shared task") == 0
    assert "<title>Shared task</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_report_of_tasks_has_the_numbers_of_the_leaderboard(table):
    tasks = ma.read_tasks(table, human="human", language="*")
    report = ma.make_report(tasks, human="human", resamples=50)
    assert list(report.dossier.results) == ["leaderboard", "differences"]
    assert report.dossier.results["leaderboard"].table == ma.leaderboard(tasks, human="human").table
    for unfit in ({"full": True}, {"first": "first.html"}):
        with pytest.raises(ma.UsageError, match=f"^{next(iter(unfit))}.* cannot be used with several tasks"):
            ma.make_report(tasks, human="human", **unfit)
