"""The pages about every public name, made from signatures and docstrings."""
