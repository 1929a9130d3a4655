"""What people read has no private idiom: help texts, notes, headings, legends, templates, README and docs."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from print_words import words  # noqa: E402

PRIVATE = re.compile(
    r"told apart|tells? (metrics|them) apart|\bliking|left the average|is not established|before you believe"
    r"|people gave|endlessly many|an interval without 0|what the test shows of|the rows of something"
    r"|is about new (systems|inputs)|takes scores on an input|so many (single|differ)|the first sentence for"
    r"|\buntouchable|it then wins|one more is\||held equal, strengths|borrowed|coloured ground|for the one metric\b"
    r"|too few for any\b|drawn again, |textbook world|(in|these|simulated) worlds?\b|not shown to be worse"
    r"|(plus|labels) .* are worth|to tell tasks by|as good as it gets|during development|where metassay is developed"
    r"|does not know it\b|named like tasks|whose page is short",
    re.IGNORECASE,
)


def test_what_is_shown_has_no_private_idiom():
    assert [(place, text) for place, text in words() if PRIVATE.search(text)] == []


@pytest.mark.parametrize("pattern", ["README.md", "docs/**/*.md", "src/metassay/**/*.html"])
def test_pages_have_no_private_idiom(pattern):
    known = {"architecture.md", "validity.md"}  # for engineers, and a report on simulations
    pages = [page for page in ROOT.glob(pattern) if page.name not in known]
    assert pages
    lines = [(page.name, line) for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    assert [(name, line) for name, line in lines if PRIVATE.search(line)] == []
