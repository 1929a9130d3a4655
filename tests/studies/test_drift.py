"""Whether a new version of a judge says the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
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
