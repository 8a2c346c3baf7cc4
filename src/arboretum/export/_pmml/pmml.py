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
    model : a fitted tree estimator, a Tree, or an ensemble of at most 200,000 nodes
    path : a file to write the result to, or None
    name : the name of the model
    n_samples : the number of rows with known answers that an evaluator can verify; 0 for none
    """
    program = program_of(model, _ASKER, ensembles=True)
    checked_name(name, _ASKER)
    if program.missing == "fractions":
        raise ParameterError(
            "The tree divides rows with a missing value among the children (missing='fractional'), which "
            "PMML cannot express: its weightedConfidence mixes confidences, not what leaves predict.\n"
            "Hint: fit with missing='surrogate' or missing='category', or export to ONNX, SQL or code."
        )
    if program.is_mean and program.loss is not None:
        raise ParameterError(
            "The ensemble predicts the class of least expected loss, but PMML takes the most probable one of "
            "averaged trees.\nHint: fit without loss, or export to ONNX or code."
        )
    if program.depth > _MOST_DEPTH:
        raise ParameterError(
            f"The tree has depth {program.depth}; PMML nests its nodes, here {_MOST_DEPTH} "
            "deep at most, since XML readers have limits.\n"
            "Hint: prune the tree, or export to ONNX or code."
        )
    return saved(write_xml(_document(program, name, checked_count(n_samples, least=0))), path)


def _document(program: Program, name: str, n_samples: int) -> Element:
    header = element(
        "Header",
        element("Application", name="arboretum", version=version("arboretum")),
        description=" ".join(about_lines(program, program.noun)),
    )
    target = free_name("target", {field.name for field in program.fields})
    dictionary = element(
        "DataDictionary",
        *(data_field(program, field) for field in program.fields),
        _target_field(program, target),
    )
    dictionary.attributes["numberOfFields"] = str(len(dictionary.children))
    outputs = _output_names(program, target)
    predicates = Predicates(program, {field.name for field in program.fields} | {target, *outputs})
    roots = _nodes(program, predicates)
    parts = [_schema(program.fields, element("MiningField", name=target, usageType="target"))]
    if program.classes is not None:
        parts.append(_output(program, outputs))
    shared: list[Element] = []
    if (
        predicates.derived and program.is_mean
    ):  # the models inside would not see those of the model around them
        shared.append(element("TransformationDictionary", *predicates.derived))
    elif predicates.derived:
        parts.append(element("LocalTransformations", *predicates.derived))
    verified = [_verification(program, target, outputs, n_samples)] if n_samples else []
    make = _ensemble if program.is_mean else _tree_model
    model = make(program, name, parts, roots, verified)
    pmml: dict[str, Any] = {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"}
    return element("PMML", header, dictionary, *shared, model, **pmml)


def _target_field(program: Program, target: str) -> Element:
    if program.classes is None:
        return element("DataField", name=target, **_DOUBLE)
    values = [element("Value", value=spelled(label)) for label in program.classes]
    kind = class_type(program.classes)
    return element("DataField", *values, name=target, optype="categorical", dataType=kind)


def _output_names(program: Program, target: str) -> list[str]:
    """Return the names of the probabilities."""
    taken = {*(field.name for field in program.fields), target}
    return [free_name(f"probability({spelled(label)})", taken) for label in program.classes or ()]


def _output(program: Program, outputs: Sequence[str]) -> Element:
    named = zip(outputs, map(spelled, program.classes or ()), strict=True)
    fields = [
        element("OutputField", name=name, **_DOUBLE, feature="probability", value=label)
        for name, label in named
    ]
    return element("Output", *fields)


def _tree_model(
    program: Program, name: str, parts: list[Element], roots: list[Element], verified: list[Element]
) -> Element:
    about = {"modelName": name, "functionName": _function(program), "algorithmName": _algorithm(program)}
    return element("TreeModel", *parts, *roots, *verified, **about, **_walk(program))


def _ensemble(
    program: Program, name: str, parts: list[Element], roots: list[Element], verified: list[Element]
) -> Element:
    """Return a model with the trees inside, whose answers are averaged."""
    function, walk = _function(program), _walk(program)
    models = (
        element("TreeModel", _schema(fields), root, functionName=function, **walk)
        for root, fields in zip(roots, _fields_by_tree(program), strict=True)
    )
    segments = (
        element("Segment", element("True"), model, id=number) for number, model in enumerate(models, start=1)
    )
    mean = element("Segmentation", *segments, multipleModelMethod="average")
    about = {"modelName": name, "functionName": function, "algorithmName": _algorithm(program)}
    return element("MiningModel", *parts, mean, *verified, **about)


def _function(program: Program) -> str:
    return "regression" if program.classes is None else "classification"


def _algorithm(program: Program) -> str:
    return f"arboretum {program.trees[0].criterion}"


def _walk(program: Program) -> dict[str, str]:
    """Return how a row goes down a tree."""
    two = all(len(step.children) in (0, 2) for step in program.steps)
    return {
        "missingValueStrategy": "defaultChild" if asks_default_child(program) else "lastPrediction",
        "noTrueChildStrategy": "returnLastPrediction",
        "splitCharacteristic": "binarySplit" if two else "multiSplit",
    }


def _schema(fields: Sequence[Field], *more: Element) -> Element:
    active = [
        element("MiningField", name=field.name, usageType="active", invalidValueTreatment="asMissing")
        for field in fields
    ]
    return element("MiningSchema", *active, *more)


def _fields_by_tree(program: Program) -> list[list[Field]]:
    """Return for each tree the fields that it asks about."""
    ends = [*program.roots[1:], len(program.steps)]
    found = []
    for root, end in zip(program.roots, ends, strict=True):
        steps = program.steps[root:end]
        asked = {name for step in steps for question in step.questions for name in question.columns}
        found.append([field for field in program.fields if field.name in asked])
    return found


def _nodes(program: Program, predicates: Predicates) -> list[Element]:
    """Return the roots, with all other nodes inside."""
    default_child = asks_default_child(program)
    names = ("weight",) if program.classes is None else ("weight", "counts")
    figures = {name: program.array(name) for name in names}
    made = [_node(program, step, figures, default_child=default_child) for step in program.steps]
    for root in program.roots:
        made[root].children.insert(0, element("True"))
    for step in program.steps:
        if step.is_leaf:
            continue
        for child, predicate in zip(step.children, predicates.of_children(step), strict=True):
            made[child].children.insert(0, predicate)
            made[step.number].children.append(made[child])
    return [made[root] for root in program.roots]


def _node(program: Program, step: Step, figures: Mapping[str, Any], *, default_child: bool) -> Element:
    default = None
    if default_child and step.missing_child is not None and not step.is_leaf:
        # A sum that is not a number is not at most its bound.
        default = step.children[1 if isinstance(step.question, Linear) else step.missing_child]
    shares: list[Element] = []
    if program.can_stop_at(step) and program.classes is not None and step.probability is not None:
        counts = map(float, figures["counts"][step.number].tolist())
        numbers = zip(map(spelled, counts), map(spelled, step.probability), strict=True)
        shares = [
            element("ScoreDistribution", value=spelled(label), recordCount=count, probability=share)
            for label, (count, share) in zip(program.classes, numbers, strict=True)
        ]
    score = step.value if program.classes is None else step.label
    weight = spelled(float(figures["weight"][step.number]))
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
    table = [_row(program, row, answer) for row, answer in zip(rows, expected(program, rows), strict=True)]
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
