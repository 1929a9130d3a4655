import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len

import metassay as ma
from metassay.report.encoding import fit
from metassay.report.latex import escape as tex
from metassay.report.markdown import escape as md

from .conftest import NAN, NASTY, agreement, agreement_row, comparison


def no_constants(name):
    raise AssertionError(f"{name} is not JSON")


# -- data ---------------------------------------------------------------------------------------


def test_json_has_exactly_one_shape(agreed):
    data = json.loads(agreed.to_json(), parse_constant=no_constants)
    assert list(data) == ["study", "version", "signature", "rows", "tables", "notes"]
    assert data["tables"] == {"leverage": [], "limits": [], "disagreements": []}
    assert data["study"] == "agree"
    assert data["signature"] == str(agreed.signature)
    assert [(note["code"], note["message"]) for note in data["notes"]] == [("scorer", agreed.notes[0]["message"])]
    assert [row["metric"] for row in data["rows"]] == [row.metric for row in agreed.table]
    assert data["rows"][0]["estimate"] == 0.4
    assert data["rows"][1]["estimate"] == 0.5834, "data is never rounded"
    assert data["rows"][5]["estimate"] is None


def test_csv_is_the_rows_of_the_json(nasty):
    rows = json.loads(nasty.to_json())["rows"]
    read = list(csv.DictReader(io.StringIO(nasty.to_csv(), newline="")))
    assert len(read) == len(rows)
    for line, row in zip(read, rows, strict=True):
        assert list(line) == list(row)
        for key, value in row.items():
            if isinstance(value, bool):
                assert line[key] == str(value).lower()
            elif isinstance(value, float):
                assert float(line[key]) == value
            else:
                assert line[key] == ("" if value is None else str(value))


def test_data_keeps_names_as_they_are(nasty):
    for row, original in zip(json.loads(nasty.to_json())["rows"], nasty.rows(), strict=True):
        assert {k: v for k, v in row.items() if isinstance(v, str)} == {
            k: v for k, v in original.items() if isinstance(v, str)
        }


# -- text ---------------------------------------------------------------------------------------


def test_text_is_plain_and_says_its_recipe_last(agreed):
    text = str(agreed)
    assert "\x1b" not in text
    assert text.splitlines()[-1] == str(agreed.signature)
    assert text.splitlines()[-2] == "Note: study: 2 inputs are undefined at input level"
    assert "\x1b[1m" in agreed.to_text(color=True)


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_text_keeps_to_its_width(nasty, width):
    for view in (None, "rows"):
        lines = nasty.to_text(width=width, view=view).splitlines()
        signature = str(nasty.signature)
        assert max(cell_len(line) for line in lines if line != signature) <= width


def test_wide_tables_are_split_and_no_number_is_cut():
    result = comparison({f"a metric with quite a long name, number {i}": i / 30 for i in range(30)})
    text = result.to_text(view="matrix", width=80)
    assert "…" not in text
    assert text.count(".001**") == 30 * 29 / 2
    assert len(re.findall(r"(?<![\d.])\.999(?!\d)", text)) == 30 * 29 / 2


def test_names_are_text_on_one_line(nasty):
    text = nasty.to_text(width=400)
    for name in NASTY:
        if "\n" not in name:
            assert name in text
    assert r"two\nlines\r\tand a tab" in text


def test_text_can_be_made_for_poor_terminals(nasty):
    text = nasty.to_text(encoding="ascii", width=120)
    assert text.isascii()
    assert r"\U0001f642 emoji" in text
    assert nasty.to_text(encoding="no-such-encoding").isascii()


def test_fit_changes_only_what_it_must():
    assert fit("naïve – τ", "latin-1") == "naïve - tau"
    assert fit("naïve – τ", "utf-8") == "naïve – τ"


# -- Markdown -----------------------------------------------------------------------------------


def split_cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown(agreed):
    lines = agreed.to_markdown().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| metric"))
    assert split_cells(lines[at + 1])[0].strip("-") == ""
    assert split_cells(lines[at + 1])[1].endswith("-:")
    assert split_cells(lines[at + 2])[:2] == ["BERTScore", r"**0.583 \[0.38, 0.68\]**"]
    assert lines[-1] == f"`{agreed.signature}`"


def test_markdown_has_a_line_per_row_whatever_the_names(nasty):
    tables = [line for line in nasty.to_markdown(view="rows").splitlines() if line.startswith("|")]
    assert len(tables) == len(nasty.table) + 2
    assert len({len(split_cells(line)) for line in tables}) == 1


def test_markdown_escapes():
    assert md("a|b") == r"a\|b"
    assert md("[x](y) <b> `c`") == r"\[x\](y) \<b\> \`c\`"
    assert md("rouge_1_f _em_") == r"rouge_1_f \_em\_"
    assert md("\\") == "\\\\"


# -- LaTeX --------------------------------------------------------------------------------------


def check_latex(text):
    """Environments and braces balance, and every row of a tabular has as many cells as it has columns."""
    opened = []
    for kind, name in re.findall(r"(?<!\\)\\(begin|end)\{([\w*]+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    bare = re.sub(r"\\[\\{}%]", "", text)
    assert bare.count("{") == bare.count("}")
    for _, spec, body in re.findall(r"\\begin\{(tabular|longtable)\}\{([^\n]*)\}\n(.*?)\\end\{\1\}", text, re.DOTALL):
        columns = re.sub(r">\{.*?\}p\{\d+pt\}", "p", spec)
        assert set(columns) <= set("lrcp")
        for line in body.splitlines():
            if line.endswith(r"\\") and not line.startswith((r"\multicolumn", r"\caption")):
                assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1


def test_latex(agreed):
    text = agreed.to_latex()
    check_latex(text)
    for word in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\caption{Agreement with people}",
        r"\label{tab:agree}",
    ):
        assert word in text
    assert r"BERTScore & \textbf{0.583 [0.38, 0.68]} & \textbf{21\% [16--31\%]} & 0.300 [0.10, 0.40] \\" in text
    assert r"QAEval & $-$0.100 [$-$0.30, 0.00]" in text
    assert r"\texttt{study:agree|\allowbreak{}level:system|" in text


def test_latex_has_the_best_in_bold_when_all_are_negative():
    text = agreement(agreement_row("a", -0.9), agreement_row("b", -0.2)).to_latex()
    assert r"b & \textbf{$-$0.200 [$-$0.40, $-$0.10]}" in text
    assert "a & $-$0.900" in text


def test_latex_is_sound_whatever_the_names(nasty):
    check_latex(nasty.to_latex())
    check_latex(nasty.to_latex(view="rows"))


def test_latex_takes_a_caption_and_a_label(many_compared):
    text = many_compared.to_latex(caption=r"Tests on \emph{my} data", label="tab:mine")
    assert r"\caption{Tests on \emph{my} data}" in text
    assert r"\label{tab:mine}" in text
    assert r"\label{tab:mine-2}" in text


def test_latex_escapes():
    assert tex(r"50% $x_1$ & {y}^2 #~") == (r"50\% \$x\_1\$ \& \{y\}\textasciicircum{}2 \#\textasciitilde{}")
    assert tex("\\end") == r"\textbackslash{}end"
    assert tex("a--b") == "a-{}-b"
    assert tex("16 × 100 – τ") == r"16 $\times$ 100 -- $\tau$"


def test_a_name_cannot_be_the_option_of_a_line_break():
    text = agreement(agreement_row("[5cm]", 0.2), agreement_row("*", 0.1)).to_latex()
    assert "\n{}[5cm] &" in text
    assert "\n{}* &" in text


# -- HTML ---------------------------------------------------------------------------------------


class Outline(HTMLParser):
    """Collects tags, and the text of each cell of a table's body."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self._inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
            self._inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.cells[-1] += data


def test_html(agreed):
    outline = Outline(agreed.to_html())
    assert "0.583 [0.38, 0.68]" in outline.cells
    assert "−0.100 [−0.30, 0.00]" in outline.cells
    assert "html" not in outline.tags
    assert agreed._repr_html_() == agreed.to_html()
    assert "html" in Outline(agreed.to_html(document=True)).tags


def test_names_are_never_markup_in_html(nasty):
    outline = Outline(nasty.to_html())
    assert "img" not in outline.tags
    assert "b" not in outline.tags
    joined = "\n".join(outline.cells)
    assert all(name in joined for name in NASTY if "\n" not in name)


def test_undefined_is_a_dash_everywhere():
    result = agreement(agreement_row("a", NAN, low=NAN, high=NAN))
    for text in (str(result), result.to_markdown(), result.to_html(), result.to_latex()):
        assert "nan" not in text.lower()


def test_safe_csv_begins_no_text_like_a_formula():
    scores = ma.Scores.from_arrays({"@sum(1)": [[1.0, 2.0], [4.0, 3.5]]}, systems=["=1+1", "-b"])
    result = ma.systems(scores)
    rows = list(csv.DictReader(io.StringIO(result.to_csv(safe=True))))
    assert {row["metric"] for row in rows} == {"'@sum(1)"}
    assert {frozenset((row["system_a"], row["system_b"])) for row in rows} == {frozenset(("'=1+1", "'-b"))}
    assert all(float(row["mean_difference"]) for row in rows)
    assert "'=1+1" not in result.to_csv()


def test_many_metrics_fit_a_screen_and_all_are_there_when_asked_for():
    result = comparison({f"a-metric-with-a-long-name-{k}": 0.9 - k / 50 for k in range(34)})
    brief = result.to_text(full=False, width=80)
    assert len(brief.splitlines()) < 60
    assert "Not shown: " in brief
    assert "a-metric-with-a-long-name-33" not in brief
    assert max(map(len, brief.splitlines()[:-1])) <= 80
    assert "a-metric-with-a-long-name-33" in result.to_text(width=80)
