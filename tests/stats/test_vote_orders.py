"""Verdicts in both orders."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binomtest

from metassay.stats.vote_orders import mcnemar, two_orders


@pytest.mark.parametrize(("one", "other"), [(8, 2), (0, 5), (7, 7), (0, 0), (120, 90)])
def test_mcnemar_is_the_binomial_test(one, other):
    expected = binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(expected, abs=1e-12)


def test_a_judge_that_always_takes_the_first():
    found = two_orders(np.ones(20), np.zeros(20), np.ones(20))
    assert found.first.value == 1
    assert found.consistency.value == 0
    assert (found.both_first, found.both_second) == (20, 0)
    assert found.p == pytest.approx(2 / 2**20)
    assert found.right is not None
    assert [each.value for each in found.right] == [1, 0]
    assert found.right_in_both is not None
    assert found.right_in_both.value == 0


def test_ties_and_missing_verdicts():
    verdicts = np.array([1.0, 0.5, 0.0, np.nan, 1.0])
    swapped = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    found = two_orders(verdicts, swapped)
    assert found.consistency.value == 2 / 4
    assert found.consistency.n == 4
    # decisive verdicts for the first: 1 of {1, 0, 1} with A first, 3 of {0, 0, 0} against {1, 1} with B first
    assert found.first.value == pytest.approx((2 + 3) / (3 + 5))
    assert found.right is None


def test_llmbars_own_statistics(shared_data):
    seen = 0
    for path in sorted((shared_data / "llmbar" / "Natural" / "evaluators").glob("*/*/result.json")):
        rows = json.loads(path.read_text(encoding="utf-8"))
        published = json.loads((path.parent / "statistics.json").read_text(encoding="utf-8"))
        orders = [
            np.array([_code(row["results"][-1][f"swap = {swap}"]["winner"]) for row in rows]) for swap in (False, True)
        ]
        people = np.array([_code(row["label"]) for row in rows])
        found = two_orders(orders[0], orders[1], people)
        assert found.right is not None
        assert found.right_in_both is not None
        seen += 1
        for name, value in (
            ("correct_False", found.right[0].value),
            ("correct_True", found.right[1].value),
            ("correct_both", found.right_in_both.value),
            ("equal", found.consistency.value),
        ):
            assert float(published[name].split(" = ")[1].rstrip("%")) == pytest.approx(100 * value)
        assert found.kappa == pytest.approx(published["kappa_agreement"], abs=1e-12)
    assert seen == 12


def _code(winner):
    return {"1": 1.0, "2": 0.0}.get(str(winner), np.nan)
