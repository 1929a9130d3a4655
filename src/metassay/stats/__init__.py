"""Arrays in, numbers out. No labels, no files, no rounding.

X and Y are metric scores, Z human scores, all systems × inputs with NaN for missing. Resampling code keeps
the draws on the last axis: a bootstrap sample is a column of multiplicities, a permutation a column of swaps,
and most statistics are then matrix products.
"""
