"""Rules: what must hold of a row for it to reach a node, as few merged conditions; and lists of such rules."""
