"""What a user may choose: the table of options, settings, strategies, and what excludes what."""
