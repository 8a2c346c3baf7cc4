"""How predictions depend on one or two columns: partial dependence, interactions, accumulated local effects.

cuts, grids            where a tree cuts a column; the values at which a column is looked at
subjects, tables       what predicts: a tree, through its questions, or any model, row by row
targets                what results say of classes and numbers
partial_dependence     the mean prediction at each value of a grid, and the lines of single rows
interactions           Friedman's H: how far two columns are from adding up
accumulated_effects    effects of small steps, for columns that depend on each other
"""
