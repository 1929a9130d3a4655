from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from metassay.errors import UsageError
from metassay.texts.hub_models import digest_of
from metassay.texts.scorers.language_models import LanguageModel, clean
from metassay.texts.scorers.registry import METRICS, make_scorers

NAMES = ("blanc-help", "blanc-tune", "estime", "summaqa", "qaeval")


def test_a_model_is_known_by_its_content(masked, tmp_path):
    copied = tmp_path / "tiny-masked"
    shutil.copytree(masked, copied)
    assert LanguageModel(str(copied), "masked", "x").label == LanguageModel(masked, "masked", "x").label
    (copied / "config.json").write_text((copied / "config.json").read_text() + "\n")
    assert digest_of(copied) != digest_of(Path(masked))


def test_batches_hold_every_sequence_once(masked):
    model = LanguageModel(masked, "masked", "x")
    sequences = [[5] * length for length in (3, 9, 1, 4, 9)]
    seen = {}
    for places, tensors in model.batches(sequences, 2):
        assert len(places) <= 2
        for row, place in enumerate(places):
            length = int(tensors["attention_mask"][row].sum())
            seen[place] = tensors["input_ids"][row, :length].tolist()
            assert set(tensors["input_ids"][row, length:].tolist()) <= {model.tokenizer.pad_token_id}
    assert [seen[place] for place in range(5)] == sequences


@pytest.mark.parametrize("name", NAMES)
def test_a_model_must_be_named(name):
    pytest.importorskip("transformers")
    with pytest.raises(UsageError, match=r"must name a .*model.*, or the path of a folder that holds one"):
        make_scorers(name)


def test_a_model_that_cannot_be_had_is_one_line(unreachable):
    with pytest.raises(UsageError) as told:
        make_scorers("blanc-help[model=bert-base-uncased]")
    assert str(told.value) == (
        "blanc-help[model=…]: cannot load the model 'bert-base-uncased' (not on this machine, and the Hugging Face hub "
        "does not answer: no route to host); where there is a network: hf download bert-base-uncased; or give the path "
        "of a folder"
    )
    assert unreachable == ["bert-base-uncased"]


def test_a_folder_without_a_model_is_one_line(tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(UsageError, match=r"cannot load .*; the folder must hold what save_pretrained writes") as told:
        LanguageModel(str(tmp_path), "masked", "x")
    assert "\n" not in str(told.value)


def test_a_damaged_model_is_one_line(masked, tmp_path):
    copied = tmp_path / "broken"
    shutil.copytree(masked, copied)
    (copied / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(UsageError, match="cannot load") as told:
        LanguageModel(str(copied), "masked", "x")
    assert "\n" not in str(told.value)


def test_without_transformers_the_command_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(UsageError, match=r"run: pip install 'metassay\[models\]'"):
        LanguageModel("bert-base-uncased", "masked", "x")


def test_the_registry_tells_what_is_needed():
    for name in NAMES:
        assert METRICS[name].packages == ("torch", "transformers")
        assert METRICS[name].install.startswith("pip install 'metassay[models")
        assert METRICS[name].citation


def test_lone_surrogates_are_replaced():
    assert clean("a\ud800b") == "a?b"
