"""Renderers: a tree as text, as a table, as a picture and as an interactive page."""
