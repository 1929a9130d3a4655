"""What intervals and tests are called: known without NumPy, for help texts."""

from __future__ import annotations

EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""What a person is worth beyond equal quality in the alternative-annotator test, by kind of annotator, as proposed by
Calderon, Reichart and Dror (2025)."""
CUTS = ("accuracy", "balanced-accuracy", "f1", "cost", "precision", "recall")
"""What a threshold of scores is chosen by."""
JACKKNIFE = "jackknife"
"""The two-way jackknife: over systems, and what inputs add; an interval and a test without draws."""
TWO_WAY = "two-way"
"""The variance taken apart by bootstraps of systems, inputs and both; an interval and a test with draws."""
GENERAL = (JACKKNIFE, TWO_WAY)
"""Methods whose conclusions hold for new systems and new inputs alike."""
BOOTSTRAPS = ("boot-systems", "boot-inputs", "boot-both")
INTERVALS = (*GENERAL, "fisher", *BOOTSTRAPS)
PAIRED_BOOTSTRAPS = ("paired-boot-systems", "paired-boot-inputs", "paired-boot-both")
PERMUTATIONS = ("perm-systems", "perm-inputs", "perm-both")
METRIC_TESTS = (*GENERAL, "williams", *PAIRED_BOOTSTRAPS, *PERMUTATIONS, "perm-outcomes")
