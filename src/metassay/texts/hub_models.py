"""Models of transformers: found by name or by path, loaded without noise or refused in one line, known by content."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from metassay.errors import UsageError, one_line

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that the hub may take to say whether it has a model."""

_PARTS = frozenset({".safetensors", ".bin", ".model", ".json", ".txt", ".spm"})


def located(name: str, asked: str = "", others: str = "") -> str:
    """Return the folder that a path names; any other name is one of the Hugging Face hub.

    Parameters
    ----------
    name
        What the user gave.
    asked
        Who asks, such as ``blanc-help[model=…]``, for the message.
    others
        What else might have been given, such as ``minilm``, for the message.

    Examples
    --------
    >>> located("roberta-large")
    'roberta-large'
    """
    name = name.strip()
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        return str(folder)
    if not name or folder.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1:
        known = f"the path of one, the name of a model on the Hugging Face hub, or {others}"
        remedy = known if others else "the path of one, or the name of a model on the Hugging Face hub"
        raise UsageError(f"{_prefix(asked)}there is no folder {one_line(name, 80)!r} that holds a model; give {remedy}")
    return name


def load(name: str, read: Callable[..., T], *, asked: str = "", others: str = "") -> T:
    """Return a model: from a folder, from what was downloaded before, or from the hub, in this order.

    What is on this machine is used as it is, so nothing waits for a network that is not there. The hub is asked once
    whether it has the model before anything is fetched from it, because the loading code itself tries many times.

    Parameters
    ----------
    name
        A folder or a name of the hub, as from :func:`located`.
    read
        Reads it; is handed ``local_files_only=True`` where nothing may be fetched.
    asked, others
        As of :func:`located`.
    """
    try:
        with quiet(import_module("transformers")):
            if Path(name).is_dir():
                return read()
            try:
                return read(local_files_only=True)
            # whatever is missing or wrong in the files of another project; the hub may give better ones
            except Exception as error:
                _ask_hub(name, error)
            return read()
    except UsageError:
        raise
    # from a broken archive to a missing package
    except Exception as error:
        if Path(name).is_dir():
            remedy = "the folder must hold what save_pretrained writes for a model and its tokenizer"
        else:
            remedy = f"where there is a network: hf download {one_line(name, 80)}; or give the path of a folder"
            remedy += f", or {others}" if others else ""
        shown = one_line(name, 80)
        raise UsageError(f"{_prefix(asked)}cannot load the model {shown!r} ({reason(error)}); {remedy}") from None


def pretrained(path: str, kind: str, *, asked: str = "", others: str = "", **settings: bool) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder or a name, by a class of transformers such as ``AutoModel``."""
    transformers = import_module("transformers")

    def read(**where: bool) -> tuple[Any, Any]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, **where)
        return tokenizer, getattr(transformers, kind).from_pretrained(path, **settings, **where)

    return load(path, read, asked=asked, others=others)


def reason(error: Exception) -> str:
    r"""Return the first line of what went wrong in a package of others, fit for a message.

    Examples
    --------
    >>> reason(OSError("No such thing.\nSee https://example.com."))
    'No such thing'
    """
    return one_line(str(error).strip().partition("\n")[0].rstrip(" .:") or type(error).__name__, 140)


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:  # noqa: ANN401 - the package, which carries no types here
    """Keep transformers and the client of the hub from writing bars and advice to the terminal for a while."""
    log, hub = transformers.utils.logging, import_module("huggingface_hub.utils.logging")
    level, hub_level, bars = log.get_verbosity(), hub.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    hub.set_verbosity_error()
    log.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.set_verbosity(level)
        hub.set_verbosity(hub_level)
        if bars:
            log.enable_progress_bar()


def digest_of(folder: Path) -> str:
    """Return eight letters for the files of a model and its tokenizer: a model that was trained anew is another."""
    if not folder.is_dir():
        return "unknown"
    made = hashlib.blake2b(digest_size=4)
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix in _PARTS:
            made.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
            with path.open("rb") as file:
                made.update(hashlib.file_digest(file, "blake2b").digest())
    return made.hexdigest()


def _ask_hub(name: str, local: Exception) -> None:
    """Raise if the hub cannot be reached or has no such model; of one that is here, tell what is wrong with it."""
    hub = import_module("huggingface_hub")
    try:
        hub.HfApi().model_info(name, timeout=PATIENCE)
    except hub.errors.HFValidationError:
        raise OSError("this is neither a folder nor a valid name on the Hugging Face hub") from None
    except Exception as error:
        if isinstance(hub.try_to_load_from_cache(name, "config.json"), str):
            raise local from None
        if isinstance(error, hub.errors.RepositoryNotFoundError):
            raise OSError("the Hugging Face hub has no such model, or keeps it private") from None
        raise OSError(f"not on this machine, and the Hugging Face hub does not answer: {reason(error)}") from None


def _prefix(asked: str) -> str:
    return f"{asked}: " if asked else ""
