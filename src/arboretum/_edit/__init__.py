"""Trees changed by hand: a question replaced, a branch cut off or grown again."""
