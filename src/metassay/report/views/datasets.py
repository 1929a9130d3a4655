"""Which public data sets there are, and which are here."""

from __future__ import annotations

from metassay.readers.datasets import DatasetRow, Datasets
from metassay.report.table import Table
from metassay.report.views.columns import build, figures, words


def table(result: Datasets) -> tuple[Table, ...]:
    """Return one row per data set."""

    def here(row: DatasetRow) -> str:
        return "yes" if row.here == row.files else f"{row.here} of {row.files}" if row.here else "no"

    columns = [
        *("name", "contents|about|whole", "files|files|count"),
        figures("MB", "size", lambda size: f"{size / 1e6:.1f}"),
        words("here", here, key=False),
    ]
    return build("Public data sets", columns, [("", result.table)])


def sources(result: Datasets) -> tuple[Table, ...]:
    """Return where each data set comes from, its licence, whom to cite, and its folder."""
    columns = ("name", "repository and commit|repositories", "licence", "cite|citation", "folder")
    return build("Sources", columns, [("", result.table)])
