"""Exports: a fitted tree as something that others can open, one function each."""

from arboretum.export.pictures import to_html, to_svg

__all__ = ["to_html", "to_svg"]
