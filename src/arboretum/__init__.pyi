"""The public names, one line each; `__init__.py` reads them here. `*` stands for all that a package lists."""

from arboretum import datasets as datasets
from arboretum import export as export
from arboretum import information as information
from arboretum import plot as plot
from arboretum import ranking as ranking
from arboretum import reference as reference
from arboretum._grow.leaves import *  # noqa: F403
from arboretum._grow.optimality import Optimality as Optimality
from arboretum._grow.significance import *  # noqa: F403
from arboretum._options.optimal import Optimal as Optimal
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
from arboretum._report.report import report as report
from arboretum._show.explanation.explain import explain as explain
from arboretum._show.explanation.explanation import Explanation as Explanation
from arboretum._show.trace.step import Step as Step
from arboretum._show.trace.trace import Trace as Trace
from arboretum._show.trace.trace import trace as trace
from arboretum._store.model_files import load as load
from arboretum._store.model_files import save as save
from arboretum._tree.multi_tree import MultiTree as MultiTree
from arboretum._tree.tree import Node as Node
from arboretum._tree.tree import Tree as Tree
from arboretum.errors import ArboretumError as ArboretumError
from arboretum.errors import ArboretumWarning as ArboretumWarning
from arboretum.errors import ClusterError as ClusterError
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
from arboretum.errors import UnprovenWarning as UnprovenWarning
from arboretum.errors import WeightWarning as WeightWarning
from arboretum.estimators import BaggedClassifier as BaggedClassifier
from arboretum.estimators import BaggedRanker as BaggedRanker
from arboretum.estimators import BaggedRegressor as BaggedRegressor
from arboretum.estimators import TreeClassifier as TreeClassifier
from arboretum.estimators import TreeMixed as TreeMixed
from arboretum.estimators import TreeRanker as TreeRanker
from arboretum.estimators import TreeRegressor as TreeRegressor
from arboretum.exercises import Exercise as Exercise
from arboretum.exercises import exercise as exercise
from arboretum.experiment import Experiment as Experiment
from arboretum.experiment import complexity_curve as complexity_curve
from arboretum.experiment import learning_curve as learning_curve
from arboretum.experiment import tune_threshold as tune_threshold
from arboretum.experiment import validation_curve as validation_curve
from arboretum.inspection.candidates.table import candidates as candidates
from arboretum.inspection.contributions import Contributions as Contributions
from arboretum.inspection.contributions import contributions as contributions
from arboretum.inspection.counterfactual.answers import Counterfactual as Counterfactual
from arboretum.inspection.counterfactual.counterfactual import counterfactual as counterfactual
from arboretum.inspection.dependence.accumulated_effects import AccumulatedEffects as AccumulatedEffects
from arboretum.inspection.dependence.accumulated_effects import accumulated_effects as accumulated_effects
from arboretum.inspection.dependence.interactions import InteractionStrength as InteractionStrength
from arboretum.inspection.dependence.interactions import interaction_strength as interaction_strength
from arboretum.inspection.dependence.partial_dependence import PartialDependence as PartialDependence
from arboretum.inspection.dependence.partial_dependence import partial_dependence as partial_dependence
from arboretum.inspection.importance import importance as importance
from arboretum.inspection.nearest_tree import NearestTree as NearestTree
from arboretum.inspection.nearest_tree import nearest_tree as nearest_tree
from arboretum.inspection.permutation_importance import PermutationImportance as PermutationImportance
from arboretum.inspection.permutation_importance import permutation_importance as permutation_importance
from arboretum.inspection.rules.rule import Rule as Rule
from arboretum.inspection.rules.rule_list import RuleList as RuleList
from arboretum.inspection.rules.rule_list import simplified_rules as simplified_rules
from arboretum.inspection.stability.result import Stability as Stability
from arboretum.inspection.stability.stability import stability as stability
from arboretum.inspection.summary.summary import Summary as Summary

__version__: str
__all__: list[str]
