"""Marks for tests that meet a warning on purpose; everywhere else it is an error.

@allow_one_leaf
def test_a_tree_that_asks_nothing() -> None: ...
"""

from __future__ import annotations

import pytest

allow_one_leaf = pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
allow_identifier = pytest.mark.filterwarnings("ignore::arboretum.IdentifierWarning")
allow_text = pytest.mark.filterwarnings("ignore::arboretum.TextWarning")
allow_weights = pytest.mark.filterwarnings("ignore::arboretum.WeightWarning")
allow_rare_class = pytest.mark.filterwarnings("ignore::arboretum.RareClassWarning")
allow_unknown_levels = pytest.mark.filterwarnings("ignore::arboretum.UnknownLevelsWarning")
allow_constant_column = pytest.mark.filterwarnings("ignore::arboretum.ConstantColumnWarning")
