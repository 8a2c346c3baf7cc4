"""What leaves predict and keep beside their usual values, filled in when the tree has been pruned.

An option is registered by its line here.
"""

from arboretum._grow.leaves.honest import Honest as Honest
from arboretum._grow.leaves.linear import LinearModel as LinearModel
from arboretum._grow.leaves.median import Median as Median
from arboretum._grow.leaves.quantiles import Quantiles as Quantiles
