"""What intervals and tests are called: known without NumPy, for help texts."""

from __future__ import annotations

JACKKNIFE = "jackknife"
"""The two-way jackknife: over systems, and what inputs add; an interval and a test without draws."""
BOOTSTRAPS = ("boot-systems", "boot-inputs", "boot-both")
INTERVALS = (JACKKNIFE, "two-way", "fisher", *BOOTSTRAPS)
PAIRED_BOOTSTRAPS = ("paired-boot-systems", "paired-boot-inputs", "paired-boot-both")
PERMUTATIONS = ("perm-systems", "perm-inputs", "perm-both")
METRIC_TESTS = (JACKKNIFE, "two-way", "williams", *PAIRED_BOOTSTRAPS, *PERMUTATIONS, "perm-outcomes")
