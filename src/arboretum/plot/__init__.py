"""Pictures on matplotlib's axes: axes in, axes out; nothing is shown or saved, no setting is changed.

Matplotlib is imported when something is drawn: `pip install "arboretum[plot]"`.
"""

from arboretum.plot.calibration import calibration
from arboretum.plot.confusion import confusion_matrix
from arboretum.plot.curves import complexity_curve, learning_curve
from arboretum.plot.importance import importance
from arboretum.plot.impurities import impurities
from arboretum.plot.partition import partition
from arboretum.plot.pruning import pruning_path
from arboretum.plot.roc import precision_recall, roc
from arboretum.plot.surface import surface
from arboretum.plot.tree import tree

__all__ = [
    "calibration",
    "complexity_curve",
    "confusion_matrix",
    "importance",
    "impurities",
    "learning_curve",
    "partition",
    "precision_recall",
    "pruning_path",
    "roc",
    "surface",
    "tree",
]


def __dir__() -> list[str]:
    return sorted(__all__)
