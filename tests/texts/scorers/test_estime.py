"""ESTIME against the same search written as loops, on the masked model that the tests train."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.stats

from metassay.core.note import Note
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.texts.scorers.estime import Estime
from metassay.texts.scorers.scoring import score

SOURCE = "They loved the football that morning . We hated the guitar all night ."


def item(output: str, source: str | None = SOURCE) -> Item:
    return Item("a", "1", output, (), source)


@pytest.fixture(scope="module")
def estime(masked) -> Estime:
    return Estime(masked)


def embeddings(folder: str, *words: str) -> np.ndarray:
    """The model's own vectors of words that are one token each."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    return model.get_input_embeddings().weight.detach().double().numpy()[tokenizer.convert_tokens_to_ids(list(words))]


@pytest.fixture
def masks(masked, monkeypatch) -> list[int]:
    """How many tokens are masked in each sequence that models are shown from now on."""
    transformers = pytest.importorskip("transformers")
    mask = transformers.AutoTokenizer.from_pretrained(masked).mask_token_id
    forward = transformers.BertModel.forward
    seen = []

    @functools.wraps(forward)
    def watched(self, input_ids, **more):
        seen.extend((input_ids == mask).sum(dim=1).tolist())
        return forward(self, input_ids=input_ids, **more)

    monkeypatch.setattr(transformers.BertModel, "forward", watched)
    return seen


def by_loops(folder: str, output: str, source: str, layer: int) -> list[float]:
    """Mask words of one token each that stand eight words apart, keep their vectors, and find the nearest."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    embeddings = model.get_input_embeddings().weight.detach().double().numpy()

    def vectors(words, wanted):
        found = {}
        left = list(wanted)
        while left:
            group = [left[0]]
            for at in left[1:]:
                if at - group[-1] >= 8:
                    group.append(at)
            left = [at for at in left if at not in group]
            shown = ["[MASK]" if at in group else word for at, word in enumerate(words)]
            ids = tokenizer.convert_tokens_to_ids(["[CLS]", *shown, "[SEP]"])
            with torch.no_grad():
                states = model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
            for at in group:
                found[at] = states[at + 1].double().numpy()
        return found

    ours, theirs = output.lower().split(), source.lower().split()
    known = vectors(theirs, range(len(theirs)))
    alarms, cosines, pairs = 0, [], []
    cased = set(source.split())
    for at, vector in vectors(ours, [n for n, word in enumerate(output.split()) if word in cased]).items():
        best = max(known, key=lambda there: float(vector @ known[there]))
        alarms += ours[at] != theirs[best]
        a, b = (embeddings[tokenizer.convert_tokens_to_ids(word)] for word in (ours[at], theirs[best]))
        cosines.append(a @ b / np.sqrt((a @ a) * (b @ b)))
        pairs.append((at, best))
    tau = scipy.stats.kendalltau(*zip(*pairs, strict=True), variant="c").statistic
    return [alarms, np.mean(cosines), tau]


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize(
    "output",
    [
        "They loved the guitar that morning .",
        "We hated the football . They loved the guitar all night .",
        "the kitchen morning",
    ],
)
def test_the_search_is_that_of_the_paper(masked, output, layer):
    np.testing.assert_allclose(
        # with this margin the windows begin where the texts begin
        Estime(masked, layer=layer, size=30, margin=14).score([item(output)])[0],
        by_loops(masked, output, SOURCE, layer),
        rtol=1e-5,
    )


def test_a_copy_raises_no_alarm_and_a_swapped_word_does(masked):
    estime = Estime(masked, size=30, margin=14)
    copied, swapped, both = estime.score(
        [
            item("They loved the football that morning ."),
            item("They loved the guitar that morning ."),
            item("They loved the guitar that morning . We hated the football all night ."),
        ]
    )
    # Every masked word of a copy finds itself: no alarm, cosine 1; in order, tau-c = 2 · 21 / (7² · 6 / 7) = 1.
    np.testing.assert_allclose(copied, [0, 1, 1])
    # Between *they loved the* and *that morning* the source has football: one alarm; and two for two.
    np.testing.assert_allclose(swapped[[0, 2]], [1, 1])
    np.testing.assert_allclose(both[[0, 2]], [2, 1])
    guitar, football = embeddings(masked, "guitar", "football")
    cosine = guitar @ football / np.sqrt((guitar @ guitar) * (football @ football))
    np.testing.assert_allclose([swapped[1], both[1]], [(6 + cosine) / 7, (12 + 2 * cosine) / 14])
    assert estime.lower_is_better == {"estime_alarms"}


def test_long_sources_are_read_in_windows(masked, masks):
    source = " ".join([SOURCE] * 8)
    long = Estime(masked, size=20, margin=4)
    scores = score(Texts({("a", "1"): SOURCE}, sources={"1": source}), long)
    assert np.isfinite(scores.matrix("estime_soft")).all()
    assert Note.of("sources-in-windows", scorer="estime", n=1, window=20) in scores.notes
    # every word gets a vector, each from one window: those of the source and the 14 of the output
    assert sum(masks) == 8 * 14 + 14


def test_a_word_at_the_end_of_a_window_is_not_waited_for(masked, masks):
    text = "minivan " * 12  # two tokens a word
    alarms, soft, _ = Estime(masked, size=6, margin=1).score([item("minivan", text)])[0]
    assert sum(masks) == 2 * 12 + 2
    assert (alarms, soft) == (0, pytest.approx(1))


def test_nothing_in_common_is_missing_not_faultless(estime):
    texts = Texts({("a", "1"): "cooking", ("b", "1"): "", ("c", "1"): "They"}, sources={"1": SOURCE})
    scores = score(texts, estime)
    np.testing.assert_array_equal(np.isnan(scores.matrix("estime_alarms"))[:, 0], [True, True, False])
    assert np.isnan(scores.matrix("estime_coherence")[2, 0])  # one word has no order
    assert Note.of("no-word-shared", scorer="estime", n=2, outputs=3) in scores.notes


def test_batches_change_nothing(masked, estime):
    items = [item("They loved the guitar that morning ."), item("We hated the football all night .")]
    np.testing.assert_allclose(Estime(masked, at_once=1).score(items), estime.score(items), rtol=1e-6)


def test_embeddings_of_another_model(masked, span, estime):
    again = Estime(masked, raw=masked)
    np.testing.assert_array_equal(again.score([item("We loved it .")]), estime.score([item("We loved it .")]))
    assert "|raw:tiny-masked," in again.signature
    with pytest.raises(UsageError, match="lacks"):
        Estime(masked, raw=span)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": 3}, "layer must be a layer of the model, which has 2, got 3"),
        ({"size": 20, "margin": 10}, "margin must be less than half of size"),
    ],
)
def test_misuse(masked, options, message):
    with pytest.raises(UsageError, match=message):
        Estime(masked, **options)


def test_the_layer_is_that_of_the_authors_by_default(estime):
    assert "|layer:2|" in estime.signature  # 7/8 of 2; of 24 it is 21
    assert round(24 * 7 / 8) == 21
