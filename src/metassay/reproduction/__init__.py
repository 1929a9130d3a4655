"""Published and recomputed numbers: the list of them, a check for each kind, and the study that compares."""
