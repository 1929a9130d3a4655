"""Results for people and programs: terminal, Markdown, LaTeX, HTML, JSON, CSV. The only room that rounds.

::

    result -views-> Page of Tables -terminal, markdown, latex, html-> text
    result -data-> JSON, CSV

Importing this room registers its renderers with :mod:`metassay.core.result`.
"""

from __future__ import annotations

from metassay.core.result import register_renderer
from metassay.report import formats
from metassay.report.notes import sentence

register_renderer("text", formats.to_text)
register_renderer("json", formats.to_json)
register_renderer("csv", formats.to_csv)
register_renderer("markdown", formats.to_markdown)
register_renderer("latex", formats.to_latex)
register_renderer("html", formats.to_html)
register_renderer("note", sentence)
