"""Inputs of a cluster, such as segments of a document, are drawn and exchanged together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.registry import find

CLUSTERS = np.array([4, 4, 7, 7, 7, 9])
FAMILIES = np.array([0, 1, 1, 2])


def test_a_bootstrap_draws_whole_units():
    systems, inputs = BootstrapPages(50, (4, 6), 0, families=FAMILIES, clusters=(CLUSTERS, None))[0]
    assert (inputs[0] == inputs[1]).all()
    assert (inputs[2] == inputs[4]).all()
    assert (inputs[[0, 2, 5]].sum(axis=0) == 3).all()
    assert (systems[1] == systems[2]).all()
    assert (systems[[0, 1, 3]].sum(axis=0) == 3).all()


def test_people_have_clusters_of_their_own_where_inputs_are_not_paired():
    _, inputs = BootstrapPages(50, (4, 6), 0, annotated=3, clusters=(CLUSTERS, np.array([0, 1, 1])))[0]
    assert (inputs[2] == inputs[3]).all()
    assert (inputs[7] == inputs[8]).all()
    assert (inputs[[6, 7]].sum(axis=0) == 2).all()


@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
def test_whole_units_are_exchanged(unit):
    swaps = SwapPages(40, (4, 6), 0, unit, FAMILIES, CLUSTERS)[0]
    assert (swaps[1] == swaps[2]).all()
    assert (swaps[:, 0] == swaps[:, 1]).all()
    assert swaps.any()
    assert not swaps.all()


def test_each_by_itself_is_the_same_as_no_units():
    alone = BootstrapPages(20, (4, 6), 3, families=np.arange(4), clusters=(np.arange(6), None))[0]
    for found, plain in zip(alone, BootstrapPages(20, (4, 6), 3)[0], strict=True):
        assert (found == plain).all()
    assert (SwapPages(20, (4, 6), 3, "both", np.arange(4), np.arange(6))[0] == SwapPages(20, (4, 6), 3)[0]).all()


@pytest.mark.parametrize("interval", ["boot-inputs", "boot-both", "two-way", "jackknife"])
def test_intervals_widen_where_inputs_of_a_document_say_the_same(interval):
    random = np.random.default_rng(0)
    labels = np.repeat(np.arange(8), 6)
    z = random.normal(size=(10, 48))
    # in some documents the metric is right, in others it is not
    x = (np.array([2, 0, 1, 3, -1, 0, 2, 1])[labels] * z + random.normal(size=z.shape))[None]
    plain = Case(find("pearson"), x, z, "input")
    together = Case(find("pearson"), x, z, "input", clusters=labels)
    widths = []
    for case in (plain, together):
        (found,) = INTERVALS[interval].compute([case], Draws(400, 1), 0.95)
        widths.append(float(found.high[0] - found.low[0]))
    assert widths[1] > 1.02 * widths[0]


@pytest.mark.parametrize("test", ["perm-inputs", "perm-both", "paired-boot-inputs"])
def test_copies_of_an_input_are_no_further_evidence(test):
    """Each input five times over: with clusters p is what the inputs alone give, but for the draws."""
    random = np.random.default_rng(4)
    z = random.normal(size=(8, 1)) + random.normal(size=(8, 12))
    x = np.stack([z + sd * random.normal(size=z.shape) for sd in (1.0, 1.1)])
    labels = np.repeat(np.arange(12), 5)
    many = x[:, :, labels], z[:, labels]
    alone, without, together = (
        TESTS[test].compute(case, [(0, 1)], Draws(2000, 1), "greater", "plus-one").p[0]
        for case in (
            Case(find("pearson"), x, z, "input"),
            Case(find("pearson"), *many, "input"),
            Case(find("pearson"), *many, "input", clusters=labels),
        )
    )
    assert together == pytest.approx(alone, abs=0.04)
    assert without < alone - 0.02


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (ma.criteria, {"interval": "boot-inputs"}),
        (ma.pairs, {"interval": "boot-inputs"}),
        (ma.precision, {}),
        (ma.decisions, {}),
        (ma.survive, {"by": "human", "human": None, "test": "tost", "resample": "inputs"}),
        (ma.survive, {"by": "human", "human": None, "test": "tost", "resample": "inputs", "level": "input"}),
    ],
)
def test_every_bootstrap_draws_units_whole(verb, options):
    """With copies as clusters (or families) intervals are those of the data before copying, in the number of units."""
    random = np.random.default_rng(3)
    quality = random.normal(size=(8, 1))
    columns = [quality + random.normal(size=(8, 12)) for _ in range(3)]
    axis = 0 if verb is ma.decisions else 1
    copied = [np.repeat(column, 5, axis=axis) for column in columns]
    scores = ma.Scores.from_arrays({"m": copied[0]}, {"h": copied[1], "a": copied[2]})
    if axis:
        units = {"clusters": {name: str(at // 5) for at, name in enumerate(scores.inputs)}}
    else:
        units = {"families": {name: str(at // 5) for at, name in enumerate(scores.systems)}}
    common = {"human": "h" if verb is not ma.criteria else None, "resamples": 400, **options}
    apart = _width(verb(scores, **common).table[-1])
    together = _width(verb(replace(scores, **units), **common).table[-1])
    # Copies taken for new inputs (or systems) make intervals about √5 too narrow.
    assert together > 1.5 * apart


def _width(row):
    return row.high - row.low
