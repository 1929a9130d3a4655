"""Pickles of strangers: nothing runs, and nothing small becomes deep, large or slow."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import pytest

from metassay.core import pickles
from metassay.errors import FormatError


def name(module, known):
    if (module, known) not in pickles.PLAIN:
        raise FormatError(f"refused: {module}.{known}")
    return pickles.PLAIN[module, known]


def load(data, **options):
    return pickles.load(data, name, **options)


VALUES = {
    "text": ["a", "ü\n", "x" * 300, ""],
    "numbers": (0, -1, 255, 70_000, 2**40, -(2**70), 0.5, float("-inf"), True, False, None),
    "bytes": b"\0\xff",
    3: {1.5: [[]], None: ({}, ())},
}


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_come_back(protocol):
    assert load(pickle.dumps(VALUES, protocol)) == VALUES


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f8", "i1", "i2", ">i4", "i8", "u1", "u2", "u4", "u8", "?"])
def test_numpy_scalars_of_every_protocol(protocol, kind):
    scalar = np.dtype(kind).type(1).astype(kind) if kind != ">i4" else np.array([1], kind)[0]
    assert load(pickle.dumps([scalar, scalar], protocol)) == [1, 1]


def test_text_of_python_2_is_taken_byte_by_byte():
    assert load(b"S'\\xe9a'\np0\n.") == "\xe9a"
    assert load(b"\x80\x02U\x01\xe9.") == "\xe9"


def nested(n, wrap):
    return b"\x80\x02N" + wrap * n + b"."


HOSTILE = {
    "nested tuples": (nested(200_000, b"\x85"), "nested more than 64 levels"),
    "nested lists": (b"\x80\x02" + b"]" * 1000 + b"a" * 999 + b".", "nested more than 64 levels"),
    "nested tuple as a key": (b"\x80\x02}N" + b"\x85" * 200_000 + b"Ns.", "a tuple as a key"),
    "tuples that double": (b"\x80\x02)" + b"2\x86" * 60 + b".", "too often"),
    "doubling tuples as a key": (b"\x80\x02})" + b"2\x86" * 60 + b"Ns.", "a tuple as a key"),
    "lists that multiply": (
        b"\x80\x02" + b"".join(b"]q%c(%se" % (i, (b"h%c" % (i - 1)) * 9 if i else b"N" * 9) for i in range(20)) + b".",
        "too often",
    ),
    "a list inside itself": (b"\x80\x02]q\0h\0a.", "nested more than 64 levels"),
    "a dictionary inside itself": (b"\x80\x02}q\0K\x01h\0s.", "nested more than 64 levels"),
    "a memo of two thousand million": (b"\x80\x02}r\xff\xff\xff\x7f.", "numbers more values than it has bytes"),
    "the same in nine bytes": (b"\x80\x02Nr\xff\xff\xff\x3f.", "numbers more values than it has bytes"),
    "a memo far below nothing": (b"N" + b"p-1000000000000\n.", "numbers more values than it has bytes"),
    "text of eight exabytes": (b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b"a.", "cut off or damaged"),
    "a frame of eight exabytes": (b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"ccc", "damaged"),
    "an integer of a megabyte": (
        b"\x80\x02\x8b" + struct.pack("<i", 1_000_000) + b"\x01" * 1_000_000 + b".",
        "an integer of more than 1024 bits",
    ),
    "an integer of five thousand digits": (b"L" + b"9" * 5000 + b"L\n.", "cut off or damaged"),
    "an empty stack": (b"\x80\x02.", "cut off or damaged"),
    "a mark that is not there": (b"\x80\x02t.", "cut off or damaged"),
    "a tuple of too few": (b"\x80\x02N\x87.", None),
    "no end": (b"\x80\x02N", "it has no end"),
    "a list that is none": (b"\x80\x02NNa.", "a list is needed"),
    "an odd dictionary": (b"\x80\x02(Nd.", "cut off or damaged"),
    "a call of text": (b"\x80\x02X\x01\0\0\0a)R.", "a Named is needed"),
    "a state for a list": (b"\x80\x02]}b.", "tries to change the loader"),
    "an object where there are none": (b"\x80\x02cnumpy\ndtype\n)\x81.", "uses NEWOBJ"),
    "a name that is a list": (b"\x80\x04]]\x93.", "refused"),
}


@pytest.mark.parametrize(("data", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pickles_are_refused_in_one_line(data, message):
    if message is None:
        assert load(data) == (None,)
        return
    with pytest.raises(FormatError, match=message) as caught:
        load(data)
    assert "\n" not in str(caught.value)


def test_keys_that_collide_are_refused():
    keys = {k * (2**61 - 1): None for k in range(2, 100)}
    with pytest.raises(FormatError, match="numbers of up to 64 bits"):
        load(pickle.dumps(keys))


def test_time_is_bounded(monkeypatch):
    monkeypatch.setattr(pickles, "SECONDS", 0.0)
    with pytest.raises(FormatError, match="takes longer than 0 seconds"):
        load(pickle.dumps(list(range(100_000))))


def test_sharing_as_python_writes_it_is_allowed():
    row = {"a": [1, 2, 3]}
    assert load(pickle.dumps([row] * 50)) == [row] * 50
