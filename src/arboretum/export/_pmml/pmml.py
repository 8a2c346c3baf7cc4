"""Export to PMML 4.4: a TreeModel that predicts as the tree does, with rows to verify it.

A document declares the data (DataDictionary, MiningSchema), derived fields (LocalTransformations), the nodes,
and rows with known answers (ModelVerification). A TreeModel has one target: of several outputs, each has a
TreeModel of its own in a chain, of which the output fields tell what all of them answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from arboretum._tree.composites import Linear
from arboretum.errors import ParameterError
from arboretum.export._pmml.predicates import (
    Element,
    Predicates,
    asks_default_child,
    checked_text,
    class_type,
    data_field,
    element,
    spelled,
    spelled_level,
    write_xml,
)
from arboretum.export._program.program import Field, Output, Program, Step, free_name, program_of
from arboretum.export._program.samples import Answer, expected_of_each, samples
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

    The target is called `target`; classifiers have an output `probability(…)` for each class. Several outputs
    are called `predicted(<name>)`, with `probability(<name>, …)` for each class. A missing value
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
    program = program_of(model, _ASKER, ensembles=True, outputs=True)
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
    targets = _targets(program)
    dictionary = element(
        "DataDictionary",
        *(data_field(program, field) for field in program.fields),
        *map(_target_field, targets),
    )
    dictionary.attributes["numberOfFields"] = str(len(dictionary.children))
    taken = {name for target in targets for name in (target.name, target.answer, *target.probabilities)}
    predicates = Predicates(program, {field.name for field in program.fields} | taken)
    verified = [_verification(program, targets, n_samples)] if n_samples else []
    make = _chain if program.outputs else _ensemble if program.is_mean else _tree_model
    model = make(program, name, targets, predicates, verified)
    shared: list[Element] = []
    if predicates.derived and program.is_mean:
        # the models inside would not see those of the model around them
        shared.append(element("TransformationDictionary", *predicates.derived))
    pmml: dict[str, Any] = {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"}
    return element("PMML", header, dictionary, *shared, model, **pmml)


@dataclass(frozen=True)
class _Target:
    """The fields that answer for an output."""

    output: Output
    name: str
    answer: str  # the field under which the answer is found: of several outputs, one of its own
    probabilities: tuple[str, ...]


def _targets(program: Program) -> list[_Target]:
    """Return the fields of all outputs, under names that no column has."""
    taken = {field.name for field in program.fields}
    names = [
        free_name(_target_name(output, number), taken)
        for number, output in enumerate(program.answers, start=1)
    ]
    targets = []
    for name, output in zip(names, program.answers, strict=True):
        front = "" if output.name is None else f"{name}, "
        labels = map(spelled, output.classes or ())
        answer = name if output.name is None else free_name(f"predicted({name})", taken)
        shares = tuple(free_name(f"probability({front}{label})", taken) for label in labels)
        targets.append(_Target(output, name, answer, shares))
    return targets


def _target_name(output: Output, number: int) -> str:
    if output.name is None:
        return "target"
    return (
        checked_text(output.name, "An output is called") or f"output_{number}"
    )  # no field has an empty name


def _target_field(target: _Target) -> Element:
    values = [element("Value", value=spelled(label)) for label in target.output.classes or ()]
    return element("DataField", *values, name=target.name, **_kind(target))


def _kind(target: _Target) -> dict[str, str]:
    classes = target.output.classes
    return _DOUBLE if classes is None else {"optype": "categorical", "dataType": class_type(classes)}


def _mining_target(target: _Target) -> Element:
    return element("MiningField", name=target.name, usageType="target")


def _head(program: Program, target: _Target) -> list[Element]:
    """Return what a model says about its fields: those it reads, its target and its probabilities."""
    schema = _schema(program.fields, _mining_target(target))
    return [schema] if target.output.classes is None else [schema, element("Output", *_probabilities(target))]


def _predicted(target: _Target) -> Element:
    return element("OutputField", name=target.answer, **_kind(target), feature="predictedValue")


def _probabilities(target: _Target) -> list[Element]:
    labels = map(spelled, target.output.classes or ())
    return [
        element("OutputField", name=name, **_DOUBLE, feature="probability", value=label)
        for name, label in zip(target.probabilities, labels, strict=True)
    ]


def _tree_model(
    program: Program, name: str, targets: list[_Target], predicates: Predicates, verified: list[Element]
) -> Element:
    roots, parts = _nodes(program, predicates), _head(program, targets[0])
    if predicates.derived:
        parts.append(element("LocalTransformations", *predicates.derived))
    return element("TreeModel", *parts, *roots, *verified, **_about(program, name), **_walk(program))


def _ensemble(
    program: Program, name: str, targets: list[_Target], predicates: Predicates, verified: list[Element]
) -> Element:
    """Return a model with the trees inside, whose answers are averaged."""
    models = (
        element("TreeModel", _schema(fields), root, functionName=_function(program), **_walk(program))
        for root, fields in zip(_nodes(program, predicates), _fields_by_tree(program), strict=True)
    )
    mean = _segmentation(models, "average")
    return element("MiningModel", *_head(program, targets[0]), mean, *verified, **_about(program, name))


def _chain(
    program: Program, name: str, targets: list[_Target], predicates: Predicates, verified: list[Element]
) -> Element:
    """Return a model with a tree inside for each output, and fields with what all of them answer.

    The answer of a chain is that of its last model. All else is passed on from fields of the models, where
    evaluators find the probabilities of classes of every type.
    """
    taken = {field.name for field in program.fields}
    taken |= {each for target in targets for each in (target.name, target.answer, *target.probabilities)}
    models: list[Element] = []
    answers: list[Element] = []
    for segment, target in enumerate(targets, start=1):
        own, fields = target.output.program, _probabilities(target)
        if segment == len(targets):
            answers.append(_predicted(target))
        else:
            fields.insert(0, _predicted(target))
        names = [free_name(f"tree {segment}: {field.attributes['name']}", taken) for field in fields]
        head = [_schema(program.fields, _mining_target(target))]
        if fields:
            head.append(element("Output", *map(_called, fields, names)))
        about = {"functionName": _function(own), "algorithmName": _algorithm(own)}
        models.append(element("TreeModel", *head, *_nodes(own, predicates), **about, **_walk(own)))
        answers += map(_passed_on, fields, names)
    last = targets[-1]
    parts = [_schema(program.fields, _mining_target(last)), element("Output", *answers)]
    about = {"modelName": name, "functionName": _function(last.output.program)}
    return element("MiningModel", *parts, _segmentation(models, "modelChain"), *verified, **about)


def _called(field: Element, name: str) -> Element:
    """Return the field under another name."""
    return Element(field.tag, {**field.attributes, "name": name})


def _passed_on(field: Element, source: str) -> Element:
    """Return a field that takes its value from that of a model inside."""
    kind = {name: field.attributes[name] for name in ("name", "optype", "dataType")}
    return element("OutputField", element("FieldRef", field=source), **kind, feature="transformedValue")


def _segmentation(models: Iterable[Element], method: str) -> Element:
    segments = (
        element("Segment", element("True"), model, id=number) for number, model in enumerate(models, start=1)
    )
    return element("Segmentation", *segments, multipleModelMethod=method)


def _about(program: Program, name: str) -> dict[str, str]:
    return {"modelName": name, "functionName": _function(program), "algorithmName": _algorithm(program)}


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


def _verification(program: Program, targets: Sequence[_Target], n_samples: int) -> Element:
    """Return rows with known answers, and the field of each of their cells."""
    rows = samples(program, n_samples)
    named: list[tuple[str, str | None]] = [(field.name, None) for field in program.fields]
    for target in targets:
        named.append((target.answer, _PRECISION if target.output.classes is None else None))
        named += [(name, _PRECISION) for name in target.probabilities]
    fields = [
        element("VerificationField", field=name, column=f"c{i}", precision=precision)
        for i, (name, precision) in enumerate(named)
    ]
    known = expected_of_each(program, rows)
    table = [_row(program, row, answers) for row, answers in zip(rows, known, strict=True)]
    return element(
        "ModelVerification",
        element("VerificationFields", *fields),
        element("InlineTable", *table),
        recordCount=len(rows),
        fieldCount=len(fields),
    )


def _row(program: Program, row: Mapping[str, object], answers: Sequence[Answer]) -> Element:
    cells = [
        element(f"c{i}", text=_sample_text(field, row[field.name]))
        for i, field in enumerate(program.fields)
        if row[field.name] is not None
    ]
    values = [value for label, shares in answers for value in (label, *(shares or ()))]
    cells += [element(f"c{i}", text=spelled(each)) for i, each in enumerate(values, len(program.fields))]
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
