"""Edits that leave the quality of a text as it was: a judge whose verdict moves is swayed by something else."""

from __future__ import annotations

import re

from metassay.texts.changes.edits import Draft, Edit, Setting

FILLERS = (
    "It is worth keeping this in mind.",
    "There is, of course, more that could be said about this.",
    "This is an important point to consider.",
    "As mentioned above, this is relevant here.",
    "All of this should be taken into account.",
)
"""Sentences that say nothing."""
NAMES = (
    *("GPT-4", "ChatGPT", "Claude", "Gemini", "Llama", "Mistral", "Qwen", "DeepSeek", "Bard", "PaLM", "Gemma", "Grok"),
    *("OpenAI", "Anthropic", "Google", "Meta", "Microsoft", "Alibaba"),
)
MAKERS = 12
"""Where the names of makers begin; a model takes the place of a model, a maker that of a maker."""
_NAME = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, NAMES))})(?![\w])")
_LABEL = re.compile(
    r"^[ \t]*(?:\W{0,3})(?:(?:Assistant|Answer|Response|Output|Model|System|Candidate|Summary)[ \t]+\(?([AB12])\)?"
    r"|\[([AB12])\]|\(([ab12])\))(?:\W{0,3})[ \t]*(?::|\n|$)[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)


def padding(setting: Setting) -> Draft:
    """Put a sentence that says nothing behind sentences."""
    spans = setting.analysis.sentences(setting.text)
    picks = [setting.draw() for _ in spans]
    edits = [
        Edit(spans[at].end, spans[at].end, f" {FILLERS[int(picks[at] * len(FILLERS))]}")
        for at in setting.chosen(len(spans))
    ]
    return Draft(edits, len(spans))


def repetition(setting: Setting) -> Draft:
    """Say sentences again at the end of the text."""
    text, spans = setting.text, setting.analysis.sentences(setting.text)
    again = " ".join(text[slice(*spans[at])] for at in setting.chosen(len(spans)))
    return Draft([Edit(len(text.rstrip()), len(text.rstrip()), f" {again}")] if again else [], len(spans))


def reformat(setting: Setting) -> Draft:
    """Put sentences on lines of their own, as a list with its first words in bold; no word changes."""
    text, spans = setting.text, setting.analysis.sentences(setting.text)
    edits: list[Edit] = []
    for at in setting.chosen(len(spans)):
        start, end = spans[at]
        first = re.match(r"\S+(?:[ \t]+\S+)?", text[start:end])
        if first is None:
            continue
        before, mark = (spans[at - 1].end, "\n- ") if at else (start, "- ")
        edits.append(Edit(before, start + first.end(), f"{mark}**{first.group()}**"))
    return Draft(edits, len(spans))


def position_swap(setting: Setting) -> Draft:
    """Exchange two answers that stand in one text, below labels such as ``Answer A:`` and ``Answer B:``."""
    text, found = setting.text, list(_LABEL.finditer(setting.text))
    if len(found) != 2 or setting.draw() >= setting.rate:
        return Draft([], 2 * (len(found) == 2))
    first, second = (text.find(text[m.end() :].strip()[:1] or "", m.end()) for m in found)
    ends = (found[1].start(), len(text))
    bodies = [text[start:end].strip() for start, end in zip((first, second), ends, strict=True)]
    if not all(bodies) or bodies[0] == bodies[1]:
        return Draft([], 0)
    places = [(first, first + len(bodies[0])), (second, second + len(bodies[1]))]
    return Draft([Edit(*place, body) for place, body in zip(places, bodies[::-1], strict=True)], 2)


def name_swap(setting: Setting) -> Draft:
    """Put another model's name, or another maker's, in the place of each."""
    found = list(_NAME.finditer(setting.text))
    picks = [setting.draw() for _ in found]
    edits = []
    for at in setting.chosen(len(found)):
        own = found[at].group()
        pool = NAMES[:MAKERS] if own in NAMES[:MAKERS] else NAMES[MAKERS:]
        others = [name for name in pool if name != own]
        edits.append(Edit(*found[at].span(), others[int(picks[at] * len(others))]))
    return Draft(edits, len(found))
