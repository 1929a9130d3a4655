"""Sentences of scorers, corruptions and translations."""

from __future__ import annotations

from metassay.errors import listed, one_line
from metassay.report import numbers
from metassay.report.notes.wording import ANSWER, CAVEAT, DATA, HINT, LIMIT, Facts, Sentence, said

_LACKING = {"references": "without references", "source": "without a source"}
_UNREADABLE = {
    "spaceless": "in a script without spaces between words; segment them first, or use a character-based metric",
    "unreadable": "in letters that tokens={tokens} does not read; try tokens=unicode",
}
_NOT_COUNTED = {"score": "score", "words": "word count"}
_PHRASES = {
    "tokenize": "; try tokenize=zh or tokenize=char",
    "chrf": "; try chrf",
    "segment": "; segment the words first",
}
_UNSCORED = {
    "unread": "without a score on the scale",
    "refused": "refusals",
    "empty": "empty",
    "cut": "cut off at max_tokens before a score",
    "rejected": "not given, because the endpoint rejected the text",
}
_QUESTIONS = {"summaqa": "a source without entities", "qaeval": "references without noun phrases"}


def _without_score(facts: Facts) -> str:
    why = ", ".join(f"{n:,} {_LACKING[what]}" for what, n in facts["lacking"])
    return said("{scorer}: {n:,} of {outputs:,} outputs have no score", facts) + (f" ({why})." if why else ".")


def _scores_lacking(facts: Facts) -> str:
    counts = listed([f"{one_line(name, 60)} ({n:,} outputs)" for name, n in facts["columns"]], 6, 80)
    return f"{facts['scorer']}: some outputs lack one of their scores: {counts}."


def _usage(facts: Facts) -> str:
    prompt, completion = facts["tokens"]
    text = f"{facts['scorer']}: {numbers.counted(facts['requests'], 'request')}"
    if facts["repeats"]:
        text += f" ({facts['repeats']:,} repeated)"
    text += f", {prompt:,} prompt tokens and {completion:,} completion tokens"
    if facts["cost"] is not None:
        text += said(", cost {cost:,.4f} at {prices[0]:g} and {prices[1]:g} per million", facts)
    if facts["uncounted"]:
        text += f"; {numbers.counted(facts['uncounted'], 'answer')} came without a token count"
    return f"{text}."


def _unscored(facts: Facts) -> str:
    total = sum(n for _, n in facts["reasons"])
    reasons = ", ".join(f"{n:,} {_UNSCORED[why]}" for why, n in facts["reasons"])
    why = f" ({facts['rejection']})" if facts["rejection"] else ""
    return f"{facts['scorer']}: {total:,} of {facts['answers']:,} answers gave no score: {reasons}{why}."


SENTENCES = {
    "scorer": Sentence(DATA, "{scorer:name}: {message}"),
    "metric-options": Sentence(
        HINT,
        "Options go in brackets after the name: rouge[stem=none]. Missing requirements are reported before any work.",
    ),
    "outputs-empty": Sentence(DATA, "{n:,} of {outputs:,} outputs are empty."),
    "outputs-without-reference": Sentence(
        LIMIT, "{n:,} of {outputs:,} outputs are missing or have no reference; excluded."
    ),
    "outputs-among-references": Sentence(
        DATA, "{n:,} of {outputs:,} outputs are references themselves; each was compared with the other references."
    ),
    "rouge-lsum-is-rouge-l": Sentence(
        DATA, "Every text is a single line, so rouge-lsum equals rouge-l; rouge[sentences=split] splits at full stops."
    ),
    "store-damaged": Sentence(
        DATA, "The {what} {path:name} was damaged; it is now {now:name}, and a new one was started."
    ),
    "outputs-without-score": Sentence(LIMIT, _without_score),
    "scores-lacking": Sentence(LIMIT, _scores_lacking),
    "outputs-unreadable": Sentence(
        LIMIT,
        lambda facts: said(
            "{scorer}: {n:,} of {outputs:,} outputs have no "
            f"{_NOT_COUNTED[facts['lacking']]}: {_UNREADABLE[facts['why']]}.",
            facts,
        ),
    ),
    "outputs-foreign": Sentence(
        CAVEAT,
        "{scorer}: {n:,} of {outputs:,} outputs are in a script that cannot be split into words, unlike the texts they "
        "are compared with, so almost no word can match.",
    ),
    "phrases-as-words": Sentence(
        CAVEAT,
        lambda facts: said(
            "{scorer}: {n:,} of {outputs:,} outputs are in a script without spaces between words, and whole phrases "
            f"count as words{_PHRASES[facts['remedy']]}.",
            facts,
        ),
    ),
    "outputs-too-slow": Sentence(
        LIMIT,
        "{scorer}: {n:,} of {outputs:,} outputs took more than {seconds:g} seconds and have no score; allow more with "
        "{scorer}[timeout=…].",
    ),
    "texts-too-long": Sentence(
        LIMIT,
        "{scorer}: {n:,} of {outputs:,} outputs, or their references, have more than {words:,} words and no score.",
    ),
    "texts-excluded": Sentence(
        LIMIT,
        "{scorer}: {n:count text} {n:plural is|are} longer than {characters:,} characters and excluded.",
    ),
    "texts-truncated": Sentence(
        LIMIT,
        "{scorer}: {n:,} of {texts:,} texts are longer than the {window:,} tokens that {model:name} reads; the rest of "
        "them is ignored.",
    ),
    "outputs-truncated": Sentence(
        LIMIT,
        "{scorer}: for {n:,} of {outputs:,} outputs, the output or a sentence was cut to the {window:,} tokens of the "
        "model.",
    ),
    "questions-truncated": Sentence(
        LIMIT, "{scorer}: {n:count marked sentence} cut to the {window:,} tokens of the model."
    ),
    "outputs-in-windows": Sentence(
        DATA, "{scorer}: {n:,} of {outputs:,} outputs were read in windows of {window:,} tokens."
    ),
    "sources-in-windows": Sentence(DATA, "{scorer}: {n:count source} read in windows of {window:,} tokens."),
    "no-questions": Sentence(
        LIMIT,
        lambda facts: said(
            "{scorer}: {n:,} of {outputs:,} outputs have " + f"{_QUESTIONS[facts['scorer']]} to ask about.", facts
        ),
    ),
    "no-word-shared": Sentence(LIMIT, "{scorer}: {n:,} of {outputs:,} outputs share no word with their source."),
    "nothing-to-mask": Sentence(LIMIT, "{scorer}: {n:,} of {outputs:,} outputs have a source without a token to mask."),
    "idf-of-one-input": Sentence(
        CAVEAT, "{scorer}: n-grams are weighted by inverse document frequency, but only one input has references."
    ),
    "idf-of-few-texts": Sentence(
        CAVEAT,
        "{scorer}: idf is estimated from fewer than {least} different outputs or references, and a word in all of them "
        "has weight 0; consider idf=false.",
    ),
    "judge-not-asked": Sentence(ANSWER, "{scorer}: no request was made; every score was known."),
    "judge-usage": Sentence(ANSWER, _usage),
    "judge-unscored": Sentence(LIMIT, _unscored),
    "judge-without-probabilities": Sentence(
        LIMIT, "{scorer}: {n:count answer} came without probabilities for the score, which is used as written."
    ),
    # corruptions, translations
    "texts-without-spaces": Sentence(
        LIMIT, "{n:,} of {texts:,} texts are in a script without spaces between words; they are unchanged."
    ),
    "texts-without-units": Sentence(LIMIT, "{n:,} of {texts:,} texts contain no {units} that could be changed."),
    "texts-without-source": Sentence(LIMIT, "{n:,} of {texts:,} texts have no source; they are unchanged."),
    "translations-truncated": Sentence(
        CAVEAT,
        "{n:,} of {texts:,} {what} from {source} to {target} lost the end of a sentence that was too long for the "
        "translator.",
    ),
    "translations-empty": Sentence(CAVEAT, "{n:,} of {texts:,} {what} from {source} to {target} came back empty."),
    "unknown-words-uncounted": Sentence(LIMIT, "This translator does not report which words it did not know."),
}
"""A sentence for every code."""
