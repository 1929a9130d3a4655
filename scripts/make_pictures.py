"""Draw the pictures that README and docs show, from the synthetic example data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import metassay as ma

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
SCORES = ma.example()
JUDGED = ma.read(Path(ma.__file__).parent / "data" / "judge.csv", people="grade=grade_*", ignore="verdict_*")
VOTES = ma.read_votes(Path(ma.__file__).parent / "data" / "votes.csv")
FEW = "synthetic-judge,synthetic-embedding,synthetic-overlap,synthetic-noise"

PICTURES: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "agree": (lambda: ma.agree(SCORES, human="relevance"), {}),
    "bias": (lambda: ma.bias(JUDGED, metric="*-grade", style="category"), {}),
    "compare": (lambda: ma.compare(SCORES, human="relevance", level="system"), {}),
    "composite": (lambda: ma.composite(SCORES, human="relevance"), {}),
    "criteria": (lambda: ma.criteria(SCORES), {"kind": "dumbbells"}),
    "decisions": (lambda: ma.decisions(SCORES, human="relevance"), {}),
    "differences": (lambda: ma.differences(SCORES, human="relevance", metric=FEW), {}),
    "difficulty": (
        lambda: ma.difficulty(SCORES, human="relevance", metric="synthetic-judge"),
        {"kind": "map", "metric": "synthetic-judge"},
    ),
    "pairs": (lambda: ma.pairs(SCORES, human="relevance", metric=FEW), {}),
    "plan": (lambda: ma.plan(SCORES, human="relevance", metric="synthetic-judge,synthetic-overlap", width=0.3), {}),
    "estimate": (lambda: ma.estimate(SCORES, human="relevance", metric="synthetic-judge", annotated=20), {}),
    "precision": (lambda: ma.precision(SCORES, human="relevance", metric="synthetic-judge", annotated=20), {}),
    "profile": (lambda: ma.profile(SCORES), {}),
    "rank": (lambda: ma.rank(VOTES, human="dora,emil,farah,goran"), {}),
    "reliability": (lambda: ma.reliability(SCORES, metric=FEW), {}),
    "reliability-designs": (lambda: ma.reliability(SCORES, metric=FEW), {"kind": "designs"}),
    "simulate-coverage": (
        lambda: ma.simulate_coverage(SCORES, human="relevance", metric="synthetic-judge", trials=300, resamples=300),
        {},
    ),
    "simulate-power": (
        lambda: ma.simulate_power(SCORES, human="relevance", metric="synthetic-judge", trials=200, resamples=199),
        {},
    ),
    "simulate-size": (lambda: ma.simulate_size(trials=200, resamples=199), {"kind": "map"}),
    "stability": (lambda: ma.stability(SCORES, human="relevance", metric=FEW), {}),
    "systems": (lambda: ma.systems(SCORES, human="relevance", metric=FEW, test="wilcoxon"), {}),
    "widths": (lambda: ma.widths(SCORES, human="relevance", metric=FEW, annotated=20), {}),
}
"""Each picture: the study that it shows, and how it is drawn."""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (study, options) in PICTURES.items():
        path = FOLDER / f"{name}.png"
        study().plot(path, dpi=120, **options)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
