"""Agreement of labels on real data with gaps equals scikit-learn, krippendorff and irrCAC."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.stats.rater_agreement import agreement

SETS = ("wax", "lgbteen", "cebab_stars")


def people_and_judges(folder):
    """Return ratings (people, items), with gaps, and judges (judges, items) of a set of published annotations."""
    files = [f"{role}={folder / name}_annotations.json" for role, name in (("human", "human"), ("judge", "llm"))]
    scores = ma.read(*files)
    (human,) = scores.humans
    ratings = scores[human].mean(keep="annotator").reshape(len(scores[human].labels("annotator")), -1)
    judges = np.stack([scores.codes(name) if scores[name].scale.labels else scores.matrix(name).copy()
                       for name in scores.metrics]).reshape(len(scores.metrics), -1)  # fmt: skip
    return ratings, judges


@pytest.mark.parametrize("name", SETS)
def test_people_with_gaps(shared_data, name):
    krippendorff = pytest.importorskip("krippendorff")
    ratings, _ = people_and_judges(shared_data / "alttest" / name)
    assert np.isnan(ratings).any() or name != "cebab_stars"
    for scale in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(ratings, level_of_measurement=scale)
        assert agreement(ratings, f"alpha-{scale}") == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", SETS)
def test_people_with_gaps_by_gwet(shared_data, name, gwet):
    ratings, _ = people_and_judges(shared_data / "alttest" / name)
    for coefficient, weights in (("ac1", "identity"), ("ac2", "quadratic")):
        assert agreement(ratings, coefficient) == pytest.approx(gwet(ratings, weights), abs=1e-12)


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("name", SETS)
def test_judges_against_single_people(shared_data, name):
    metrics = pytest.importorskip("sklearn.metrics")
    ratings, judges = people_and_judges(shared_data / "alttest" / name)
    theirs = {
        "accuracy": metrics.accuracy_score,
        "balanced-accuracy": metrics.balanced_accuracy_score,
        "f1-macro": lambda z, x: metrics.f1_score(z, x, average="macro"),
        "phi": metrics.matthews_corrcoef,
        "kappa": metrics.cohen_kappa_score,
        "kappa-linear": lambda z, x: metrics.cohen_kappa_score(z, x, weights="linear", labels=np.unique([*z, *x])),
        "mae": metrics.mean_absolute_error,
    }
    for person, judge in zip(ratings[:3], judges[:3], strict=False):
        known = ~np.isnan(person + judge)
        x, z = judge[known], person[known]
        codes = np.unique([*x, *z])
        consecutive = (np.diff(codes) == 1).all()  # scikit-learn takes labels for equally far apart
        if not (np.rint(codes) == codes).all():
            continue
        scores = ma.Scores.from_arrays({"judge": judge[None]}, {"person": person[None]})
        names = [each for each in theirs if each != "kappa-linear" or consecutive]
        result = ma.agree(scores, statistic=names, level="global", interval="boot-inputs", resamples=10)
        for row in result.table:
            want = theirs[row.statistic](z.astype(int), x.astype(int))
            assert row.estimate == pytest.approx(want, abs=1e-12), (row.statistic, name)
