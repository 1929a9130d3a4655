"""Word vectors in all the formats that people share, and what is wrong with broken ones."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from metassay.errors import FormatError, UsageError
from metassay.texts.scorers.rouge_we import digest_of_vectors, word_vectors

GLOVE = "the 1 0 0.5\nCat -2.5 1e-1 0\nnew york 0 1 1\ncat 9 9 9\n"
JSON = {"the": [1, 0, 0.5], "Cat": [-2.5, 0.1, 0], "new york": [0, 1, 1], "cat": [9, 9, 9]}
WINK = {
    "dimensions": 3,
    "words": ["the", "cat"],
    "vectors": {word: [*vector, 1.25, rank] for rank, (word, vector) in enumerate(JSON.items())},
    "unkVector": [0, 0, 0, 0, -1],
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    word_vectors.cache_clear()


def load(path):
    return word_vectors(path, digest_of_vectors(path))


@pytest.mark.parametrize(
    "content",
    [GLOVE.encode(), b"4 3\n" + GLOVE.encode(), gzip.compress(b"4 3\n" + GLOVE.encode()), json.dumps(JSON).encode(),
     json.dumps(JSON, indent=2).encode(), json.dumps(WINK).encode(), gzip.compress(json.dumps(WINK).encode())],
    ids=["glove", "word2vec", "gzip", "json", "json-lines", "wink", "wink-gzip"],
)  # fmt: skip
def test_formats(tmp_path, content):
    file = tmp_path / "vectors"
    file.write_bytes(content)
    for _ in range(2):  # as read, and from what was kept
        vectors = load(file)
        assert list(vectors.places) == ["the", "cat", "new york"]
        # of words that differ in case, the first
        np.testing.assert_allclose(vectors.matrix, [[1, 0, 0.5], [-2.5, 0.1, 0], [0, 1, 1]], rtol=1e-6)
        assert vectors.rows(["cat", "dog", "the"]).tolist() == [1, -1, 0]
        word_vectors.cache_clear()


def test_what_was_read_is_kept_and_damage_is_repaired(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text(GLOVE)
    load(file)
    (kept,) = (tmp_path / "cache" / "metassay" / "vectors").glob("*.npy")
    word_vectors.cache_clear()
    as_kept = kept.stat()
    assert isinstance(load(file).matrix, np.memmap)  # what is read from the file itself is not
    assert kept.stat().st_ino == as_kept.st_ino
    word_vectors.cache_clear()
    kept.write_bytes(b"damaged")
    assert load(file).matrix.shape == (3, 3)


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    file = tmp_path / "vectors.txt"
    file.write_text(GLOVE)
    assert load(file).matrix.shape == (3, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"the 1 2\ncat 1\n", r"vectors, line 2: a line must hold a word and 2 numbers, got 'cat 1'"),
        (b"2 2\nthe 1 2\ncat 1 x\n", r"line 3: a line must hold a word and 2 numbers"),
        (b"", "each line must hold a word and its numbers"),
        (b"2 3\n", "there are no word vectors"),
        (b'{"a": [1, 2], "b": [1]}', "list of 2 numbers; 'b' has 1"),
        (b'{"a": "x"}', "not JSON with a list of numbers"),
        (b'{"a": [1, "x"]}', "each word must have a list of some numbers; 'a' has 0"),
        (b"\x1f\x8b broken", "cannot be read"),
    ],
)
def test_broken_files(tmp_path, content, message):
    file = tmp_path / "vectors"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        load(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read the word vectors .*: no such file"):
        digest_of_vectors(tmp_path / "none")
