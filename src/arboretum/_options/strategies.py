"""The strategies that only set options of the core; `_grow/core_options.py` passes them on.

Pruners and significance tests do their own work and have files of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, get_args

from arboretum._options.choices import Agreement, ChosenStrength, Climb, Guard, Send
from arboretum._options.rules import Flag, NameOr, OneOf, Real, Whole
from arboretum._options.strategy import Exclusion, Strategy, StrategyOr, strategies_for
from arboretum.errors import ParameterError

if TYPE_CHECKING:
    from arboretum._options.settings import Settings

_USUAL_STRENGTH: Final = {True: 20.0, False: 10.0}  # of classes, of numbers
_STRENGTHS: Final = (2.0, 5.0, 10.0, 20.0, 40.0, 80.0)


class GainRatio(Strategy):
    """Information gain over the information of the answer itself: C4.5's measure of a question.

    Every column enters its best question by gain (of the questions `x = v` its best by ratio), and the
    largest ratio wins. The gain ratio alone favours lopsided questions that tell little, hence the guard.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(criterion=GainRatio(guard=None)).get_params()["criterion__numeric_penalty"]
    False

    Parameters
    ----------
    guard : {"average", "c45"} or None
        Which columns may win. "average": those whose gain is at least the average of all columns. "c45": as
        the program C4.5 does it, a gain of 0.001 below the average is enough, and nominal columns that have
        30 % as many levels as the table has rows, or more, do not enter the average. None: all.
    numeric_penalty : bool
        C4.5 release 8: a threshold is chosen among many, which is paid for: its gain loses
        log2(number of cuts) / weight of the node. And each side of a cut must hold a tenth of what an average
        class has in the node, or 25 rows if that is less.
    """

    guard: Guard | None = "average"
    numeric_penalty: bool = False

    _option = "criterion"
    _names: ClassVar = {"gain_ratio": {}}
    _rules: ClassVar = {"guard": OneOf((None, *get_args(Guard))), "numeric_penalty": Flag()}
    _targets = ("classes",)


class Surrogate(Strategy):
    """Missing values are answered by other questions that send rows the same way, as CART and rpart do.

    A question is judged by the rows whose value is known. Then every other column is asked for the question
    that comes closest to sending these rows to the same children. A row whose value is missing follows the
    first of these surrogates that has an answer.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(missing=Surrogate(max_surrogates=2)).get_params()["missing__send"]
    'always'

    Parameters
    ----------
    max_surrogates : int
        How many surrogates each question keeps, those of the highest agreement.
    send : {"always", "surrogates", "never"}
        What happens to rows whose value is missing. "always": they follow the surrogates; if no surrogate
        has an answer, they go to the child to which the question itself sends more weight (the first if both
        are equal). "surrogates": in that case they stay where they are, and the inner node predicts.
        "never": they stay at once, and surrogates are only listed. Fitting and predicting follow the same
        rule.
    agreement : {"node", "known"}
        What agreement is a share of: the weight of all rows that the question can send, so that a surrogate
        with many missing values counts for less; or only of those that the surrogate can send as well.
    """

    max_surrogates: int = 5
    send: Send = "always"
    agreement: Agreement = "node"

    _option = "missing"
    _names: ClassVar = {"surrogate": {}}
    _rules: ClassVar = {
        "max_surrogates": Whole(0),
        "send": OneOf(get_args(Send)),
        "agreement": OneOf(get_args(Agreement)),
    }

    _excludes = (
        Exclusion(
            'missing="surrogate"',
            'nominal="multiway"',
            "a surrogate only replaces a question with two answers",
            'choose nominal="subset", or missing="fractional"',
        ),
        Exclusion(
            'missing="surrogate"',
            "monotonic_cst",
            "a surrogate about the constrained column may break the constraint",
            'choose missing="category" or missing="fractional"',
        ),
    )


# How exclusions name them, also those of other strategies.
SEVERAL: Final = "questions=MofN or Oblique"
AHEAD: Final = "search=Lookahead"


class SeveralColumns(Strategy, abstract=True):
    """What questions about several columns have in common."""

    _option = "questions"
    _excludes = (
        Exclusion(
            SEVERAL,
            'missing="surrogate"',
            "a surrogate only replaces a question about one column",
            'choose missing="category"',
        ),
        Exclusion(
            SEVERAL,
            'missing="fractional"',
            "their questions have an answer for every row",
            'choose missing="category"',
        ),
        Exclusion(
            SEVERAL,
            "monotonic_cst",
            "a question about several columns may break the constraint",
            'choose questions="axis"',
        ),
        Exclusion(
            SEVERAL,
            'nominal="multiway"',
            "their questions have two answers",
            'choose nominal="subset" or nominal="one_vs_rest"',
        ),
        Exclusion(
            SEVERAL,
            AHEAD,
            "it looks beyond questions about one column only",
            'choose questions="axis" or search="greedy"',
        ),
        Exclusion(
            SEVERAL,
            "column_costs",
            "a question about several columns has no single cost",
            'choose questions="axis"',
        ),
    )


class MofN(SeveralColumns):
    """Questions of the form "at least m of: a <= 3, b = red, c > 1", found by hill climbing.

    The climb starts from the best single literal. A step adds a literal, and asks for as many as before or
    for one more of them. Literals are thresholds of numbers and ordered levels, and `x = v` or `x != v` of
    nominal columns. About a missing value no literal holds. Where no second literal helps, the question about
    one column is asked that would be asked anyway.

    "At least 5 of these 7 signs are absent" is asked in the positive form, "at least 3 of them are there",
    unless a missing value in the node makes a difference between the two.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(questions=MofN(max_n=5)).get_params()["questions__beam"]
    1

    Parameters
    ----------
    max_n : int or None
        How many literals a question may have; None sets no limit.
    beam : int
        How many questions climb side by side; more of them find more, and take longer.
    deletion : bool
        Whether steps may also take a literal out again.
    climb : "dips" or "greedy"
        "greedy" ends where no step gains more: the plain hill climbing of the lecture notes. "dips" also
        takes one step down where the next leads higher than ever.
    """

    max_n: int | None = 12
    beam: int = 1
    deletion: bool = False
    climb: Climb = "dips"

    _rules: ClassVar = {
        "max_n": Whole(2, or_none=True),
        "beam": Whole(1),
        "deletion": Flag(),
        "climb": OneOf(get_args(Climb)),
    }


class Oblique(SeveralColumns):
    """Questions about sums, "0.8·a − 1.2·b <= 3.1", which cut at any angle.

    Numbers are added up as they are, nominal columns as [x = v], which is 1 where x is v and else 0; ordered
    levels, dates and durations are only asked about one at a time. A missing value counts as the mean of the
    node. A sum is asked only where it is better than every question about one column. The same data give the
    same sums, in any order of the rows.

    >>> from arboretum import TreeRegressor
    >>> TreeRegressor(questions=Oblique(max_terms=2)).get_params()["questions__restarts"]
    3

    Parameters
    ----------
    max_terms : int or None
        How many terms a sum may have; None sets no limit, but terms that add nothing are left out.
    restarts : int
        How often the search is pushed off the place where it ended, to see whether it ends better elsewhere.
    sweeps : int
        How often each search looks at all coefficients, at most.
    """

    max_terms: int | None = None
    restarts: int = 3
    sweeps: int = 4

    _rules: ClassVar = {"max_terms": Whole(2, or_none=True), "restarts": Whole(0), "sweeps": Whole(1)}


class Lookahead(Strategy):
    """Questions are judged by the best that could be asked below them, not by their own gain alone.

    Only this finds exclusive or and parity in general, where no single question gains anything. The price is
    time, and now and then a worse tree, as with any search that fits the training rows more closely.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(search=Lookahead()).get_params()["search__depth"]
    1

    Parameters
    ----------
    depth : int
        How many further questions on each path are looked at. The time grows with the number of candidates
        (`top`, or the columns if there are more) to this power.
    top : int or None
        How many questions of a node are looked behind: the best by their own gain, with every column
        represented, cuts beside a better one of the same column (within a sixteenth of the weight) left
        out. None: all. By gain ratio, what lies ahead counts by its gain.
    time_limit : float or None
        Seconds for looking ahead while one tree grows; when they are over, the rest is grown greedily, so
        that the tree may then depend on the speed of the machine. Cross-validation grows a tree for each
        fold, and each has these seconds.
    """

    depth: int = 1
    top: int | None = 64
    time_limit: float | None = None

    _option = "search"
    _rules: ClassVar = {
        "depth": Whole(1),
        "top": Whole(1, or_none=True),
        "time_limit": Real("seconds, more than 0, or None", above=True, finite=True, or_none=True),
    }

    _excludes = (
        Exclusion(
            AHEAD,
            'missing="surrogate"',
            "a surrogate belongs to a question chosen by its own gain",
            'choose missing="category" or missing="fractional"',
        ),
        Exclusion(
            AHEAD,
            "monotonic_cst",
            "the questions ahead would need bounds that are not known yet",
            'choose search="greedy"',
        ),
        Exclusion(
            AHEAD,
            "column_costs",
            "the gain ahead comes from several columns, each with its own cost",
            'choose search="greedy"',
        ),
    )


class FilledLeaf(Strategy, abstract=True):
    """A leaf option that is done when the tree has been pruned; `_grow/leaves` has those that there are."""

    _option = "leaf"
    _holds_rows_back: ClassVar[bool] = False  # so that the tree grows from the others

    @property
    def _least_rows(self) -> int:
        """The fewest rows of a leaf that it can do with."""
        return 1

    def _grown(self, tree: Any, rows: Any) -> Any:
        """Return a tree as it was grown, with what pruning needs to know of its leaves."""
        return tree


class AroundLeaf(FilledLeaf, abstract=True):
    """One that does something beside another leaf option, which its `leaf` holds."""

    if TYPE_CHECKING:
        leaf: Any

    def _check_beside(self, settings: Settings) -> None:
        """Read the option within, which may be any other."""
        within = leaf_rule_for(of_classes=settings.of_classes).read(self.leaf, "leaf", type(self).__name__)
        if any(isinstance(layer, type(self)) for layer in leaf_layers(within)):
            raise ParameterError(
                f"leaf={type(self).__name__}(leaf={type(self).__name__}(…)) does the same thing twice.\n"
                "Hint: give another leaf option within it."
            )
        if isinstance(within, Strategy):
            within._check_beside(settings)


def leaf_rule_for(*, of_classes: bool) -> StrategyOr:
    """Return what the option `leaf` may be."""
    return CLASS_LEAF if of_classes else NUMBER_LEAF


CLASS_LEAF: Final = StrategyOr("leaf", ("frequency", "laplace"), "classes")
NUMBER_LEAF: Final = StrategyOr("leaf", ("mean",), "numbers")


def leaf_layers(leaf: Any) -> list[Any]:
    """Return a leaf option and those within it, from the outermost; short names become strategies."""
    layers = [_named_leaf(leaf)]
    while isinstance(layers[-1], AroundLeaf):
        layers.append(_named_leaf(layers[-1].leaf))
    return layers


def _named_leaf(leaf: Any) -> Any:
    """Return the strategy that a short name stands for; anything else as it is."""
    short = {name: kind for kind in strategies_for("leaf") for name in kind._names}
    return short[leaf](**short[leaf]._names[leaf]) if isinstance(leaf, str) and leaf in short else leaf


class MEstimate(Strategy):
    """Probabilities drawn towards the class shares of the whole training set, as if `m` more rows had them.

    >>> from arboretum import TreeClassifier
    >>> TreeClassifier(leaf=MEstimate(m=10)).get_params()["leaf__m"]
    10
    """

    m: float = 2.0

    _option = "leaf"
    _rules: ClassVar = {"m": Real("a number of rows, 0 or more", finite=True)}
    _targets = ("classes",)


class Shrinkage(Strategy):
    """Predictions drawn towards those of the nodes above, more strongly where these have few rows.

    A leaf of three rows says little about the fourth. Hierarchical shrinkage (Agarwal and others 2022) walks
    from the root to the leaf; each step from what the parent's own rows say to what the child's do counts for
    1 / (1 + strength / rows of the parent). The probability of a class that occurs in training is never zero.

    >>> from arboretum import TreeClassifier
    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> model = TreeClassifier(leaf=Shrinkage(4), prune=None).fit(X, y)
    >>> model.predict_proba([[1]])  # half of the step from 0.5 to 1
    array([[0.75, 0.25]])

    Parameters
    ----------
    strength : float or "cv"
        The number of rows in the parent at which half of a step counts; 0 leaves predictions as they are.
        "cv" takes the strength that predicts held-out rows best, where pruning holds rows out: the size of
        the tree is chosen first, then the strength. Elsewhere, and with `monotonic_cst`, it is 20 for classes
        and 10 for numbers.
    """

    strength: float | ChosenStrength = "cv"

    _option = "leaf"
    _names: ClassVar = {"shrinkage": {}}
    _rules: ClassVar = {
        "strength": NameOr(
            OneOf(get_args(ChosenStrength), " Or give a number."), Real("a number of 0 or more", finite=True)
        )
    }

    def _fixed(self, *, of_classes: bool) -> float:
        """Return the strength of trees as they are grown."""
        return _USUAL_STRENGTH[of_classes] if isinstance(self.strength, str) else float(self.strength)

    def _judging(self, *, of_numbers: bool, of_classes: bool) -> float:
        """Return the strength with which sizes of the tree are compared.

        Numbers are compared by the nodes' own means: shrinkage makes large trees look better than they need
        to be, and the strength that is chosen afterwards mends small ones just as well.
        """
        return 0.0 if isinstance(self.strength, str) and of_numbers else self._fixed(of_classes=of_classes)

    def _strengths(self, *, of_classes: bool) -> tuple[float, ...]:
        """Return the strengths to choose from, the usual one first; a single one if it is given."""
        usual = self._fixed(of_classes=of_classes)
        others = tuple(strength for strength in _STRENGTHS if strength != usual)
        return (usual, *others) if isinstance(self.strength, str) else (usual,)
