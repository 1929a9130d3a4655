"""What stands on a sheet; tests/browser has it in a browser."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.stats.label_choices import chances, choose


@pytest.fixture
def judged(tmp_path):
    lines = ["system,input,prompt,answer,judge-a,judge-b,human"]
    for s in range(4):
        for i in range(30):
            odd = (i + s) % 5 == 0
            human = "1" if i < 10 else ""
            lines.append(f"s{s},{i},p{i},answer {s} {i},{int(odd)},{i % 2},{human}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines))
    return path


def read(path):
    return ma.read(path, human="human", metric="judge-a,judge-b")


def test_random_choice_leaves_out_what_has_a_label(judged):
    sheet = ma.make_sheet(read(judged), n=40, human="human")
    assert len(sheet.items) == 40
    assert all(int(item[0][1]) >= 10 for item in sheet.items)
    assert "answer" in sheet.page
    assert '"s1"' not in sheet.page
    assert ma.make_sheet(read(judged), n=40, human="human", seed=1).items != sheet.items


def test_disagreement_is_shown_more_often(judged):
    scores = read(judged)
    differ = scores.matrix("judge-a") != scores.matrix("judge-b")
    shares = {}
    for how in ("random", "disagreement"):
        sheet = ma.make_sheet(scores, n=30, choose=how, metric="judge-a,judge-b")
        at = [(scores.systems.index(s), scores.inputs.index(i)) for ((s, i),) in sheet.items]
        shares[how] = np.mean([differ[where] for where in at])
    assert shares["disagreement"] > shares["random"] + 0.1
    with pytest.raises(UsageError, match="at least two"):
        ma.make_sheet(scores, choose="disagreement", metric="judge-a")


def test_close_pairs_are_close(tmp_path):
    random = np.random.default_rng(1)
    scores = random.normal(size=(5, 20)) / 10 + np.array([[0.0], [0.1], [3], [3.1], [9]])
    lines = ["system,input,output,m"]
    lines += [f"s{s},{i},text {s} {i},{scores[s, i]}" for s in range(5) for i in range(20)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines))
    sheet = ma.make_sheet(ma.read(path), ask="prefer", pairs="close", metric="m", n=12)
    pairs = {(a[0], b[0]) for a, b in sheet.items}
    assert {("s0", "s1"), ("s2", "s3")} <= pairs
    assert not any("s4" in pair for pair in pairs)
    assert all(a[1] == b[1] for a, b in sheet.items)


def test_corrupted_against_intact():
    texts = ma.Texts(outputs={("a", str(i)): f"First {i}. Second {i}. Third." for i in range(5)})
    other = ma.corrupt(texts, "shuffle").texts
    sheet = ma.make_sheet(texts, ask="prefer", against=other)
    assert {system for pair in sheet.items for system, _ in pair} == {"a", "a@damage"}
    with pytest.raises(DataError, match="no output to show"):
        ma.make_sheet(texts, ask="prefer", against=texts)
    with pytest.raises(UsageError, match="compares pairs"):
        ma.make_sheet(texts, ask="rate", against=other)


@pytest.mark.parametrize("strategy", ["random", "stratified", "disagreement", "variance"])
def test_every_item_has_the_chance_that_is_told(strategy):
    random = np.random.default_rng(2)
    judges = random.random((3, 40))
    judges[:, :5] = np.nan
    expected = chances(strategy, judges, 10)
    assert expected.sum() == pytest.approx(10)
    assert (expected > 0).all()
    counts = np.zeros(40)
    for _ in range(3000):
        chosen, _ = choose(strategy, judges, 10, random)
        assert len(chosen) in (9, 10, 11)
        counts[chosen] += 1
    # the standard error of a share is below .0092; five of them are left by chance about once in 40,000 tries
    assert np.abs(counts / 3000 - expected).max() < 0.046


def test_texts_without_a_usual_name(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,input,judge,notes,remark\na,1,0.5,a text that is long,x y\nb,1,0.7,other text it is,z w\n")
    with pytest.raises((DataError, UsageError)):
        ma.make_sheet(ma.read(path, ignore="notes,remark"))
