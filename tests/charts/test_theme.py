"""Text that fits, and colours that mean one thing each."""

import itertools
import json
import re

from metassay.charts import theme
from metassay.charts.theme import (
    ON_PAGE,
    PALETTE,
    RAMP,
    SERIES,
    fitted,
    label_expression,
    replaced,
    told_apart,
    width_of,
)


def test_names_lose_their_middle_and_fit():
    assert fitted("short") == "short"
    cut = fitted("a-metric-with-quite-a-long-name-number-07", 100)
    assert cut.startswith("a-metric")
    assert cut.endswith("-07")
    assert "…" in cut
    assert width_of(cut) <= 100
    assert "\n" not in fitted("two\nlines")
    assert "\u202e" not in fitted("\u202eabc")


def test_names_that_are_alike_once_cut_stay_distinct():
    names = ["a" * 90 + "1" + "b" * 90, "a" * 90 + "2" + "b" * 90, "short", "x" * 250, "x" * 260]
    labels = told_apart(names, 100)
    assert len(set(labels.values())) == 5
    assert labels["short"] == "short"
    assert labels[names[0]].startswith("…1")
    assert labels[names[4]].endswith("(2)")
    assert max(width_of(label) for label in labels.values()) <= 100


def test_an_expression_holds_names_as_text_only():
    hostile = '"); alert(1); ("'
    expression = label_expression({hostile: "cut", "same": "same"})
    assert json.dumps(hostile) in expression
    assert "same" not in expression
    assert label_expression({"same": "same"}) is None


def test_a_role_has_one_colour_and_a_colour_one_role():
    light = [pair[0] for pair in PALETTE.values()]
    assert len(set(light)) == len(light)
    assert not set(light) & set(SERIES)


def test_the_page_takes_its_colours_from_the_theme():
    spec = {"color": theme.METRIC, "range": [theme.HUMAN, "#123456"], "text": "plain"}
    assert replaced(spec, ON_PAGE) == {"color": "var(--metric)", "range": ["var(--human)", "#123456"], "text": "plain"}
    for role, (light, dark) in PALETTE.items():
        assert f"--{role}: {light};" in theme.style()
        assert f"--{role}: {dark};" in theme.style()


def test_the_page_uses_no_colour_that_the_theme_lacks():
    from metassay.report.document.page import style

    used = set(re.findall(r"var\(--([a-z-]+)\)", style()))
    assert used <= set(re.findall(r"--([a-z-]+):", style()))


def test_shades_get_darker_so_that_they_read_in_greyscale():
    grey = [sum(int(c[at : at + 2], 16) * w for at, w in ((1, 0.299), (3, 0.587), (5, 0.114))) for c in RAMP]
    assert grey == sorted(grey, reverse=True)
    corrected, uncorrected, none = (PALETTE[role][0] for role in ("corrected", "uncorrected", "none"))
    levels = [int(c[1:3], 16) + int(c[3:5], 16) for c in (corrected, uncorrected, none)]
    assert levels == sorted(levels)
    assert all(b - a > 60 for a, b in itertools.pairwise(levels))
