"""The option `significance`: a level, or one of the tests in `_grow/significance`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arboretum._data.scalars import is_real
from arboretum._options.strategy import Strategy, find_strategy, strategies_for
from arboretum.errors import ParameterError


@dataclass(frozen=True)
class SignificanceRule:
    """A test that fits the target; a level alone stands for the usual one."""

    target: str

    @property
    def words(self) -> str:
        others = "Permutation(…) or Conditional(…)"
        return f"None, a level above 0 and up to 1, or {self._usual().__name__}(…), {others}"

    def read(self, value: Any, name: str, owner: str = "") -> Strategy | None:
        if is_real(value) and 0.0 < value <= 1.0:
            return self._usual()(level=value)
        known = tuple(strategies_for(name))
        if value is not None and not isinstance(value, (*known, type)):
            raise ParameterError(f"{name}={value!r} is not allowed; give {self.words}.")
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
