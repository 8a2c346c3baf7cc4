"""The tree of a fitted estimator or of a tree itself; anything else is refused in the same words."""

from __future__ import annotations

from typing import Any, NoReturn

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum._tree.linear_models import models_of
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.tree import Tree
from arboretum.errors import DataError, DataTypeError


def has_names(model: Any, tree: Tree) -> bool:
    """Return whether the columns have real names: a fitted estimator knows, a tree must guess."""
    named = getattr(model, "_named", None)
    return tree._is_named if named is None else bool(named)


def tree_of(model: Any, asker: str, *, models: bool = False) -> Tree:
    """Return the tree of a fitted estimator, or the tree itself; messages say that `asker` needs it.

    A tree whose leaves hold linear models is refused, unless `asker` knows what to do with `models`.
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        refuse_model(model, asker, "a fitted tree estimator or a Tree")
    if not models:
        refuse_linear(tree, asker)
    return tree


def refuse_linear(tree: Tree, asker: str) -> None:
    """Refuse a tree whose leaves hold linear models, where one number per leaf is needed."""
    if models_of(tree) is not None:
        raise DataError(
            f"{asker} needs leaves that predict one number each, but those of this tree hold linear models.\n"
            'Hint: fit with leaf="shrinkage"; print(tree), to_svg(), save(), predict and the exports to '
            "code, SQL and ONNX know linear models."
        )


def refuse_model(model: Any, asker: str, wanted: str, hint: str | None = None) -> NoReturn:
    """Say what was wanted in place of this model, and how to get it."""
    # To fit an estimator of scikit-learn would not make it one of ours.
    if hint is None and isinstance(model, BaseEstimator) and not _is_foreign(type(model)):
        check_is_fitted(model)
    if not isinstance(model, type) and (names := getattr(model, "output_names_", None)) is not None:
        refuse_several(asker, f"model.outputs_[{names[0]!r}]", len(names))
    if isinstance(model, MultiTree):
        refuse_several(asker, f"tree[{model.names[0]!r}]", len(model.names))
    found = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
    raise DataTypeError(f"{asker} needs {wanted}, not {found}.\nHint: {hint or _hint(model)}.")


def refuse_several(asker: str, one: str, n_outputs: int) -> NoReturn:
    """Say that something is for one output, and how to get one of several."""
    raise DataTypeError(
        f"{asker} is for one output, but {n_outputs} were learnt.\n"
        f"Hint: {one} is that of one of them, with the same questions."
    )


def _hint(model: Any) -> str:
    if isinstance(model, type) and issubclass(model, BaseEstimator) and not _is_foreign(model):
        return f"{model.__name__}().fit(X, y) makes one"
    if isinstance(model, Tree):  # which is enough for all but its pruning path
        return "give the model that the tree belongs to"
    if hasattr(model, "trees_"):
        return "of an ensemble, give one of its trees, such as model.trees_[0]"
    if hasattr(model, "steps"):
        return "of a pipeline, give its last step; its table is what the steps before make of yours"
    if hasattr(model, "best_estimator_"):
        return "of a search, give its best_estimator_"
    return "fit a TreeClassifier or a TreeRegressor of arboretum, and give that"


def _is_foreign(kind: type) -> bool:
    return kind.__module__.startswith("sklearn.")
