"""What needs text: scorers (texts to scores) and changes (texts to texts)."""
