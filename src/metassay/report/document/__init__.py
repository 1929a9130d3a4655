"""The report: every study that the scores allow, on one page that works offline.

::

    scores -contents-> Dossier -charts, opening, methods, page-> one HTML file

The page holds its data, its style and its charting library (``charts.js``), and forbids itself to load anything else.
"""
