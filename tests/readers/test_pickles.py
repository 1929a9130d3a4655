"""A pickle is read without running anything in it."""

from __future__ import annotations

import builtins
import io
import os
import pickle
import pickletools
import struct

import numpy as np
import pytest

import metassay as ma
from metassay.errors import FormatError


def documents(**scores):
    systems = {name: {"system_summary": "…", "scores": values} for name, values in scores.items()}
    return {7: {"doc_id": 7, "ref_summ": "…", "system_summaries": systems}}


GOOD = documents(bart={"rouge_1_recall": np.float64(0.5), "bert": np.float32(0.25), "n": 3, "litepyramid_recall": 0.3})


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_scores_with_numpy_scalars_in_every_protocol(make, protocol):
    scores = ma.read(make("abs.pkl", pickle.dumps(GOOD, protocol)))
    assert scores.sources == (("abs.pkl", "realsumm"),)
    assert scores.humans == ("litepyramid_recall",)
    assert {name: column.values[0, 0] for name, column in scores.columns.items()} == {
        "rouge_1_recall": 0.5,
        "bert": 0.25,
        "n": 3,
        "litepyramid_recall": 0.3,
    }


def test_old_and_new_names_of_numpy_are_read(make):
    data = pickle.dumps(GOOD, 3)
    old = data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    new = old.replace(b"numpy.core.multiarray", b"numpy._core.multiarray")
    assert ma.read(make("a.pkl", old))["bert"].values == ma.read(make("b.pkl", new))["bert"].values == 0.25


def test_other_byte_orders_are_read_right(make):
    dtype = np.dtype(">f8")
    scalar = np.array([0.5], dtype=dtype)[0]
    assert ma.read(make("a.pkl", pickle.dumps(documents(A={"m": scalar}), 4)))["m"].values == 0.5


def test_txt_at_the_end_of_a_name_is_left_out(make):
    assert ma.read(make("a.pkl", pickle.dumps(documents(**{"bart_out.txt": {"m": 1.0}}), 3))).systems == ("bart_out",)


class Runs:
    """Pickles as a call of any function."""

    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A file that exists only if something in a pickle ran."""
    path = tmp_path / "ran"
    yield path
    assert not path.exists(), "the pickle ran code"


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("spot", ["top", "score", "key"])
@pytest.mark.parametrize("how", ["os.system", "eval", "exec", "open", "getattr"])
def test_a_pickle_that_calls_something_is_refused_and_does_not_run(make, trap, protocol, spot, how):
    evil = {
        "os.system": Runs(os.system, f"touch {trap}"),
        "eval": Runs(builtins.eval, f"open({str(trap)!r}, 'w')"),
        "exec": Runs(builtins.exec, f"open({str(trap)!r}, 'w')"),
        "open": Runs(open, str(trap), "w"),
        "getattr": Runs(getattr, "text", "upper"),
    }[how]
    content = {"top": evil, "score": documents(A={"m": evil}), "key": {evil: 1}}[spot]
    with pytest.raises(FormatError) as caught:
        ma.read(make("evil.pkl", pickle.dumps(content, protocol)))
    assert "evil.pkl: the pickle names " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_object_array_cannot_smuggle_a_pickle(make, trap):
    array = np.empty(1, dtype=object)
    array[0] = Runs(os.system, f"touch {trap}")
    with pytest.raises(FormatError, match="the pickle names"):
        ma.read(make("evil.pkl", pickle.dumps(documents(A={"m": array}), 4)))


def _global(module: str, name: str) -> bytes:
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def test_an_object_dtype_in_a_scalar_is_refused(make, trap):
    inner = pickle.dumps(Runs(os.system, f"touch {trap}"))
    data = b"\x80\x02" + _global("numpy.core.multiarray", "scalar")
    data += _global("numpy", "dtype") + b"X\x02\0\0\0O8" + b"\x89\x88\x87R"
    data += b"B" + struct.pack("<I", len(inner)) + inner + b"\x86R."
    pickletools.dis(data, out=io.StringIO())  # it is a well-formed pickle
    with pytest.raises(FormatError, match="'O8' is not a plain number"):
        ma.read(make("evil.pkl", data))


def test_the_stand_ins_cannot_be_changed_from_inside(make):
    data = b"\x80\x02" + _global("numpy", "dtype") + b"}X\x04\0\0\0code" + b"K\x01s" + b"b."
    with pytest.raises(FormatError, match="tries to change the loader"):
        ma.read(make("evil.pkl", data))


@pytest.mark.parametrize(
    ("opcodes", "named"),
    [
        (b"(ios\nsystem\n.", "INST"),
        (b"(K\x01o.", "OBJ"),
        (b"\x82\x01.", "EXT1"),
        (b"P1\n.", "PERSID"),
        (b"}\x81.", "NEWOBJ"),
    ],
)
def test_other_instructions_are_refused(make, opcodes, named):
    with pytest.raises(FormatError, match=f"the pickle uses {named}, which scores do not need"):
        ma.read(make("evil.pkl", b"\x80\x02" + opcodes))


def test_a_type_named_through_the_memo_is_seen(make, trap):
    # "os" and "system" are put aside first and fetched later, out of order.
    data = b"\x80\x04" + b"\x8c\x06system\x94" + b"0" + b"\x8c\x02os\x94" + b"0" + b"h\x01h\x00\x93."
    with pytest.raises(FormatError, match=r"the pickle names os\.system"):
        ma.read(make("evil.pkl", data))


def test_a_huge_memo_index_does_not_eat_the_memory(make):
    with pytest.raises(FormatError, match="numbers more values than it has bytes"):
        ma.read(make("evil.pkl", b"\x80\x02}r\xff\xff\xff\x7f."))


@pytest.mark.parametrize("keep", [3, 10, 50, -1])
def test_truncated_pickle(make, keep):
    with pytest.raises(FormatError, match="the pickle is cut off or damaged"):
        ma.read(make("cut.pkl", pickle.dumps(GOOD, 4)[:keep]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1, 2], "expected a dictionary of documents"),
        ({}, "expected a dictionary of documents"),
        ({1: 2}, "document 1: the field 'system_summaries' is missing"),
        ({1: {"system_summaries": {"A": {}}}}, "document 1, system A: the field 'scores' is missing"),
        (documents(A={"m": "high"}), "field 'm (document 7, system A)' must be a number, got 'high'"),
        (documents(A={"m": float("inf")}), "score of 'm' must be finite"),
        (documents(A={"m": True}), "must be a number, got True"),
    ],
)
def test_a_pickle_of_another_shape(make, content, message):
    with pytest.raises(FormatError) as caught:
        ma.read(make("odd.pkl", pickle.dumps(content, 3)))
    assert message in str(caught.value)


def test_a_pickle_among_other_files_of_a_directory_does_not_run(make, trap, tmp_path):
    make("d/s.csv", "system,input,m\nA,1,1\n")
    make("d/evil.pkl", pickle.dumps(Runs(os.system, f"touch {trap}"), 4))
    with pytest.raises(FormatError, match=r"evil\.pkl"):
        ma.read(tmp_path / "d")
