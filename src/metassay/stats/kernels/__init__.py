"""Fast weighted and exchanged evaluation, one module per shape of work."""
