"""`reproduce` on the real data, and its list against the collected figures of the papers."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import metassay as ma
from metassay.reproduction import reproduce as module
from metassay.reproduction.checks import Effort
from metassay.reproduction.published import figures

SMALL = Effort(coverage=100, tests=999, power=(5, 19), slow=False)
SEEDS = {"000": "deutsch-2021", "001": "rankel-2011", "002": "deutsch-2022", "003": "ernst-2023", "004": "braun-2022"}


def test_what_scores_allow(shared_data, tmp_path, monkeypatch):
    """From what can be downloaded, which is scores; coverage has a test of its own."""
    for name in ("summeval", "realsumm"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scores").symlink_to(shared_data / name / "scores")
    wanted = tuple(f for f in figures() if f.check != "coverage")
    monkeypatch.setattr(module, "figures", lambda: wanted)
    monkeypatch.setattr(module, "QUICK", SMALL)
    table = ma.reproduce(tmp_path).table

    checked = [row for row in table if row.within is not None]
    assert len(checked) == 111
    outside = [(row.where, row.number) for row in checked if not row.within]
    # of 17 systems 16 are public, and this one of six coefficients minds it
    assert outside == [("Table 2", "fluency, relevance")]

    close = [row for row in table if row.paper == "deutsch-2022" and row.where == "§4.2"]
    assert len(close) == 6
    assert all(row.within is None and row.ours == row.ours for row in close)
    whole = [row for row in close if row.number == "all pairs"]
    assert all(row.ours == pytest.approx(row.published, abs=0.06) for row in whole)

    assert {(row.paper, row.where) for row in table if "needs the texts" in row.reason} == {
        ("deutsch-2021", "§5.2, Fig. 3"),
        ("ernst-2023", "§3"),
        ("summeval-scores", "rouge.jsonl"),
    }


def test_what_texts_allow(shared_data, monkeypatch):
    monkeypatch.setattr(module, "QUICK", SMALL)
    wanted = tuple(f for f in figures() if f.check in ("power", "rouge"))
    monkeypatch.setattr(module, "figures", lambda: wanted)
    rows = ma.reproduce(shared_data, threads=1).table
    assert len(rows) == 10
    assert all(row.within for row in rows if row.number.startswith("williams"))
    for row in rows:
        assert row.within or row.paper == "deutsch-2021" or "exc" in row.reason, row  # no WordNet, no exceptions


def flat(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in flat(part)]
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [] if isinstance(value, bool) else [float(value)]


def test_the_list_has_every_collected_number(shared_data):
    path = shared_data.parent / "reference" / "published.json"
    if not path.is_file():
        pytest.skip("the published numbers are not beside this repository")
    for seed, paper in SEEDS.items():
        ours = Counter(value for f in figures() if f.paper == paper for value in map(float, f.values.values()))
        entries = [e for e in json.loads(path.read_text(encoding="utf-8")) if e["seed"] == seed]
        # symmetric coefficients stand there twice, and here once
        theirs = {number for entry in entries for number in flat(entry["value"])}
        assert theirs <= set(ours), paper


def test_wmt23_comes_out_to_the_printed_digit(shared_data):
    if not (shared_data / "wmt23").is_dir():
        pytest.skip("WMT23 en-de is not beside this repository")
    result = ma.reproduce(shared_data, only="perrella-2024")
    assert Counter(row.within for row in result.table) == {True: 256, None: 48}
    unchecked = {row.number for row in result.table if row.within is None}
    assert len(unchecked) == 6
    assert all(name.startswith("*SENTINEL") for name in unchecked)


def test_without_the_data_it_says_where_they_are(tmp_path):
    result = ma.reproduce(tmp_path, only="perrella-2024")
    assert {row.within for row in result.table} == {None}
    assert "mt-metrics-eval" in result.table[0].reason


def test_judges_and_their_people_come_out(shared_data):
    found = ma.reproduce(shared_data, only="calderon-2025,pandalm-2023,zeng-2024")
    assert len(found.table) == 221
    # One pair of systems is printed the other way round; the labels say 47 and 49.
    outside = {(row.number, row.published, row.ours) for row in found.table if not row.within}
    pair = "bloom-7b, pythia-6.9b"
    assert outside == {(f"{pair}: bloom-7b", 49, 47), (f"{pair}: pythia-6.9b", 47, 49)}
