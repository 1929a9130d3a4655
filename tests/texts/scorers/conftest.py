from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = "the,a,cat,##s,dog,##gy,sat,ran,on,mat,house,bark,##ed,.,!,it,was,old,bridge,river,fell,down"


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory) -> Path:
    """A folder with a BERT of three layers that nobody trained, 23 words and a window of 32 tokens."""
    torch = pytest.importorskip("torch", reason="run: pip install 'metassay[models]'")
    transformers = pytest.importorskip("transformers", reason="run: pip install 'metassay[models]'")
    from .tiny_models import save_tokenizer

    folder = tmp_path_factory.mktemp("models") / "tiny"
    tokenizer = save_tokenizer(folder, [*WORDS.split(","), ","])
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    transformers.BertModel(config).eval().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Callable[[str], str]:
    """The folder of a tiny model by its name, trained by whoever asks first and saved as real ones are."""
    reason = "needs transformers and torch; run: pip install 'metassay[models]'"
    pytest.importorskip("transformers", reason=reason)
    pytest.importorskip("torch", reason=reason).set_num_threads(1)
    from . import tiny_models

    base = tmp_path_factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def folder(name: str) -> str:
        path = root / f"tiny-{name}"
        try:
            path.mkdir()
        except FileExistsError:  # another process trains it, or has done so
            for _ in range(6000):
                if (path / "README").exists():
                    return str(path)
                time.sleep(0.1)
            raise
        getattr(tiny_models, f"{name}_model")(path)
        (path / "README").write_text("ready")
        return str(path)

    return folder


@pytest.fixture(scope="session")
def masked(tiny) -> str:
    return tiny("masked")


@pytest.fixture(scope="session")
def span(tiny) -> str:
    return tiny("span")


@pytest.fixture(scope="session")
def question(tiny) -> str:
    return tiny("question")
