"""A judge from a file of settings, from options, or from both."""

from __future__ import annotations

import inspect
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from metassay.core import vocabulary
from metassay.errors import UnknownName, UsageError, one_line
from metassay.texts.scorers.judge import Judge
from metassay.texts.scorers.judge_prompts import CRITERIA, text_or_file

OPTIONS = {name: of for name, of in inspect.signature(Judge).parameters.items() if name != "folder"}
"""What a file may say, and an option: all that a judge takes."""


def ask_model(config: str | None = None, *, trust: bool = False, **options: Any) -> Judge:  # noqa: ANN401 - as of Judge
    """Make a metric that asks a model for grades, from a TOML file, from options, or from both, where options win.

    Parameters
    ----------
    config
        A TOML file with the options of :class:`Judge` under their own names, and a table ``[criteria.NAME]`` for each
        criterion with settings of its own. Files behind an ``@`` are looked for beside it.
    trust
        Use the file even if it belongs to another user, or if others can write to it. It says to which address the
        texts go, and the content of which environment variable and files with them.
    options
        As of :class:`Judge`: model, criterion, base_url, key_env, and so on.

    Examples
    --------
    >>> fluency = ask_model(model="any", base_url="http://localhost:8000/v1", criterion="fluency")
    >>> fluency.columns, sorted(fluency.needs)
    (('model_fluency',), [])
    """
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in OPTIONS:
            raise UnknownName("option of model", key, OPTIONS)
    settled: dict[str, Any] = {}
    if config is not None:
        path = Path(str(config))
        settled = _read_config(path, trust=vocabulary.flag("trust", trust))
        # what the command line names is looked for from where the user is, what the file names beside the file
        for key in {"template", "rubric", "system"} & set(settled) - set(given):
            settled[key] = text_or_file(key, settled[key], path.parent)
        settled["criteria"] = {
            one: {
                key: text_or_file(key, value, path.parent) if isinstance(value, str) else value
                for key, value in of.items()
            }
            for one, of in settled.get("criteria", {}).items()
        }
        if "log" in settled:
            settled["log"] = path.parent / str(settled["log"])
    settled |= given
    if "model" not in settled:
        raise UsageError("model needs a model: model[model=…,criterion=fluency] or model[config=judge.toml]")
    if "criterion" not in settled and settled.get("criteria"):
        settled["criterion"] = tuple(settled["criteria"])
    if "criterion" not in settled:
        raise UsageError(f"model needs a criterion=…; known: {', '.join(CRITERIA)}, others with a rubric=…")
    return Judge(**settled)


# Options in brackets, and help, are those of the class.
_own = [of for of in inspect.signature(ask_model).parameters.values() if of.kind is not of.VAR_KEYWORD]
_further = [of.replace(kind=of.KEYWORD_ONLY, default=None) for of in OPTIONS.values()]
setattr(ask_model, "__signature__", inspect.Signature([*_own, *_further]))  # noqa: B010 - mypy knows no such attribute


def _read_config(path: Path, *, trust: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            if not trust:
                _check_owner(path, os.fstat(file.fileno()))
            found = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(path)!r}: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{one_line(path)} is not well-formed TOML: {one_line(error)}") from None
    settings = {key.replace("-", "_"): value for key, value in found.items()}
    for key in settings:
        if key in ("key", "api_key"):
            raise UsageError(
                f"{one_line(path)}: the file must not contain a key; name the environment variable that "
                "has it with key_env"
            )
        if key not in OPTIONS:
            raise UnknownName(f"option of model in {one_line(path)}", key, OPTIONS)
    tables = settings.get("criteria", {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(f"{one_line(path)}: criteria are tables, such as [criteria.fluency]")
    return settings


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Refuse a file that somebody else can have written."""
    if not hasattr(os, "getuid"):
        return
    other = "belongs to another user" if found.st_uid != os.getuid() else "can be changed by every user"
    if found.st_uid != os.getuid() or found.st_mode & stat.S_IWOTH:
        raise UsageError(
            f"{one_line(path)} {other}, and it says where your texts and the content of variables and files go; "
            "read it, then allow it with --trust or trust=true"
        )
