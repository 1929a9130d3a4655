"""The "Bonferroni" of Deutsch, Dror and Roth (2021): by their code the partial-conjunction count of Dror et al. (2017).

SacreROUGE tests it in ``tests/stats_test.py`` (version 0.2.5) with the p-values of Dror et al.'s own script,
github.com/rtmdrr/replicability-analysis-NLP. The smallest k̂ p-values are rejected, which is Holm's procedure.
"""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.stats.significance import corrected

P_VALUES = np.array([0.168, 0.297, 0.357, 0.019, 0.218, 0.001])
THEIRS = {0.05: [5], 0.10: [5, 3], 0.70: [5, 3, 0, 4, 1, 2]}
"""Which p-values SacreROUGE rejects at each level, smallest first."""


@pytest.mark.parametrize("alpha", THEIRS)
def test_holm_rejects_what_their_bonferroni_rejects(alpha):
    rejected = np.flatnonzero(corrected(P_VALUES, "holm") <= alpha)
    assert rejected.tolist() == sorted(THEIRS[alpha])


def test_bonferroni_itself_rejects_less():
    counts = [int((corrected(P_VALUES, "bonferroni") <= alpha).sum()) for alpha in THEIRS]
    assert counts == [1, 1, 2]


def test_reproduce_computes_their_cases_and_says_which_correction_it_is(tmp_path):
    result = ma.reproduce(tmp_path, only="deutsch-2021")
    rows = [row for row in result.table if row.where == "code"]
    assert [(row.number, row.published, row.ours, row.within) for row in rows] == [
        (f"alpha {alpha:g}", len(found), len(found), True) for alpha, found in THEIRS.items()
    ]
    assert any(
        "--correction holm --scope row" in note["remark"] for note in result.notes if note.code == "paper-remark"
    )
