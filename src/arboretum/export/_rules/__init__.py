"""A tree as a list of rules."""
