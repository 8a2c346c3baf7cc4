"""Export to ONNX: a model of standard operators that predicts as the tree does, to the last bit.

The operator TreeEnsembleRegressor only finds the number of the step at which a row stops. Labels and
probabilities are looked up by that number, so that nothing is rounded.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from arboretum._store.writing import write_bytes
from arboretum._types import Array
from arboretum.errors import DataError, PackageError
from arboretum.export._onnx.answers import NO_ANSWER, Answers, cheapest_label, mixture
from arboretum.export._onnx.features import Branch, Cut, Features, Forest
from arboretum.export._onnx.graph import ML, Graph, import_onnx
from arboretum.export._onnx.inputs import Input, Options, cells, check_matrix, column_inputs, refuse_texts
from arboretum.export._program.program import (
    Field,
    Model,
    Output,
    Program,
    Step,
    free_name,
    program_of,
    type_of,
)
from arboretum.export._program.samples import expected, samples
from arboretum.export._program.shared import about_lines, checked_name, flaw_of

NOTE: Final = "arboretum.self_test"
_TYPES: Final = {
    "string": object,
    "int64": np.int64,
    "double": np.float64,
    "float": np.float32,
    "bool": np.bool_,
}
_NAMES: Final = {np.dtype(dtype): name for name, dtype in _TYPES.items()}


def self_test_text(inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> str:
    """Return rows with their answers as JSON."""
    parts = {"inputs": inputs, "outputs": outputs}
    document = {
        part: {
            name: {"type": _NAMES[tensor.dtype], "values": _plain(tensor.tolist())}
            for name, tensor in tensors.items()
        }
        for part, tensors in parts.items()
    }
    return json.dumps(document)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _read(stored: Mapping[str, Any]) -> Array:
    # NumPy reads "NaN" and "Infinity" as the numbers they name.
    return np.array(stored["values"], dtype=_TYPES[stored["type"]])


def check_onnx(model: str | os.PathLike[str] | bytes) -> int:
    """Run the self-test of an ONNX model; return how many rows agree.

    It needs the package onnxruntime. Labels, numbers and probabilities must be equal to the last bit;
    otherwise a DataError names the first row that differs.

    Parameters
    ----------
    model : the path of a file that `to_onnx` wrote, or the bytes that it returned
    """
    try:
        onnxruntime = import_module("onnxruntime")
    except ImportError as error:
        raise PackageError(
            "check_onnx() needs the package onnxruntime, which is not installed. "
            "Hint: pip install onnxruntime."
        ) from error
    session = onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(Path(model)))
    note = session.get_modelmeta().custom_metadata_map.get(NOTE)
    if note is None:
        raise DataError("The model carries no self-test; check_onnx() reads models that to_onnx() wrote.")
    stored = json.loads(note)
    names = list(stored["outputs"])
    found = session.run(names, {name: _read(tensor) for name, tensor in stored["inputs"].items()})
    for name, tensor in zip(names, found, strict=True):
        wanted = _read(stored["outputs"][name])
        if tensor.shape != wanted.shape:
            raise DataError(f"The model answers with {name} of shape {tensor.shape}, not {wanted.shape}.")
        differ = np.flatnonzero((tensor != wanted).reshape(len(wanted), -1).any(axis=1))
        if len(differ):
            row = int(differ[0])
            raise DataError(
                f"The model answers {len(differ)} of the {len(wanted)} rows of its self-test differently: "
                f"in row {row} {name} is {tensor[row]!r}, not {wanted[row]!r}."
            )
    return len(found[0])


__all__ = ["check_onnx", "to_onnx"]

_ASKER: Final = "to_onnx()"
_MATRIX: Final = "X"
_MOST_STEPS: Final = 2**24  # the operator answers in float32, which has every whole number up to here


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "predict",
    inputs: str = "columns",
    floats: str = "double",
    integers: str = "int64",
    n_samples: int = 32,
) -> bytes:
    """Return an ONNX model that predicts rows as the model does; its outputs are doubles, to the last bit.

    Classifiers have the outputs `label` (rows,) and `probabilities` (rows, classes), in the order of
    `classes_`; regressors have `value` (rows,). Of several outputs, each has a tensor of its own name, and
    classes have `<name>_probabilities` besides. Where a column has such a name, the output is called `label_`
    and so on.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> stored = to_onnx(TreeClassifier().fit(X, y))
    >>> check_onnx(stored)
    32

    Parameters
    ----------
    model : a fitted tree estimator, a Tree, or an ensemble of at most 200,000 nodes
    path : a file to write the result to, or None
    name : the name of the graph
    inputs : "columns": a tensor (rows,) for each column that the tree asks about, with the name of the
        column. Numbers are floats, integers int64, dates and durations int64 counts of the column's unit,
        levels that are text strings, truth values and whole levels int64. Missing are NaN; -2**63 (NaT) for
        int64; and any unknown level or text. "matrix": one tensor X (rows, columns) of all columns, if those
        that the tree asks about hold numbers
    floats : the type of numbers. "float32" rounds thresholds down to float32, so that every float32 goes
        where the same number goes in double
    integers : "int64", or "float", the type of numbers, which is refused where it could change an answer
    n_samples : the number of rows with known answers that `check_onnx` compares
    """
    options = Options(inputs, floats, integers)
    checked_name(name, _ASKER)
    program = program_of(model, _ASKER, ensembles=True, models=True, outputs=True)
    if len(program.steps) > _MOST_STEPS:
        raise DataError(f"The tree has {len(program.steps)} nodes; ONNX can tell {_MOST_STEPS} apart.")
    if program.is_mean and program.missing == "fractions":
        raise DataError(
            f"{_ASKER} cannot write an ensemble with missing='fractional': for each row it would hold the "
            "shares of every node of every tree.\nHint: treat missing values in another way, such as "
            "missing='surrogate', or export to Python, C or JavaScript."
        )
    stored = _Writer(import_onnx(_ASKER), program, options).written(name, n_samples)
    if path is not None:
        write_bytes(path, stored)
    return stored


class _Writer:
    """One export: inputs, the step at which each row stops, outputs and notes."""

    def __init__(self, onnx: Any, program: Program, options: Options) -> None:
        self.program, self.options = program, options
        if options.is_matrix:
            check_matrix(program, options)
        self.inputs = () if options.is_matrix else column_inputs(program, options)
        taken = {_MATRIX} if options.is_matrix else {given.name for given in self.inputs}
        self.tensors = _tensor_names(program, taken)
        self.graph = Graph(onnx, taken)

    def written(self, name: str, n_samples: int) -> bytes:
        if self.options.is_matrix:
            self.graph.input(_MATRIX, self.options.real, "rows", len(self.program.columns))
        for given in self.inputs:
            self.graph.input(given.name, given.dtype, "rows")
        source = (
            _MATRIX if self.options.is_matrix else self.inputs[0].name
        )  # it shows how many rows there are
        if not any(step.children for step in self.program.steps):  # nothing is asked
            if self.program.has_models:
                self._read()
            roots = [self.graph.filled(source, 1, float(root)) for root in self.program.roots]
            self._answer([self.graph.as_rows(self.graph.cast(root, np.int64)) for root in roots])
        else:
            self._decide()
        about = "\n".join(about_lines(self.program, self.program.noun))
        made = self.graph.model(name, about, version("arboretum"), {NOTE: self._self_test(n_samples)})
        stored: bytes = made.SerializeToString(deterministic=True)
        return stored

    # --- the path through the tree

    def _read(self) -> Features:
        """Read the inputs."""
        self.features = features = Features(self.graph, self.program, self.options)
        if self.options.is_matrix:
            features.read_matrix(_MATRIX)
        for given in self.inputs:
            features.read_column(given)
        return features

    def _decide(self) -> None:
        features = self._read()
        divides = self.program.missing == "fractions"
        answers = Answers(self.program, features, all_questions=divides)
        matrix = answers.matrix(self.graph, self.options.real)
        if not divides:
            self._answer(self._goals(answers, matrix))
            return
        self._output_mixed(mixture(self.graph, self.program, answers, matrix))

    def _goals(self, answers: Answers, matrix: str) -> list[str]:
        """Return for each tree the number of the step at which each row stops."""
        forest = Forest(self.options.real)
        subtrees = {
            ~step.number: _with_goals(answers.cuts(step), self._goals_below(step))
            for step in self.program.steps
            if not step.is_leaf
        }
        roots = self.program.roots
        for place, root in enumerate(roots):
            step = self.program.steps[root]
            forest.plant(root if step.is_leaf else ~root, place, subtrees)
        attributes = forest.attributes(self.graph.onnx, len(roots))
        found = self.graph.add("TreeEnsembleRegressor", matrix, domain=ML, **attributes)
        goals = self.graph.cast(found, np.int64)
        if len(roots) == 1:
            return [self.graph.as_rows(goals)]
        places = [self.graph.constant(place, np.int64) for place in range(len(roots))]
        return [self.graph.add("Gather", goals, place, axis=1) for place in places]

    def _goals_below(self, step: Step) -> dict[int, int]:
        """Return what answers lead to: the number of a step to stop at, or ~number of one that asks again."""
        steps = (self.program.steps[child] for child in step.children)
        goals = {place: below.number if below.is_leaf else ~below.number for place, below in enumerate(steps)}
        return goals | {NO_ANSWER: step.number}

    # --- outputs

    def _answer(self, goals: list[str]) -> None:
        if self.program.has_models:
            value = self._modelled(goals[0])
            self._output_value(0, value)
        elif self.program.is_mean:
            self._output_mixed(self._mean(goals))
        else:
            for place, output in enumerate(self.program.answers):
                self._look_up(place, output, goals[0])

    def _modelled(self, goal: str) -> str:
        """Return what the linear models of the steps at which rows stop say, added up term by term."""
        graph, models = self.graph, [step.model for step in self.program.steps]

        def held(values: Iterable[float]) -> str:
            return graph.add("Gather", graph.constant(list(values), np.float64), goal)

        intercept = held(model.intercept for model in models if model is not None)
        total = intercept
        for field in self.program.fields:
            terms = [_term_of(model, field) for model in models]
            if not any(coefficient for coefficient, _ in terms):
                continue
            real = self.features.real_of(field)
            unknown = graph.add("Or", graph.add("IsNaN", real), graph.add("IsInf", real))
            known = graph.add("Where", unknown, held(fill for _, fill in terms), real)
            product = graph.add("Mul", held(coefficient for coefficient, _ in terms), known)
            total = graph.add("Add", total, product)
        total = graph.add("Where", graph.add("IsNaN", total), intercept, total)
        total = graph.add("Max", total, held(model.low for model in models if model is not None))
        return graph.add("Min", total, held(model.high for model in models if model is not None))

    def _mean(self, goals: list[str]) -> str:
        """Return the mean of what the trees predict, added up tree by tree as the core does."""
        graph = self.graph
        outcomes = graph.constant([step.outcome for step in self.program.steps], np.float64)
        total, *others = (graph.add("Gather", outcomes, goal) for goal in goals)
        for other in others:
            total = graph.add("Add", total, other)
        return graph.add("Div", total, graph.constant(float(len(goals)), np.float64))

    def _output_mixed(self, mixed: str) -> None:
        if self.program.classes is None:
            self._output_value(0, self.graph.as_rows(mixed))
        else:
            self._output_classes(0, cheapest_label(self.graph, self.program, mixed), mixed)

    def _look_up(self, place: int, output: Output, goal: str) -> None:
        """Declare what an output, known by its place, says at the steps at which rows stop."""
        graph, steps = self.graph, output.program.steps
        if output.classes is None:
            values = graph.constant([step.value for step in steps], np.float64)
            self._output_value(place, graph.add("Gather", values, goal))
            return
        numbers = graph.constant(output.program.labels, np.int64)
        shares = graph.constant([step.probability for step in steps], np.float64)
        self._output_classes(place, graph.add("Gather", numbers, goal), graph.add("Gather", shares, goal))

    def _output_value(self, place: int, value: str) -> None:
        self.graph.output(value, self.tensors[place].answer, np.float64, "rows")

    def _output_classes(self, place: int, numbers: str, shares: str) -> None:
        names, classes = self.tensors[place], class_tensor(self.program.answers[place].classes or ())
        labels = self.graph.add("Gather", self.graph.constant(classes, classes.dtype), numbers)
        self.graph.output(labels, names.answer, classes.dtype, "rows")
        self.graph.output(shares, names.probabilities, np.float64, "rows", len(classes))

    # --- the self-test

    def _self_test(self, n_samples: int) -> str:
        rows = [self._rounded(row) for row in samples(self.program, n_samples)]
        if self.options.is_matrix:
            given = {_MATRIX: matrix_of(self.program, rows, self.options)}
        else:
            given = {one.name: cells(rows, one) for one in self.inputs}
        found: dict[str, Array] = {}
        for names, output in zip(self.tensors, self.program.answers, strict=True):
            labels, shares = zip(*expected(output.program, rows), strict=True)
            if output.classes is None:
                found[names.answer] = np.array(labels, np.float64)
            else:
                found[names.answer] = class_tensor(output.classes, labels)
                found[names.probabilities] = np.array(shares, np.float64)
        return self_test_text(given, found)

    def _rounded(self, row: Mapping[str, Any]) -> dict[str, object]:
        """Return a row with its numbers rounded to what the inputs can hold."""
        as_floats = self.options.is_matrix or self.options.integers == "float"
        kinds = ("number", "integer") if as_floats else ("number",)
        reals = {field.name for field in self.program.fields if field.column.kind in kinds}
        with np.errstate(over="ignore", under="ignore"):
            return {
                name: float(self.options.real.type(value)) if name in reals and value is not None else value
                for name, value in row.items()
            }


@dataclass(frozen=True)
class Tensors:
    """The names of the tensors that answer for one output."""

    answer: str  # the class or the number
    probabilities: str = ""  # of classes


def _tensor_names(program: Program, taken: set[str]) -> list[Tensors]:
    """Return the names of all tensors that answer; answers of several outputs have the outputs' own names."""
    if not program.outputs:
        if program.classes is None:
            return [Tensors(free_name("value", taken))]
        return [Tensors(free_name("label", taken), free_name("probabilities", taken))]
    names = [output.name or "" for output in program.outputs]
    answers = [
        # An output whose name no tensor can have is called by its place.
        free_name(name if name and not flaw_of(name) else f"output_{place}", taken)
        for place, name in enumerate(names)
    ]
    return [
        Tensors(answer, "" if output.classes is None else free_name(f"{answer}_probabilities", taken))
        for answer, output in zip(answers, program.outputs, strict=True)
    ]


def _term_of(model: Model | None, field: Field) -> tuple[float, float]:
    """Return the coefficient of a field in a model, and what stands in for a missing value."""
    terms = () if model is None else model.terms
    return next(((t.coefficient, t.fill) for t in terms if t.column.name == field.name), (0.0, 0.0))


def matrix_of(program: Program, rows: Sequence[Mapping[str, object]], options: Options) -> Array:
    """Return rows in user form as one matrix; columns that the tree does not ask about are NaN."""
    columns = program.columns
    found = np.full((len(rows), len(columns)), np.nan, dtype=options.real)
    for field in program.fields:
        given = Input(field, field.name, options.real, np.nan)
        found[:, field.place] = cells(rows, given)
    return found


def class_tensor(classes: Sequence[Any], labels: Sequence[Any] | None = None) -> Array:
    """Return labels (by default the classes) as a tensor; refuse classes that no tensor can hold."""
    given = classes if labels is None else labels
    match type_of(classes):
        case "text":
            refuse_texts(classes, "The model predicts the class")
            found = np.empty(len(given), dtype=object)
            found[:] = given
            return found
        case "boolean":
            return np.array(given, dtype=np.bool_)
        case "integer" if all(-(2**63) <= label < 2**63 for label in classes):
            return np.array(given, dtype=np.int64)
        case "integer" | "number" if all(float(label) == label for label in classes):
            return np.array(given, dtype=np.float64)
    raise DataError(
        f"The model predicts classes that no tensor of ONNX can hold: {', '.join(map(repr, classes[:5]))}.\n"
        "Hint: make them text before fitting."
    )


def _with_goals(branch: Branch, goals: Mapping[int, int]) -> Branch:
    """Return cuts that end in answers as cuts that end in what the answers lead to."""
    if not isinstance(branch, Cut):
        return goals[branch]
    low, high = _with_goals(branch.low, goals), _with_goals(branch.high, goals)
    return Cut(branch.feature, branch.threshold, low, high, branch.nan_is_low)
