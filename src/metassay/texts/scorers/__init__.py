"""Texts in, scores out: one adapter per metric."""
