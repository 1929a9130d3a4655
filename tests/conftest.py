from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data of published studies, which is not part of the project."""
    path = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the published data is not beside this repository")
    return path


@pytest.fixture
def unreachable(monkeypatch) -> list[str]:
    """A hub of models that does not answer; the names that it was asked for."""
    hub = pytest.importorskip("huggingface_hub", reason="needs transformers; run: pip install 'metassay[models]'")
    names: list[str] = []

    def nobody(_: object, name: str, timeout: float) -> None:
        names.append(name)
        raise OSError(f"no route to host\n(waited {timeout:g} s)")

    monkeypatch.setattr(hub.HfApi, "model_info", nobody)
    return names
