"""The reference is complete: every public name is on a page, and every parameter and field is explained."""

from __future__ import annotations

import inspect

import pytest

from tools.docs.reference.groups import GROUPS
from tools.docs.reference.names import (
    documented_names,
    fields_of,
    is_result,
    members_of,
    public_names,
    value_of,
)
from tools.docs.reference.pages import names_in, parameters_of, write_pages
from tools.docs.reference.shared import OF_REFERENCE, SAME_AS, SHARED

NAMES = documented_names()
CALLS = [name for name in NAMES if callable(value_of(name)) and not is_result(value_of(name))]
RESULTS = [name for name in NAMES if is_result(value_of(name))]


def text_of(name: str) -> str:
    """A docstring; that of a method goes on in its class's."""
    owner = name.rpartition(".")[0]
    of_class = inspect.getdoc(value_of(owner)) if owner and inspect.isclass(value_of(owner)) else ""
    return f"{inspect.getdoc(value_of(name))} {of_class}"


def of_group(name: str) -> set[str]:
    """What the page explains for all of its names at once."""
    return set(OF_REFERENCE) if name.startswith("reference.") else set()


def test_every_public_name_is_on_one_page() -> None:
    """A name that is added to the package or to a public module needs a place here."""
    placed = [name for group in GROUPS for name in group.names]
    assert len(placed) == len(set(placed))
    assert set(placed) == public_names()


def test_pages_show_every_name_and_member() -> None:
    """Each has a heading whose anchor is its name."""
    pages = "\n".join(write_pages().values())
    assert [name for name in NAMES if f"{{ #{name} }}" not in pages] == []


@pytest.mark.parametrize(
    "name", [name for name in NAMES if not isinstance(value_of(name), list | dict | str)]
)
def test_every_name_has_a_docstring(name: str) -> None:
    """Members too; one that another class passes on counts."""
    assert inspect.getdoc(value_of(name))


def test_fitted_attributes_are_described() -> None:
    """Each by a text of its own, on the page of its estimator; none was there once."""
    text = inspect.getdoc(value_of("TreeClassifier.optimality_")) or ""
    assert "certificate" in text
    page = write_pages()["docs/reference/TreeClassifier.md"]
    assert text in page[page.index("{ #TreeClassifier.optimality_ }") :]


@pytest.mark.parametrize("name", CALLS)
def test_every_parameter_is_documented(name: str) -> None:
    """By the docstring, by what many calls share, or by the function that it names as the same."""
    known = names_in(text_of(name)) | set(SHARED) | of_group(name)
    if name in SAME_AS:
        assert SAME_AS[name].rpartition(".")[2] in text_of(name)
        known |= names_in(text_of(SAME_AS[name]))
    assert [parameter for parameter in parameters_of(name) if parameter not in known] == []


@pytest.mark.parametrize("name", RESULTS)
def test_every_field_of_a_result_is_documented(name: str) -> None:
    """By the docstring of the class."""
    known = names_in(text_of(name)) | of_group(name)
    assert [field for field in fields_of(value_of(name)) if field not in known] == []


def test_what_is_shared_is_used() -> None:
    """Nothing stands in the tables that no call takes."""
    taken = {parameter for name in CALLS for parameter in parameters_of(name)}
    assert [name for name in SHARED if name not in taken] == []
    taken |= {field for name in RESULTS for field in fields_of(value_of(name))}
    assert [name for name in OF_REFERENCE if name not in taken] == []
    assert set(SAME_AS) <= set(NAMES)
    assert "to_json" in set(members_of(value_of("Tree")))
