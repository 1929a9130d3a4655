"""Which public data sets are available?

Public data sets with human judgments and metric scores: known by repository, commit and SHA-256, downloaded once,
verified, and kept in a folder that METASSAY_DATA can name.

    metassay datasets list
    metassay datasets get summeval
    metassay agree "$(metassay datasets where summeval)/scores" --human expert_relevance
"""

from __future__ import annotations

PARTS = ("list", "get", "where")
