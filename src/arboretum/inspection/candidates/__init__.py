"""Every question that a node could ask, with its numbers."""
