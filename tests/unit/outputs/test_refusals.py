"""What does not go with several outputs is refused in one sentence that says what to do instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import arboretum
from arboretum import (
    ArboretumError,
    CostComplexity,
    DataError,
    DataTypeError,
    Lookahead,
    MofN,
    Optimal,
    ParameterError,
    Surrogate,
    TreeClassifier,
    TreeMixed,
    TreeRegressor,
)
from arboretum._options.exclusions import OUTPUTS, exclusions

X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [0.0, 1, 0, 1, 0, 1]})
CLASSES = pd.DataFrame({"c": list("uuuvvv"), "d": list("xyxyxy")})
NUMBERS = pd.DataFrame({"n": [1.0, 1, 1, 5, 5, 5], "m": [0.0, 2, 0, 2, 0, 2]})

REFUSED: dict[str, list[tuple[Any, Any]]] = {
    'criterion="absolute_error"': [(TreeRegressor(criterion="absolute_error"), NUMBERS)],
    'criterion="gain_ratio"': [(TreeClassifier(criterion="gain_ratio"), CLASSES)],
    "monotonic_cst": [(TreeRegressor(monotonic_cst={"a": 1}), NUMBERS)],
    "priors or loss": [
        (TreeClassifier(priors=[0.5, 0.5]), CLASSES),
        (TreeClassifier(loss=[[0, 1], [2, 0]]), CLASSES),
    ],
    "significance": [(TreeRegressor(significance=0.05), NUMBERS)],
    "leaf=Honest, Median or Quantiles": [
        (TreeRegressor(leaf="median"), NUMBERS),
        (TreeRegressor(leaf="quantiles"), NUMBERS),
        (TreeClassifier(leaf="honest"), CLASSES),
    ],
    'missing="surrogate"': [(TreeRegressor(missing=Surrogate()), NUMBERS)],
    'missing="fractional"': [(TreeMixed(missing="fractional"), NUMBERS)],
    "questions=MofN or Oblique": [(TreeClassifier(questions=MofN()), CLASSES)],
    "search=Lookahead": [(TreeClassifier(search=Lookahead()), CLASSES)],
    "search=Optimal": [(TreeClassifier(search=Optimal(), max_depth=2), CLASSES)],
    "competitors": [(TreeRegressor(competitors=2), NUMBERS)],
}


def test_every_line_of_the_table_is_tried() -> None:
    """The table that the guide prints."""
    assert [line.first for line in exclusions() if line.second == OUTPUTS] == list(REFUSED)


@pytest.mark.parametrize("choice", REFUSED)
def test_choices_that_do_not_go_with_several_outputs(choice: str) -> None:
    """In the words of the table."""
    for model, y in REFUSED[choice]:
        with pytest.raises(ParameterError, match="does not go with several outputs") as caught:
            model.fit(X, y)
        assert str(caught.value).startswith(choice)


@pytest.mark.parametrize(
    ("model", "y", "options", "words"),
    [
        (TreeClassifier(prune="pessimistic"), CLASSES, {}, "prune=Pessimistic"),
        (TreeRegressor(prune=CostComplexity(measure="squared_error")), NUMBERS, {}, "measure"),
        (TreeRegressor(), NUMBERS, {"X_val": X, "y_val": NUMBERS}, "for a single target"),
        (TreeRegressor(), NUMBERS, {"output_weights": [1]}, "holds 1 weight, but y has 2 outputs"),
        (TreeRegressor(), NUMBERS, {"output_weights": {"k": 1}}, "names 'k'"),
        (TreeRegressor(), NUMBERS, {"output_weights": [0, 0]}, "all zero"),
        (TreeRegressor(), NUMBERS, {"output_weights": [1, -1]}, "The weight of output 'm' is -1"),
        (TreeRegressor(), NUMBERS, {"output_weights": [1, np.nan]}, "weights are numbers from 0"),
        (TreeRegressor(), NUMBERS["n"], {"output_weights": [1]}, "for several outputs"),
        (TreeRegressor(), CLASSES, {}, "Output 'c': The target should be a number"),
        (TreeClassifier(), NUMBERS.assign(m=0.5), {}, "Output 'm': Unknown label type: continuous"),
        (TreeRegressor(), NUMBERS.assign(m=np.nan), {}, "Output 'm': Input y contains NaN"),
        (TreeRegressor(), NUMBERS[:3], {}, "Output 'n': Found input variables with inconsistent"),
        (TreeMixed(class_weight={"k": {}}), CLASSES, {}, "class_weight names 'k'"),
        (TreeMixed(class_weight={"c": {"u": 0}}), CLASSES, {}, "the weight zero"),
        (TreeMixed(class_weight={"c": "even"}), CLASSES, {}, "class_weight"),
        (TreeMixed(class_weight={"n": "balanced"}), NUMBERS, {}, "an output of numbers"),
        (TreeMixed(class_outputs=["k"]), NUMBERS, {}, "class_outputs names 'k'"),
        (TreeMixed(class_outputs="n"), NUMBERS, {}, "class_outputs='n' is not allowed"),
        (TreeMixed(leaf="laplace"), NUMBERS, {}, "leaf='laplace' is not allowed"),
        (TreeMixed(), NUMBERS["n"], {}, "y is a single target"),
    ],
)
def test_faulty_input(model: Any, y: Any, options: dict[str, Any], words: str) -> None:
    """One sentence that names the output or the option."""
    with pytest.raises(ArboretumError, match=words.replace("(", r"\(")):
        model.fit(X, y, **options)


def test_what_is_for_one_output_names_the_way_there() -> None:
    """Explanations, dependence and charts take a model of `outputs_`."""
    model = TreeMixed(prune=None).fit(X, pd.concat([CLASSES, NUMBERS], axis=1))
    tried = (
        lambda: arboretum.explain(model, X.iloc[0]),
        lambda: arboretum.contributions(model, X),
        lambda: arboretum.report(model, X, CLASSES),
        lambda: arboretum.partial_dependence(model, ["a"], X),
        lambda: arboretum.plot.roc(model, X, CLASSES["c"]),
        lambda: arboretum.plot.partition(model, X),
        lambda: model.with_tree(model.outputs_[0].tree_),
        lambda: model.summary(),
        lambda: model.to_sklearn(),
        lambda: TreeRegressor(prune=None).fit(X, NUMBERS.rename(columns={"n": "c"})).predict_interval(X),
    )
    for each in tried:
        with pytest.raises(
            DataTypeError, match=r"one output, but [24] were learnt.\nHint: model.outputs_\['c'\]"
        ):
            each()
    with pytest.raises(DataTypeError, match=r"tree\['c'\]"):
        arboretum.explain(model.tree_, X.iloc[0])
    for name in ("rules", "root", "columns", "prune_at"):
        with pytest.raises(AttributeError, match=rf"{name} is for one output, .*\n.* tree\['c'\].{name} is"):
            getattr(model.tree_, name)
    for name in ("ruls", "_rules"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(model.tree_, name)
    with pytest.raises(KeyError, match="no output is called 'z'"):
        model.outputs_["z"]
    with pytest.raises(KeyError, match="no output is called 'z'"):
        model.tree_["z"]
    with pytest.raises(DataError, match="a column for each of 4 outputs"):
        model.score(X, CLASSES)


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"]])
def test_outputs_have_names_of_their_own(names: list[Any]) -> None:
    """Names that look the same as text cannot tell outputs apart."""
    y = NUMBERS.iloc[:, :2].set_axis(names, axis=1)
    with pytest.raises(DataError, match=rf"several columns called '{names[0]}', but outputs are told apart"):
        TreeRegressor().fit(X, y)
