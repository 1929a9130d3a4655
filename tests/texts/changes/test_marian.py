"""Marian models, on one so small and so untrained that the test makes it."""

from __future__ import annotations

import json
import logging

import pytest

from metassay.core.texts import Texts
from metassay.errors import UsageError
from metassay.texts.changes.translation import translate
from metassay.texts.changes.translators import Marian

REASON = "needs transformers, torch and sentencepiece; run: pip install 'metassay[models]'"
transformers = pytest.importorskip("transformers", reason=REASON)
torch = pytest.importorskip("torch", reason=REASON)
sentencepiece = pytest.importorskip("sentencepiece", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Two directions of a randomly initialised model with a vocabulary of its own."""
    root = tmp_path_factory.mktemp("models")
    corpus = root / "corpus.txt"
    corpus.write_text("\n".join(f"the quick brown fox jumps over the lazy dog number {n}" for n in range(200)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(root / "spm"), vocab_size=60, model_type="unigram", minloglevel=2
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(root / "spm.model"))
    names = [pieces.id_to_piece(n) for n in range(pieces.get_piece_size())]
    vocabulary = {"</s>": 0, "<unk>": 1} | {
        name: at for at, name in enumerate((n for n in names if n not in ("<s>", "</s>", "<unk>")), 2)
    }
    vocabulary["<pad>"] = len(vocabulary)
    for direction in ("en-xx", "xx-en"):
        folder = root / direction
        folder.mkdir()
        for name in ("source.spm", "target.spm"):
            (folder / name).write_bytes((root / "spm.model").read_bytes())
        (folder / "vocab.json").write_text(json.dumps(vocabulary))
        tokenizer = transformers.MarianTokenizer(
            source_spm=str(folder / "source.spm"),
            target_spm=str(folder / "target.spm"),
            vocab=str(folder / "vocab.json"),
            source_lang="en",
            target_lang="xx",
            model_max_length=32,
        )
        tokenizer.save_pretrained(folder)
        torch.manual_seed(0)
        config = transformers.MarianConfig(
            vocab_size=len(vocabulary),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=32,
            pad_token_id=vocabulary["<pad>"],
            eos_token_id=0,
            bos_token_id=0,
            forced_eos_token_id=0,
            decoder_start_token_id=vocabulary["<pad>"],
        )
        transformers.MarianMTModel(config).save_pretrained(folder)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    return root


def test_a_model_by_its_path(models):
    marian = Marian("en", "xx", str(models / "{from}-{to}"))
    made = marian.translate(["the quick dog", "ζ the fox"])
    assert len(made) == 2
    assert made[0].unknown == 0
    assert made[1].unknown >= 1
    assert not any(one.cut for one in made)
    assert marian.translate(["the quick dog"])[0].text == made[0].text
    assert marian.translate(["dog " * 60])[0].cut
    assert marian.signature.startswith("marian|model:en-xx|revision:")


def test_texts_go_sentence_by_sentence_and_back(models, tmp_path):
    texts = Texts({("a", "1"): "the fox .  the dog .\nthe dog .", ("a", "2"): "dog " * 60})
    result = translate(texts, to="xx", with_=f"marian:{models}/{{from}}-{{to}}", back=True, cache=tmp_path / "cache.db")
    first = result.texts.outputs["a", "1"]
    assert first.count("\n") == 1
    assert result.table[0].n_segments == 3  # the fox, the dog (twice), and the long one
    assert result.table[0].n_cut == 1
    assert "translations-truncated" in [note.code for note in result.notes]
    assert result.back is not None


def test_a_model_that_does_not_exist(tmp_path):
    with pytest.raises(UsageError, match="the translator marian: there is no folder"):
        Marian("en", "xx", str(tmp_path / "nothing"))
