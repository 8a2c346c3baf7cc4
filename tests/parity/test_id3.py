"""Parity with Id3 of Weka: the same column in every node, the same leaves, the same predictions.

A tie is a node where two columns gain the same, or where the gain is below Weka's slack of 1e-6. Rows with
missing values are left out, by Weka's user there and by `missing="drop"` here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from support.marks import allow_text

from arboretum import Node, TreeClassifier

from .comparison import Comparison
from .plain_gains import agree
from .weka_oracle import WekaOracle, read_oracle, usable_oracles

Rows = npt.NDArray[np.int64]

# Differences that are no ties, by the name of the result: in which node, and why. Nothing else may differ.
LISTED: Final[dict[str, tuple[int, str]]] = {}
# A node whose best column gains no more than this is a leaf for Weka.
NO_GAIN: Final = 1e-6


class Id3Comparison(Comparison):
    """One result of Id3 next to our tree. Weka stores columns and leaves, but no gains."""

    def __init__(self, oracle: WekaOracle) -> None:
        self.oracle = oracle
        self.values = {name: column[oracle.rows] for name, column in oracle.training.values.items()}
        y = oracle.target[oracle.rows]
        self.comparable = np.ones(len(y), dtype=np.bool_)  # rows that come through no tie
        super().__init__("entropy", y, np.ones(len(y)))

    def walk(self, root: Node) -> Id3Comparison:
        """Compare node for node from the root down."""
        self._compare(root, self.oracle.stored["tree"], np.arange(len(self.y)))
        return self

    def parts(self, column: str, rows: Rows) -> list[Rows]:
        """Return the rows of each level of a column."""
        levels = self.values[column][rows]
        return [rows[levels == level] for level in range(len(self.oracle.training.levels[column]))]

    def gain_of(self, column: str, rows: Rows) -> float:
        """Return the mean gain in bits when the rows are divided by all levels of a column."""
        parts = [self.total(part) for part in self.parts(column, rows) if len(part)]
        return (self.total(rows) - sum(parts)) / len(rows)

    def _compare(self, ours: Node, theirs: dict[str, Any], rows: Rows) -> None:
        number, self.n_nodes = self.n_nodes, self.n_nodes + 1
        self.check(number, "number of rows", ours.n_rows, len(rows))
        if ours.is_leaf and theirs["leaf"]:
            self._compare_leaves(number, ours, theirs)
            return
        our_column = None if ours.question is None else ours.question.column
        our_gain = 0.0 if our_column is None else self.gain_of(our_column, rows)
        their_gain = 0.0 if theirs["leaf"] else self.gain_of(theirs["attribute"], rows)
        self.check(number, "gain", ours.gain, our_gain, 1.0)
        if our_column == theirs.get("attribute"):
            parts = self.parts(theirs["attribute"], rows)
            for child, their_child, part in zip(ours.children, theirs["children"], parts, strict=True):
                self._compare(child, their_child, part)
            return
        self.comparable[rows] = False
        stops = theirs["leaf"] and our_gain <= NO_GAIN
        if stops or (not theirs["leaf"] and agree(our_gain, their_gain, 1.0)):
            self.ties.append(number)
            return
        self.differences.append(
            f"node {number}: we ask {our_column}, which gains {our_gain!r}, "
            f"Weka {theirs.get('attribute')}, which gains {their_gain!r}"
        )

    def _compare_leaves(self, number: int, ours: Node, theirs: dict[str, Any]) -> None:
        """Compare probabilities. Where no row came, Weka predicts nothing, and we what the parent does."""
        if theirs["class"] is None:
            self.check(number, "number of rows in an empty leaf", ours.n_rows, 0)
            return
        assert ours.probability is not None
        for k, probability in enumerate(theirs["distribution"]):
            self.check(number, f"probability of class {k}", ours.probability[k], probability, 1.0)


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(usable_oracles("Id3")) >= 4


@pytest.mark.parametrize("name", usable_oracles("Id3"))
def test_every_stored_column_gains_most(name: str) -> None:
    """Plain counting agrees with Weka before we look at our tree: best columns, shares in the leaves."""
    found = Id3Comparison(read_oracle(name))
    open_nodes: list[tuple[dict[str, Any], Rows]] = [(found.oracle.stored["tree"], np.arange(len(found.y)))]
    while open_nodes:
        theirs, rows = open_nodes.pop()
        if theirs["leaf"]:
            shares = np.bincount(found.y[rows], minlength=found.oracle.n_classes) / max(len(rows), 1)
            np.testing.assert_allclose(theirs["distribution"], shares, rtol=0, atol=1e-9)
            continue
        gains = {column: found.gain_of(column, rows) for column in found.oracle.columns}
        assert gains[theirs["attribute"]] >= max(gains.values()) - 1e-12
        open_nodes += zip(theirs["children"], found.parts(theirs["attribute"], rows), strict=True)


@allow_text
@pytest.mark.parametrize("name", usable_oracles("Id3"))
def test_the_tree_of_id3_is_ours(name: str, record_property: Callable[[str, object], None]) -> None:
    """Column in every node, gain as plainly counted, probabilities in every leaf and of every row."""
    oracle = read_oracle(name)
    frame = oracle.training.frame(oracle.columns)
    model: Any = TreeClassifier.id3().fit(frame, oracle.target)
    assert model.n_rows_dropped_ == len(frame) - len(oracle.rows)
    found = Id3Comparison(oracle).walk(model.tree_.root)
    found.record("Id3", record_property, listed=name in LISTED)
    if name in LISTED:
        assert found.differences, f"{name} is listed as different, but it agrees now"
        found.differences = [text for text in found.differences if f"node {LISTED[name][0]}:" not in text]
    assert not found.differences, "\n".join(found.differences)
    ours = model.predict_proba(frame.iloc[oracle.rows])[found.comparable]
    np.testing.assert_allclose(ours, oracle.training_distributions[found.comparable], rtol=0, atol=1e-9)
