"""Helpers of the tests: random tables, fitting them, and following rows through a tree by hand.

Nothing here is a test, and nothing here uses the compiled engine to say
what is right.
"""
