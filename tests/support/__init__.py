"""Helpers of the tests: random tables, fitting them, and following rows through a tree by hand.

Words: `Table`, `tables`, `fit`, `route`.
Nothing here is a test, and nothing here uses the compiled engine to say what is right.
"""
