"""Does the method hold on data like mine?

Tells by simulation whether a method keeps its promises on data like yours: whether intervals contain what they should,
and how often tests find a difference that is there, or one that is not.

    metassay simulate coverage scores.csv --human relevance --metric rouge-1
    metassay simulate power scores.csv --human relevance --metric rouge-1 --noise 0.5,1,2
    metassay simulate size scores.csv --human relevance --metric 'rouge-1,bertscore'
"""

from __future__ import annotations

PARTS = ("coverage", "power", "size")
