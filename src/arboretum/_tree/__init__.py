"""The tree as a value: nodes, questions, leaves, and how trees are cut and joined."""
