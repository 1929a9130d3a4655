"""Whether a new version of a judge says the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import metassay as ma
from metassay.errors import DataError, UnknownName

from .conftest import noted


def versions(up=0.0, down=0.0, inputs=400, seed=0):
    random = np.random.default_rng(seed)
    old = (random.random((2, inputs)) < 0.6).astype(float)
    draw = random.random(old.shape)
    new = np.where((old == 0) & (draw < up), 1.0, np.where((old == 1) & (draw < down), 0.0, old))
    return ma.Scores.from_arrays({"v1": old, "v2": new})


def test_counts():
    scores = versions(up=0.2, down=0.05)
    (row,) = ma.drift(scores).table
    old, new = scores.matrix("v1"), scores.matrix("v2")
    assert (row.before, row.after) == pytest.approx((old.mean(), new.mean()))
    assert row.shift == pytest.approx(new.mean() - old.mean())
    assert (row.up, row.down) == (int((new > old).sum()), int((new < old).sum()))
    assert row.flips == pytest.approx((new != old).mean())
    assert row.flips_low < row.flips < row.flips_high
    assert row.always_low < row.low < row.shift < row.high < row.always_high
    assert (row.n, row.baseline, row.version) == (800, "v1", "v2")


def test_verdicts():
    same, changed = ma.drift(versions(0.01, 0.01)), ma.drift(versions(0.4, 0.0))
    assert (same.table[0].verdict, changed.table[0].verdict) == ("equivalent", "changed")
    assert ma.drift(versions(0.1, 0.1, inputs=40)).table[0].verdict == "undecided"
    assert noted(same, "drift", verdict="equivalent")
    assert "is equivalent to v1" in str(noted(same, "drift")[0])
    one = ma.drift(versions(0.1, 0.1, inputs=200), once=True, margin=0.06)
    assert one.table[0].verdict == "equivalent"
    assert noted(one, "looked-at-once")
    assert ma.drift(versions(0.1, 0.1, inputs=200), margin=0.06).table[0].verdict == "undecided"


def test_clusters_count_their_outputs():
    rows = [
        {"system": "s", "input": f"{c}-{i}", "doc": f"d{c}", "v1": 0.0, "v2": float(c % 80 == 0 and i % 2)}
        for c in range(400)
        for i in range(200 if c % 80 == 0 else 1)
    ]
    (row,) = ma.drift(ma.Scores.from_frame(pd.DataFrame(rows), cluster_by="doc"), metric="v1,v2").table
    assert row.shift == pytest.approx(500 / 1395)
    assert row.always_low < row.shift < row.always_high
    assert row.verdict == "undecided"


def test_missing_cells_do_not_make_inputs_count_alike():
    old = np.zeros((30, 600))
    old[1:, 30:] = math.nan
    new = np.zeros(old.shape)
    new[:, :30] = np.random.default_rng(0).random((30, 30)) < 0.5
    result = ma.drift(ma.Scores.from_arrays({"v1": old, "v2": new}))
    assert result.table[0].always_low < result.table[0].shift < result.table[0].always_high
    assert result.table[0].verdict != "equivalent"
    assert noted(result, "judged-by-one-version", n=29 * 570)
    assert "16,530 outputs excluded" in str(noted(result, "judged-by-one-version")[0])


def test_an_order_that_matters_decides_nothing():
    old, new = np.zeros((2, 1, 3000))
    new[0, :300] = 1
    result = ma.drift(ma.Scores.from_arrays({"v1": old, "v2": new}), margin=0.2)
    (row,) = result.table
    assert math.isnan(row.always_low)
    assert math.isnan(row.always_high)
    assert row.verdict == "undecided"
    assert noted(result, "order-matters", version="v2")
    assert not noted(ma.drift(versions(0.2, 0.1)), "order-matters")


def test_few_outputs_without_a_flip_do_not_show_equivalence():
    few, many = (
        ma.drift(ma.Scores.from_arrays({"a": [[0, 1, 1] * k], "b": [[0, 1, 1] * k]}), once=True) for k in (1, 60)
    )
    (row,) = few.table
    assert (row.low, row.high) == pytest.approx((-row.flips_high, row.flips_high))
    assert (row.verdict, many.table[0].verdict) == ("undecided", "equivalent")
    (row,) = ma.drift(ma.Scores.from_arrays({"a": [[0, 0, 0]], "b": [[1, 1, 1]]}), once=True).table
    assert 0 > row.low < row.shift == row.high == 1
    assert row.verdict == "undecided"


def test_the_margin_is_a_share_of_the_range():
    grades = np.random.default_rng(2).integers(1, 6, (2, 300)).astype(float)
    result = ma.drift(ma.Scores.from_arrays({"v1": grades, "v2": grades}))
    assert result.table[0].margin == pytest.approx(0.2)
    assert result.table[0].verdict == "equivalent"
    assert noted(result, "margin-of-range", low=1, high=5)
    assert dict(result.signature.parts)["margin"] == "0.2"
    assert ma.drift(versions()).table[0].margin == 0.05
    assert not noted(ma.drift(versions()), "margin-of-range")
    assert ma.drift(ma.Scores.from_arrays({"v1": grades, "v2": grades}), margin=0.01).table[0].verdict == "undecided"
    wide = ma.Scores.from_arrays({"v1": grades, "v2": grades, "v3": grades * 2})
    assert "within the margin." in str(ma.drift(wide))


def test_a_change_within_the_margin_is_equivalent():
    result = ma.drift(versions(up=0.05, inputs=20_000))
    (row,) = result.table
    assert 0 < row.always_low < row.always_high < 0.05
    assert row.verdict == "equivalent"
    assert "Changed: it does not," in str(result)


def test_levels_of_a_column(tmp_path):
    lines = ["system,input,judge_version,judge"]
    lines += [f"s,{i},{v},{'pass' if i % 3 else 'fail'}" for i in range(90) for v in ("may", "june")]
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines))
    scores = ma.read(path, by="judge_version", metric="judge")
    (row,) = ma.drift(scores, by="judge_version", baseline="may").table
    assert (row.baseline, row.version, row.flips, row.shift) == ("may", "june", 0, 0)
    with pytest.raises(UnknownName, match="april"):
        ma.drift(scores, by="judge_version", baseline="april")


def test_measurements_do_not_flip_and_labels_need_an_order():
    random = np.random.default_rng(1)
    old = random.normal(size=(1, 200))
    result = ma.drift(ma.Scores.from_arrays({"a": old, "b": old + 0.01 * random.normal(size=old.shape)}))
    assert math.isnan(result.table[0].flips)
    assert noted(result, "bounds-observed")
    labels = ma.Scores.from_arrays({"a": [["x", "y", "z"]], "b": [["x", "y", "y"]]})
    with pytest.raises(DataError, match="without an order"):
        ma.drift(labels)
    with pytest.raises(DataError, match="two versions"):
        ma.drift(versions(), metric="v1")


def test_nothing_in_common():
    with pytest.raises(DataError, match="judged by both"):
        ma.drift(ma.Scores.from_arrays({"a": [[1.0, math.nan]], "b": [[math.nan, 1.0]]}))


def test_names_that_are_no_sequence_are_noted():
    scores = versions(inputs=60)
    for names, told in (("q{:03}", False), ("2026-11-{}", False), ("{:x}-hash", True)):
        named = replace(scores, inputs=tuple(names.format(at + 9) for at in range(60)))
        assert bool(noted(ma.drift(named), "order-of-names")) is told
        assert not noted(ma.drift(named, once=True), "order-of-names")


def test_columns_that_are_the_same_in_all_versions_are_excluded_unless_named(tmp_path):
    rows = [
        f"q{at},{version},{'yes' if at % 2 else 'no'},{'no' if at < 9 and version == 'v1' else 'yes'}"
        for version in ("v1", "v2")
        for at in range(40)
    ]
    file = tmp_path / "judge.csv"
    file.write_text("\n".join(["input,judge_version,anna,judge", *rows]))
    scores = ma.read(file, by="judge_version")
    found = ma.drift(scores, by="judge_version")
    assert [row.metric for row in found.table] == ["judge"]
    assert "anna: identical in all versions" in str(found)
    assert len(ma.drift(scores, by="judge_version", metric="anna,judge").table) == 2
