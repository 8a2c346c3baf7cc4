"""Growth stopped by statistical tests, each in a file of its own. A test is registered by its line here."""

from arboretum._grow.significance.chi_square import ChiSquare as ChiSquare
from arboretum._grow.significance.conditional import Conditional as Conditional
from arboretum._grow.significance.f_test import FTest as FTest
from arboretum._grow.significance.permutation import Permutation as Permutation
