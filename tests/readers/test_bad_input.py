"""What is wrong with a file is told in one line that names the file, the line and the field."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import metassay as ma
from metassay.errors import Contradiction, DataError, FormatError, MetassayError, UnknownName, UsageError
from metassay.readers import FORMATS

HEADER = "system,input,metric,score\n"


def tidy(score: str) -> str:
    return (
        json.dumps({"system": "A", "input": "1", "metric": "m", "score": 0})
        + "\n"
        + ('{"system": "A", "input": "2", "metric": "m", "score": ' + score + "}\n")
    )


def sacrerouge(metrics: str) -> str:
    return '{"instance_id": "1", "summarizer_id": "A", "summarizer_type": "peer", "metrics": ' + metrics + "}\n"


BAD = {
    "empty file": (b"", "the file is empty"),
    "only spaces": (b" \n\t\n \r\n", "the file is empty"),
    "only a byte order mark": (b"\xef\xbb\xbf\n", "the file is empty"),
    "header and no rows": (HEADER, "there is a header and no row under it"),
    "prose": ("Dear all,\nsee below\n", "not a format that metassay knows (the first line is 'Dear all,')"),
    "binary garbage": (bytes(range(256)) * 8, "its bytes are not text"),
    "UTF-16 without a mark": ("system,input".encode("utf-16-le"), "UTF-16 without a byte order mark; save the file as"),
    "UTF-16 cut off": (
        "system,input,x\nä,1,2\n".encode("utf-16")[:-1],
        "the text is not UTF-16, as it begins",
    ),
    "neither UTF-8 nor clearly another": (
        "id,human\nсистема,1\n".encode("cp1251"),
        "line 2: byte 1 of the line is not UTF-8",
    ),
    "missing column input": ("group,metric,score\nA,m,1\n", "column 'input' is missing"),
    "another delimiter in the rows": (
        "system,input,bleu\nA;1;0.5\n",
        "line 2: the header is separated by ',' and the row by ';'",
    ),
    "two decimal marks": (
        'system,input,bleu\nA,1,"0,5"\nB,1,0.6\n',
        "line 2: field 'bleu' must be a number, got '0,5'",
    ),
    "missing column score": ("system,input,metric\nA,1,m\n", "column 'score' is missing beside 'metric'"),
    "no scores at all": ("system,input,group\nA,1,m\n", "columns with scores are missing"),
    "text for a number": (
        HEADER + "A,1,m,0.5\nA,2,m,good\n",
        "line 3: field 'score' must be a number, got 'good'",
    ),
    "underscored number": (HEADER + "A,1,m,1_000\n", "line 2: field 'score' must be a number, got '1_000'"),
    "text in a wide table": ("system,input,bleu\nA,1,0.5\nA,2,x\n", "line 3: field 'bleu' must be a number"),
    "infinite": (HEADER + "A,1,m,0.5\nA,2,m,inf\n", "line 3: score of 'm' must be finite, got inf"),
    "overflow": (HEADER + "A,1,m,-1e999\n", "line 2: score of 'm' must be finite, got -inf"),
    "too few fields": (HEADER + "A,1,m,0.5\nA,2,m\n", "line 3: the row has 3 fields and the header 4"),
    "too many fields": (HEADER + "A,1,m,0.5,\n", "line 2: the row has 5 fields and the header 4"),
    "line number after a quoted line break": (
        HEADER + '"A\n\nB",1,m,0.5\nC,2,m,x\n',
        "line 5: field 'score'",
    ),
    "a name twice": ("system,input,bleu,bleu\nA,1,1,2\n", "line 1: the column 'bleu' occurs twice"),
    "quote not closed": (HEADER + 'A,1,m,0.5\n"A,2,m,1\nB,1,m,1\n', "line 3: not readable as CSV"),
    "empty system": (HEADER + "A,1,m,1\n,1,m,2\n", "line 3: the field 'system' is empty"),
    "empty input": (HEADER + "A,,m,1\n", "line 2: the field 'input' is empty"),
    "empty metric": (HEADER + "A,1,,1\n", "line 2: the field 'metric' is empty"),
    "unknown kind": (
        "system,input,metric,score,kind\nA,1,m,1,robot\n",
        "line 2: field 'kind' must be human or metric",
    ),
    "two kinds": (
        "system,input,metric,score,kind\nA,1,m,1,human\nA,2,m,1,metric\n",
        "line 3: 'm' is called human and metric",
    ),
    "unknown direction": (
        "system,input,metric,score,direction\nA,1,m,1,up\n",
        "line 2: field 'direction' must be higher or lower",
    ),
    "not UTF-8": (
        HEADER.encode() + b"A,1,m,1\nB\xff,1,m,1\n",
        "line 3: byte 2 of the line is not UTF-8 (0xff)",
    ),
    "first line of JSON broken": ('{"system": "A", "input\n', "line 1: not valid JSON"),
    "later line of JSON broken": (tidy("1") + "{oops}\n", "line 3: not valid JSON"),
    "JSON line that is no object": (tidy("1") + "[1, 2]\n", "line 3: expected a JSON object, got [1, 2]"),
    "JSON array that ends early": ('[{"system": "A",\n "input": "1"},\n', "not valid JSON"),
    "JSON row without a score": (
        tidy("1") + '{"system": "A", "input": "3", "metric": "m"}',
        "line 3: the field 'score' is missing",
    ),
    "JSON infinity": (tidy("Infinity"), "line 2: score of 'm' must be finite"),
    "JSON truth value": (tidy("true"), "line 2: field 'score' must be a number, got True; write 1 or 0"),
    "JSON list": (tidy("[1]"), "line 2: field 'score' must be a number, got [1]"),
    "JSON object": (tidy('{"a": 1}'), "line 2: field 'score' must be a number, got {'a': 1}"),
    "JSON huge integer": (tidy("1" + "0" * 400), "line 2: field 'score' must be a number"),
    "JSON integer beyond Python's limit": (tidy("1" * 5000), "line 2: not readable as JSON"),
    "JSON nested too deep": (tidy("[" * 100_000), "line 2: not"),
    "JSON label that is a list": (
        '{"system": ["A"], "input": "1", "m": 1}\n',
        "line 1: field 'system' must be text or a number, got ['A']",
    ),
    "JSON of something else": ('{"hello": "world", "n": [1]}', "JSON with the fields hello, n"),
    "SacreROUGE text": (
        sacrerouge('{"rouge": {"f1": "high"}}'),
        "line 1: field 'metrics rouge_f1' must be a number",
    ),
    "SacreROUGE truth value": (sacrerouge('{"ok": true}'), "line 1: field 'metrics ok' must be a number"),
    "SacreROUGE nested list": (sacrerouge('{"x": [[1]]}'), "line 1: field 'metrics x' must be a number"),
    "SacreROUGE metrics are a list": (sacrerouge("[1]"), "line 1: the field 'metrics' must be an object"),
    "SacreROUGE without instance": (
        '{"summarizer_id": "A", "metrics": {}}\n',
        "line 1: the field 'instance_id'",
    ),
    "SacreROUGE infinity": (sacrerouge('{"x": -Infinity}'), "line 1: score of 'x' must be finite"),
    "SacreROUGE without scores": (sacrerouge("{}"), "there are no scores"),
    "SummEval annotation is a number": (
        '{"id": "1", "model_id": "M1", "expert_annotations": [3]}\n',
        "line 1: the field 'expert_annotations' must be a list of objects",
    ),
    "SummEval text": (
        '{"id": "1", "model_id": "M1", "expert_annotations": [{"fluency": "five"}]}\n',
        "line 1: field 'expert_annotations fluency' must be a number",
    ),
    "SummEval without id": (
        '{"model_id": "M1", "expert_annotations": []}\n',
        "line 1: the field 'id' is missing",
    ),
    "WMT text": (
        "BLEU de-en nt19 A 1 0.5\nBLEU de-en nt19 A 2 x\n",
        "line 2: field 'score' must be a number",
    ),
    "WMT short line": (
        "BLEU de-en nt19 A 1 0.5\nBLEU de-en nt19\n",
        "line 2: expected 6 fields of segment scores",
    ),
    "WMT system line, then a segment line": (
        "BLEU de-en nt19 A 0.5\nBLEU de-en nt19 A 7 0.5\n",
        "line 2: the line has segment scores and the first line system scores",
    ),
    "WMT segment line, then a system line": (
        "BLEU de-en nt19 A 7 0.5\nBLEU de-en nt19 A 0.5 ensemble yes\n",
        "line 2: the line has system scores and the first line segment scores",
    ),
    "newer WMT system line, then a segment line": (
        "B\tde-en\tnt\tnews\tref\tA\t0.5\nB\tde-en\tnt\tnews\tdoc\tref\tA\t7\t0.5\n",
        "line 2: the line has segment scores and the first line system scores",
    ),
    "key twice in JSON lines": (
        tidy("1") + '{"system": "A", "input": "3", "metric": "m", "score": 1, "score": 2}\n',
        "line 3: the key 'score' occurs twice in one object; keep one of them",
    ),
    "key twice on the first line": (
        '{"system": "A", "input": "3", "metric": "m", "score": 1, "score": 2}\n' + tidy("1"),
        "line 1: the key 'score' occurs twice",
    ),
    "key twice in a nested object": (sacrerouge('{"rouge": {"f1": 1, "f1": 2}}'), "line 1: the key 'f1' occurs twice"),
    "key twice in a JSON array": (
        '[\n{"system": "A", "input": "1", "m": 1},\n{"system": "A",\n "input": "2", "m": 1,\n "m": 2}]',
        "line 5: the key 'm' occurs twice",
    ),
    "key twice, and no JSON after it": ('{"a": {"x": 1}, "a": 0}, "b": 1}', "not valid JSON: Extra data"),
    "key twice by an escape": ('{"a": {"x": 1,\n "\\u0078": 2}}', "line 2: the key 'x' occurs twice"),
    "key twice in a JUDGE-BENCH file": (
        '{"annotations": [], "instances": [{"id": 1, "annotations": {"q": {"mean_human": 1}, "q": {}}}]}',
        "line 1: the key 'q' occurs twice",
    ),
    "key twice in labels": ('{"Ann": {"i1": 1,\n "i1": 2}}', "line 2: the key 'i1' occurs twice"),
    "Inspect epoch is a list": (
        '{"eval": {"model": "A"}, "samples": [{"id": 1, "epoch": [1], "scores": {"x": {"value": 1}}}]}',
        "field 'epoch of sample 1' must be text or a number, got [1]",
    ),
    "score that would overflow": (
        HEADER + "A,1,m,0.5\nA,2,m,-1e308\n",
        "line 3: score of 'm' must lie between -1e+100 and 1e+100, got -1e+308; rescale the column",
    ),
    "WMT human header only": ("LP HUMAN SYSTEM\n", "there is a header and no row under it"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_bad_content_is_told_in_one_line_with_its_place(make, content, message):
    path = make("scores.dat", content)
    with pytest.raises(DataError) as caught:
        ma.read(path)
    said = str(caught.value)
    assert message in said
    assert "scores.dat" in said
    assert "\n" not in said
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_the_same_inside_gzip(make, content, message):
    path = make("scores.dat.gz", content, packed=True)
    with pytest.raises(DataError) as caught:
        ma.read(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("keep", [5, 12, 40, -1])
def test_truncated_gzip(tmp_path, keep):
    data = gzip.compress((HEADER + "".join(f"A,{i},m,{i * 0.37}\n" for i in range(5000))).encode())
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(data[:keep])
    with pytest.raises(FormatError, match=r"scores\.csv\.gz: the gzip data is damaged or cut off"):
        ma.read(path)


def test_damaged_gzip(tmp_path):
    data = bytearray(gzip.compress((HEADER + "".join(f"A,{i},m,{i * 0.37}\n" for i in range(5000))).encode()))
    data[2000:2010] = b"\xff" * 10
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="damaged or cut off"):
        ma.read(path)


@pytest.mark.parametrize("name", ["nowhere.csv", "no/where.csv", "line\nbreak.csv", "x" * 5000, "a\0b"])
def test_a_path_that_does_not_exist(tmp_path, name):
    with pytest.raises(UsageError) as caught:
        ma.read(str(tmp_path / name))
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_no_path_and_an_empty_path():
    with pytest.raises(UsageError, match="no file given"):
        ma.read()
    with pytest.raises(UsageError, match="no such file"):
        ma.read("")


def test_a_file_that_may_not_be_read(make, monkeypatch):
    path = make("secret.csv", HEADER + "A,1,m,1\n")
    real = Path.open

    def refuse(self, *args, **options):
        if self.name == "secret.csv":
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, *args, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match=r"secret\.csv: cannot be read: permission denied"):
        ma.read(path)


def test_an_unknown_format_is_told_with_the_nearest(make):
    with pytest.raises(UnknownName, match="did you mean 'sacrerouge'"):
        ma.read(make("s.csv", HEADER), format="sacrerogue")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_wrong_format_by_name_is_an_error_and_never_a_crash(make, name):
    path = make("s.txt", "Dear all,\nsee below\n")
    with pytest.raises(MetassayError) as caught:
        ma.read(path, format=name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize(
    "content", ["[]", "{}", "[1]", '{"a": 1}', '{"a": {"b": []}}', '{"samples": [1]}', "null", "3"]
)
def test_odd_json_is_an_error_in_every_format(make, name, content):
    with pytest.raises(MetassayError) as caught:
        ma.read(make("s.json", content), format=name)
    assert "\n" not in str(caught.value)


ROW = '{"system": "B", "input": "1", "metric": "m", "score": 1, "output": "b"}\n'


@pytest.mark.parametrize("read", [ma.read, ma.read_texts])
@pytest.mark.parametrize("first", ['put": "1", "score": 2}', '{"system": "A", "input":', '{"system": "A", "inp'])
def test_json_lines_whose_first_line_is_cut_off_are_no_other_table(make, read, first):
    with pytest.raises(FormatError, match=r"s\.jsonl, line 1: not valid JSON"):
        read(make("s.jsonl", f"{first}\n{ROW}"))


def test_a_directory_without_scores(tmp_path, make):
    make("notes/README.md", "nothing here\n")
    make("notes/.hidden.csv", HEADER + "A,1,m,1\n")
    with pytest.raises(DataError, match="notes: the directory holds no scores in a known format"):
        ma.read(tmp_path / "notes")
    (tmp_path / "void").mkdir()
    with pytest.raises(DataError, match="the directory holds no scores"):
        ma.read(tmp_path / "void")


def test_a_directory_with_a_broken_score_file_is_an_error(tmp_path, make):
    make("d/good.csv", HEADER + "A,1,m,1\n")
    make("d/broken.csv", HEADER + "A,1,m,x\n")
    with pytest.raises(FormatError, match=r"broken\.csv, line 2"):
        ma.read(tmp_path / "d")


def test_contradiction_names_both_places(make):
    a = make("a.csv", HEADER + "A,1,m,1\nB,1,m,2\n")
    b = make("b.csv", HEADER + "A,2,m,1\n\nB,1,m,2.5\n")
    with pytest.raises(Contradiction) as caught:
        ma.read(a, b)
    said = str(caught.value)
    assert said.startswith(f"'m' of system 'B' on input '1': 2.5 in {b}, line 4 contradicts 2 in {a}, line 3;")


def test_contradiction_inside_one_file(make):
    path = make("a.csv", HEADER + "A,1,m,1\nA,1,n,1\nA,1,m,1\nA,1,m,3\n")
    with pytest.raises(Contradiction, match=r"3 in .*line 5 contradicts 1 in .*line 4"):
        ma.read(path)


def test_equal_duplicates_are_fine(make):
    path = make("a.csv", HEADER + "A,1,m,0.1\nA,1,m,0.10000000000000001\nA,1,m,\nB,1,m,2\n")
    assert ma.read(path, path)["m"].values.tolist() == [[0.1], [2.0]]


def test_a_system_in_two_groups_is_a_contradiction(make):
    path = make("a.csv", "system,input,m,group\nA,1,1,peer\nA,2,1,reference\n")
    with pytest.raises(Contradiction, match=r"the group of system 'A': 'reference' in .*line 3 contradicts 'peer'"):
        ma.read(path)


def test_hostile_names_do_not_break_the_line(make):
    path = make("a.csv", HEADER + '"x\ny",1,m,1\n"x\ny",1,m,2\n')
    with pytest.raises(Contradiction) as caught:
        ma.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("digits", [4299, 4300, 4301])
@pytest.mark.parametrize("field", ["system", "input", "metric", "score", "language"])
def test_endless_integers_in_json(make, digits, field):
    row = {"system": "A", "input": "1", "metric": "m", "score": "1", "language": "en"} | {field: "9" * digits}
    text = "{" + ", ".join(f'"{k}": {v if k == field else json.dumps(v)}' for k, v in row.items()) + "}\n"
    path = make("a.jsonl", text)
    if digits <= 4300 and field != "score":
        assert ma.read(path).shape == (1, 1)
        return
    with pytest.raises(FormatError, match=r"(not readable as JSON|line 1: field 'score' must be)") as caught:
        ma.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["system", "input", "metric", "annotator", "group"])
def test_integers_that_python_does_not_print(field):
    pandas = pytest.importorskip("pandas")
    columns = {"system": "A", "input": "1", "metric": "m", "score": 1.0, field: 10**5000}
    with pytest.raises(
        FormatError, match=f"field '{field}' must be text or a number, got an integer of thousands"
    ) as e:
        ma.Scores.from_frame(pandas.DataFrame({name: [value] for name, value in columns.items()}, dtype=object))
    assert e.value.__cause__ is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
def test_pipes_and_devices_in_a_folder_are_refused_without_waiting(make, tmp_path):
    make("d/a.csv", HEADER + "A,1,m,1\n")
    os.mkfifo(tmp_path / "d" / "b.csv")
    with pytest.raises(UsageError, match=r"b\.csv: is a pipe or a socket, not a file; take it out of the folder"):
        ma.read(tmp_path / "d")
    (tmp_path / "d" / "b.csv").unlink()
    (tmp_path / "d" / "c.csv").symlink_to("/dev/zero")
    with pytest.raises(UsageError, match=r"c\.csv: is a device, not a file"):
        ma.read(tmp_path / "d")
    with pytest.raises(UsageError, match=r"/dev/zero: is a device, not a file"):
        ma.read("/dev/zero")
    with pytest.raises(FormatError, match="the file is empty"):
        ma.read("/dev/null")
    (tmp_path / "d" / "c.csv").unlink()
    (tmp_path / "d" / "gone.csv").symlink_to(tmp_path / "nowhere")
    assert ma.read(tmp_path / "d").shape == (1, 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name here")
@pytest.mark.parametrize(
    ("place", "read"),
    [
        ("human-scores/en-de.mqm.seg.score", ma.read),
        ("sources/en-de.txt", ma.read),
        ("system-outputs/en-de/B.txt", ma.read_texts),
        ("sources/en-de.txt", ma.read_texts),
    ],
)
def test_pipes_in_a_data_set_are_refused(make, tmp_path, place, read):
    make("d/metric-scores/en-de/bleu-refA.seg.score", "A\t1\nA\t2\n")
    make("d/system-outputs/en-de/A.txt", "x\ny\n")
    (tmp_path / "d" / place).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / "d" / place)
    with pytest.raises(UsageError, match="is a pipe or a socket, not a file"):
        read(tmp_path / "d")
