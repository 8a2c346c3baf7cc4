"""Names for the types of numpy arrays that every layer uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]  # what indexes an array: row positions, class codes outside the core
Codes = npt.NDArray[np.int32]  # class codes and node numbers, as the core keeps them
RowNumbers = npt.NDArray[np.uint32]  # rows of a dataset of the core
