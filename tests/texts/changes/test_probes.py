from __future__ import annotations

import pytest

import metassay as ma
from metassay.core.texts import Texts
from metassay.texts.changes.kinds import KINDS, UNHARMED
from metassay.texts.changes.probes import FILLERS, MAKERS, NAMES

PROSE = "It rained all day. We stayed in, said ChatGPT of OpenAI. Nobody called."
PAIR = "Answer A: Paris is the capital.\nIt is large.\n\nAnswer B: London.\n"


def probed(kind, text=PROSE, **options):
    result = ma.corrupt(Texts({("a", "1"): text}), kind, **options)
    return result.texts.outputs["a", "1"], result


def test_padding_adds_only_sentences_that_say_nothing():
    text, result = probed("padding")
    assert len(result.changes) == 3
    for filler in FILLERS:
        text = text.replace(f" {filler}", "")
    assert text == PROSE


def test_repetition_says_everything_again_at_the_end():
    assert probed("repetition")[0] == f"{PROSE} {PROSE}"


def test_reformat_changes_no_word():
    text, _ = probed("reformat")
    assert text.startswith("- **It rained** all day.\n- **We stayed** in")
    assert text.replace("*", "").replace("\n- ", " ").removeprefix("- ") == PROSE


def test_two_answers_change_places():
    assert probed("position-swap", PAIR)[0] == "Answer A: London.\n\nAnswer B: Paris is the capital.\nIt is large.\n"
    again, _ = probed("position-swap", probed("position-swap", PAIR)[0])
    assert again == PAIR
    text, result = probed("position-swap")
    assert text == PROSE
    assert result.table[0].n_untouchable == 1


def test_models_and_makers_take_the_place_of_their_like():
    text, result = probed("name-swap")
    model, maker = (change.after for change in result.changes)
    assert model in NAMES[:MAKERS]
    assert maker in NAMES[MAKERS:]
    assert "ChatGPT" not in text
    assert text.replace(model, "ChatGPT").replace(maker, "OpenAI") == PROSE


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.criterion == UNHARMED])
@pytest.mark.parametrize("text", ["", "word", PROSE, PAIR])
def test_rates_and_edges(kind, text):
    if text:
        assert probed(kind, text, rate=0)[0] == text
    assert isinstance(probed(kind, text)[0], str)
    assert probed(kind, text, seed=3)[0] == probed(kind, text, seed=3)[0]
