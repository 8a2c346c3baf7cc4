"""Growth stopped by statistical tests, each in a file of its own."""

from arboretum._grow.significance.chi_square import ChiSquare
from arboretum._grow.significance.conditional import Conditional
from arboretum._grow.significance.f_test import FTest
from arboretum._grow.significance.permutation import Permutation

__all__ = ["ChiSquare", "Conditional", "FTest", "Permutation"]
