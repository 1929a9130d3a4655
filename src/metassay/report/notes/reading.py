"""Sentences on what was read, and how it was understood."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report.notes.wording import CAVEAT, DATA, Facts, Sentence


def _other_levels(facts: Facts) -> str:
    files = ", ".join(f"{n:,} {level}-level" for level, n in facts["levels"])
    return f"{one_line(facts['file'], 60)}: files with scores of other levels are not read: {files}."


SENTENCES = {
    "instances-without-judgment": Sentence(DATA, "{file:name}: {n:,} of {instances:,} instances have no judgment."),
    "labels-by-position": Sentence(
        DATA, "{format} files have no labels: systems and inputs are identified by their position."
    ),
    "files-of-other-levels": Sentence(DATA, _other_levels),
    "file-of-other-language": Sentence(DATA, "No {language} in {file:list}: not read.", ("file", "found")),
    "answers-unparsed": Sentence(
        DATA, "{file:name}: {n:,} of {answers:,} answers give no number, and count as missing."
    ),
    "numbers-understood": Sentence(
        DATA, "{column:list}: numbers such as {example:name} are read as decimals or percentages.", ("column",)
    ),
    "labels-merged": Sentence(
        DATA, "{columns:list}: labels that differ in case or white space are one label, such as {other} and {label}."
    ),
    "label-misspelt": Sentence(
        CAVEAT, "{columns:list}: the label {label} occurs {n:plural once|# times}; it may be a misspelt {near}."
    ),
    "attribute-varies": Sentence(
        DATA, "{attribute:list} has several values for one output; the first is kept.", ("attribute",), "n"
    ),
    "system-scores-given": Sentence(
        DATA, "At system level, the scores that the files give for whole systems are used: {columns:list}."
    ),
    "votes-without-winner": Sentence(DATA, "{rater:list}: {n:count answer} without a winner, excluded."),
    "votes-against-itself": Sentence(DATA, "{n:count vote} compared a system with itself, excluded."),
    "labels-alike": Sentence(
        CAVEAT,
        "{n:count pair} of {axis} {n:plural differs|differ} in case, white space or look-alike letters only, such as "
        "{first:name} and {second:name}; they may be the same.",
    ),
    "design-disconnected": Sentence(
        CAVEAT,
        "The {systems:count system} fall into {parts} groups that share no input; comparisons across groups rest on "
        "different inputs.",
    ),
    "columns-identical": Sentence(CAVEAT, "{first:name} and {second:name} have the same scores in every cell."),
    "columns-constant": Sentence(DATA, "All scores are equal in {columns:list}."),
    "labels-without-scores": Sentence(DATA, "{labels:len label} of {axis} without any score: {labels:list}."),
}
