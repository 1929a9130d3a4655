"""Results for people and programs: terminal, Markdown, LaTeX, HTML, JSON, CSV. The only room that rounds.

::

    result -views-> Page of Tables -terminal, markdown, latex, html-> text
    result -data-> JSON, CSV

Importing this room registers its renderers with :mod:`metassay.core.result`.
"""

from __future__ import annotations

from metassay.core.result import register_renderer
from metassay.report import formats

register_renderer("text", formats.to_text)
register_renderer("note", formats.of_note)
register_renderer("looked", formats.looked)
for name, write in formats.FORMATS.items():
    register_renderer(name, write)
