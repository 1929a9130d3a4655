"""Texts that are hard to handle, and the summaries of a published study."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import strategies as st

from metassay.core.texts import Texts

_PIECES = re.split(
    r"\|",
    "Paul Merson|paul merson|Merson|was|were|scored|does n't|don't|can not|cannot|They're|They 're|It 's|said|is|IS|"
    "seven|Seven|83rd|2-1|1,500|2015|10.5|. |.|!|?|...|…| . | ! |\n|\n\n|\r\n|\t|  | |\x00|\x1f|\x85|\u2028|"
    "\"|'|''|``|(|)|-LRB-|-RRB-|[|]|\\|*|~|@|^$|<b>|Mr.|U.S.|J.|我们明天见。|他说：「好！」|مرحبا بالعالم|שלום|"
    "é|e\u0301|👩‍👩‍👧|ß|İ|ﬁ|’s|n’t|Second-place|Anna Lee|, 34 ,|striker|\ud800|\ue02a|a|I|--|{}|%",
)

HARD = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=4)), max_size=24).map(
    lambda pieces: "".join(piece + " " * (at % 3 > 0) for at, piece in enumerate(pieces))
)
"""Strings with everything in them that has ever broken a text program."""


@pytest.fixture(scope="session")
def summeval(shared_data) -> Texts:
    """The 1,600 summaries of SummEval, tokenised and partly in lower case."""
    path = shared_data / "summeval" / "model_annotations.aligned.paired.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return Texts(
        outputs={(row["model_id"], row["id"]): row["decoded"] for row in rows},
        references={row["id"]: tuple(row["references"]) for row in rows},
        sources={row["id"]: row["text"] for row in rows},
    )
