"""Export to PMML 4.4: a TreeModel that predicts as the tree does, with rows to verify it.

A document declares the data (DataDictionary, MiningSchema), derived fields (LocalTransformations), the nodes,
and rows with known answers (ModelVerification).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from arboretum._tree.composites import Linear
from arboretum.errors import ParameterError
from arboretum.export._pmml.predicates import (
    Element,
    Predicates,
    asks_default_child,
    class_type,
    data_field,
    element,
    spelled,
    spelled_level,
    write_xml,
)
from arboretum.export._program.program import Field, Program, Step, free_name, program_of
from arboretum.export._program.samples import expected, samples
from arboretum.export._program.shared import about_lines, checked_count, checked_name, saved

_ASKER: Final = "to_pmml()"
_MOST_DEPTH: Final = 2_000
_DOUBLE: Final[dict[str, Any]] = {"optype": "continuous", "dataType": "double"}
_PRECISION: Final = "1E-15"  # to which evaluators compare answers


def to_pmml(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "predict",
    n_samples: int = 32,
) -> str:
    """Return a PMML 4.4 document that predicts rows as the model does.

    The target is called `target`; classifiers have an output `probability(…)` for each class. A missing value
    is left out of a row, or null; an undeclared level counts as missing. Probabilities have all their digits;
    an evaluator that divides them by their sum may change the last one.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_pmml(TreeClassifier().fit(X, y)).splitlines()[1])
    <PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write the result to, or None
    name : the name of the model
    n_samples : the number of rows with known answers that an evaluator can verify; 0 for none
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER)
    if program.missing == "fractions":
        raise ParameterError(
            "The tree divides rows with a missing value among the children (missing='fractional'), which "
            "PMML cannot express: its weightedConfidence mixes confidences, not what leaves predict.\n"
            "Hint: fit with missing='surrogate' or missing='category', or export to ONNX, SQL or code."
        )
    if program.tree.depth > _MOST_DEPTH:
        raise ParameterError(
            f"The tree has depth {program.tree.depth}; PMML nests its nodes, here {_MOST_DEPTH} "
            "deep at most, since XML readers have limits.\n"
            "Hint: prune the tree, or export to ONNX or code."
        )
    return saved(write_xml(_document(program, name, checked_count(n_samples, least=0))), path)


def _document(program: Program, name: str, n_samples: int) -> Element:
    header = element(
        "Header",
        element("Application", name="arboretum", version=version("arboretum")),
        description=" ".join(about_lines(program, "A decision tree")),
    )
    target = free_name("target", {field.name for field in program.fields})
    dictionary = element(
        "DataDictionary",
        *(data_field(program, field) for field in program.fields),
        _target_field(program, target),
    )
    dictionary.attributes["numberOfFields"] = str(len(dictionary.children))
    return element(
        "PMML",
        header,
        dictionary,
        _tree_model(program, name, target, n_samples),
        xmlns="http://www.dmg.org/PMML-4_4",
        version="4.4",
    )


def _target_field(program: Program, target: str) -> Element:
    if program.classes is None:
        return element("DataField", name=target, **_DOUBLE)
    values = [element("Value", value=spelled(label)) for label in program.classes]
    kind = class_type(program.classes)
    return element("DataField", *values, name=target, optype="categorical", dataType=kind)


def _tree_model(program: Program, name: str, target: str, n_samples: int) -> Element:
    fields = [
        element("MiningField", name=field.name, usageType="active", invalidValueTreatment="asMissing")
        for field in program.fields
    ]
    schema = element("MiningSchema", *fields, element("MiningField", name=target, usageType="target"))
    taken = {*(field.name for field in program.fields), target}
    outputs = [free_name(f"probability({spelled(label)})", taken) for label in program.classes or ()]
    predicates = Predicates(program, taken)
    root = _nodes(program, predicates)
    parts = [schema]
    if program.classes is not None:
        named = zip(outputs, map(spelled, program.classes), strict=True)
        fields = [
            element("OutputField", name=name, **_DOUBLE, feature="probability", value=label)
            for name, label in named
        ]
        parts.append(element("Output", *fields))
    if predicates.derived:
        parts.append(element("LocalTransformations", *predicates.derived))
    parts.append(root)
    if n_samples:
        parts.append(_verification(program, target, outputs, n_samples))
    two = all(len(step.children) in (0, 2) for step in program.steps)
    return element(
        "TreeModel",
        *parts,
        modelName=name,
        functionName="regression" if program.classes is None else "classification",
        algorithmName=f"arboretum {program.tree.criterion}",
        missingValueStrategy="defaultChild" if asks_default_child(program) else "lastPrediction",
        noTrueChildStrategy="returnLastPrediction",
        splitCharacteristic="binarySplit" if two else "multiSplit",
    )


def _nodes(program: Program, predicates: Predicates) -> Element:
    """Return the root, with all other nodes inside."""
    default_child = asks_default_child(program)
    made = [_node(program, step, default_child=default_child) for step in program.steps]
    made[0].children.insert(0, element("True"))
    for step in program.steps:
        if step.is_leaf:
            continue
        for child, predicate in zip(step.children, predicates.of_children(step), strict=True):
            made[child].children.insert(0, predicate)
            made[step.number].children.append(made[child])
    return made[0]


def _node(program: Program, step: Step, *, default_child: bool) -> Element:
    default = None
    if default_child and step.missing_child is not None and not step.is_leaf:
        # A sum that is not a number is not at most its bound.
        default = step.children[1 if isinstance(step.question, Linear) else step.missing_child]
    shares: list[Element] = []
    if program.can_stop_at(step) and program.classes is not None and step.probability is not None:
        counts = map(float, program.tree.array("counts")[step.number].tolist())
        numbers = zip(map(spelled, counts), map(spelled, step.probability), strict=True)
        shares = [
            element("ScoreDistribution", value=spelled(label), recordCount=count, probability=share)
            for label, (count, share) in zip(program.classes, numbers, strict=True)
        ]
    score = step.value if program.classes is None else step.label
    weight = spelled(float(program.tree.array("weight")[step.number]))
    about: dict[str, Any] = {"id": step.number, "score": spelled(score), "recordCount": weight}
    return element("Node", *shares, **about, defaultChild=default)


# --- verification


def _verification(program: Program, target: str, outputs: Sequence[str], n_samples: int) -> Element:
    """Return rows with known answers, and the field of each of their cells."""
    rows = samples(program, n_samples)
    named = [*(field.name for field in program.fields), target, *outputs]
    fields = [
        element("VerificationField", field=name, column=f"c{i}", precision=precision)
        for i, name in enumerate(named)
        for precision in [_PRECISION if i > len(program.fields) or program.classes is None else None]
    ]
    table = [
        _row(program, row, answer) for row, answer in zip(rows, expected(program.tree, rows), strict=True)
    ]
    return element(
        "ModelVerification",
        element("VerificationFields", *fields),
        element("InlineTable", *table),
        recordCount=len(rows),
        fieldCount=len(fields),
    )


def _row(program: Program, row: Mapping[str, object], answer: tuple[Any, Any]) -> Element:
    cells = [
        element(f"c{i}", text=_sample_text(field, row[field.name]))
        for i, field in enumerate(program.fields)
        if row[field.name] is not None
    ]
    label, shares = answer
    answers = enumerate([label, *(shares or ())], start=len(program.fields))
    cells += [element(f"c{i}", text=spelled(value)) for i, value in answers]
    return element("row", *cells)


def _sample_text(field: Field, value: Any) -> str:
    """Return how a value of a sample is spelled."""
    if field.levels is not None:
        return spelled_level(field, value)
    if field.column.kind in ("number", "integer"):
        return spelled(value)
    # Our text of midnight is a bare date, but an instant of PMML always has a time.
    bare = field.column.unit != "D" and "T" not in value
    return f"{value}T00:00:00" if bare else str(value)
