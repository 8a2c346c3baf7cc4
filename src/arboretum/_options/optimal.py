"""Optimal: the search for the best tree within limits, with a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from arboretum._options.rules import Flag, OneOf, Real, Whole
from arboretum._options.strategies import SEVERAL
from arboretum._options.strategy import Exclusion, Strategy
from arboretum.errors import ParameterError

if TYPE_CHECKING:
    from arboretum._options.settings import Settings

WHOLE: Final = "search=Optimal"


class Optimal(Strategy):
    """The best tree of all, within `max_depth` and `max_leaf_nodes`, and a proof that there is no better one.

    Best means least misclassification cost on the training rows, with weights, priors and losses; for
    numbers, least squared error. Of trees that cost the same, the one with fewer leaves is better; then the
    one whose root asks about the lower column, at the lower cut, and so on below it. This is for small
    trees that people read: two to four levels of a few thousand rows. `optimality_` has the certificate: if
    the search is stopped before it has finished, it says how much better another tree could be, and the tree
    is never worse than the greedy one.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(search=Optimal(), max_depth=3, prune=None).fit(X, y)
    >>> model.optimality_.objective, model.optimality_.bound, model.optimality_.proven
    (1.0, 1.0, True)

    Parameters
    ----------
    leaf_penalty : float
        The price of a leaf, in units of the average loss of a row, as `CostComplexity(alpha=…)` has it: with
        0.01, a leaf must get one row in a hundred more right. With a price, no other limit is needed.
    time_limit : float or None
        Seconds for the search, or for all of them together where the size is chosen by cross-validation. When
        they are over, the best tree so far is kept, which may then depend on the speed of the machine.
    work_limit : int or None
        How many passes over the rows of a node the search may make. With one thread, a search that is stopped
        by this finds the same tree everywhere.
    gap : float
        The search ends when no tree can cost less than this share of the best one below it.
    memory_limit : float or None
        Megabytes for bounds, for the rows of nodes and for the ranks of all rows, beyond the table itself.
    nominal_levels : int
        With `nominal="subset"`, every subset is tried of columns with up to so many levels; columns with more
        are refused. Each further level doubles the time.
    on_interrupt : {"raise", "keep"}
        What Ctrl-C does: it ends the fit, or only the search, and the best tree so far is kept.
    alternatives : bool
        Whether the best tree is also looked for whose root asks about each of the columns.
    """

    leaf_penalty: float = 0.0
    time_limit: float | None = 60.0
    work_limit: int | None = None
    gap: float = 0.0
    memory_limit: float | None = 1000.0
    nominal_levels: int = 8
    on_interrupt: str = "raise"
    alternatives: bool = False

    _option = "search"
    _rules: ClassVar = {
        "leaf_penalty": Real("a number of 0 or more", finite=True),
        "time_limit": Real("seconds, more than 0, or None", above=True, finite=True, or_none=True),
        "work_limit": Whole(1, or_none=True),
        "gap": Real("a share from 0.0 to 1.0", most=1.0),
        "memory_limit": Real("megabytes, more than 0, or None", above=True, finite=True, or_none=True),
        "nominal_levels": Whole(2),
        "on_interrupt": OneOf(("raise", "keep")),
        "alternatives": Flag(),
    }

    _excludes = (
        Exclusion(
            WHOLE,
            'missing="surrogate"',
            "its questions have an answer for every row",
            'choose missing="category"',
        ),
        Exclusion(
            WHOLE,
            'missing="fractional"',
            "its questions have an answer for every row",
            'choose missing="category"',
        ),
        Exclusion(
            WHOLE,
            'nominal="multiway"',
            "its questions have two answers",
            'choose nominal="subset" or nominal="one_vs_rest"',
        ),
        Exclusion(
            SEVERAL,
            WHOLE,
            "it proves the best of questions about one column only",
            'choose questions="axis" or search="greedy"',
        ),
        Exclusion(
            WHOLE,
            'criterion="gain_ratio"',
            "it minimises mistakes, and no question is chosen by its gain",
            'choose another criterion, by which nodes are described, or search="greedy"',
        ),
        Exclusion(
            WHOLE,
            'criterion="absolute_error"',
            "it minimises squared errors",
            'choose criterion="squared_error" or search="greedy"',
        ),
        Exclusion(
            WHOLE,
            'criterion="poisson"',
            "it minimises squared errors",
            'choose criterion="squared_error" or search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "order within queries",
            "it minimises squared errors",
            'choose search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "leaf=LinearModel",
            "it minimises the errors of leaves that predict one value",
            'choose another leaf, or search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "significance",
            "it judges whole trees, and a test judges single questions",
            'limit the tree by leaf_penalty, or choose search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "monotonic_cst",
            "its bounds do not know of constraints",
            'choose search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "column_costs",
            "no question is chosen by its gain",
            'choose search="greedy"',
        ),
        Exclusion(
            WHOLE,
            "competitors",
            "questions do not compete within a node",
            "choose competitors=0, and search=Optimal(alternatives=True)",
        ),
        Exclusion(
            WHOLE,
            "max_bins",
            "it looks at every distinct value",
            "choose max_bins=None",
        ),
        Exclusion(
            WHOLE,
            "min_impurity_decrease",
            "no question is chosen by its gain",
            "give a leaf_penalty instead",
        ),
        Exclusion(
            WHOLE,
            "min_weight_fraction_leaf",
            "the size of its leaves is counted in rows",
            "choose min_samples_leaf instead",
        ),
        Exclusion(
            WHOLE,
            'prune="reduced_error"',
            "part of an optimal tree need not be optimal",
            'choose prune="cost_complexity" or prune=None',
        ),
        Exclusion(
            WHOLE,
            'prune="pessimistic"',
            "part of an optimal tree need not be optimal",
            'choose prune="cost_complexity" or prune=None',
        ),
    )

    def _chosen(self) -> set[str]:
        return {WHOLE}

    def _check_beside(self, settings: Settings) -> None:
        if settings.max_depth is None and settings.max_leaf_nodes is None and self.leaf_penalty == 0.0:
            raise ParameterError(
                "search=Optimal() needs a limit: with neither max_depth nor max_leaf_nodes nor a price of "
                "leaves, the best tree has as many leaves as it takes to make no mistake.\n"
                "Hint: set max_depth=3, or Optimal(leaf_penalty=0.01)."
            )
