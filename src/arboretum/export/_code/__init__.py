"""A tree as a program: Python, C and JavaScript."""
