"""Stability: how much the tree changes if other rows had been drawn."""
