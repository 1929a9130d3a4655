"""Texts in, texts out: corruptions and translation."""
