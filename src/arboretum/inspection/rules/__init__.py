"""Rules: what must hold of a row for it to reach a node, in few conditions; and lists of such rules."""
