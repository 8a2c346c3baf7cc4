"""The page of a tree of several outputs: the structure once, and what is different for each of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
import pytest

from arboretum import TreeMixed, datasets
from arboretum._show.page.data import page_data
from arboretum._show.page.html import notebook_html, to_html
from arboretum.errors import DataError


@cache
def made() -> tuple[Any, Any, Any]:
    X, species = datasets.load_penguins()
    known = X["body_mass_g"].notna()
    Y = pd.DataFrame({"species": species, "mass": X["body_mass_g"], "heavy": X["body_mass_g"] > 4200})
    X = X[known].drop(columns="body_mass_g")
    return TreeMixed(max_depth=5).fit(X, Y[known]), X, Y[known]


def pages(told: Any) -> list[Any]:
    """The page of each output, as the script puts it together."""
    return [told | output["page"] | {"nodes": told["nodes"] | output["nodes"]} for output in told["outputs"]]


def test_each_output_has_the_figures_of_its_own_page() -> None:
    """Only the pruning path is that of all outputs."""
    model, X, Y = made()
    told = page_data(model, data={"training": (X, Y)}, row=X.iloc[[7]], title="Penguins")
    assert [output["name"] for output in told["outputs"]] == ["species", "mass", "heavy"]
    places = {number: place for place, number in enumerate(told["nodes"]["id"])}
    for name, page in zip(Y.columns, pages(told), strict=True):
        own = page_data(model.outputs_[name], data={"training": (X, Y[name])}, row=X.iloc[[7]])
        here = [places[number] for number in own["nodes"]["id"]]
        for figure in ("n_rows", "label", "value", "confidence", "counts", "impurity", "own"):
            listed = own["nodes"][figure]
            found = page["nodes"][figure]
            assert listed is None or [found[place] for place in here] == listed, figure
        for figure in ("classes", "impurity", "class_colours", "missing"):
            assert page[figure] == own[figure], figure
        assert page["row"]["conclusion"] == own["row"]["conclusion"]
        assert page["dependence"]["columns"] == own["dependence"]["columns"]
        losses = [page["data"][0]["loss"][place] for place in here]
        assert losses == pytest.approx(own["data"][0]["loss"], rel=1e-12)
        assert f"output {name} (" in page["subtitle"]
    assert told["pruning"]["leaves"] == model.pruning_path_.leaves.tolist()
    assert told["pruning"]["chosen"] == model.pruning_path_.chosen


def test_a_tree_without_its_model_has_one_size() -> None:
    model, _, _ = made()
    told = page_data(model.tree_)
    assert told["pruning"] is None
    assert len(told["nodes"]["id"]) == len(model.tree_)
    assert told["nodes"]["question"] == page_data(model.tree_["mass"])["nodes"]["question"]


def test_pages_of_large_trees_leave_out_the_same_nodes() -> None:
    model, _, _ = made()
    told = page_data(model.tree_, max_nodes=5)
    assert all(len(page["nodes"]["label"]) == 5 for page in pages(told))
    assert sum(told["nodes"]["hidden"]) == len(model.tree_) - 5


def test_notebooks_show_the_page() -> None:
    """And without a script, all outputs in a picture and as text."""
    model, _, _ = made()
    for shown in (notebook_html(model), model.tree_._repr_html_(), model._repr_html_()):
        assert "<iframe" in shown
        assert 'src="data:image/svg+xml' in shown
    leaf = str(model.tree_).splitlines()[-1].rpartition("→ ")[2]
    assert leaf in to_html(model)


def test_data_have_a_target_for_each_output() -> None:
    model, X, Y = made()
    with pytest.raises(DataError, match="'training' should be a table with a column for each of 3 outputs"):
        to_html(model, data={"training": (X, Y["mass"])})
