"""The nouns: scores, signatures and results. Validation happens here, once."""
