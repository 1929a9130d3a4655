"""spaCy pipelines of the user's choice, by name or by path."""

from __future__ import annotations

import warnings
from typing import Any

from metassay.core.extras import load_extra
from metassay.errors import UsageError, one_line

SAMPLE = "Yesterday Anna Smith walked home . She was tired ."
"""A text with verbs, a person and two sentences, to see what a pipeline finds."""


class Pipeline:
    """A spaCy pipeline: call it with a text.

    Parameters
    ----------
    name
        The name of an installed pipeline, such as ``en_core_web_sm``, or the path of one.
    option
        The option that asked for it, for the message if spaCy is missing.
    """

    def __init__(self, name: str, option: str) -> None:
        (spacy,) = load_extra("spacy", f"{option} needs spaCy", "spacy")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._nlp: Any = spacy.load(name)
        except (OSError, ValueError, ImportError) as error:
            raise UsageError(
                f"spaCy cannot load {one_line(name, 60)!r} ({one_line(error)}); "
                f"run: python -m spacy download {one_line(name, 60)}"
            ) from None
        version = self._nlp.meta.get("version")
        self.signature = f"spacy:{one_line(name, 300)}" + (f"@{version}" if version else "")
        """The pipeline and its version."""
        # Texts may have any length; the limit guards parsers against memory, not meaning.
        self._nlp.max_length = 1 << 31

    @property
    def parts(self) -> str:
        """What the pipeline is made of, for messages."""
        return one_line(", ".join(self._nlp.pipe_names) or "nothing")

    def __call__(self, text: str) -> Any:  # noqa: ANN401 - spaCy's Doc
        """Return what the pipeline finds in a text."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._nlp(text)
