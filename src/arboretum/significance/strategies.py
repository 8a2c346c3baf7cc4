"""Which test the option `significance` names.

Words: a *test* is one of ChiSquare, FTest, Permutation, Conditional; what they do is in their own files.
"""

from __future__ import annotations

from typing import Any

from arboretum.errors import ParameterError
from arboretum.scalars import is_real
from arboretum.significance.chi_square import ChiSquare
from arboretum.significance.conditional import Conditional
from arboretum.significance.f_test import FTest
from arboretum.significance.permutation import Permutation

__all__ = ["Test", "resolve_significance"]

Test = ChiSquare | FTest | Permutation | Conditional

_INSTEAD = "FTest(…), Permutation(…) or Conditional(…)", "ChiSquare(…), Permutation(…) or Conditional(…)"


def resolve_significance(significance: Any, *, of_classes: bool) -> Test | None:
    """Return the test that the option names, checked; None if growth is not stopped by tests."""
    if significance is None:
        return None
    if isinstance(significance, type) and issubclass(significance, Test):
        name = significance.__name__
        raise ParameterError(f"significance={name} is a class, not an object of it.\nHint: write {name}().")
    if is_real(significance) and 0.0 < significance <= 1.0:
        return ChiSquare(significance) if of_classes else FTest(significance)
    if not isinstance(significance, Test):
        raise ParameterError(
            f"significance={significance!r} is not allowed; give None, a level above 0 and up to 1, or "
            f"{'ChiSquare(…)' if of_classes else 'FTest(…)'}, Permutation(…) or Conditional(…)."
        )
    if ("classes" if of_classes else "numbers") not in significance._targets:
        its, found = ("numbers", "classes") if of_classes else ("classes", "numbers")
        raise ParameterError(
            f"significance={type(significance).__name__}(…) tests {its}, but the targets are {found}.\n"
            f"Hint: choose {_INSTEAD[of_classes]}."
        )
    significance._check()
    return significance
