import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.core.texts import Texts
from metassay.errors import Contradiction, DataError, FormatError, UsageError
from metassay.readers.texts import read_parallel, read_texts, write_texts


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_outputs_and_documents_may_stand_in_two_tables(tmp_path):
    outputs = tmp_path / "outputs.csv"
    outputs.write_text('system,input,output\na,1,"hello, world"\nb,1,\n')
    documents = lines(
        tmp_path / "documents.jsonl",
        [{"input": "1", "source": "s", "reference": "r1"}, {"input": "1", "source": "s", "reference": "r2"}],
    )
    texts = read_texts(outputs, documents)
    assert dict(texts.outputs) == {("a", "1"): "hello, world", ("b", "1"): ""}
    assert dict(texts.references) == {"1": ("r1", "r2")}
    assert dict(texts.sources) == {"1": "s"}
    assert texts.provenance == (("outputs.csv", "tidy texts"), ("documents.jsonl", "tidy texts"))


def test_summeval_and_g_eval_and_mteb(tmp_path):
    summeval = lines(
        tmp_path / "a", [{"id": "d", "model_id": "M1", "decoded": "x", "references": ["r", "q"], "text": "t"}]
    )
    assert dict(read_texts(summeval).references) == {"d": ("r", "q")}
    g_eval = tmp_path / "b"
    g_eval.write_text(
        json.dumps([{"doc_id": "d", "system_id": "M1", "source": "t", "reference": "r", "system_output": "x"}])
    )
    assert dict(read_texts(g_eval).outputs) == {("M1", "d"): "x"}
    mteb = lines(tmp_path / "c", [{"id": "d", "text": "t", "machine_summaries": ["x", "y"], "human_summaries": ["r"]}])
    assert dict(read_texts(mteb).outputs) == {("system-1", "d"): "x", ("system-2", "d"): "y"}


def test_gzip_and_a_data_set_directory(tmp_path):
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(b'{"system": "a", "input": "1", "output": "x"}\n'))
    assert dict(read_texts(packed).outputs) == {("a", "1"): "x"}
    for name, text in {
        "sources/en-de.txt": "one\ntwo\n",
        "references/en-de.refA.txt": "eins\nzwei\n",
        "system-outputs/en-de/sys.txt": "ein\nzwo\n",
    }.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    texts = read_texts(tmp_path / "wmt")
    assert dict(texts.outputs) == {("sys", "1"): "ein", ("sys", "2"): "zwo"}
    assert dict(texts.references) == {"1": ("eins",), "2": ("zwei",)}
    (tmp_path / "wmt/references/en-de.refA.txt").write_text("eins\n")
    with pytest.raises(DataError, match="the same number of lines"):
        read_texts(tmp_path / "wmt")


def test_parallel_files_belong_together_line_by_line(tmp_path):
    for name, text in {"a.txt": "x\ny\n", "ref.txt": "r\nq\n", "src.txt": "s\nt\n", "short.txt": "x\n"}.items():
        (tmp_path / name).write_text(text)
    texts = read_parallel({"a": tmp_path / "a.txt"}, references=[tmp_path / "ref.txt"], source=tmp_path / "src.txt")
    assert dict(texts.outputs) == {("a", "1"): "x", ("a", "2"): "y"}
    assert dict(texts.sources) == {"1": "s", "2": "t"}
    with pytest.raises(DataError, match=r"the same number of lines: .* has 2, .* has 1"):
        read_parallel({"a": tmp_path / "a.txt", "b": tmp_path / "short.txt"})


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([{"system": "a", "input": "1", "output": 3}], FormatError, r"line 1: field 'output' must be text, got 3"),
        ([{"system": "a", "output": "x", "input": ""}], FormatError, r"line 1: the field 'input' is empty"),
        (
            [{"system": "a", "input": "1", "output": "x"}, {"system": "a", "input": "1", "output": "y"}],
            Contradiction,
            r"the output of system 'a' on input '1': 'y' in .*, line 2 contradicts 'x' in .*, line 1",
        ),
        ([{"input": "1", "source": "s"}], DataError, "there are no outputs of systems"),
        ([{"what": "1"}], FormatError, "not texts that metassay knows"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(tmp_path, rows, error, message):
    with pytest.raises(error, match=message) as caught:
        read_texts(lines(tmp_path / "t.jsonl", rows))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_wrong_suffix(tmp_path):
    with pytest.raises(UsageError, match="there is no such file"):
        read_texts(tmp_path / "nowhere.csv")
    with pytest.raises(UsageError, match=r"must end in \.jsonl, \.csv or \.tsv"):
        write_texts(Texts({("a", "1"): "x"}), tmp_path / "t.xml")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=20)


@given(
    outputs=st.dictionaries(st.tuples(WORDS, WORDS), st.text(st.characters(codec="utf-8")), min_size=1, max_size=4),
    reference=WORDS,
    source=WORDS,
    suffix=st.sampled_from(["jsonl", "csv", "tsv"]),
)
def test_texts_come_back_as_they_were(tmp_path_factory, outputs, reference, source, suffix):
    if suffix != "jsonl":
        outputs = {cell: text.replace("\r", " ").replace("\0", " ") for cell, text in outputs.items()}
    key = next(iter(outputs))[1]
    texts = Texts(outputs, references={key: (reference,)}, sources={key: source})
    path = write_texts(texts, tmp_path_factory.mktemp("texts") / f"t.{suffix}")
    again = read_texts(path)
    assert dict(again.outputs) == dict(texts.outputs)
    assert dict(again.references) == dict(texts.references)
    assert dict(again.sources) == dict(texts.sources)


def test_real_files(shared_data):
    summeval = read_texts(shared_data / "summeval" / "model_annotations.aligned.paired.jsonl")
    assert (len(summeval.systems), len(summeval.inputs)) == (16, 100)
    assert {len(r) for r in summeval.references.values()} == {11}
    folder = shared_data / "realsumm"
    rows = read_texts(folder / "outputs.jsonl", folder / "documents.jsonl")
    pickles = read_texts(folder / "scores_dicts" / "abs.pkl", folder / "scores_dicts" / "ext.pkl")
    assert rows.systems == pickles.systems
    assert len(rows.outputs) == len(pickles.outputs) == 2400


@pytest.mark.parametrize("field", ["machine_summaries", "human_summaries"])
@pytest.mark.parametrize("value", [5, "text", {"a": "b"}, True])
def test_summaries_that_are_no_list(tmp_path, field, value):
    row = {"id": "d", "text": "t", "machine_summaries": ["x"], "human_summaries": ["r"], field: value}
    with pytest.raises(FormatError, match=f"line 1: the field '{field}' must be a list of texts"):
        read_texts(lines(tmp_path / "c", [row]))


def test_summaries_of_sacrerouge(make):
    row = {
        "instance_id": "d1",
        "summarizer_id": "M1",
        "summarizer_type": "peer",
        "summary": {"text": ["One.", "Two."]},
        "references": [{"text": "Ref."}],
        "documents": [{"text": [["A.", "B."]]}],
    }
    rows = [row, row | {"summarizer_id": "A", "summarizer_type": "reference"}]
    texts = read_texts(make("summaries.jsonl", rows))
    assert texts.systems == ("M1",)
    assert texts.provenance == (("summaries.jsonl", "sacrerouge"),)
