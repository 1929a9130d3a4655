"""Results as charts: Vega-Lite specifications for the page, notebooks, PNG, SVG and PDF. Nothing is computed here.

One module per study, with one function per kind of chart; ``theme`` holds colours and text that fits, ``shapes`` what
charts are made of, ``panels`` how panels become a figure, and ``chart`` how a figure becomes a file.
Importing this room registers its renderer with :mod:`metassay.core.result`.
"""

from __future__ import annotations

from metassay.charts.chart import plot
from metassay.core.result import register_renderer

register_renderer("plot", plot)
