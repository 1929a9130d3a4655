"""``metassay datasets``: a family of commands, one module each (``datasets_list.py`` and so on)."""

from __future__ import annotations

from metassay.cli.parser import Family

COMMAND = Family(
    about=(
        "Public data sets with human judgments and metric scores: known by repository, commit and SHA-256, downloaded "
        "once, verified, and kept in a folder that METASSAY_DATA can name."
    ),
    examples=(
        "metassay datasets list",
        "metassay datasets get summeval",
        'metassay agree "$(metassay datasets where summeval)/scores" --human expert_relevance',
    ),
    parts={
        "list": "which data sets are there, and which are here?",
        "get": "download data sets, and verify every file",
        "where": "in which folder is this data set?",
    },
)
