"""The summary of a fitted model: data, settings, size, tree, leaves, and what to try next."""
