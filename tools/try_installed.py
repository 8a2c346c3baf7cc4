"""Try the arboretum that is installed in this environment, as its first user would.

It must not be the source tree; its trees must be those of other machines; a saved model must predict what
it predicted; and the demonstration must end in less than half a minute.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import arboretum
from arboretum import TreeClassifier, TreeRegressor

# Of the questions, not of the numbers beside them: their last bit may be that of the C library's logarithm.
KNOWN = {
    "wine": "a02269b633fe662c",
    "breast cancer": "3859f5894648df4c",
    "diabetes": "4f564bdbf43a9458",
}


def fingerprint(tree: Any) -> str:
    nodes = json.loads(tree.to_json())["nodes"]
    asked = [
        nodes[field] for field in ("first_child", "column", "kind", "threshold", "missing_child", "n_rows")
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]


def check_place() -> None:
    place = Path(arboretum.__file__).resolve()
    source = Path(__file__).resolve().parents[1] / "src"
    assert not place.is_relative_to(source), f"this is the source tree, not an installed package: {place}"
    files = [str(file) for file in distribution("arboretum").files or []]
    for wanted in ("py.typed", "_core.pyi", "licenses/LICENSE", "sboms/arboretum.cdx.json"):
        assert any(file.endswith(wanted) for file in files), f"the wheel lacks {wanted}"
    print(f"arboretum {arboretum.__version__} in {place.parent}")


def check_demo(folder: str) -> None:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "arboretum", "demo"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.perf_counter() - start
    assert seconds < 30, f"the demonstration took {seconds:.0f} s"
    print(f"demonstration: {seconds:.1f} s")


def check_trees(folder: str) -> None:
    models = {
        "wine": (TreeClassifier(criterion="entropy"), load_wine),
        "breast cancer": (TreeClassifier(), load_breast_cancer),
        "diabetes": (TreeRegressor(), load_diabetes),
    }
    for name, (model, load) in models.items():
        X, y = load(return_X_y=True)
        model.fit(X, y)
        found = fingerprint(model.tree_)
        assert found == KNOWN[name], (
            f"the tree of {name} has fingerprint {found}, elsewhere it is {KNOWN[name]}"
        )
        file = Path(folder) / "model.json"
        arboretum.save(model, file)
        assert np.array_equal(arboretum.load(file).predict(X), model.predict(X)), (
            f"{name}: the file predicts otherwise"
        )
        print(f"{name}: {model.tree_.n_leaves} leaves, {found}")


def main() -> None:
    check_place()
    with tempfile.TemporaryDirectory() as folder:
        check_trees(folder)
        check_demo(folder)


if __name__ == "__main__":
    main()
