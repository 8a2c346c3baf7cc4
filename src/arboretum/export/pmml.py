"""Export to PMML 4.4: a TreeModel that answers as the tree does, with rows to verify it.

Words: those of program.py; a *document* declares the data (DataDictionary, MiningSchema), what is computed
from them first (LocalTransformations), the nodes, and the rows (ModelVerification). The parts are in
pmml_*.py: xml, values, predicates, verification. Nothing is evaluated here.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from importlib.metadata import version
from typing import Any, Final

from arboretum.errors import ParameterError
from arboretum.export.header import about_lines, checked_name
from arboretum.export.pmml_predicates import Predicates, asks_default_child
from arboretum.export.pmml_values import class_type, data_field, spelled
from arboretum.export.pmml_verification import verification
from arboretum.export.pmml_xml import Element, element, write_xml
from arboretum.export.program import Program, Step, program_of
from arboretum.export.resting import may_rest
from arboretum.export.self_test import checked_count
from arboretum.questions import Linear
from arboretum.writing import write_text

__all__ = ["to_pmml"]

_ASKER: Final = "to_pmml()"
_MOST_DEPTH: Final = 2_000


def to_pmml(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "predict",
    n_samples: int = 32,
) -> str:
    """Return a PMML 4.4 document that predicts rows as the model does.

    The target is called `target`; classifiers have the outputs `probability(…)` of each class. What is
    missing is left out of a row, or null; a level that is not declared counts as missing. Probabilities stand
    there with all their digits; an evaluator that divides them by their sum may change the last one.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_pmml(TreeClassifier().fit(X, y)).splitlines()[1])
    <PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the file, if it is to be written
    name : what the model is called
    n_samples : how many rows with known answers an evaluator can verify; 0: none
    """
    program = program_of(model, _ASKER)
    checked_name(name, _ASKER)
    _refuse(program)
    text = write_xml(_document(program, name, checked_count(n_samples, least=0)))
    if path is not None:
        write_text(path, text)
    return text


def _refuse(program: Program) -> None:
    if program.missing == "fractions":
        raise ParameterError(
            "The tree divides rows that miss a value among the children (missing='fractional'), which PMML "
            "cannot express: its weightedConfidence mixes confidences, not what leaves predict.\n"
            "Hint: fit with missing='surrogate' or missing='category', or export to ONNX, SQL or code."
        )
    if program.tree.depth > _MOST_DEPTH:
        raise ParameterError(
            f"The tree has depth {program.tree.depth}; nodes of PMML lie in each other, {_MOST_DEPTH} "
            "at most here, since readers of XML give up somewhere.\n"
            "Hint: prune the tree, or export to ONNX or code."
        )


def _document(program: Program, name: str, n_samples: int) -> Element:
    header = element(
        "Header",
        element("Application", name="arboretum", version=version("arboretum")),
        description=" ".join(about_lines(program, "A decision tree")),
    )
    names = [field.name for field in program.fields]
    target = _free("target", names)
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
        return element("DataField", name=target, optype="continuous", dataType="double")
    values = [element("Value", value=spelled(label)) for label in program.classes]
    return element(
        "DataField", *values, name=target, optype="categorical", dataType=class_type(program.classes)
    )


def _tree_model(program: Program, name: str, target: str, n_samples: int) -> Element:
    fields = [
        element("MiningField", name=field.name, usageType="active", invalidValueTreatment="asMissing")
        for field in program.fields
    ]
    schema = element("MiningSchema", *fields, element("MiningField", name=target, usageType="target"))
    taken = [*(field.name for field in program.fields), target]
    outputs = _outputs(program, taken)
    predicates = Predicates(program, [*taken, *outputs])
    root = _nodes(program, predicates)
    parts = [schema]
    if program.classes is not None:
        parts.append(element("Output", *_output_fields(program, outputs)))
    if predicates.derived:
        parts.append(element("LocalTransformations", *predicates.derived))
    parts.append(root)
    if n_samples:
        parts.append(verification(program, target, outputs, n_samples))
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


def _outputs(program: Program, taken: list[str]) -> list[str]:
    """Return the names of the outputs, one for the probability of each class."""
    found: list[str] = []
    used = set(taken)
    for label in program.classes or ():
        found.append(_free(f"probability({spelled(label)})", used))
        used.add(found[-1])
    return found


def _output_fields(program: Program, names: list[str]) -> list[Element]:
    return [
        element(
            "OutputField",
            name=name,
            optype="continuous",
            dataType="double",
            feature="probability",
            value=spelled(label),
        )
        for name, label in zip(names, program.classes or (), strict=True)
    ]


def _nodes(program: Program, predicates: Predicates) -> Element:
    """Return the root with all nodes in it."""
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
        # A sum that is no number is not at most its bound.
        default = step.children[1 if isinstance(step.question, Linear) else step.missing_child]
    score = step.value if program.classes is None else step.label
    weight = float(program.tree.array("weight")[step.number])
    return element(
        "Node",
        *(_distribution(program, step) if may_rest(program, step) else ()),
        id=step.number,
        score=spelled(score),
        recordCount=spelled(weight),
        defaultChild=default,
    )


def _distribution(program: Program, step: Step) -> list[Element]:
    if program.classes is None or step.probability is None:
        return []
    counts = program.tree.array("counts")[step.number].tolist()
    return [
        element(
            "ScoreDistribution",
            value=spelled(label),
            recordCount=spelled(float(count)),
            probability=spelled(share),
        )
        for label, count, share in zip(program.classes, counts, step.probability, strict=True)
    ]


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name
