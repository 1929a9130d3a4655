"""Public data sets: list and download.

Public data sets with human judgments and metric scores. Each is identified by repository, commit and SHA-256,
downloaded once, verified, and kept in a folder, which METASSAY_DATA can set.

    metassay datasets list
    metassay datasets get summeval
    metassay agree "$(metassay datasets where summeval)/scores" --human expert_relevance
"""

from __future__ import annotations

PARTS = ("list", "get", "where")
