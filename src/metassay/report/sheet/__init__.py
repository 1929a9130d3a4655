"""A page on which a person rates, labels or compares outputs: offline, blinded, and read back as JSON lines."""
