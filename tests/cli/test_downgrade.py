"""``metassay downgrade``."""

import json

import pytest

import metassay as ma

SOURCE = "Paul Merson met Andros Townsend . They played for England . It rained all day . Roy Hodgson was there ."


@pytest.fixture
def texts(tmp_path):
    """Three systems that copy the source, less and less of it."""
    path = tmp_path / "texts.jsonl"
    sentences = SOURCE.split(" . ")
    rows = []
    for i in range(6):
        rows.append({"input": str(i), "source": SOURCE, "reference": SOURCE})
        for system, keep in (("long", 4), ("middle", 3), ("short", 2)):
            text = " . ".join(sentences[:keep]) + f" . Number {i} ." * (i % 2)
            rows.append({"system": system, "input": str(i), "output": text})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_from_texts(run, texts):
    argv = ("downgrade", texts, "--metric", "rouge", "--corruption", "shuffle,lemmatise", "--no-cache")
    done = run(*argv, "--rates", "0.5,1", "--full")
    assert done.code == 0
    assert "shuffle (against coherence), 100% of the units" in done.out
    assert "Corruption noticed, by the share of units corrupted" in done.out
    assert " 50% " in done.out
    rows = json.loads(run(*argv, "--format", "json", "-q").out)["rows"]
    assert {"metric", "human", "system", "rank_before", "rank_after", "passed_by"} <= set(rows[0])
    assert {(r["kind"], r["human"], r["rate"]) for r in rows} == {
        ("shuffle", "coherence", 1.0),
        ("lemmatize", "fluency", 1.0),
    }
    # single words stay, whatever their order
    unigrams = [r for r in rows if (r["metric"], r["kind"]) == ("rouge-1_recall", "shuffle")]
    assert [r["change"] for r in unigrams] == [0.0] * 3


def test_scores_before_and_after_say_the_same(run, texts, tmp_path):
    found = ma.read_texts(texts)
    ma.write(ma.score(found, "rouge"), tmp_path / "before.csv")
    ma.write(ma.score(ma.corrupt(found, "drop-words", rate=0.5).texts, "rouge"), tmp_path / "after.csv")
    after = f"drop-words@0.5={tmp_path / 'after.csv'}"
    mine = run("downgrade", tmp_path / "before.csv", "--after", after, "--format", "json", "-q")
    options = ("--corruption", "drop-words", "--rates", "0.5", "--no-cache", "--format", "json", "-q")
    theirs = run("downgrade", texts, "--metric", "rouge", *options)
    assert (mine.code, theirs.code) == (0, 0)
    assert json.loads(mine.out)["rows"] == json.loads(theirs.out)["rows"]


def test_every_view(run, texts):
    argv = ("downgrade", texts, "--metric", "length", "--corruption", "truncate", "--no-cache", "-q")
    done = run(*argv, "--view", "table,curve,systems,rows")
    assert done.code == 0
    assert "Systems corrupted one at a time" in done.out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "give either --corruption KIND"),
        (("--corruption", "shuffle", "--after", "x.csv"), "give either --corruption KIND"),
        (("--corruption", "shuffle"), "no metric given"),
        (("--corruption", "shuffel", "--metric", "length"), "did you mean 'shuffle'"),
        (("--corruption", "shuffle", "--metric", "length", "--rates", "50"), "did you mean 0.5"),
        (("--corruption", "shuffle", "--metric", "length", "--test", "unpaired-t"), "unknown test"),
        (("--after", "x.csv", "--rates", "0.5"), "cannot be used with --after"),
    ],
)
def test_misuse_is_one_line(run, texts, argv, message):
    code, out, err = run("downgrade", texts, "-q", *argv)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_votes_of_people_beside_the_metric(run, tmp_path):
    lines = {"before": [], "after": [], "votes": ["model_a,model_b,winner,question_id,annotator"]}
    for i in range(12):
        for system, value in (("good", 3), ("bad", 1)):
            lines["before"].append(f"{system},{i},m,{value + i % 3 / 10}")
            lines["after"].append(f"{system},{i},m,{value + i % 3 / 10 - 0.5}")
        lines["votes"].append(f"good@shuffle,bad,bad,{i},annotator1")
    head = "system,input,metric,score\n"
    for name, rows in lines.items():
        (tmp_path / f"{name}.csv").write_text(head * (name != "votes") + "\n".join(rows) + "\n")
    after = f"shuffle={tmp_path / 'after.csv'}"
    done = run("downgrade", tmp_path / "before.csv", "--after", after, "--votes", tmp_path / "votes.csv", "-q")
    assert done.code == 0
    assert "Preference for the intact output" in done.out
    line = next(line for line in done.out.splitlines() if line.startswith("good") and "bad" in line)
    assert line.split()[:3] == ["good", "bad", "12"]
    assert line.split()[3:] == ["100%", "[76–100%]", "<.001", "0%"]
    wrong = run("downgrade", tmp_path / "before.csv", "--after", after, "--votes", tmp_path / "before.csv", "-q")
    assert (wrong.code, "no votes: expected two columns such as model_a, model_b" in wrong.err) == (1, True)
