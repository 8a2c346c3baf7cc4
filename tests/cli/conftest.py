"""What several tests of the command line start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from arboretum import TreeClassifier, datasets, save


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and a model of it."""
    place = tmp_path_factory.mktemp("iris")
    X, y = datasets.load_iris(backend="pandas")
    X.assign(species=y).to_csv(place / "iris.csv", index=False)
    save(TreeClassifier().fit(X, y), place / "iris.json")
    return place
