"""Do intervals and tests keep their error rates on data like mine?

Checks by simulation on data like yours how often confidence intervals contain the correlation in new data, how often
tests find a difference that exists, and how often they report one that does not.

    metassay simulate coverage scores.csv --human relevance --metric synthetic-overlap
    metassay simulate power scores.csv --human relevance --metric synthetic-overlap --noise 0.5,1,2
    metassay simulate size scores.csv --human relevance --metric synthetic-overlap,synthetic-judge
"""

from __future__ import annotations

PARTS = ("coverage", "power", "size")
