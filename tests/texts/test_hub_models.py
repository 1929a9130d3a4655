"""Where a model comes from: a folder, this machine, the hub, and in which order they are asked."""

from __future__ import annotations

import pytest

from metassay.errors import UsageError
from metassay.texts.hub_models import load, located, quiet

REASON = "needs transformers; run: pip install 'metassay[models]'"
transformers = pytest.importorskip("transformers", reason=REASON)
hub = pytest.importorskip("huggingface_hub", reason=REASON)


class Reader:
    """Fails so many times, and writes down how it was called."""

    def __init__(self, failures: int = 0) -> None:
        self.failures, self.calls = failures, []

    def __call__(self, **where: bool) -> str:
        self.calls.append(where)
        if len(self.calls) <= self.failures:
            raise OSError("No such file.\nRead the manual.")
        return "model"


@pytest.fixture
def asked(monkeypatch):
    """Names that the hub, which has every model, was asked for."""
    names = []
    monkeypatch.setattr(hub.HfApi, "model_info", lambda _, name, timeout: names.append((name, timeout)))
    return names


def test_a_folder_is_read_as_it_is(tmp_path, asked):
    read = Reader()
    assert load(str(tmp_path), read) == "model"
    assert (read.calls, asked) == ([{}], [])


def test_what_was_downloaded_needs_no_network(asked):
    read = Reader()
    assert load("some-bert", read) == "model"
    assert (read.calls, asked) == ([{"local_files_only": True}], [])


def test_the_hub_is_asked_once_before_anything_is_fetched(asked):
    read = Reader(failures=1)
    assert load("some-bert", read) == "model"
    assert (read.calls, asked) == ([{"local_files_only": True}, {}], [("some-bert", 10.0)])


def test_nothing_is_fetched_from_a_hub_that_does_not_answer(unreachable):
    read = Reader(failures=1)
    with pytest.raises(UsageError, match=r"^x: cannot load the model .*does not answer: no route to host\); .*hf d"):
        load("some-bert", read, asked="x")
    assert len(read.calls) == len(unreachable) == 1


def test_a_model_that_is_here_but_broken_says_so(unreachable, monkeypatch):
    monkeypatch.setattr(hub, "try_to_load_from_cache", lambda *_: "config.json")
    with pytest.raises(UsageError, match=r"\(No such file\)"):
        load("some-bert", Reader(failures=1))
    assert unreachable == ["some-bert"]


def test_a_name_that_cannot_be_one():
    with pytest.raises(UsageError, match="neither a folder nor a valid name on the Hugging Face hub"):
        load("a b", Reader(failures=1))


@pytest.mark.parametrize("name", ["", " ", "./nothing", "/nothing", "a/b/c", "~/nothing"])
def test_a_path_without_a_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^x: there is no folder .* or minilm$"):
        located(name, "x", "minilm")


def test_packages_talk_again_afterwards():
    from huggingface_hub.utils import logging as hub_log
    from transformers.utils import logging as log

    def state():
        return log.get_verbosity(), hub_log.get_verbosity(), log.is_progress_bar_enabled()

    before = state()
    with quiet(transformers):
        assert state() != before
    assert state() == before
