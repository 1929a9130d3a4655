"""What intervals and tests are called: known without NumPy, for help texts."""

from __future__ import annotations

BOOTSTRAPS = ("boot-systems", "boot-inputs", "boot-both")
INTERVALS = ("two-way", "fisher", *BOOTSTRAPS)
PAIRED_BOOTSTRAPS = ("paired-boot-systems", "paired-boot-inputs", "paired-boot-both")
PERMUTATIONS = ("perm-systems", "perm-inputs", "perm-both")
METRIC_TESTS = ("two-way", "williams", *PAIRED_BOOTSTRAPS, *PERMUTATIONS, "perm-outcomes")
