"""Make the example scores that ship with the package. All of them are synthetic.

14 systems write 80 imaginary texts. Each text has a latent coherence and a latent relevance, both made of the
system's quality, the input's difficulty and chance, in part shared by the two. Two human criteria follow
them, each judged by three annotators on a scale from 1 to 5; annotators differ in strictness and err, and the
third did not get to 3% of the texts. Eight metrics follow them with planted quality:

=====================  ==================================================================================
synthetic-judge        relevance and some coherence, little noise: the best for relevance
synthetic-embedding    relevance, moderate noise, a small liking for some systems; 2% of cells missing
synthetic-question     relevance, much noise per text: good on averages, poor on single texts; 2% missing
synthetic-overlap      relevance, much noise and a strong liking for some systems: mediocre
synthetic-fluency      coherence, moderate noise; agrees with relevance only through coherence
synthetic-perplexity   coherence, much noise; lower is better
synthetic-length       the length of the text, which has little to do with either criterion
synthetic-noise        nothing at all
=====================  ==================================================================================

Run ``python scripts/make_example.py [FILE]``; the same file comes out every time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

SEED = 3
SYSTEMS, INPUTS, ANNOTATORS = 14, 80, 3
TARGET = Path(__file__).resolve().parents[1] / "src" / "metassay" / "data" / "example.csv"


class Recipe(NamedTuple):
    """What a metric is made of: weights of standard normal parts, then scale and offset."""

    coherence: float = 0.0
    relevance: float = 0.0
    length: float = 0.0
    noise: float = 0.0
    liking: float = 0.0
    scale: float = 0.1
    offset: float = 0.5
    missing: float = 0.0


RECIPES = {
    "synthetic-judge": Recipe(coherence=0.3, relevance=1.0, noise=0.8, liking=0.1, scale=0.5, offset=3.2),
    "synthetic-embedding": Recipe(relevance=1, noise=1, liking=0.25, scale=0.03, offset=0.86, missing=0.02),
    "synthetic-question": Recipe(relevance=1.0, noise=2.5, missing=0.02, offset=0.35),
    "synthetic-overlap": Recipe(relevance=0.8, noise=1.6, liking=0.5, offset=0.4),
    "synthetic-fluency": Recipe(coherence=1.0, noise=1.0, offset=0.7),
    "synthetic-perplexity": Recipe(coherence=-1.0, noise=1.8, liking=0.2, scale=4.0, offset=40.0),
    "synthetic-length": Recipe(length=1.0, scale=12.0, offset=60.0),
    "synthetic-noise": Recipe(noise=1.0),
}
LOWER_IS_BETTER = ("synthetic-perplexity",)


def main(target: Path = TARGET) -> None:
    # The stream of RandomState is frozen by NumPy's own promise, so that every version makes the same file.
    random = np.random.RandomState(SEED)
    lines = ["system,input,metric,score,kind,annotator,direction", *rows(random)]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def rows(random: np.random.RandomState) -> Iterator[str]:
    shape = (SYSTEMS, INPUTS)
    quality = random.standard_normal((SYSTEMS, 1))
    difficulty = random.standard_normal((1, INPUTS))
    luck = random.standard_normal(shape)

    def criterion() -> np.ndarray:
        own = random.standard_normal((SYSTEMS, 1))
        return 0.6 * quality + 0.25 * own - 0.4 * difficulty + 0.4 * luck + 0.5 * random.standard_normal(shape)

    latent = {"coherence": criterion(), "relevance": criterion()}
    length = 0.8 * random.standard_normal((SYSTEMS, 1)) + 0.6 * random.standard_normal(shape)
    for name, truth in latent.items():
        yield from judgments(random, name, truth)
    for name, recipe in RECIPES.items():
        made = (
            recipe.coherence * latent["coherence"]
            + recipe.relevance * latent["relevance"]
            + recipe.length * length
            + recipe.noise * random.standard_normal(shape)
            + recipe.liking * random.standard_normal((SYSTEMS, 1))
        )
        known = random.random_sample(shape) >= recipe.missing
        direction = "lower" if name in LOWER_IS_BETTER else "higher"
        for s, i in np.argwhere(known):
            score = recipe.offset + recipe.scale * made[s, i]
            yield f"{labels(s, i)},{name},{score:.4f},metric,,{direction}"


def judgments(random: np.random.RandomState, name: str, truth: np.ndarray) -> Iterator[str]:
    strictness = 0.3 * random.standard_normal(ANNOTATORS)
    for annotator in range(ANNOTATORS):
        heard = 3.2 + 1.1 * truth - strictness[annotator] + 0.6 * random.standard_normal(truth.shape)
        marks = np.clip(np.rint(heard), 1, 5).astype(int)
        # The last annotator did not get to everything.
        known = random.random_sample(truth.shape) >= (0.03 if annotator == ANNOTATORS - 1 else 0.0)
        for s, i in np.argwhere(known):
            yield f"{labels(s, i)},{name},{marks[s, i]},human,{annotator + 1},higher"


def labels(system: int, key: int) -> str:
    return f"system-{system + 1:02},text-{key + 1:02}"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
