"""Renderers: a tree in, something to read out. One per file; each uses only the public `Node`."""
