import pytest

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError

TIDY = "system,input,metric,score,version\na,1,judge,1,v1\na,1,judge,2,v2\na,1,relevance,3,\n"


def test_a_column_tells_scores_of_one_cell_apart(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TIDY)
    scores = ma.read(path, by="version")
    assert scores["judge"].labels("language") == ("v1", "v2")
    assert scores["relevance"].axes == ()
    with pytest.raises(ma.Contradiction):
        ma.read(path)


def test_in_wide_tables_it_is_no_metric(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,input,version,judge\na,1,1,0.5\na,1,2,0.7\n")
    scores = ma.read(path, by="version")
    assert scores.metrics == ("judge",)
    assert scores["judge"].labels("language") == ("1", "2")


def test_a_column_that_is_not_there_is_told(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TIDY)
    with pytest.raises(DataError, match="no table has a column 'edition'"):
        ma.read(path, by="edition")
    with pytest.raises(UsageError, match="cannot be chosen together with by='version'"):
        ma.read(path, by="version", language="en")


def test_data_frames_take_it_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"system": ["a"] * 2, "input": ["1"] * 2, "version": ["v1", "v2"], "judge": [0.1, 0.2]})
    assert ma.Scores.from_frame(frame, by="version")["judge"].labels("language") == ("v1", "v2")
    with pytest.raises(UnknownName, match="edition"):
        ma.Scores.from_frame(frame, by="edition")
