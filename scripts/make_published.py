"""Write the outcome of ``metassay reproduce`` into docs/published.md, between its two marks.

Run ``python scripts/make_published.py FOLDER``, where FOLDER holds the data sets and, for all checks, the texts.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import metassay as ma

PAGE = Path(__file__).resolve().parents[1] / "docs" / "published.md"
BEGIN, END = "<!-- outcome -->\n", "<!-- end of outcome -->\n"


def every_number(result: ma.Reproduction) -> str:
    """Return what was computed, number by number."""
    lines = ["| where | what | number | published | ours | within |", "|---|---|---|---:|---:|---|"]
    said = {True: "yes", False: "**no**", None: "cannot say"}
    before = None
    for row in result.table:
        if not math.isnan(row.ours) and row.data != "wmt23":  # these have a page of their own
            head = (f"{row.paper}, {row.where}", f"{row.what} ({row.data})" if row.data else row.what)
            shown = head if head != before else ("", "")
            before = head
            ours = f"{row.ours:.3f}".removesuffix(".000")
            cells = (*shown, row.number, f"{row.published:g}", ours, said[row.within])
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    result = ma.reproduce(sys.argv[1])
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    outcome = f"\n{result.to_markdown()}\n## Every number that was computed\n\n{every_number(result)}\n"
    PAGE.write_text(before + BEGIN + outcome + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
