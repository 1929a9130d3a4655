from __future__ import annotations

import json
import os
import threading

import numpy as np
import pytest

import metassay as ma
from metassay.errors import FormatError, UnknownName
from readers.conftest import same

A = "system,input,rouge\nM2,1,0.5\nM10,1,0.25\n"
B = '{"instance_id": "1", "summarizer_id": "M2", "summarizer_type": "peer", "metrics": {"human": [1, 2]}}\n'


def test_files_of_different_formats_merge_on_system_and_input(make):
    scores = ma.read(make("a.csv", A), make("b.jsonl", B))
    assert scores.systems == ("M2", "M10")
    assert scores.metrics == ("rouge",)
    assert scores.humans == ("human",)
    np.testing.assert_array_equal(scores["human"].values[:, :, 0], [[1, np.nan], [2, np.nan]])
    assert scores.sources == (("a.csv", "wide CSV"), ("b.jsonl", "sacrerouge"))


def test_the_order_of_files_changes_nothing(make):
    a, b = make("a.csv", A), make("b.jsonl", B)
    assert same(ma.read(a, b), ma.read(b, a))


def test_a_directory_is_its_score_files(make, tmp_path):
    make("d/a.csv", A)
    make("d/b.jsonl", B)
    make("d/README.md", "# About\n")
    make("d/.a.csv.swp", b"\0\1\2")
    make("d/deeper/c.csv", "system,input,other\nM2,1,1\n")
    scores = ma.read(tmp_path / "d")
    assert scores.sources == (("a.csv", "wide CSV"), ("b.jsonl", "sacrerouge"))
    assert list(scores.columns) == ["rouge", "human"]


def test_gzip_is_recognised_by_content(make):
    assert same(ma.read(make("a.csv", A, packed=True)), ma.read(make("b.csv", A)))


def test_a_language_is_taken_from_a_table(make):
    path = make("s.csv", "system,input,metric,score,language\nA,1,m,1,de\nA,1,m,2,fr\nB,1,m,3,de\nB,1,m,4,fr\n")
    assert ma.read(path)["m"].labels("language") == ("de", "fr")
    np.testing.assert_array_equal(ma.read(path, language="fr")["m"].values, [[2], [4]])
    with pytest.raises(UnknownName, match="unknown language 'it'"):
        ma.read(path, language="it")
    with pytest.raises(UnknownName, match="known: none"):
        ma.read(make("a.csv", A), language="de")


def test_a_pipe_can_be_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(A,))
    writer.start()
    scores = ma.read(path)
    writer.join()
    assert scores.metrics == ("rouge",)


def test_every_format_has_a_sentence_and_a_reader():
    from metassay.readers import FORMATS, mtme, recognition

    served = {name for module in recognition._MODULES for name in module.FORMATS} | {mtme.FORMAT}
    assert served == set(FORMATS)
    assert all(sentence.endswith(".") for sentence in FORMATS.values())


def test_texts_in_a_file_of_their_own_stand_beside_scores_that_were_read_before(tmp_path):
    scores, texts = tmp_path / "scores.csv", tmp_path / "outputs.jsonl"
    scores.write_text("system,input,m\na,1,0.5\na,2,0.7\nb,1,0.1\nb,2,0.3\n")
    outputs = [{"id": i, "system": s, "summary": f"Of {i} says {s} so many words."} for s in "ab" for i in "12"]
    texts.write_text("\n".join(map(json.dumps, outputs)))
    found = ma.read(scores, texts)
    assert found.metrics == ("m",)
    assert found.attributes["summary"].axis == "output"
    with pytest.raises(FormatError, match="texts go after the files with scores"):
        ma.read(texts, scores)
