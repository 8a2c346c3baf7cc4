"""A tree as a PMML document."""
