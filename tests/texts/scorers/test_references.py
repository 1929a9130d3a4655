import numpy as np
import pytest

import metassay as ma
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError

ROUGE = "rouge[variants=1,measures=f1]"


@pytest.fixture
def texts():
    return Texts(
        {("a", "1"): "the cat sat", ("b", "1"): "a dog ran", ("a", "2"): "one two"},
        references={"1": ("the cat sat", "a dog ran"), "2": ("one two",)},
        groups={"a": "peer"},
    )


def test_each_reference_by_itself(texts):
    scores = ma.score_by_reference(texts, [ROUGE, "length"], processes=1)
    column = scores["rouge-1_f1"]
    assert column.axes == (("reference", ("1", "2")),)
    np.testing.assert_array_equal(column.values, [[[1, 1], [0, np.nan]], [[0, np.nan], [1, np.nan]]])
    assert scores["length_tokens"].axes == ()
    assert scores.groups == {"a": "peer"}


def test_the_largest_is_what_all_references_together_give(texts):
    alone = ma.score_by_reference(texts, ROUGE, processes=1)["rouge-1_f1"].values
    together = ma.score(texts, ROUGE, processes=1)["rouge-1_f1"].values
    np.testing.assert_array_equal(np.nanmax(alone[:, :, 0], axis=0), together[:, 0])


def test_texts_without_references_are_told():
    with pytest.raises(DataError, match="no input has a reference"):
        ma.score_by_reference(Texts({("a", "1"): "x"}), ROUGE)
    with pytest.raises(UsageError, match="expected Texts"):
        ma.score_by_reference("x", ROUGE)


def test_only_the_first_references_if_asked(texts):
    scores = ma.score_by_reference(texts, ROUGE, processes=1, max_references=1)
    assert scores["rouge-1_f1"].labels("reference") == ("1",)


def test_on_the_command_line_they_come_as_a_column(texts, tmp_path, capsys):
    from metassay.cli import main

    ma.write_texts(texts, tmp_path / "texts.jsonl")
    path = tmp_path / "scores.csv"
    argv = ["score", tmp_path / "texts.jsonl", "--metric", ROUGE, "--by-reference", "--no-cache", "-q", "-o", path]
    assert main([str(part) for part in argv]) == 0
    assert capsys.readouterr().out == ""
    assert ma.read(path)["rouge-1_f1"].labels("reference") == ("1", "2")
