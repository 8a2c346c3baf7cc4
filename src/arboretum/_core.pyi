"""The compiled core of arboretum: clean arrays in, arrays out."""

from collections.abc import Sequence
import enum
from typing import Annotated

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

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

class Thresholds(enum.Enum):
    midpoint = 0

    observed = 1

class Nominal(enum.Enum):
    subset = 0

    one_vs_rest = 1

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
    def nominal(self) -> Nominal: ...

    @nominal.setter
    def nominal(self, arg: Nominal, /) -> None: ...

    @property
    def order(self) -> Order: ...

    @order.setter
    def order(self, arg: Order, /) -> None: ...

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
    def min_decrease(self) -> float: ...

    @min_decrease.setter
    def min_decrease(self, arg: float, /) -> None: ...

    @property
    def max_bins(self) -> int: ...

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

    @property
    def max_exhaustive_levels(self) -> int: ...

    @max_exhaustive_levels.setter
    def max_exhaustive_levels(self, arg: int, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def smoothing_m(self) -> float: ...

    @smoothing_m.setter
    def smoothing_m(self, arg: float, /) -> None: ...

    @property
    def smoothing_prior(self) -> float: ...

    @smoothing_prior.setter
    def smoothing_prior(self, arg: float, /) -> None: ...

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

def criteria() -> list[tuple[str, str]]:
    """The name of every criterion and the kind of its targets."""

def grow_tree(dataset: Dataset, criterion: str, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, weights: numpy.typing.NDArray[numpy.float64] | None, case_weights: numpy.typing.NDArray[numpy.float64] | None, options: GrowOptions) -> dict[str, numpy.typing.NDArray[numpy.generic]]:
    """Grow a tree; the arrays that describe it, by name."""

class Router:
    """Finds the leaf of each row; refuses arrays that do not make a tree."""

    def __init__(self, first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold_floor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], level_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], level_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def leaves_of(self, dataset: Dataset, plain: bool = False) -> NDArray[numpy.int32]:
        """
        The number of the leaf in which each row comes to rest; `plain` goes row by row, to the same leaves.
        """

    def leaves_of_matrix(self, matrix: numpy.typing.NDArray[numpy.floating]) -> numpy.typing.NDArray[numpy.int32]:
        """
        The same for the rows of a matrix of floats, whose columns are all numeric.
        """
