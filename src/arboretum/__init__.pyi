"""The public names, one line each; `__init__.py` reads them here. `*` stands for all that a package lists."""

from arboretum import datasets as datasets
from arboretum import export as export
from arboretum import information as information
from arboretum import plot as plot
from arboretum import reference as reference
from arboretum._grow.significance import *  # noqa: F403
from arboretum._options.strategies import GainRatio as GainRatio
from arboretum._options.strategies import Lookahead as Lookahead
from arboretum._options.strategies import MEstimate as MEstimate
from arboretum._options.strategies import MofN as MofN
from arboretum._options.strategies import Oblique as Oblique
from arboretum._options.strategies import Shrinkage as Shrinkage
from arboretum._options.strategies import Surrogate as Surrogate
from arboretum._prune import *  # noqa: F403
from arboretum._prune.log import PruningLog as PruningLog
from arboretum._prune.path import PruningPath as PruningPath
from arboretum._store.model_files import load as load
from arboretum._store.model_files import save as save
from arboretum._tree.tree import Node as Node
from arboretum._tree.tree import Tree as Tree
from arboretum.errors import ArboretumError as ArboretumError
from arboretum.errors import ArboretumWarning as ArboretumWarning
from arboretum.errors import ConstantColumnWarning as ConstantColumnWarning
from arboretum.errors import DataError as DataError
from arboretum.errors import DataTypeError as DataTypeError
from arboretum.errors import IdentifierWarning as IdentifierWarning
from arboretum.errors import OneLeafWarning as OneLeafWarning
from arboretum.errors import PackageError as PackageError
from arboretum.errors import ParameterError as ParameterError
from arboretum.errors import ParameterNameError as ParameterNameError
from arboretum.errors import RareClassWarning as RareClassWarning
from arboretum.errors import TextWarning as TextWarning
from arboretum.errors import UnknownLevelsWarning as UnknownLevelsWarning
from arboretum.errors import WeightWarning as WeightWarning
from arboretum.estimators import TreeClassifier as TreeClassifier
from arboretum.estimators import TreeRegressor as TreeRegressor
from arboretum.experiment import Experiment as Experiment
from arboretum.experiment import complexity_curve as complexity_curve
from arboretum.experiment import learning_curve as learning_curve
from arboretum.experiment import tune_threshold as tune_threshold
from arboretum.inspection.candidates.table import candidates as candidates
from arboretum.inspection.importance import importance as importance
from arboretum.inspection.permutation_importance import PermutationImportance as PermutationImportance
from arboretum.inspection.permutation_importance import permutation_importance as permutation_importance
from arboretum.inspection.stability.result import Stability as Stability
from arboretum.inspection.stability.stability import stability as stability

__version__: str
__all__: list[str]
