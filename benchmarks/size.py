"""How often tests reject at α = .05 when there is nothing to find: two metrics of equal quality, by construction.

16 systems × 100 inputs, system level, Pearson. Each metric is the latent quality of an output plus noise per cell
plus, in some worlds, a liking of its own for some systems.
"""

from __future__ import annotations

import numpy as np

import metassay as ma

TESTS = ("perm-both", "perm-systems", "williams", "paired-boot-systems", "paired-boot-both")
TRIALS = 300


def world(liking: float, seed: int) -> ma.Scores:
    random = np.random.default_rng(seed)
    shape = (16, 100)
    latent = random.normal(size=(16, 1)) + random.normal(size=shape)
    x, y = (latent + liking * random.normal(size=(16, 1)) + random.normal(size=shape) for _ in range(2))
    return ma.Scores.from_arrays({"x": x, "y": y}, {"people": latent + 0.5 * random.normal(size=shape)})


def rejects(scores: ma.Scores, test: str, seed: int) -> bool:
    options = {"level": "system", "coefficient": "pearson", "correction": "none", "resamples": 299}
    return ma.compare(scores, test=test, seed=seed, **options).table[0].significant


def main() -> None:
    print("| SD of a metric's own liking for systems |", " | ".join(f"`{test}`" for test in TESTS), "|")
    print("|---|" + "---:|" * len(TESTS))
    for liking in (0.0, 0.5, 1.0):
        counts = dict.fromkeys(TESTS, 0)
        for trial in range(TRIALS):
            scores = world(liking, 1000 + trial)
            for test in TESTS:
                counts[test] += rejects(scores, test, trial)
        print(f"| {liking:g} |", " | ".join(f"{counts[test] / TRIALS:.2f}" for test in TESTS), "|", flush=True)


if __name__ == "__main__":
    main()
