"""Exercises for classes: a small table with tidy numbers, a sheet, its solution, and a check of answers."""

from __future__ import annotations

from arboretum.exercises.exercise import Exercise, Mistake
from arboretum.exercises.make import exercise

__all__ = ["Exercise", "Mistake", "exercise"]
