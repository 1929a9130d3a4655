"""metassay look: what is in these files?"""

from __future__ import annotations

import json
import shlex

import metassay as ma

TABLE = (
    "item_id,model,category,human_label,bleu\n"
    "1,a,faq,pass,0.5\n2,a,bill,fail,0.2\n1,b,faq,pass,0.4\n3,b,bill,fail,0.4\n"
)


def test_what_was_read(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    code, out, err = run("look", path)
    assert (code, err) == (0, "")
    for words in ("human_label", "fail < pass", "metric, human?", "Which systems have which inputs", "category"):
        assert words in out
    assert f"metassay agree {path} --human human_label" in " ".join(out.split())


def test_the_same_as_json_and_in_python(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    code, out, _ = run("look", path, "--human", "human_label", "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert [(row["name"], row["kind"], row["scale"]) for row in found["rows"]] == [
        ("human_label", "human", "binary"),
        ("bleu", "metric", "interval"),
    ]
    assert found["tables"]["coverage"][0] == {"system": "a", "group": "", "inputs": 2, "shares": [1.0, 1.0, 0.0]}
    assert [row["of"] for row in found["tables"]["attributes"]] == ["inputs"]
    whole = ma.look(ma.read(path, human="human_label"), files=[str(path), "--human", "human_label"])
    assert json.loads(whole.to_json()) == found
    (tmp_path / "r.json").write_text(out)
    assert ma.load(tmp_path / "r.json") == whole


def test_commands_repeat_how_files_are_read(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE.replace("model", "engine"))
    code, out, _ = run(
        "look", path, "--system-column", "engine", "--select", "category=faq", "--quiet", "--view", "commands"
    )
    assert code == 0
    assert "--system-column engine" in out
    code, out, err = run(
        "agree", path, "--system-column", "engine", "--human", "human_label", "--level", "global", "-q"
    )
    assert (code, err) == (0, "")


def test_columns_that_carry_nothing_are_told(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("model,id,x,y,one\na,1,1,1,7\nb,1,2,2,7\n")
    _, out, _ = run("look", path)
    assert "x and y have the same scores in every cell." in out
    assert "All scores are equal in one." in out


def test_votes_are_looked_at_too(run, tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("left,right,winner,worker,prompt\na,b,left,7,1\nc,d,tie,8,1\n")
    code, out, err = run("look", path)
    assert (code, err) == (0, "")
    assert "rater" in out
    assert "4 systems fall into 2 groups" in " ".join(out.split())


def test_files_with_roles(run, tmp_path):
    for name, last in (("ann", "bad"), ("gpt", "good")):
        (tmp_path / f"{name}.csv").write_text(f"id,label\n1,good\n2,{last}\n")
    code, out, _ = run("look", f"human={tmp_path / 'ann.csv'}", f"judge={tmp_path / 'gpt.csv'}", "--format", "csv")
    assert code == 0
    assert [line.split(",")[:2] for line in out.splitlines()[1:]] == [["label", "human"], ["gpt", "metric"]]


def test_what_can_be_asked_of_votes(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,judge\nx,y,x,human\nx,y,y,gpt-4\n")
    code, out, _ = run("look", path, "--view", "commands", "-q")
    assert code == 0
    lines = " ".join(out.split())
    for command in ("rank", "judge", "report"):
        assert f"metassay {command} {path}" in lines


def test_systems_on_inputs_of_their_own_are_asked_at_input_level(run, tmp_path):
    path = tmp_path / "apart.csv"
    rows = [f"s{s},i{i},{s + i % 3},{s * i % 7},{i}" for s in range(6) for i in range(10) if (s < 3) == (i < 5)]
    path.write_text("\n".join(["system,input,human,m,n", *rows]))
    found = json.loads(run("look", path, "--human", "human", "--format", "json").out)
    proposed = [row["command"] for row in found["tables"]["commands"]]
    assert len([each for each in proposed if each.endswith("--level input")]) == 2
    for each in proposed:
        assert run(*shlex.split(each)[1:], "-q").code == 0


def test_all_columns_and_commands_fit(run, tmp_path):
    path = tmp_path / "many.csv"
    names = [f"m{k}" for k in range(60)]
    scores = ",".join(["1"] * 60)
    rows = [f"s{s},a-very-long-name-of-an-input-{i:040},{s},{scores}" for s in range(3) for i in range(4)]
    path.write_text("\n".join([f"system,input,human,{','.join(names)}", *rows]))
    assert "Commands for these data" in run("look", path, "--human", "human").out
    whole = run("look", path, "--human", "human", "--full").out
    assert "\nm59 " in whole
    assert any(line.startswith("inputs ") and " 4  a-very-long" in line for line in whole.splitlines())
