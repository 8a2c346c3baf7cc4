"""How good one tree is that one call gives: held-out rows of many tables, our trees and those of others.

Words: a *table* has columns and a target; a *split* says which rows are held out; a *peer* is a way to fit
one tree; an *answer* is what it says about the held-out rows; a *measure* judges the answer; a *record* is
one answer measured.
`python -m benchmarks.quality` writes QUALITY.md one folder up; `make quality` brings what it needs.
"""
