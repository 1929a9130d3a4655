"""Logs and result files of evaluation harnesses, archives and workbooks."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, FormatError, UsageError


def packed(members: dict[str, object]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return buffer.getvalue()


def sample(key, value):
    return {
        "id": key,
        "epoch": 1,
        "input": f"q{key}",
        "scores": {"match": {"value": value}},
        "metadata": {"topic": "t"},
    }


HEADER = {"eval": {"task": "quiz", "model": "m/x"}}


@pytest.mark.parametrize("summaries", [True, False])
def test_inspect_archives(make, summaries):
    samples = [sample(1, "C"), sample(2, "I")]
    if summaries:
        members = {"header.json": HEADER, "summaries.json": samples}
    else:
        members = {"_journal/start.json": HEADER} | {f"samples/{s['id']}_epoch_1.json": s for s in samples}
    scores = ma.read(make("log.eval", packed(members)))
    assert scores.sources == (("log.eval", "inspect, task quiz"),)
    assert scores.inputs == ("quiz:1", "quiz:2")
    assert scores["match"].values.tolist() == [[1, 0]]
    assert scores.attributes["topic"].texts().tolist() == ["t", "t"]


def test_two_tasks_never_merge_on_the_id_of_a_sample(make):
    logs = [
        make(f"{task}.json", json.dumps({"eval": {"task": task, "model": "m"}, "samples": [sample(1, "C")]}))
        for task in ("one", "two")
    ]
    assert ma.read(*logs).inputs == ("one:1", "two:1")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "the zip archive is empty"),
        ({"header.json": HEADER, "summaries.json": []}, "none of the 0 samples of the log has a score"),
        ({"header.json": HEADER, "../evil.json": {}}, "a path that climbs out of it"),
        ({"header.json": HEADER, "summaries.json": "{oops"}, "'summaries.json' in the archive is not valid JSON"),
    ],
)
def test_wrong_archives(make, members, message):
    with pytest.raises(FormatError, match=message):
        ma.read(make("log.eval", packed(members)))


def test_cut_archives(make):
    whole = packed({"header.json": HEADER, "summaries.json": [sample(1, "C")]})
    with pytest.raises(FormatError, match=r"log\.eval"):
        ma.read(make("log.eval", whole[:100]))


def test_helm(make, tmp_path):
    def stats(value):
        return [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": value, "mean": value}]

    for model, value in (("m1", 1.0), ("m2", 0.0)):
        make(f"{model}/run_spec.json", json.dumps({"name": f"mmlu:a,model={model}", "adapter_spec": {"model": model}}))
        rows = [{"instance_id": f"id{i}", "train_trial_index": 0, "stats": stats(value)} for i in (1, 2)]
        make(f"{model}/per_instance_stats.json", json.dumps(rows))
    scores = ma.read(*(tmp_path / m / "per_instance_stats.json" for m in ("m1", "m2")))
    assert (scores.systems, scores.inputs) == (("m1", "m2"), ("mmlu:a:id1", "mmlu:a:id2"))
    assert scores["exact_match"].values.tolist() == [[1, 1], [0, 0]]


def test_frank(make):
    def rows(**more):
        return json.dumps(
            [{"hash": h, "model_name": m, "dataset": d, **more} for d, h, m in (("cnn", "1", "a"), ("bbc", "2", "b"))]
        )

    scores = ma.read(make("human.json", rows(Factuality=1.0)), make("metrics.json", rows(BLEU=0.5)))
    assert (scores.humans, scores.metrics) == (("Factuality",), ("BLEU",))
    assert scores.attributes["dataset"].texts().tolist() == ["cnn", "bbc"]
    assert [note.code for note in scores.notes] == ["design-disconnected"]


def test_unieval_without_documents_or_systems(make):
    turn = {
        "source": "s",
        "context": "c",
        "system_output": "o",
        "scores": {"overall": 3},
        "predict_scores": {"overall": 1},
    }
    rows = [turn | {"system_id": s, "source": t} for s in ("a", "b") for t in ("t1", "t2")]
    scores = ma.read(make("dialogue.json", json.dumps(rows)))
    assert (scores.systems, scores.inputs) == (("a", "b"), ("1", "2"))
    rows = [turn | {"doc_id": i} for i in range(3)]
    scores = ma.read(make("data_to_text.json", json.dumps(rows)))
    assert not scores.has_systems
    assert scores.shape == (1, 3)
    assert scores.attributes["system_output"].labels == ("o",)


def test_answers_of_g_eval_are_parsed_and_counted(make):
    said = ["4", "Rating: 2 out of 3", "- Groundedness: 0", "Score = 3.5", "I cannot say"]
    row = {"doc_id": "d", "system_id": "M", "scores": {"x": 1}, "all_responses": said}
    scores = ma.read(make("gpt4.json", json.dumps([row])))
    assert scores["gpt4"].values[0, 0] == np.mean([4, 2, 0, 3.5])
    (note,) = scores.notes
    assert str(note) == "gpt4.json: 1 of 5 answers contain no number and count as missing."


def test_wmt20_layouts(make, tmp_path):
    rows = [("newstest2020", "A.1", 0.4), ("newstestB2020", "A.1", 0.5), ("newstest2020", "Human-A.0", 1)]
    metric = make("BLEU.sys.score", "".join(f"BLEU\ten-de\tnewstest2020\t{r}\t{s}\t{x}\n" for r, s, x in rows))
    human = make("ad-sys-scores-en-de.csv", "RAW.SCR Z.SCR N SYS N.ALL \n80 0.2 7 A.1 9 \n85 0.3 7 Human-A.0 9 \n")
    scores = ma.read(metric, human)
    assert (scores.metrics, scores.humans) == (("BLEU", "BLEU-newstestB2020"), ("RAW.SCR", "Z.SCR"))
    assert dict(scores.groups) == {"Human-A.0": "reference"}
    seg = make("X.seg.score", "X\ten-de\tnewstest2020\tnewstest2020\tA.1\tdoc\t3\t0.5\n")
    assert ma.read(seg).inputs == ("newstest2020:doc:3",)


def test_segments_and_systems_of_one_metric_stay_apart(make):
    seg = make("B.seg.score", "".join(f"B en-de t {s} {i} {i}\n" for s in "AC" for i in (1, 2)))
    whole = make("B.sys.score", "B en-de t A 30\nB en-de t C 20\n")
    scores = ma.read(seg, whole)
    assert scores.inputs == ("t:1", "t:2")
    assert scores["B"].values.tolist() == [[1, 2], [1, 2]]
    assert scores["B"].system_scores.tolist() == [30, 20]
    assert scores.system_matrix("B").mean(axis=1).tolist() == [30, 20]
    assert ma.read(ma.write(scores, make("o.csv", "x"))).columns == scores.columns


def test_documents_and_ratings_of_mt_metrics_eval(make, tmp_path):
    make("d/metric-scores/en-de/M-src.seg.score", "A\t1\nA\t2\nrefA\t3\nrefA\t4\n")
    make("d/documents/en-de.docs", "news\td1\nnews\td1\n")
    spans = '{"errors": [{"score": 5}, {"score": 1}]}'
    for rater in ("r1", "r2"):
        make(
            f"d/human-scores/en-de.mqm.{rater}.seg.rating", f'A\t{spans}\nA\tNone\nrefA\t{{"errors": []}}\nrefA\tNone\n'
        )
    scores = ma.read(tmp_path / "d")
    assert dict(scores.clusters) == {"1": "d1", "2": "d1"}
    assert dict(scores.groups) == {"refA": "reference"}
    assert scores["mqm.rating"].labels("annotator") == ("r1", "r2")
    np.testing.assert_array_equal(scores.matrix("mqm.rating"), [[-6, np.nan], [0, np.nan]])
    make("d/human-scores/en-de.mqm.r1.seg.rating", "A\t{}\n")
    with pytest.raises(FormatError, match=r"r1\.seg\.rating, line 1: expected SYSTEM"):
        ma.read(tmp_path / "d")
    (tmp_path / "d/human-scores/en-de.mqm.r1.seg.rating").unlink()
    make("d/documents/en-de.docs", "news\td1\n")
    with pytest.raises(FormatError, match="expected 2 lines DOMAIN DOC"):
        ma.read(tmp_path / "d")


def test_excel(tmp_path, make):
    with pytest.raises(DataError, match="the zip archive holds no scores in a known format"):
        ma.read(make("x.xlsx", packed({"a.txt": "x"})))
    book = make("y.xlsx", packed({"xl/workbook.xml": "<x/>"}))
    try:
        import openpyxl
    except ImportError:
        with pytest.raises(UsageError, match=r"pip install 'metassay\[excel\]'"):
            ma.read(book)
        return
    with pytest.raises(FormatError, match=r"not readable as \.xlsx"):
        ma.read(book)
    sheet = openpyxl.Workbook()
    for row in (["model", "item_id", "bleu", None], ["a", 1, 0.5, None], ["b", 1, None, None]):
        sheet.active.append(row)
    sheet.save(tmp_path / "z.xlsx")
    scores = ma.read(tmp_path / "z.xlsx")
    assert scores.sources == (("z.xlsx", "wide xlsx, system: model, input: item_id"),)
    np.testing.assert_array_equal(scores["bleu"].values, [[0.5], [np.nan]])


def test_data_sets_on_disk(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    folder = tmp_path / "set"
    folder.mkdir()
    table = arrow.table({"model": ["a", "b"], "id": [1, 1], "bleu": [0.5, 0.25]})
    with (
        arrow.OSFile(str(folder / "data-00000.arrow"), "wb") as sink,
        arrow.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data-00000.arrow"}]}))
    scores = ma.read(folder)
    assert scores.sources == (("set", "hf-dataset, system: model, input: id"),)
    assert scores["bleu"].values.tolist() == [[0.5], [0.25]]
    about = {"features": {"id": {"_type": "Value"}, "model": {"names": ["?", "a", "b"], "_type": "ClassLabel"}}}
    (folder / "dataset_info.json").write_text(json.dumps(about))
    with (
        arrow.OSFile(str(folder / "data-00000.arrow"), "wb") as sink,
        arrow.ipc.new_stream(sink, (coded := table.set_column(0, "model", [[1, 2]])).schema) as writer,
    ):
        writer.write_table(coded)
    assert ma.read(folder).systems == ("a", "b")
    with pytest.raises(UsageError, match="holds the splits set; name one"):
        ma.read(tmp_path)
    (folder / "data-00000.arrow").write_bytes(b"nonsense")
    with pytest.raises(FormatError, match="not readable as a data set on disk"):
        ma.read(folder)


def zstd_zip(path, members):
    """Write an archive whose members are packed with Zstandard, as newer logs are and zipfile cannot write."""
    arrow = pytest.importorskip("pyarrow")
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, arrow.compress(json.dumps(value).encode(), codec="zstd", asbytes=True))
    content = bytearray(path.read_bytes())
    for sign, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        where = -1
        for value in members.values():
            where = content.index(sign, where + 1)
            plain = json.dumps(value).encode()
            struct.pack_into("<H", content, where + at, 93)
            struct.pack_into("<I", content, where + at + 6, zlib.crc32(plain))
            struct.pack_into("<I", content, where + at + 14, len(plain))
    path.write_bytes(content)


def test_archives_packed_with_zstandard(tmp_path):
    sample = {
        "id": "q1",
        "epoch": 1,
        "input": "Why?" * 50,
        "scores": {"match": {"value": "C"}, "judge": {"value": "I"}},
    }
    members = {"header.json": {"eval": {"model": "m", "task": "quiz"}}, "summaries.json": [sample]}
    zstd_zip(tmp_path / "log.eval", members)
    scores = ma.read(tmp_path / "log.eval")
    assert (scores.systems, scores.inputs, scores.metrics) == (("m",), ("quiz:q1",), ("match", "judge"))
    assert scores["match"].values.item() == 1
    zstd_zip(tmp_path / "cut.eval", members)
    content = (tmp_path / "cut.eval").read_bytes()
    at = content.index(b"\x28\xb5\x2f\xfd") + 12
    (tmp_path / "cut.eval").write_bytes(content[:at] + b"\xff" * 3 + content[at + 3 :])
    with pytest.raises(FormatError, match=r"cut\.eval: the zip archive is damaged or cut off"):
        ma.read(tmp_path / "cut.eval")
