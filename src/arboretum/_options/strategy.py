"""Strategies: values of an option that have options of their own, and the one list of them.

A strategy is a class with parameters. It states which option it is for, its short names, what its parameters
may be, which targets it learns and what it does not go with. Checks, model files and the command line read
all that from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, dataclass_transform

from sklearn.base import BaseEstimator

from arboretum._data.scalars import is_real
from arboretum._options.rules import Rule, refuse
from arboretum.errors import ParameterError, choices

if TYPE_CHECKING:
    from arboretum._options.settings import Settings

# Every strategy by the name of its class, filled in as the classes are made.
STRATEGIES: Final[dict[str, type[Strategy]]] = {}


@dataclass(frozen=True)
class Exclusion:
    """Two choices that do not go together, why, and what to do instead."""

    first: str
    second: str
    because: str
    hint: str


@dataclass_transform(eq_default=False)
class Strategy(BaseEstimator):
    """An option with options of its own: the fields of the class.

    A subclass states `_option`, the option that it is a value of, and `_rules`, what its parameters may be;
    `_names` are short names with the parameters that they stand for, `_targets` is what it can learn, and
    `_excludes` what it does not go with.
    """

    _option: ClassVar[str] = ""
    _names: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    _rules: ClassVar[Mapping[str, Rule]] = {}
    _targets: ClassVar[tuple[str, ...]] = ("classes", "numbers")
    _excludes: ClassVar[tuple[Exclusion, ...]] = ()

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        super().__init_subclass__()
        if "__init__" not in vars(cls):
            dataclass(eq=False, repr=False)(cls)
        # Only our own: a subclass that a user derives from one is used where it is given, and nowhere else.
        if not abstract and cls.__module__.partition(".")[0] == "arboretum":
            STRATEGIES[cls.__name__] = cls

    def _checked(self) -> Self:
        """Return the strategy itself, or refuse one of its parameters."""
        for name, rule in self._rules.items():
            rule.read(getattr(self, name), name, f"{self._option}={type(self).__name__}")
        return self

    def _chosen(self) -> set[str]:
        """Return the choices that exclusions know this strategy by."""
        return {exclusion.first for exclusion in self._excludes}

    def _check_beside(self, settings: Settings) -> None:
        """Refuse parameters that the other settings do not allow."""


def strategies_for(option: str, target: str | None = None) -> list[type[Strategy]]:
    """Return the strategies that an option may be, or only those for one kind of target."""
    return [
        kind
        for kind in STRATEGIES.values()
        if kind._option == option and (target is None or target in kind._targets)
    ]


def find_strategy(
    option: str, value: Any, names: tuple[str | None, ...] = (), target: str | None = None
) -> Strategy | None:
    """Return the strategy that an option's value stands for, checked; None for one of the plain `names`.

    Anything else is refused with a list of what is allowed.
    """
    kinds = strategies_for(option, target)
    if isinstance(value, Strategy) and isinstance(value, tuple(kinds)):
        return value._checked()
    if isinstance(value, type) and issubclass(value, tuple(kinds)):
        name = value.__name__
        raise ParameterError(f"{option}={name} is a class, not an object of it.\nHint: write {name}().")
    short = {name: (kind, given) for kind in kinds for name, given in kind._names.items()}
    if isinstance(value, str) and value in short:
        kind, given = short[value]
        return kind(**given)
    if isinstance(value, str | None) and value in names:
        return None
    raise ParameterError(choices(option, value, (*names, *short)) + _or_give(kinds))


def _or_give(kinds: list[type[Strategy]]) -> str:
    """Return the sentence that offers the strategies themselves."""
    *most, last = [f"{kind.__name__}(…)" for kind in kinds]
    return f" Or give {', '.join(most)} or {last}." if most else f" Or give {last}."


@dataclass(frozen=True)
class StrategyOr:
    """A strategy for an option, one of its short names, or a plain name."""

    option: str
    plain: tuple[str | None, ...]
    target: str | None = None  # only strategies that learn this

    @property
    def words(self) -> str:
        kinds = strategies_for(self.option, self.target)
        short = [name for kind in kinds for name in kind._names]
        return ", ".join([*map(str, self.plain), *short, *(f"{kind.__name__}(…)" for kind in kinds)])

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        """Return the strategy, or the plain name."""
        strategy = find_strategy(self.option, value, self.plain, self.target)
        return value if strategy is None else strategy


@dataclass(frozen=True)
class SignificanceRule:
    """A test that fits the target; a level alone stands for the usual one."""

    target: str

    @property
    def words(self) -> str:
        usual = self._usual()
        both = [
            f"{kind.__name__}(…)" for kind in strategies_for("significance", self.target) if kind is not usual
        ]
        others = " or ".join([", ".join(both[:-1]), both[-1]] if len(both) > 1 else both)
        return f"None, a level above 0 and up to 1, or {usual.__name__}(…), {others}"

    def read(self, value: Any, name: str, owner: str = "") -> Strategy | None:
        if is_real(value) and 0.0 < value <= 1.0:
            return self._usual()(level=value)
        known = tuple(strategies_for(name))
        is_class = isinstance(value, type) and issubclass(value, known)
        if value is not None and not is_class and not isinstance(value, known):
            raise refuse(value, name, owner, self.words)
        if isinstance(value, known) and self.target not in value._targets:
            *most, last = [f"{kind.__name__}(…)" for kind in strategies_for(name, self.target)]
            raise ParameterError(
                f"{name}={type(value).__name__}(…) tests {value._targets[0]}, but the targets are "
                f"{self.target}.\nHint: choose {', '.join(most)} or {last}."
            )
        return find_strategy(name, value, (None,))

    def _usual(self) -> type[Strategy]:
        """Return the test for this kind of target alone."""
        return next(kind for kind in strategies_for("significance", self.target) if len(kind._targets) == 1)
