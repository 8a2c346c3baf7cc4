"""`arboretum prune`: another size of the same tree, without fitting again."""

from __future__ import annotations

from typing import Annotated, Any

from arboretum._wording import many
from arboretum.cli import options as o
from arboretum.cli.outputs import check_output
from arboretum.cli.printing import Printer, WorkError, wrote
from arboretum.errors import DataError, ParameterError


@o.grouped
def prune(
    model: o.Model,
    output: Annotated[str | None, o.option("The new model file.", "--output", "-o")] = None,
    force: o.Force = False,
    leaves: Annotated[int | None, o.option("The largest tree with at most so many leaves.")] = None,
    alpha: Annotated[float | None, o.option("The price of a leaf.")] = None,
    one_se: Annotated[
        bool, o.option("The smallest tree within one standard error of the least CV risk.", "--1se")
    ] = False,
    least: Annotated[bool, o.option("The smallest tree of least CV risk.", "--min")] = False,
    none: Annotated[bool, o.option("The tree as it was grown.", "--none")] = False,
    *,
    printer: Printer,
) -> None:
    """Choose another size of the same tree.

    Nothing is fitted again. Without a choice, the sizes and their risks are shown.
    """
    from arboretum import save
    from arboretum.cli.models import load_model

    document: dict[str, Any]
    check_output(output, "model", inputs=[model], force=force)
    ways = [leaves is not None, alpha is not None, one_se, least, none]
    if sum(ways) > 1:
        raise ParameterError("Give one of --leaves, --alpha, --1se, --min and --none.")
    fitted, _ = load_model(model)
    if not hasattr(fitted, "pruning_path_"):
        raise DataError(f"{model!r} holds a tree alone, without its pruning path.\nHint: save the estimator.")
    if not any(ways):
        if output is not None:
            raise ParameterError(
                "-o writes another tree: choose it with --leaves, --alpha, --1se, --min or --none."
            )
        path, names = fitted.pruning_path_, ("alpha", "leaves", "risk", "cv_risk", "cv_se")
        rows = [{name: getattr(path, name)[i] for name in names} for i in range(len(path))]
        document = {"path": [row | {"chosen": i == path.chosen} for i, row in enumerate(rows)]}
        printer.result(str(path), document)
        return
    with o.naming_options(o.flags_of(("leaves", "alpha"))):
        if none:
            other = fitted.unpruned()
        elif leaves is not None:
            other = fitted.pruned(leaves=leaves)
        else:
            other = fitted.pruned(alpha=_by_risk(fitted.pruning_path_, one_se) if alpha is None else alpha)
    document = {
        "leaves": other.get_n_leaves(),
        "depth": other.get_depth(),
        "alpha": getattr(other, "alpha_", None),
        "leaves_before": fitted.get_n_leaves(),
    }
    text = str(other.tree_)
    if output is not None:
        save(other, output)
        document["model"] = output
        text = f"{many(fitted.get_n_leaves(), 'leaf')} became {other.get_n_leaves()}; {wrote(output)}"
    (printer.result if output is None else printer.done)(text, document)


def _by_risk(path: Any, one_se: bool) -> float:
    """Return the alpha of the smallest tree whose CV risk is least, or within one standard error of that."""
    import numpy as np

    if np.isnan(path.cv_risk).all():
        raise WorkError(
            "The model has no CV risk: nothing was held out when it was pruned. Hint: fit with --prune "
            "cost_complexity, or choose --leaves or --alpha."
        )
    best = int(np.nanargmin(path.cv_risk))
    limit = path.cv_risk[best] + (path.cv_se[best] if one_se else 0.0)
    return float(path.alpha[np.flatnonzero(path.cv_risk <= limit)[-1]])
