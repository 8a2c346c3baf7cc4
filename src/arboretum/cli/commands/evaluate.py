"""`arboretum evaluate`: how good a model is on a table that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arboretum.cli import options as o
from arboretum.cli.printing import Printer, WorkError
from arboretum.errors import DataError, ParameterError, listing


@o.grouped
def evaluate(
    model: o.Model,
    data: o.Data,
    target: o.TrueValues = None,
    weights: o.Weights = None,
    *,
    text: o.TableText,
    printer: Printer,
) -> None:
    """Compare predictions with the truth.

    For classes: accuracy, log loss and confusion matrix. For numbers: MSE, MAE and R².
    """
    from arboretum._options.criteria import ORDER_CRITERIA
    from arboretum.cli.cautions import ConstantColumns
    from arboretum.cli.models import UnknownLevels, columns_of, load_model, scan_with_notes
    from arboretum.cli.scores import ClassScores, scores_for
    from arboretum.cli.tables.kinds import find_columns
    from arboretum.cli.tables.matching import in_order, match_parts, match_target, match_truths

    fitted, tree = load_model(model, ensembles=True)
    if tree.criterion in ORDER_CRITERIA:
        raise ParameterError(
            f"{model} orders rows within queries, and evaluate compares predictions row by row.\n"
            "Hint: fit --test holds out queries; arboretum.ranking has the measures, for Python."
        )
    classes = tree.target.classes
    scores, n_rows, unknown, constants = scores_for(classes), 0, UnknownLevels(), ConstantColumns()
    with scan_with_notes(data, text, "evaluating", printer, printer) as scan:
        find_columns(scan.names, [target] if target else [], "--target")
        find_columns(scan.names, [weights] if weights else [], "--weights")
        truths = target or _only_other(scan.names, tree.columns, weights, printer)
        others = [name for name in scan.names if name not in (truths, weights)]
        said, schema = text.choices(), columns_of(fitted, tree, others, printer)
        n_answers = 1 + len(classes or ())
        for piece in (piece for chunk in scan.chunks for piece in chunk.pieces(n_answers)):
            parts = match_parts(piece, schema, said, scan.label)
            truth = match_truths(piece, truths, classes, said, scan.label)
            each = None
            if weights is not None:
                each = match_target(piece, weights, None, said, scan.label)
                for row, weight in enumerate(each):
                    if not 0 <= weight < float("inf"):
                        raise DataError(
                            f"{scan.label}, {piece.where(row)}: the weight {weights!r} is {weight}; weights "
                            "are 0 or more."
                        )
            probability = None
            with constants.watching(len(piece) if len(parts) == 1 else 0):
                predicted = in_order(parts, [fitted.predict(part.X, unknown=unknown.add) for part in parts])
                if classes is not None:
                    probability = in_order(parts, [fitted.predict_proba(part.X) for part in parts])
            n_rows += len(piece)
            scores.add(truth, predicted, probability, each)
    if isinstance(scores, ClassScores) and not scores.knows_some:
        known = listing(classes or (), 8)
        raise WorkError(
            f"None of the true values in {truths!r} is a class of the model; it knows {known}.\n"
            "Hint: --target names the column of the true classes."
        )
    unknown.report(printer, n_rows)
    constants.cautions.report(printer)
    document = {"unknown_levels": unknown.document, "warnings": constants.cautions.document}
    printer.result(str(scores), scores.document() | document)


def _only_other(names: Sequence[str], columns: Sequence[Any], weights: str | None, printer: Printer) -> str:
    """Return the target where it is not named: the only column that the model does not ask about."""
    asked = {column.name for column in columns} | {weights}
    others = [name for name in names if name not in asked]
    if len(others) != 1:
        found = f"there are {listing(others, 8)}" if others else "there is none"
        raise ParameterError(f"--target is not given, and of columns the model does not ask about {found}.")
    printer.note(f"target: {others[0]!r}, the only column that the model does not ask about")
    return others[0]
