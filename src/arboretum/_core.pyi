"""The compiled core of arboretum: clean arrays in, arrays out."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


class Dataset:
    """
    Named columns as the core reads them; the arrays are kept alive, not copied.
    """

    def __init__(self, n_rows: int) -> None: ...

    def add_column(self, values: numpy.typing.NDArray[numpy.generic], missing: numpy.typing.NDArray[numpy.bool_] | None, kind: str, n_levels: int = 0) -> None:
        """
        Add the next column: its values, a mask of missing ones or None, its kind.
        """

    def encode(self, n_threads: int) -> None:
        """Code the columns once, for all data sets that are taken from this one."""

    def take(self, rows: numpy.typing.NDArray[numpy.uint32]) -> Dataset:
        """A data set of these rows, by number; it keeps what it needs."""

    def belongs_to(self, n_seen: Sequence[int], missing: Sequence[bool]) -> None:
        """
        The rows are some of a larger table, in which each column has so many levels, counted up to three, and missing values or none.
        """

    def also_saw(self, other: Dataset) -> None:
        """
        Thresholds that are to be values of the table may also be values of these rows.
        """

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

def criteria() -> list[tuple[str, str]]:
    """The name of every criterion and the kind of its targets."""

def impurities(criterion: str, tables: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    Return the impurity of each row of `tables`, a C-ordered matrix: for classes the weight of each class, for numbers the sums of w, w y and w y**2 ('poisson': w y log y). A row without weight has impurity 0. 'absolute_error' is not a function of sums and is refused.
    """

class Thresholds(enum.Enum):
    midpoint = 0

    observed = 1

    table = 2

    round = 3

class RoundSteps:
    """What is short to write among the whole numbers of a column."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> list[int]: ...

    @steps.setter
    def steps(self, arg: Sequence[int], /) -> None: ...

    @property
    def calendar(self) -> bool: ...

    @calendar.setter
    def calendar(self, arg: bool, /) -> None: ...

    @property
    def offset(self) -> int: ...

    @offset.setter
    def offset(self, arg: int, /) -> None: ...

class Nominal(enum.Enum):
    subset = 0

    one_vs_rest = 1

    multiway = 2

class Missing(enum.Enum):
    category = 0

    surrogate = 1

    fractional = 2

class Guard(enum.Enum):
    none = 0

    average = 1

    c45 = 2

class Send(enum.Enum):
    always = 0

    surrogates = 1

    never = 2

class Agreement(enum.Enum):
    node = 0

    known = 1

class GainRatio:
    """How columns compete where the gain ratio decides."""

    @property
    def decides(self) -> bool: ...

    @decides.setter
    def decides(self, arg: bool, /) -> None: ...

    @property
    def guard(self) -> Guard: ...

    @guard.setter
    def guard(self, arg: Guard, /) -> None: ...

    @property
    def numeric_penalty(self) -> bool: ...

    @numeric_penalty.setter
    def numeric_penalty(self, arg: bool, /) -> None: ...

class SurrogateOptions:
    """Surrogates: how many, and what they are for."""

    @property
    def most(self) -> int: ...

    @most.setter
    def most(self, arg: int, /) -> None: ...

    @property
    def send(self) -> Send: ...

    @send.setter
    def send(self, arg: Send, /) -> None: ...

    @property
    def agreement(self) -> Agreement: ...

    @agreement.setter
    def agreement(self, arg: Agreement, /) -> None: ...

class Questions(enum.Enum):
    axis = 0

    m_of_n = 1

    oblique = 2

class MofNOptions:
    """How m-of-n questions are looked for."""

    @property
    def max_n(self) -> int: ...

    @max_n.setter
    def max_n(self, arg: int, /) -> None: ...

    @property
    def beam(self) -> int: ...

    @beam.setter
    def beam(self, arg: int, /) -> None: ...

    @property
    def deletion(self) -> bool: ...

    @deletion.setter
    def deletion(self, arg: bool, /) -> None: ...

    @property
    def dips(self) -> bool: ...

    @dips.setter
    def dips(self, arg: bool, /) -> None: ...

class ObliqueOptions:
    """How questions about sums are looked for."""

    @property
    def max_terms(self) -> int: ...

    @max_terms.setter
    def max_terms(self, arg: int, /) -> None: ...

    @property
    def restarts(self) -> int: ...

    @restarts.setter
    def restarts(self, arg: int, /) -> None: ...

    @property
    def sweeps(self) -> int: ...

    @sweeps.setter
    def sweeps(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def usable(self) -> list[int]: ...

    @usable.setter
    def usable(self, arg: Sequence[int], /) -> None: ...

class LookaheadOptions:
    """How far questions are looked behind; depth 0: not at all."""

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def top(self) -> int: ...

    @top.setter
    def top(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

class Order(enum.Enum):
    depth_first = 0

    best_first = 1

class GrowOptions:
    """Everything that steers growth."""

    def __init__(self) -> None: ...

    @property
    def thresholds(self) -> Thresholds: ...

    @thresholds.setter
    def thresholds(self, arg: Thresholds, /) -> None: ...

    @property
    def round_steps(self) -> list[RoundSteps]: ...

    @round_steps.setter
    def round_steps(self, arg: Sequence[RoundSteps], /) -> None: ...

    @property
    def nominal(self) -> Nominal: ...

    @nominal.setter
    def nominal(self, arg: Nominal, /) -> None: ...

    @property
    def order(self) -> Order: ...

    @order.setter
    def order(self, arg: Order, /) -> None: ...

    @property
    def missing(self) -> Missing: ...

    @missing.setter
    def missing(self, arg: Missing, /) -> None: ...

    @property
    def ratio(self) -> GainRatio: ...

    @ratio.setter
    def ratio(self, arg: GainRatio, /) -> None: ...

    @property
    def surrogates(self) -> SurrogateOptions: ...

    @surrogates.setter
    def surrogates(self, arg: SurrogateOptions, /) -> None: ...

    @property
    def questions(self) -> Questions: ...

    @questions.setter
    def questions(self, arg: Questions, /) -> None: ...

    @property
    def m_of_n(self) -> MofNOptions: ...

    @m_of_n.setter
    def m_of_n(self, arg: MofNOptions, /) -> None: ...

    @property
    def oblique(self) -> ObliqueOptions: ...

    @oblique.setter
    def oblique(self, arg: ObliqueOptions, /) -> None: ...

    @property
    def lookahead(self) -> LookaheadOptions: ...

    @lookahead.setter
    def lookahead(self, arg: LookaheadOptions, /) -> None: ...

    @property
    def competitors(self) -> int: ...

    @competitors.setter
    def competitors(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_split_rows(self) -> int: ...

    @min_split_rows.setter
    def min_split_rows(self, arg: int, /) -> None: ...

    @property
    def min_leaf_rows(self) -> int: ...

    @min_leaf_rows.setter
    def min_leaf_rows(self, arg: int, /) -> None: ...

    @property
    def min_leaf_weight(self) -> float: ...

    @min_leaf_weight.setter
    def min_leaf_weight(self, arg: float, /) -> None: ...

    @property
    def row_weight(self) -> float: ...

    @row_weight.setter
    def row_weight(self, arg: float, /) -> None: ...

    @property
    def min_decrease(self) -> float: ...

    @min_decrease.setter
    def min_decrease(self, arg: float, /) -> None: ...

    @property
    def root_weight(self) -> float: ...

    @root_weight.setter
    def root_weight(self, arg: float, /) -> None: ...

    @property
    def max_bins(self) -> int: ...

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

    @property
    def correct_levels(self) -> bool: ...

    @correct_levels.setter
    def correct_levels(self, arg: bool, /) -> None: ...

    @property
    def max_exhaustive_levels(self) -> int: ...

    @max_exhaustive_levels.setter
    def max_exhaustive_levels(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def costs(self) -> list[float]: ...

    @costs.setter
    def costs(self, arg: Sequence[float], /) -> None: ...

    @property
    def smoothing_m(self) -> float: ...

    @smoothing_m.setter
    def smoothing_m(self, arg: float, /) -> None: ...

    @property
    def smoothing_prior(self) -> float: ...

    @smoothing_prior.setter
    def smoothing_prior(self, arg: float, /) -> None: ...

    @property
    def drawn_columns(self) -> int: ...

    @drawn_columns.setter
    def drawn_columns(self, arg: int, /) -> None: ...

    @property
    def draw_seed(self) -> int: ...

    @draw_seed.setter
    def draw_seed(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    @property
    def fast(self) -> bool: ...

    @fast.setter
    def fast(self, arg: bool, /) -> None: ...

    @property
    def bounds(self) -> bool: ...

    @bounds.setter
    def bounds(self, arg: bool, /) -> None: ...

    @property
    def subtraction(self) -> bool: ...

    @subtraction.setter
    def subtraction(self, arg: bool, /) -> None: ...

    @property
    def simd(self) -> bool: ...

    @simd.setter
    def simd(self, arg: bool, /) -> None: ...

    @property
    def small_limit(self) -> int: ...

    @small_limit.setter
    def small_limit(self, arg: int, /) -> None: ...

class TooManyNodes(Exception):
    pass

def grow_tree(dataset: Dataset, criterion: str, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, weights: numpy.typing.NDArray[numpy.float64] | None, case_weights: numpy.typing.NDArray[numpy.float64] | None, options: GrowOptions, choose_columns: Callable[[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64] | None], tuple[Sequence[int], float]] | None = None, sample: numpy.typing.NDArray[numpy.uint32] | None = None, scale: numpy.typing.NDArray[numpy.uint8] | None = None) -> tuple[dict[str, numpy.typing.NDArray[numpy.generic]], dict[str, numpy.typing.NDArray[numpy.generic]], dict[str, numpy.typing.NDArray[numpy.generic]]]:
    """
    Grow a tree; by name the arrays that describe it, its competitors and surrogates, and the terms of questions about several columns. `choose_columns` tells from the rows of a node, and their shares, which columns to ask about, the best first, and the p-value of the node; without it the columns compete. `sample` names the rows to grow from, some of them several times; without it, each row counts once. `scale` is that of targets in a larger tree, of which this one is a part.
    """

class Output:
    """One of several outputs of a tree: its targets, and what it counts."""

    def __init__(self, criterion: str, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, weights: numpy.typing.NDArray[numpy.float64] | None, share: float) -> None: ...

def grow_several(dataset: Dataset, outputs: Sequence[Output], weights: numpy.typing.NDArray[numpy.float64] | None, options: GrowOptions) -> list[dict[str, numpy.typing.NDArray[numpy.generic]]]:
    """
    Grow one tree for several outputs. Return by name the arrays of a tree that knows the weights of its nodes and no targets, then those of each output; gains are those of all outputs together.
    """

class TargetForm:
    """
    What is learnt: the targets of a criterion, so many classes or numbers.
    """

    def __init__(self, criterion: str, n_classes: int, weighted: bool) -> None: ...

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...]) -> None: ...

    @property
    def criterion(self) -> str: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def weighted(self) -> bool: ...

    def n_codes(self, n_rows: int) -> int: ...

    def scale(self, lowest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], highest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finest: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int) -> NDArray[numpy.uint8]: ...

    def reaching(self, scale: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, n_rows: int) -> NDArray[numpy.uint8]: ...

    def is_coarse(self, scale: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], highest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], finest: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool: ...

def add_twofold(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

def add_chance_sums(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

def twofold_values(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

class SharedQuestion:
    """A question that shares of the rows are asked."""

    def __getstate__(self) -> tuple[object, ...]: ...

    def __setstate__(self, state: tuple[object, ...]) -> None: ...

    @property
    def kind(self) -> int: ...

    @property
    def column(self) -> int: ...

    @property
    def cut(self) -> int: ...

    @property
    def missing_left(self) -> bool: ...

    @property
    def missing_seen(self) -> bool: ...

    @property
    def low(self) -> int: ...

    @low.setter
    def low(self, arg: int, /) -> None: ...

    @property
    def high(self) -> int: ...

    @high.setter
    def high(self, arg: int, /) -> None: ...

    @property
    def has_values(self) -> bool: ...

    @has_values.setter
    def has_values(self, arg: bool, /) -> None: ...

    @property
    def levels(self) -> list[tuple[int, int]]: ...

class SharedColumns:
    """What is known of columns whose rows lie in shares."""

    def __init__(self, dataset: Dataset, edges: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]], singles: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], missing: Sequence[bool], n_seen: Sequence[int]) -> None: ...

    def root_views(self, arg: int, /) -> NDArray[numpy.uint32]: ...

    def corrects(self, arg: GrowOptions, /) -> bool: ...

    def threshold(self, arg0: SharedQuestion, arg1: GrowOptions, /) -> tuple[float, int]: ...

class NodeSearch:
    """The search for the best split of a node whose rows lie in shares."""

    def __init__(self, columns: object, form: TargetForm, options: GrowOptions, total: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int, root_weight: float, same_targets: bool) -> None: ...

    @property
    def is_leaf(self) -> bool: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def weight(self) -> float: ...

    @property
    def impurity(self) -> float: ...

    def counts(self) -> NDArray[numpy.float64]: ...

    def set_chance(self, sums: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sweep(self, views: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], buckets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def views_for(self, arg: int, /) -> NDArray[numpy.uint32]: ...

    def views_beside_sibling(self, views: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint32]: ...

    def beside_sibling(self, views: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sibling: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

    def hopeful(self) -> dict[str, numpy.typing.NDArray[numpy.generic]]: ...

    def refine(self, interval: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], cell: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], summaries: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def best(self) -> object: ...

def shared_edges(sample: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_codes: int) -> NDArray[numpy.uint64]:
    """
    The edges of at most so many codes, for a column of which these sorted keys are a sample.
    """

def keys_of(dataset: Dataset, column: int, sort: bool) -> NDArray[numpy.uint64]:
    """The keys of a column, sorted or row by row; missing values have none."""

def threshold_between(dataset: Dataset, column: int, low: int, high: int, options: GrowOptions) -> tuple[float, int]:
    """The threshold between two keys of a column."""

class Share:
    """The rows of one partition of a table."""

    def __init__(self, dataset: Dataset, form: TargetForm, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, case_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, edges: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def facts(self) -> tuple[list[numpy.typing.NDArray[numpy.uint8]], list[bool]]: ...

    def extents(self, rows: numpy.typing.NDArray[numpy.uint32], begins: numpy.typing.NDArray[numpy.int64]) -> dict[str, numpy.typing.NDArray[numpy.generic]]: ...

    def totals(self, rows: numpy.typing.NDArray[numpy.uint32], begins: numpy.typing.NDArray[numpy.int64], scales: numpy.typing.NDArray[numpy.uint8]) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.float64]]: ...

    def chance_sums(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

    def class_weights(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

    def real_sums(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], highest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], with_logs: bool) -> NDArray[numpy.uint8]: ...

    def divergences(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

    def count(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], views: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

    def refine(self, rows: numpy.typing.NDArray[numpy.uint32], begins: numpy.typing.NDArray[numpy.int64], node: numpy.typing.NDArray[numpy.uint32], column: numpy.typing.NDArray[numpy.uint32], low: numpy.typing.NDArray[numpy.uint64], high: numpy.typing.NDArray[numpy.uint64], n_cells: numpy.typing.NDArray[numpy.uint64], scales: numpy.typing.NDArray[numpy.uint8]) -> dict[str, numpy.typing.NDArray[numpy.generic]]: ...

    def keys_beside(self, rows: numpy.typing.NDArray[numpy.uint32], begins: numpy.typing.NDArray[numpy.int64], node: numpy.typing.NDArray[numpy.uint32], column: numpy.typing.NDArray[numpy.uint32], code: numpy.typing.NDArray[numpy.uint32]) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]]: ...

    def divide(self, rows: numpy.typing.NDArray[numpy.uint32], begins: numpy.typing.NDArray[numpy.int64], questions: Sequence[SharedQuestion | None]) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]: ...

def add_real_sums(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]:
    """Add the sums of parts of the same nodes."""

def join_real_sums(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], with_logs: bool) -> NDArray[numpy.uint8]:
    """Add the sums of two children."""

def close_real_sums(some: numpy.typing.NDArray[numpy.uint8]) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint32]]:
    """
    Find the deviances of nodes all of whose parts were added; also return those whose divergences are needed.
    """

def close_with_divergences(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], divergences: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

def set_deviance(some: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], deviance: float) -> NDArray[numpy.uint8]: ...

def real_sums_report(some: numpy.typing.NDArray[numpy.uint8], with_logs: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]: ...

class Plan:
    """
    A tree that was found as a whole: its questions, to be grown as they are.
    """

    def set_in(self, options: GrowOptions) -> None: ...

class OptimalOptions:
    """What the search for an optimal tree is limited by."""

    def __init__(self) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_leaf_rows(self) -> int: ...

    @min_leaf_rows.setter
    def min_leaf_rows(self, arg: int, /) -> None: ...

    @property
    def min_split_rows(self) -> int: ...

    @min_split_rows.setter
    def min_split_rows(self, arg: int, /) -> None: ...

    @property
    def leaf_penalty(self) -> float: ...

    @leaf_penalty.setter
    def leaf_penalty(self, arg: float, /) -> None: ...

    @property
    def nominal(self) -> Nominal: ...

    @nominal.setter
    def nominal(self, arg: Nominal, /) -> None: ...

    @property
    def most_levels(self) -> int: ...

    @most_levels.setter
    def most_levels(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def passes(self) -> float: ...

    @passes.setter
    def passes(self, arg: float, /) -> None: ...

    @property
    def bytes(self) -> float: ...

    @bytes.setter
    def bytes(self, arg: float, /) -> None: ...

    @property
    def gap(self) -> float: ...

    @gap.setter
    def gap(self, arg: float, /) -> None: ...

    @property
    def keep_when_interrupted(self) -> bool: ...

    @keep_when_interrupted.setter
    def keep_when_interrupted(self, arg: bool, /) -> None: ...

    @property
    def alternatives(self) -> bool: ...

    @alternatives.setter
    def alternatives(self, arg: bool, /) -> None: ...

    @property
    def simd(self) -> bool: ...

    @simd.setter
    def simd(self, arg: bool, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    @property
    def n_cuts(self) -> int: ...

    @n_cuts.setter
    def n_cuts(self, arg: int, /) -> None: ...

    @property
    def loss(self) -> list[float]: ...

    @loss.setter
    def loss(self, arg: Sequence[float], /) -> None: ...

class TooManyLevels(Exception):
    pass

def optimal_tree(dataset: Dataset, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, weights: numpy.typing.NDArray[numpy.float64] | None, options: OptimalOptions, report: Callable[[float, float, float], None] | None = None) -> dict[str, Any]:
    """
    The tree of least misclassification cost or least squared error, with a bound on what any other costs.
    """

class Router:
    """Finds the leaf of each row; refuses arrays that do not make a tree."""

    def __init__(self, first_child: numpy.typing.NDArray[numpy.int32], n_children: numpy.typing.NDArray[numpy.int32], column: numpy.typing.NDArray[numpy.int32], kind: numpy.typing.NDArray[numpy.uint8], threshold: numpy.typing.NDArray[numpy.float64], threshold_floor: numpy.typing.NDArray[numpy.int64], missing_child: numpy.typing.NDArray[numpy.int32], level_begin: numpy.typing.NDArray[numpy.int64], level: numpy.typing.NDArray[numpy.int32], level_child: numpy.typing.NDArray[numpy.int32], weight: numpy.typing.NDArray[numpy.float64], missing: str = 'child', others: dict[str, numpy.typing.NDArray[numpy.generic]] = {}, terms: dict[str, numpy.typing.NDArray[numpy.generic]] = {}) -> None: ...

    def blend(self, dataset: Dataset, values: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
        """
        For each row the mean of the values of the leaves that it is divided among.
        """

    def sums_in_cells(self, cells: Dataset, columns: Sequence[int], values: numpy.typing.NDArray[numpy.float64], rows: Dataset | None = None, weights: numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        For each cell of a grid, which sets these columns, the sum of the values of the leaves that the rows come to; without rows, the mean by the weights of the nodes.
        """

    def rows_in_cells(self, cells: Dataset, columns: Sequence[int], values: numpy.typing.NDArray[numpy.float64], rows: Dataset) -> numpy.typing.NDArray[numpy.float64]:
        """
        The same for each row by itself: all cells of the first row, then those of the next.
        """

    def leaves_of(self, dataset: Dataset, plain: bool = False) -> NDArray[numpy.int32]:
        """
        The number of the leaf in which each row comes to rest; `plain` goes row by row, to the same leaves.
        """

    def leaves_of_matrix(self, matrix: numpy.typing.NDArray[numpy.floating]) -> numpy.typing.NDArray[numpy.int32]:
        """
        The same for the rows of a matrix of floats, whose columns are all numeric.
        """

class Forest:
    """Many trees that predict together; `width` numbers for each row."""

    def __init__(self, width: int) -> None: ...

    def add(self, router: Router, values: numpy.typing.NDArray[numpy.float64]) -> None:
        """Add a tree, with what each of its nodes predicts."""

    @property
    def n_trees(self) -> int: ...

    def sum(self, dataset: Dataset, n_threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """For each row the sum of what the trees predict."""

    def sum_of_matrix(self, matrix: numpy.typing.NDArray[numpy.floating], n_threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """
        The same for the rows of a matrix of floats, whose columns are all numeric.
        """

    def leaves_of(self, dataset: Dataset, n_threads: int) -> numpy.typing.NDArray[numpy.int32]:
        """The number of the leaf of each row in each tree."""

class Shape:
    """Which node is whose child, checked."""

    def __init__(self, parent: numpy.typing.NDArray[numpy.int32], first_child: numpy.typing.NDArray[numpy.int32], n_children: numpy.typing.NDArray[numpy.int32]) -> None: ...

def weakest_links(shape: Shape, risk: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    For each node the alpha from which on it is a leaf of the smallest tree of least risk + alpha * leaves.
    """

def sums_along(shape: Shape, step: numpy.typing.NDArray[numpy.int32], n_steps: int, at_node: numpy.typing.NDArray[numpy.float64], resting: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    The sum over the leaves of each of a sequence of trees, in which nodes become leaves at their step, and over what rests at inner nodes.
    """

def nested_steps(shape: Shape, step: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.int32]:
    """
    For each node the first step at which it, or a node above it, is a leaf.
    """

def resting_places(shape: Shape, nested: numpy.typing.NDArray[numpy.int32], at: int) -> numpy.typing.NDArray[numpy.int32]:
    """
    For each node the one where rows rest that reach it, at one of the steps.
    """

def node_errors(router: Router, shape: Shape, dataset: Dataset, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, weights: numpy.typing.NDArray[numpy.float64] | None, predictions: numpy.typing.NDArray[numpy.float64], loss: str, unit: float = 1.0) -> numpy.typing.NDArray[numpy.uint8]:
    """
    What rows cost at every node that they pass, the same with losses squared, in a unit of losses, and the weight of those that cost infinitely much, which are in neither: sums of doubled precision, as bytes. Predictions: for each node the loss of each class, or a number.
    """

def bin_sums(bins: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], n_bins: int) -> numpy.typing.NDArray[numpy.uint8]:
    """The sum of the values in each bin, in doubled precision, as bytes."""

def shrunken(parent: numpy.typing.NDArray[numpy.int32], n_rows: numpy.typing.NDArray[numpy.int64], own: numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.float64], strengths: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
    """
    The predictions of all nodes, drawn towards those of the nodes above, for one strength after the other. The root predicts what `start` says.
    """

def reduce_error(shape: Shape, own: numpy.typing.NDArray[numpy.float64], resting: numpy.typing.NDArray[numpy.float64], order: str) -> dict[str, numpy.typing.NDArray[numpy.generic]]:
    """Which nodes become leaves, and each step on the way."""

def prune_pessimistically(router: Router, shape: Shape, dataset: Dataset, classes: numpy.typing.NDArray[numpy.int32], n_classes: int, weights: numpy.typing.NDArray[numpy.float64] | None, confidence: float, quantile: float, raise_subtrees: bool, unit: float) -> dict[str, numpy.typing.NDArray[numpy.generic]]:
    """
    The tree as C4.5 prunes it: which node asks what, its class weights, and each step on the way.
    """

def linear_models(shape: Shape, resting: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], targets: numpy.typing.NDArray[numpy.float64], weights: numpy.typing.NDArray[numpy.float64], used: numpy.typing.NDArray[numpy.uint8], ridge: float) -> dict[str, numpy.typing.NDArray[numpy.float64]]:
    """
    Ridge regression on the rows that pass each node, with the columns that it may use.
    """

class TooManyWays(Exception):
    pass

def contributions(router: Router, dataset: Dataset, values: numpy.typing.NDArray[numpy.float64], background: Dataset | None, interactions: bool, n_threads: int, most_steps: int, plain: bool = False) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    What columns contribute to the predictions of rows, and pairs of columns, and what is predicted if no column is known. The values are those of the nodes; one row, or pair of rows, may take `most_steps`; `plain` goes row by row, to the same numbers.
    """

def fingerprint(values: numpy.typing.NDArray[numpy.generic], missing: numpy.typing.NDArray[numpy.bool_] | None = None) -> int:
    """A number that tells the values of a column from others."""

def fingerprint_begin() -> numpy.typing.NDArray[numpy.uint64]:
    """The state of a fingerprint before the first value."""

def fingerprint_add(state: numpy.typing.NDArray[numpy.uint64], values: numpy.typing.NDArray[numpy.generic], missing: numpy.typing.NDArray[numpy.bool_] | None = None) -> numpy.typing.NDArray[numpy.uint64]:
    """The state after more values of the same column."""

def fingerprint_end(state: numpy.typing.NDArray[numpy.uint64]) -> int:
    """The fingerprint of all values that were added."""

def has_room_for_threads(n: int) -> bool:
    """Whether there is memory for so many threads to begin."""

def prepare_thread() -> None:
    """Take the memory that the first error of a thread needs."""
