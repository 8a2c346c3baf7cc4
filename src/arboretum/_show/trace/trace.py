"""`arboretum.trace`: how a tree grows and is pruned, step by step, and a way to replay it."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.base import clone

from arboretum._options.rules import Flag, Whole
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned
from arboretum._show.trace.climbing import climb_of
from arboretum._show.trace.document import to_json
from arboretum._show.trace.node_tables import NodeTables, refuse_untold
from arboretum._show.trace.player import to_html
from arboretum._show.trace.reasons import lost_by, why_chosen, why_leaf, why_refused
from arboretum._show.trace.step import Step, SurrogateLine
from arboretum._show.trace.texts import to_latex, to_markdown, to_text
from arboretum._tree.node import Node
from arboretum._tree.surgery import collapse, with_shrinkage
from arboretum._tree.tree import Tree
from arboretum._wording import many
from arboretum.errors import DataTypeError, import_pandas
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor
from arboretum.information import read_base

if TYPE_CHECKING:
    import pandas as pd

MOST_QUESTIONS: Final = 200_000


@dataclass(frozen=True, eq=False)
class Trace:
    """Growth and pruning as a list of steps. `print` shows it as text; `replay` gives the tree after a step.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_tennis(backend="pandas")
    >>> told = trace(TreeClassifier.id3(), X, y)
    >>> told.steps[0].choice
    'outlook = ?'
    >>> told.steps[0].candidates["lost_by"][1]
    'gains less: 0.152 against 0.247'
    >>> told.replay() == TreeClassifier.id3().fit(X, y).tree_
    True

    Attributes
    ----------
    steps : what happened, one `Step` each
    grown, tree : the tree before and after pruning
    digits : to how many digits numbers are written
    base : of logarithms
    """

    steps: tuple[Step, ...]
    grown: Tree
    tree: Tree
    digits: int
    base: float

    def replay(self, step: int | None = None) -> Tree:
        """Return the tree after all steps, or after so many; before the first it is the root alone."""
        n_steps = (
            len(self.steps) if step is None else min(int(Whole(0).read(step, "step") or 0), len(self.steps))
        )
        done = self.steps[:n_steps]
        if n_steps == len(self.steps) and self._raises:
            return self.tree  # a branch that was raised is counted anew, which steps do not tell
        places = {int(number): place for place, number in enumerate(self.grown.array("id").tolist())}
        leaf = np.ones(len(self.grown), dtype=np.bool_)
        for each in done:
            for node in each.nodes:
                leaf[places[node]] = each.kind != "ask"
        strength = self.tree.shrinkage if n_steps == len(self.steps) else self.grown.shrinkage
        return with_shrinkage(collapse(self.grown, leaf), strength)

    @cached_property
    def _raises(self) -> bool:
        return any(step.kind == "prune" and step.why.startswith("Its largest branch") for step in self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Trace: {len(self.steps)} steps>"

    def to_text(self, *, top: int = 5) -> str:
        """Return the steps as text, each with its best `top` candidates."""
        return to_text(self, top)

    def to_markdown(self, *, top: int = 5) -> str:
        """Return the steps as Markdown, with a table each."""
        return to_markdown(self, top)

    def to_latex(self, *, top: int = 5) -> str:
        """Return the steps as the body of a LaTeX document, with a tabular each."""
        return to_latex(self, top)

    def to_json(self) -> str:
        """Return the steps as JSON, with all numbers in full."""
        return to_json(self)

    def to_html(self, path: Any = None, *, top: int = 12, title: str | None = None) -> str:
        """Return a player that shows the steps one after the other, as the text of one HTML file.

        `top` candidates of each node are shown, as in `to_markdown`.
        """
        return to_html(self, path, top=top, title=title)


def trace(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    sample_weight_val: Any = None,
    base: float = 2,
    times_n: bool = False,
    digits: int = 3,
) -> Trace:
    """Grow and prune a tree as `estimator.fit` does, and tell every step; needs pandas.

    Parameters
    ----------
    estimator : a TreeClassifier or TreeRegressor, fitted or not; it stays as it is
    X, y, sample_weight, groups, X_val, y_val, sample_weight_val : as in `fit`
    base : of the logarithms in gains and impurities by entropy: 2, math.e or 10
    times_n : gains and impurities are multiplied by the weight of the rows they are of
    digits : how many digits after the point are shown

    Steps come in the order in which nodes are opened: level by level, or the largest improvement first where
    `max_leaf_nodes` limits growth. Pruning follows, in the order of the pruner.
    """
    if not isinstance(estimator, TreeClassifier | TreeRegressor):
        raise DataTypeError(
            f"trace() takes a TreeClassifier or a TreeRegressor, not {type(estimator).__name__}.\n"
            "Hint: of a pipeline, trace its last step with the transformed rows."
        )
    import_pandas("trace()")
    read_base(base)
    Flag().read(times_n, "times_n")
    shown = int(Whole(0).read(digits, "digits") or 0)
    model = clone(estimator)
    refuse_untold(model._settings())
    held_out = (X_val, y_val, sample_weight_val, None)
    pruned, growth, rows = model._fit_in_view(X, y, sample_weight, groups, held_out)
    tables = NodeTables(pruned.grown, growth, rows, base, times_n)
    steps = [*growing(tables, shown), *pruning(pruned, model)]
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, start=1))
    return Trace(numbered, pruned.grown, model.tree_, shown, base)


def growing(tables: NodeTables, digits: int) -> Iterator[Step]:
    """Yield a step for each node, in the order in which they are opened."""
    for number in in_order(tables):
        yield grow_step(tables, tables.tree.node(number), digits)


def in_order(tables: NodeTables) -> list[int]:
    """Return the nodes level by level; best first where the number of leaves is limited."""
    tree = tables.tree
    if tables.settings.max_leaf_nodes is None:
        return list(range(len(tree)))
    improvement, first, n_children = (
        tree.array(name) for name in ("improvement", "first_child", "n_children")
    )
    open_nodes, order = [(0.0, 0)], []
    while open_nodes:
        _, node = heapq.heappop(open_nodes)
        order.append(node)
        for child in range(int(first[node]), int(first[node]) + int(n_children[node])):
            merit = -float(improvement[child]) if n_children[child] else np.inf
            heapq.heappush(open_nodes, (merit, child))
    return order


def grow_step(tables: NodeTables, node: Node, digits: int) -> Step:
    """Return what growth decided at a node."""
    settings = tables.settings
    target = tables.target_of(node.number)
    examined = node.n_rows > 0 and not target.is_homogeneous
    table = tables.table_of(node.number) if examined else None
    frame = None
    if table is not None:
        frame = table.frame.assign(lost_by=lost_by(table, node, settings, digits))
        if len(table.refused):
            reasons = [why_refused(settings, children) for children in table.refused["children"]]
            frame = _appended(frame, table.refused.assign(lost_by=reasons))
    asks = node.question is not None
    unit = tables.rules.unit
    scale = unit * (float(target.weights.sum()) if tables.times_n else 1.0)
    if asks:
        assert table is not None
        why = why_chosen(table, node, settings)
    else:
        why = why_leaf(tables, node, table)
    return _step(
        "ask" if asks else "leaf",
        node,
        why,
        impurity=node.impurity * scale,
        choice=str(node.question) if asks else None,
        gain=node.gain * scale if asks else None,
        candidates=frame,
        climb=climb_of(tables, node) if asks else (),
        surrogates=tuple(
            SurrogateLine(str(each.question), each.agreement, each.adjusted_agreement)
            for each in node.surrogates
        ),
    )


def _appended(frame: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Return one table of both, with the columns of the first."""
    import pandas as pd

    both = pd.concat([frame.astype(object), more.reindex(columns=frame.columns).astype(object)])
    return both.reset_index(drop=True).infer_objects()


def _step(kind: Any, node: Node, why: str, **more: Any) -> Step:
    counts: tuple[tuple[str, float], ...] = ()
    if node.counts is not None:
        classes = node.tree.target.classes or ()
        counts = tuple((str(name), float(n)) for name, n in zip(classes, node.counts, strict=True))
    label = f"{node.label:.6g}" if node.counts is None else str(node.label)
    known = {"impurity": node.impurity, "choice": None, "gain": None, "nodes": (node.id,)}
    return Step(
        0,
        kind,
        node.id,
        node.outcomes,
        node.n_rows,
        node.weight,
        counts,
        label=label,
        why=why,
        **known | more,
    )


def pruning(pruned: Pruned, model: BaseTree) -> Iterator[Step]:
    """Yield the steps of a pruner that keeps a log, or of the pruning path up to the tree it chose."""
    grown = pruned.grown
    places = {int(number): place for place, number in enumerate(grown.array("id").tolist())}
    if pruned.log is not None:
        log = pruned.log
        for node in cut_before(pruned):
            why = "Its branches save no error among the training rows, so they are cut off first."
            yield _step("prune", grown.node(places[node]), why)
        for node, before, after, action in zip(
            log.node.tolist(), log.before.tolist(), log.after.tolist(), log.action, strict=True
        ):
            why = {
                "leaf": "As a leaf it makes no more errors."
                if after == before
                else "As a leaf it makes fewer errors."
                if after < before
                else "As a leaf it makes hardly more errors.",
                "raise": "Its largest branch takes its place: that is expected to err no more.",
                "keep": "Without its branches there would be more errors."
                if after > before
                else "Without its branches there would not be fewer errors.",
            }[action]
            yield _step(
                "keep" if action == "keep" else "prune",
                grown.node(places[node]),
                why,
                nodes=() if action != "leaf" else (node,),
                before=before,
                after=after,
                counted=log.errors,
            )
    elif pruned.path is not None:
        yield from along_the_path(pruned, model)


def cut_before(pruned: Pruned) -> list[int]:
    """Return the nodes that are leaves now without a word in the log, the topmost of them."""
    assert pruned.log is not None
    told = set(pruned.log.node[pruned.log.pruned].tolist())
    now = dict(zip(pruned.tree.array("id").tolist(), pruned.tree.array("n_children").tolist(), strict=True))
    was = zip(pruned.grown.array("id").tolist(), pruned.grown.array("n_children").tolist(), strict=True)
    return [node for node, n_children in was if n_children and now.get(node) == 0 and node not in told]


def along_the_path(pruned: Pruned, model: BaseTree) -> Iterator[Step]:
    """Yield a step for each tree of the weakest-link sequence, up to the one that was chosen."""
    sequence, path, grown = model._sequence(), pruned.path, pruned.grown
    assert path is not None
    nodes = {node.id: node for node in grown.walk()}
    last = sequence.step_of(float(pruned.alpha or 0.0))
    before, risk = grown, sequence.risk_as_grown
    for place in range(last + 1):
        after = sequence.cut(float(path.alpha[place]))
        kept = {
            int(number) for number, n in zip(after.array("id"), after.array("n_children"), strict=True) if n
        }
        here = set(after.array("id").tolist())
        gone = [
            int(number)
            for number, n in zip(before.array("id"), before.array("n_children"), strict=True)
            if n and int(number) in here and int(number) not in kept
        ]
        if gone:
            node = nodes[gone[0]]
            why = weakest(float(path.alpha[place]), len(gone))
            yield _step(
                "prune",
                node,
                why,
                nodes=tuple(gone),
                before=risk,
                after=float(path.risk[place]),
                counted="mean loss of the training rows",
            )
        before, risk = after, float(path.risk[place])
    if len(grown) == 1:
        return  # there was nothing to choose
    yield _chosen(grown, path, last, float(pruned.alpha or 0.0))


def weakest(alpha: float, n_links: int) -> str:
    """Return why some nodes are pruned next."""
    link, its = ("The weakest link", "its") if n_links == 1 else ("The weakest links", "their")
    saved = "nothing" if alpha == 0 else f"only {alpha:.6g} for each leaf they add"
    return f"{link}: {its} branches save {saved}."


def _chosen(grown: Tree, path: PruningPath, last: int, alpha: float) -> Step:
    """Return the step that takes a tree of the path, with its held-out loss if alpha was chosen by that."""
    held_out = float(path.cv_risk[last]) if len(path.cv_risk) > last else np.nan
    judged: dict[str, Any] = {}
    if not np.isnan(held_out):
        judged = {"before": held_out, "after": float(path.cv_risk[-1]), "counted": "held-out loss"}
    leaves = many(int(path.leaves[last]), "leaf")
    why = f"Each leaf is charged alpha = {alpha:.6g}."
    return _step("choose", grown.node(0), why, choice=f"the tree with {leaves}", nodes=(), **judged)
