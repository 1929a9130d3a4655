"""Draw every kind of figure by the command that the gallery shows for it, and write the gallery.

The files are those of the example data; ``es.csv``, ``es-back.csv``, ``shuffled.csv`` and ``half.csv`` are
the same scores with noise, as if texts had been translated or damaged. Arguments name studies to draw.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import metassay as ma
from metassay.charts.chart import KINDS
from metassay.cli import main as metassay

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = DOCS / "images" / "gallery"
FEW = "synthetic-judge,synthetic-embedding,synthetic-overlap"
ONE = "scores.csv --human relevance"
JUDGE = "judge.csv --human 'verdict_*' --judge '*-judge'"
LANGUAGES = "en=scores.csv es=es.csv es-back=es-back.csv --human relevance --metric synthetic-overlap,synthetic-fluency"
DAMAGED = f"scores.csv --after shuffle@0.5=half.csv --after shuffle=shuffled.csv --metric {FEW}"

COMMANDS = {
    "agree": f"agree {ONE}",
    "agree violins": f"agree {ONE} --interval boot-both --resamples 1000",
    "bias": "bias judge.csv --people 'grade=grade_*' --ignore 'verdict_*' --metric '*-grade' --style category",
    "compare": f"compare {ONE} --level system",
    "composite": f"composite {ONE}",
    "criteria": "criteria scores.csv --resamples 300",
    "decisions": f"decisions {ONE}",
    "differences": f"differences {ONE} --metric {FEW}",
    "difficulty": f"difficulty {ONE} --metric synthetic-judge",
    "downgrade": f"downgrade {DAMAGED}",
    "drift": "drift judge.csv --by metric --metric strict-judge,kind-judge",
    "estimate": f"estimate {ONE} --metric synthetic-judge --annotated 20",
    "judge": f"judge {JUDGE}",
    "judge threshold": "judge judge.csv --human verdict_anna --judge '*-grade'",
    "judge-votes": "judge votes.csv --human dora,emil,farah,goran",
    "leaderboard": f"leaderboard {ONE}",
    "normality": f"normality {ONE}",
    "pairs": f"pairs {ONE} --metric {FEW}",
    "pairs triangle": f"pairs {ONE} --metric synthetic-judge --triangle 10",
    "plan": f"plan {ONE} --metric synthetic-judge,synthetic-overlap --width 0.3 --trials 200",
    "plan-labels": "plan-labels judge.csv --human verdict_anna --metric strict-judge,kind-judge",
    "precision": f"precision {ONE} --metric synthetic-judge --annotated 20",
    "profile": "profile scores.csv",
    "rank": "rank votes.csv --human dora,emil,farah,goran",
    "reliability": f"reliability scores.csv --metric {FEW}",
    "simulate-coverage": f"simulate coverage {ONE} --metric synthetic-judge --trials 200 --resamples 200",
    "simulate-power": f"simulate power {ONE} --metric synthetic-judge --trials 100 --resamples 199",
    "simulate-size": "simulate size --trials 100 --resamples 199",
    "slices": f"agree {ONE} --metric {FEW} --by annotator",
    "stability": f"stability {ONE} --metric {FEW}",
    "survive": f"survive {LANGUAGES}",
    "survive dominance": f"survive {LANGUAGES},synthetic-judge,synthetic-noise",
    "systems": f"systems {ONE} --metric {FEW} --test wilcoxon",
    "widths": f"widths {ONE} --metric {FEW} --annotated 20 --resamples 500",
}
"""The command of each study, and of kinds that need another; all are small, to be quick."""

BROKEN = r" (--(?:metric|after|interval|trials|annotated|style|figure) )"
"""Options before which the page breaks a command."""


def command(study: str, kind: str) -> str:
    """Return the command that draws a kind of figure."""
    chosen = f" --figure-kind {kind}" * (kind != KINDS[study][0])
    line = COMMANDS.get(f"{study} {kind}", COMMANDS[study])
    return f"metassay {line} --figure {study}-{kind}.svg{chosen}"


def furnish(folder: Path) -> None:
    """Write the files that the commands read."""
    for name in ("judge.csv", "votes.csv"):
        shutil.copy(Path(ma.__file__).parent / "data" / name, folder)
    scores = ma.example()
    ma.write(scores, folder / "scores.csv")
    lines = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index("score")
    kind = lines[0].split(",").index("kind")
    for seed, (name, noise, shift) in enumerate(
        (("es.csv", 0.3, 0), ("es-back.csv", 0.15, 0), ("half.csv", 0.2, 0.4), ("shuffled.csv", 0.3, 0.8))
    ):
        random = np.random.default_rng(seed)
        spread = {metric: float(np.nanstd(scores.matrix(metric))) for metric in scores.metrics}
        made = [lines[0]]
        for line in lines[1:]:
            cells = line.split(",")
            if cells[kind] != "human" and cells[at]:
                metric = next(each for each in cells if each in spread)
                cells[at] = f"{float(cells[at]) + spread[metric] * (random.normal(0, noise) - shift):.5f}"
            made.append(",".join(cells))
        (folder / name).write_text("\n".join(made) + "\n", encoding="utf-8")


def page() -> str:
    """Return the gallery."""
    parts = [
        "# Gallery",
        "Every figure that metassay draws, with the command that draws it. [Figures for a paper](guides/figures.md) "
        "says what each shows and how to change it.",
        "`metassay example`, `metassay example --judge` and `metassay example --votes` write `scores.csv`, `judge.csv` "
        "and `votes.csv`. The commands with `es.csv`, `es-back.csv`, `shuffled.csv` and `half.csv` need scores of "
        "translated or corrupted texts; here these are the example scores with added noise.",
    ]
    for study in sorted(KINDS):
        parts.append(f"## {study.replace('-', ' ')}")
        for kind in KINDS[study]:
            words = re.sub(BROKEN, r" \\\n    \1", command(study, kind))
            parts.append(f"![{study}: {kind}](images/gallery/{study}-{kind}.svg)")
            parts.append(f"```sh\n{words}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Draw all, and write the page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or list(KINDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        furnish(folder)
        os.chdir(folder)
        for study, kinds in KINDS.items():
            for kind in kinds:
                if study in wanted:
                    assert metassay([*shlex.split(command(study, kind))[1:], "-o", "result.json", "--quiet"]) == 0
                    made = Path(shutil.copy(folder / f"{study}-{kind}.svg", FOLDER))
                    print(f"{study} {kind}: {made.stat().st_size / 1000:.0f} kB", flush=True)
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
