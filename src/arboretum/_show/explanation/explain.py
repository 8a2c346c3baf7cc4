"""`explain`: why a tree predicts what it predicts for one row."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from arboretum._data import Dataset, match_dataset
from arboretum._data.other_tables import table_called
from arboretum._grow.given_rows import read_data
from arboretum._options.rules import Real, Whole
from arboretum._show.explanation.explanation import Contribution, Explanation, Place, Step
from arboretum._show.rows.node_rows import stopping_parts
from arboretum._show.rows.row_path import RowPath, row_path
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.node import Node
from arboretum._tree.one_row import as_table
from arboretum._tree.tree import Tree
from arboretum._types import Array
from arboretum._wording import did_you_mean
from arboretum.errors import DataTypeError, listing
from arboretum.inspection.certainty import certainties_of
from arboretum.inspection.contributions import contributions
from arboretum.inspection.counterfactual.answers import Counterfactual
from arboretum.inspection.counterfactual.counterfactual import GivenRow, counterfactual
from arboretum.inspection.counterfactual.wanted import read_wanted
from arboretum.inspection.rules.figures import own_shares
from arboretum.inspection.similar_rows import SimilarRow, labels_of, similar_rows

_LEVEL = Real("a number above 0 and below 1", above=True, most=1.0, below=True)

_OPTIONS = tuple(
    name
    for name, option in signature(counterfactual).parameters.items()
    if option.kind == option.KEYWORD_ONLY
)
_OWN = ("desired", "confidence", "n_similar")


def explain(
    model: Any,
    row: Any,
    data: Any = None,
    *,
    desired: Any = None,
    confidence: float = 0.95,
    n_similar: int = 5,
    **options: Any,
) -> Explanation:
    """Return why a tree predicts what it predicts for one row: `print` it, or show it in a notebook.

    It has the path in words, with the rows before and after each question and who stood in where a value is
    missing; how sure the prediction is; what each column contributes; and, if data are given, the rows that
    are most like this one. With `desired` it also says what would have to change; see `counterfactual`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> explanation = explain(TreeClassifier(max_depth=2).fit(X, y), X.iloc[[0]])
    >>> explanation.prediction, round(explanation.probability, 2)
    ('Adelie', 0.94)
    >>> print(explanation.steps[0].reason)
    flipper_length_mm is 181, so flipper_length_mm <= 206.5

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    row : one row, as a table, a mapping, a list or a series
    data : a table, or (X, y) or (X, y, sample_weight): rows to look for similar ones in, and to measure the
        spread of columns by
    desired : what should be predicted instead, as in `counterfactual`
    confidence : of the interval of the leaf's share or mean
    n_similar : how many similar rows to list
    options : of `counterfactual`, such as `fixed` and `n`
    """
    tree = tree_of(model, "explain()")
    level = _LEVEL.read(confidence, "confidence")
    most = Whole(0).read(n_similar, "n_similar")
    assert level is not None
    assert most is not None
    for name in options:
        if name not in _OPTIONS:
            raise DataTypeError(
                f"explain() has no option {name!r}; besides its own, it takes those of counterfactual(): "
                f"{listing(_OPTIONS, 10)}.{did_you_mean(name, (*_OPTIONS, *_OWN))}"
            )
    if options and desired is None:
        raise DataTypeError(
            f"explain() got {next(iter(options))}=, which says how to look for another prediction, but not "
            "for which; give desired= as well."
        )
    named = has_names(model, tree)
    path = row_path(tree, row, named=named)
    given = GivenRow(tree, path.table)
    label = None if tree.target.classes is None else given.label({})
    predicted = given.predicted({})
    table, targets = None, None
    if data is not None:
        with table_called("data"):
            table, targets = _read_data(tree, data, named)
    similar: tuple[SimilarRow, ...] | None = None
    n_together = 0
    if table is not None:
        labels = labels_of(data[0] if isinstance(data, tuple) else data)
        similar, n_together = similar_rows(tree, path.table, table, targets, labels, most)
    answers: list[Counterfactual] = []
    wanted = None
    if desired is not None:
        wanted = read_wanted(tree, desired, predicted).text
        answers = counterfactual(model, row, desired, **{"data": data, **options})
    base, amounts = _contributions(model, tree, row, label)
    return Explanation(
        tree=tree,
        prediction=float(predicted[0]) if label is None else (tree.target.classes or ())[label],
        probability=None if label is None else float(predicted[label]),
        conclusion=path.conclusion.removeprefix("→ "),
        start=_place(tree, 0),
        steps=_steps(tree, path),
        certainty=certainties_of(tree, _ends(tree, path), label, level),
        similar=similar,
        n_similar=n_together,
        base=base,
        contributions=tuple(
            Contribution(column.name, value, amount)
            for column, value, amount in zip(tree.columns, path.values(tree), amounts, strict=True)
        ),
        counterfactuals=tuple(answers),
        desired=wanted,
        path=path,
    )


def _contributions(model: Any, tree: Tree, row: Any, label: int | None) -> tuple[float, list[float]]:
    """Return what the contributions of columns start from, and their amounts."""
    found = contributions(model, as_table(tree, row))
    values = found.values[0] if label is None else found.values[0, :, label]
    base = found.base if label is None else found.base[label]
    return float(found.without_rounding(base)), found.without_rounding(values).tolist()


def _read_data(tree: Tree, data: Any, named: bool) -> tuple[Dataset, Array | None]:
    """Return a table in the columns of the tree, and its targets if there are any."""
    if not isinstance(data, tuple):
        return match_dataset(data, tree.columns, named=named), None
    given = read_data(tree, data, named=named)
    if tree.target.classes is None:
        return given.data, given.targets
    classes = np.empty(len(tree.target.classes), dtype=object)
    classes[:] = tree.target.classes
    return given.data, classes[given.targets]


def _steps(tree: Tree, path: RowPath) -> tuple[Step, ...]:
    passed, ends = set(path.nodes), set(path.ends)
    asking = [node for node in path.nodes if node not in ends]
    steps = []
    for number, reason, decider in zip(asking, path.sentences, path.deciders, strict=True):
        node = Node(tree, number)
        to = tuple(_place(tree, child.number) for child in node.children if child.number in passed)
        steps.append(Step(_place(tree, number), str(node.question), reason, decider, to))
    return tuple(steps)


def _place(tree: Tree, number: int) -> Place:
    node = Node(tree, number)
    if tree.rule is None:
        return Place(number, node.outcome, node.n_rows, None, node.own_value)
    return Place(
        number, node.outcome, node.n_rows, tuple(np.nan_to_num(own_shares(tree, [number])[0]).tolist()), None
    )


def _ends(tree: Tree, path: RowPath) -> dict[int, float]:
    """Return where the row ends, with its share there, the largest first."""
    if tree.missing != "fractions":
        return {path.ends[0]: 1.0}
    parts = stopping_parts(tree, path.table, np.zeros(1, dtype=np.int64))
    shares: dict[int, float] = {}
    for node, share in zip(parts.node.tolist(), parts.share.tolist(), strict=True):
        shares[node] = shares.get(node, 0.0) + share
    return dict(sorted(shares.items(), key=lambda end: -end[1]))
