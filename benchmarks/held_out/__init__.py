"""Whether optimal trees are better on rows that they have not seen, by depth and by number of rows.

Words: a *kind* is a way to grow a tree; a *trial* is one split of one table with so many training rows; a
*record* is what one kind of tree made of a trial. Tables and splits are those of `benchmarks.quality`.
`python -m benchmarks.held_out` writes OPTIMAL.md one folder up and the picture that docs/optimal.md shows.
"""
