"""Results as figures for a paper: PNG, SVG, PDF, or a matplotlib figure. Nothing is computed here.

One module per study, with one function per kind of figure; :mod:`metassay.figures.sheet` holds what they share.
matplotlib is loaded when a figure is first drawn, and only through its objects, so no global state is touched.
Importing this room registers its renderer with :mod:`metassay.core.result`.
"""

from __future__ import annotations

from metassay.core.result import register_renderer
from metassay.figures.drawing import plot

register_renderer("plot", plot)
