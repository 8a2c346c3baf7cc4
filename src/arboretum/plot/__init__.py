"""Charts on matplotlib's axes: axes in, axes out; nothing is shown or saved, and no setting changes.

Matplotlib is imported when something is drawn: `pip install "arboretum[plot]"`.
"""

from arboretum.plot._charts.alternatives import alternatives
from arboretum.plot._charts.calibration import calibration
from arboretum.plot._charts.confusion import confusion_matrix
from arboretum.plot._charts.contributions import contributions
from arboretum.plot._charts.contributions_summary import contributions_summary
from arboretum.plot._charts.curves import (
    complexity_curve,
    impurities,
    learning_curve,
    pruning_path,
    validation_curve,
)
from arboretum.plot._charts.importance import importance
from arboretum.plot._charts.roc import precision_recall, roc
from arboretum.plot._charts.stability import stability
from arboretum.plot._dependence.chart import partial_dependence
from arboretum.plot._drawn_tree import tree
from arboretum.plot._plane.partition import partition
from arboretum.plot._plane.surface import surface

__all__ = [
    "alternatives",
    "calibration",
    "complexity_curve",
    "confusion_matrix",
    "contributions",
    "contributions_summary",
    "importance",
    "impurities",
    "learning_curve",
    "partial_dependence",
    "partition",
    "precision_recall",
    "pruning_path",
    "roc",
    "stability",
    "surface",
    "tree",
    "validation_curve",
]


def __dir__() -> list[str]:
    return sorted(__all__)
