"""The types of arrays, named once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
VectorArray = npt.NDArray[np.float32]
"""Vectors of words, as models give them."""
Swaps = npt.NDArray[np.uint8]
"""0 (keep) or 1 (exchange)."""
Pair = tuple[int, int]
"""Two metrics, or a metric and a criterion, by position."""
