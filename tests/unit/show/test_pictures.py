"""Still pictures: every kind of tree is drawn, counts add up, no words overlap or leave their card or page.

A piece is one mark of a picture with its place on the page; a box is (left, top, right, bottom). Widths of
words are those that the cards are measured by, which are wider than most fonts.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.pages import EVIL, KINDS, fitted, many_classes

from arboretum import (
    DataError,
    DataTypeError,
    MofN,
    ParameterError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.marks import Box, Group, Mark, Picture, Text
from arboretum._show.picture.palette import DARK, LIGHT, class_colours
from arboretum._show.picture.text_width import BOLD, shorten, text_width, wrap
from arboretum._show.rows.row_path import row_path
from arboretum._show.scene import FIGURES, View, scene_of
from arboretum._show.words import answers, asked_text
from arboretum._wording import many, percent
from arboretum.export import to_svg

SVG = "{http://www.w3.org/2000/svg}"
Area = tuple[float, float, float, float]


def pieces(
    marks: Iterable[Mark], x: float = 0.0, y: float = 0.0, *, with_cards: bool = True
) -> Iterator[tuple[Mark, float, float]]:
    """All marks with the place they are moved to; groups come before what is in them."""
    for mark in marks:
        yield mark, x, y
        if isinstance(mark, Group) and (with_cards or not mark.name):
            yield from pieces(mark.marks, x + mark.x, y + mark.y, with_cards=with_cards)


def words(picture: Picture, *, with_cards: bool = True) -> list[tuple[str, Area]]:
    """All texts with the room they take."""
    found = []
    for mark, x, y in pieces(picture.marks, with_cards=with_cards):
        if isinstance(mark, Text):
            width = text_width(mark.text) * mark.size * (BOLD if mark.bold else 1.0)
            left = x + mark.x - {"start": 0.0, "middle": width / 2, "end": width}[mark.anchor]
            found.append((mark.text, (left, y + mark.y - 0.75 * mark.size, left + width, y + mark.y + 2.0)))
    return found


def cards(picture: Picture) -> dict[str, tuple[Area, list[tuple[str, Area]]]]:
    """The frame of each node by name, with the texts in it."""
    found = {}
    for mark, x, y in pieces(picture.marks):
        if isinstance(mark, Group) and mark.name:
            frame = next(m for m in mark.marks if isinstance(m, Box) and (m.x, m.y) == (0.0, 0.0))
            left, top = x + mark.x, y + mark.y
            inside = Picture(0, 0, "", (mark,), "", "")
            texts = [(t, (a + x, b + y, c + x, d + y)) for t, (a, b, c, d) in words(inside)]
            found[mark.name] = ((left, top, left + frame.width, top + frame.height), texts)
    return found


def overlap(one: Area, two: Area, slack: float = 0.5) -> bool:
    """Whether two boxes share more than a hair."""
    return (
        min(one[2], two[2]) - max(one[0], two[0]) > slack
        and min(one[3], two[3]) - max(one[1], two[1]) > slack
    )


def within(inner: Area, outer: Area, slack: float = 0.5) -> bool:
    """Whether a box lies in another one."""
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def draw(model: Any, view: View | None = None, **how: Any) -> Picture:
    return draw_tree(model, view or View(max_nodes=100), **how)


def long_names() -> tuple[Any, pd.DataFrame, Any]:
    """A tree of sixty leaves that asks about levels with long and similar names."""
    rng = np.random.default_rng(0)
    n = 2_000
    makers = [f"the workshop of the family number {i} in the old town" for i in range(12)]
    lands = ["United States of America", "United Kingdom of Great Britain and Northern Ireland", "France"]
    X = pd.DataFrame(
        {
            "maker of the most important part": rng.choice(makers, n),
            "country of origin": rng.choice(lands, n),
            "Donaudampfschifffahrtsgesellschaftskapitänsmützengrösse": rng.normal(size=n).round(3),
        }
    )
    codes = pd.factorize(X.iloc[:, 0])[0] % 3 + pd.factorize(X.iloc[:, 1])[0] + X.iloc[:, 2]
    y = pd.cut(
        codes + rng.normal(0, 0.4, n), [-9, 1, 2, 3, 9], labels=["not at all recommended", "no", "yes", "?"]
    )
    return TreeClassifier(max_leaf_nodes=60, prune=None).fit(X, y.astype(str)), X, y.astype(str)


PICTURED: dict[str, Callable[[], Any]] = {
    **KINDS,
    "long names": long_names,
    "many classes": lambda: many_classes(60),
}


@pytest.fixture(params=PICTURED, scope="module")
def case(request: pytest.FixtureRequest) -> Any:
    """A model of each kind, with its table and targets."""
    kind = request.param
    return fitted(kind) if kind in KINDS else PICTURED[kind]()


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("charts", [False, True])
class TestNothingOverlaps:
    def picture(self, case: Any, direction: str, charts: bool) -> Picture:
        model, X, y = case
        row = X.iloc[[0]] if isinstance(X, pd.DataFrame) else [X[0]]
        data = (X, y) if charts else None
        return draw(model, View(max_nodes=150, row=row, data=data), direction=direction, charts=charts)

    def test_cards(self, case: Any, direction: str, charts: bool) -> None:
        frames = [frame for frame, _ in cards(self.picture(case, direction, charts)).values()]
        assert not [(a, b) for i, a in enumerate(frames) for b in frames[:i] if overlap(a, b)]

    def test_words(self, case: Any, direction: str, charts: bool) -> None:
        """No text lies on another one, and all are on the page."""
        picture = self.picture(case, direction, charts)
        found = words(picture)
        assert found
        page = (0.0, 0.0, picture.width, picture.height)
        assert [text for text, area in found if not within(area, page)] == []
        found.sort(key=lambda entry: entry[1][1])
        for i, (text, area) in enumerate(found):
            for other, its in found[i + 1 :]:
                if its[1] > area[3]:
                    break
                assert not overlap(area, its), (text, other)

    def test_words_stay_on_their_card_and_tags_off_it(self, case: Any, direction: str, charts: bool) -> None:
        picture = self.picture(case, direction, charts)
        drawn = cards(picture)
        for frame, texts in drawn.values():
            assert [text for text, area in texts if not within(area, frame)] == []
        for text, area in words(picture, with_cards=False):
            assert not [name for name, (frame, _) in drawn.items() if overlap(area, frame)], text


class TestNumbers:
    def test_every_node_is_there(self, case: Any) -> None:
        model, _, _ = case
        picture = draw(model, View())
        assert cards(picture).keys() == {f"node {i}" for i in range(len(model.tree_))}

    def test_counts_are_those_of_the_tree_and_add_up(self, case: Any) -> None:
        tree: Tree = case[0].tree_
        scene = scene_of(tree, View(amounts="counts"))
        for node in scene.nodes:
            assert node.n_rows == tree.node(node.number).n_rows
            if node.mix is None:
                assert node.value == tree.node(node.number).value
                continue
            assert node.mix.tolist() == tree.node(node.number).counts.tolist()
            if node.children:
                below = sum(scene.nodes[place].mix for place in node.children)  # type: ignore[misc]
                assert below == pytest.approx(node.mix)

    def test_of_other_data(self, case: Any) -> None:
        """Half of the rows, counted by hand along the paths of `decision_path`."""
        model, X, y = case
        half = X.iloc[::2] if isinstance(X, pd.DataFrame) else X[::2]
        scene = scene_of(model, View(data=(half, y[::2]), amounts="counts"))
        if model.tree_.missing == "fractions":
            assert scene.nodes[0].n_rows == len(half)
            return
        passed = np.asarray(model.decision_path(half).sum(axis=0)).ravel()
        assert [node.n_rows for node in scene.nodes] == passed.tolist()
        for node in scene.nodes:
            if node.children:
                resting = node.n_rows - sum(scene.nodes[place].n_rows for place in node.children)
                assert resting >= 0 if model.tree_.missing == "surrogates" else resting == 0

    def test_shares_are_what_the_tree_estimates(self) -> None:
        drawn, X, y = fitted("weighted")
        weight = np.linspace(0.5, 2.0, len(y))
        model = TreeClassifier(leaf="frequency", priors=drawn.priors).fit(X, y, sample_weight=weight)
        for node in scene_of(model, View()).nodes:
            assert node.mix is not None
            assert node.mix.tolist() == model.tree_.array("probability")[node.number].tolist()

    def test_shares_are_those_of_the_rows_where_predictions_are_drawn_elsewhere(self) -> None:
        """The mix of a node stays that of its rows; the probability stands beside it."""
        model, _, _ = fitted("weighted")
        tree = model.tree_
        assert tree.shrinkage > 0
        assert tree.rule is not None
        shares = tree.rule.probability(tree.array("counts"))
        assert tree.rule.class_weight is not None
        rows = tree.array("counts") / tree.rule.class_weight
        for node in scene_of(model, View()).nodes:
            assert node.mix is not None
            assert node.mix.tolist() == shares[node.number].tolist()
            assert node.confidence == tree.node(node.number).confidence
            share = rows[node.number][node.label_class] / rows[node.number].sum()
            assert node.own == f"{percent(share)} of rows"

    def test_hidden_nodes_are_counted(self, case: Any) -> None:
        tree = case[0].tree_
        for view in (View(max_depth=1), View(max_nodes=4), View(max_nodes=1)):
            nodes = scene_of(tree, view).nodes
            assert len(nodes) + sum(node.n_hidden for node in nodes) == len(tree)
            if view.max_nodes:
                assert len(nodes) <= view.max_nodes

    def test_the_heaviest_nodes_are_shown(self) -> None:
        tree = fitted("unpruned")[0].tree_
        shown = scene_of(tree, View(max_nodes=9)).nodes
        hidden_inner = [node.weight for node in shown if node.n_hidden]
        opened = [node.weight for node in shown if node.children]
        assert min(opened) >= max(hidden_inner)


class TestTheWayOfARow:
    def test_it_is_that_of_the_model(self, case: Any) -> None:
        model, X, _ = case
        for place in range(0, len(X), max(1, len(X) // 7)):
            row = X.iloc[[place]] if isinstance(X, pd.DataFrame) else [X[place]]
            path = row_path(model.tree_, row)
            assert sorted(path.nodes) == model.decision_path(row).indices.tolist()
            assert len(path.sentences) == len(path.nodes) - 1
            marked = [
                node.number for node in scene_of(model, View(row=row, max_nodes=1)).nodes if node.on_path
            ]
            assert sorted(marked) == sorted(path.nodes)

    def test_rows_may_be_mappings_series_and_lists(self) -> None:
        X, y = datasets.load_penguins()
        tree = TreeClassifier().fit(X, y).tree_
        expected = row_path(tree, X.iloc[[7]])
        for row in (X.iloc[7], X.iloc[7].to_dict(), X.iloc[7].tolist()):
            assert row_path(tree, row) == expected

    def test_a_missing_value_is_said(self) -> None:
        model, X, _ = fitted("penguins")
        gone = X.iloc[[0]].copy()
        gone["flipper_length_mm"] = np.nan
        assert row_path(model.tree_, gone).sentences[0] == (
            "flipper_length_mm is missing, so the row goes with flipper_length_mm <= 206.5"
        )

    def test_several_columns(self) -> None:
        model, X, _ = fitted("sums")
        first = row_path(model.tree_, X.iloc[[0]]).sentences[0]
        assert all(f"{name} is " in first for name in model.tree_.root.question.columns)
        assert first.endswith(model.tree_.node(row_path(model.tree_, X.iloc[[0]]).nodes[1]).outcome)

    def test_what_is_no_row_is_refused(self) -> None:
        model, X, _ = fitted("penguins")
        with pytest.raises(DataError, match="row must be one row, but it holds 2"):
            row_path(model.tree_, X.iloc[:2])
        with pytest.raises(DataError, match="row must be one row of a table: it lacks the columns 'island'"):
            row_path(model.tree_, {"bill_length_mm": 3.0})


class TestSvg:
    def test_it_is_xml_and_says_what_it_shows(self, case: Any) -> None:
        model, X, y = case
        for how in ({}, {"data": (X, y), "charts": True}, {"theme": "dark", "direction": "right"}):
            root = ElementTree.fromstring(to_svg(model, **how))
            assert root.tag == f"{SVG}svg"
            assert root.get("role") == "img"
            assert root.get("aria-label")
            said = root.find(f"{SVG}desc")
            assert said is not None
            assert many(model.tree_.n_leaves, "leaf") in str(said.text)

    def test_names_cannot_become_tags(self) -> None:
        text = to_svg(fitted("evil names")[0], title=EVIL)
        root = ElementTree.fromstring(text)
        known = {"svg", "desc", "title", "rect", "g", "text", "path", "polyline", "polygon", "circle"}
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= known
        assert not {name for element in root.iter() for name in element.attrib if name.startswith("on")}

    def test_letters_that_xml_forbids(self) -> None:
        X = pd.DataFrame({"a\x00b\x1f": [1.0, 2.0, 3.0, 4.0]})
        model = TreeClassifier(prune=None).fit(X, ["\ufffe", "\ufffe", "b", "b"])
        ElementTree.fromstring(to_svg(model))

    def test_it_needs_nothing_else(self) -> None:
        text = to_svg(fitted("penguins")[0])
        assert "href" not in text
        assert "url(" not in text
        assert text.count("http") == text.count("http://www.w3.org/2000/svg") == 1

    def test_it_is_the_same_each_time_and_written_as_returned(self, tmp_path: Any) -> None:
        model = fitted("penguins")[0]
        text = to_svg(model, tmp_path / "tree.svg")
        assert text == to_svg(model)
        assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == text
        assert [path.name for path in tmp_path.iterdir()] == ["tree.svg"]

    def test_figures_that_are_asked_for(self) -> None:
        model, X, y = fitted("tested")
        shown = {
            figure: to_svg(model, figures=[figure], data=(X, y) if figure == "loss" else None)
            for figure in FIGURES
        }
        for figure, text in {
            "number": ">node 0<",
            "rows": ">150 rows<",
            "weight": ">weight 150<",
            "impurity": ">gini 0.667<",
            "gain": ">gain 0.333<",
            "loss": ">wrong 67%<",
        }.items():
            assert text in shown[figure]
            assert not [other for other in FIGURES if other != figure and text in shown[other]]
        assert ">p " in shown["p_value"]
        assert (shown["label"].count(">setosa<"), shown["rows"].count(">setosa<")) == (
            2,
            1,
        )  # one is the legend
        sure = to_svg(model, figures=["label", "confidence"])
        assert ">setosa 92%<" in sure
        assert ">100% of rows<" in sure
        assert (
            ">100% of rows<" not in shown["label"]
        )  # a share says nothing without the probability beside it

    def test_shares_or_counts(self) -> None:
        model = fitted("iris")[0]
        assert "setosa 33%, versicolor 33%" in to_svg(model)
        assert "setosa 50, versicolor 50" in to_svg(model, amounts="counts")

    def test_edited_trees_say_so(self) -> None:
        tree = fitted("iris")[0].tree_
        assert "edited by hand" in to_svg(tree.prune_at(2))
        assert "edited by hand" not in to_svg(tree)

    def test_missing_values_are_marked_on_their_way(self) -> None:
        root = ElementTree.fromstring(to_svg(fitted("penguins")[0]))
        dashed = [e for e in root.iter(f"{SVG}path") if e.get("stroke-dasharray")]
        tree = fitted("penguins")[0].tree_
        assert len(dashed) == sum(node.takes_missing for node in tree.walk()) > 0

    def test_edges_are_as_wide_as_their_share(self) -> None:
        model = fitted("iris")[0]
        root = ElementTree.fromstring(to_svg(model))
        widths = [
            float(str(e.get("stroke-width"))) for e in root.iter(f"{SVG}path") if e.get("fill") == "none"
        ]
        shares = [node.weight / 150 for node in model.tree_.walk() if node.parent]
        assert sorted(widths) == pytest.approx(sorted(max(1.2, 9 * share) for share in shares), abs=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "up"}, "direction='up' is not known; choose 'down', 'right', None"),
        ({"theme": "blue"}, "theme='blue' is not known; choose 'light', 'dark'"),
        ({"figures": ["rowes"]}, "figures='rowes' is not known.*Did you mean 'rows'"),
        ({"figures": "rows"}, "figures='rows' is not allowed; give a list"),
        ({"amounts": "percent"}, "amounts='percent' is not known; choose 'shares', 'counts'"),
        ({"max_depth": -1}, "max_depth=-1 is not allowed; give an integer of 0 or more, or None"),
        ({"max_nodes": 0}, "max_nodes=0 is not allowed; give an integer of 1 or more, or None"),
        ({"max_nodes": 2.5}, "max_nodes=2.5 is not allowed"),
        ({"charts": True}, "charts=True shows the rows of data, but none are given"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        to_svg(fitted("iris")[0], **options)


def test_models_that_are_refused() -> None:
    with pytest.raises(DataTypeError, match=r"to_svg\(\) needs a fitted tree estimator or a Tree, not int"):
        to_svg(3)
    with pytest.raises(ValueError, match="not fitted"):
        to_svg(TreeClassifier())


class TestText:
    def test_options(self) -> None:
        model, X, y = fitted("iris")
        tree = model.tree_
        assert tree.to_text() == str(tree)
        assert tree.to_text(max_depth=0).splitlines()[1] == "└── … 10 more nodes"
        assert "[50 rows]  → setosa (setosa 50)" in tree.to_text(amounts="counts")
        assert tree.to_text(figures=["rows"]).splitlines()[0] == "[150 rows]"
        assert "[25 rows, wrong 0%]  → setosa (100%)" in tree.to_text(data=(X[::2], y[::2]))

    def test_the_way_of_a_row(self) -> None:
        model, X, _ = fitted("iris")
        lines = model.tree_.to_text(row=X.iloc[[0]]).splitlines()
        assert [line.endswith("← the row") for line in lines] == [True, True, *[False] * 10]
        says = "the row: petal_length is 1.4, so petal_length <= 2.45 → setosa"
        assert lines[-1] == f"{says} (98%; 100% of 50 rows)"
        by_rows = TreeClassifier(leaf="frequency", max_depth=1).fit(*fitted("iris")[1:])
        assert by_rows.tree_.to_text(row=X.iloc[[0]]).endswith(f"{says} (100% of 50 rows)")


class TestColours:
    def test_a_class_keeps_its_colour(self) -> None:
        tree = fitted("iris")[0].tree_
        assert class_colours(tree, LIGHT) == list(LIGHT.classes[:3])
        assert class_colours(tree, DARK) == list(DARK.classes[:3])

    def test_rare_classes_share_one(self) -> None:
        tree = many_classes(60)[0].tree_
        colours = class_colours(tree, LIGHT)
        own = [number for number, colour in enumerate(colours) if colour != LIGHT.other]
        assert len(own) == len(LIGHT.classes)
        weights = tree.root.counts
        assert weights is not None
        assert min(weights[own]) >= max(np.delete(weights, own))

    @pytest.mark.parametrize("palette", [LIGHT, DARK])
    def test_words_can_be_read(self, palette: Any) -> None:
        """Contrast of at least 4.5 : 1 for text; colours of classes, which stand beside words, 1.9 : 1."""
        for ink in (palette.ink, palette.faint, palette.accent, palette.highlight):
            assert contrast(ink, palette.card) >= 4.5
        for colour in palette.classes:
            assert contrast(colour, palette.card) >= 1.9

    @pytest.mark.parametrize("palette", [LIGHT, DARK])
    def test_classes_differ_also_for_the_colour_blind(self, palette: Any) -> None:
        """The first five, as people without red or without green cones see them."""
        for blind in (PROTAN, DEUTAN):
            seen = [blind @ linear(colour) for colour in palette.classes[:5]]
            for i, one in enumerate(seen):
                for two in seen[:i]:
                    assert np.abs(one - two).max() > 0.08


# Linear simulations of full protanopia and deuteranopia in linear RGB (Viénot, Brettel and Mollon 1999).
PROTAN = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
DEUTAN = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])


def linear(colour: str) -> Any:
    """Hexadecimal to linear light."""
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    """The ratio of luminances, as the web's accessibility guidelines define it."""
    bright, dark = sorted((linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, two)), reverse=True)
    return float((bright + 0.05) / (dark + 0.05))


class TestWrapping:
    @pytest.mark.parametrize("text", ["", "a", "petal_length <= 2.45", "x" * 500, "漢字" * 40, "a b " * 50])
    @pytest.mark.parametrize("width", [3.0, 7.5, 20.0])
    def test_lines_fit(self, text: str, width: float) -> None:
        lines = wrap(text, width, 3)
        assert 1 <= len(lines) <= 3
        assert all(text_width(line) <= width + 1e-6 for line in lines)
        if "…" not in lines[-1]:
            assert "".join("".join(lines).split()) == "".join(text.split())
        assert text_width(shorten(text, width)) <= width + 1e-6

    def test_numbers_and_signs_stay_together(self) -> None:
        assert wrap("bill_length_mm <= -43.35", 7.5, 3) == ["bill_length_", "mm", "<= -43.35"]


class TestQuestionsAboutSeveralColumns:
    """Literals had all their digits on cards, and a date was broken within its seconds."""

    def asked_twice_about_a_date(self) -> Any:
        rng = np.random.default_rng(0)
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 200 * 86_400, 400), unit="s")
        X = pd.DataFrame({"joined": days, "age": rng.integers(18, 80, 400), "dose": rng.normal(size=400)})
        outside = (X.joined > pd.Timestamp("2020-03-09")) | (X.joined <= pd.Timestamp("2020-01-09"))
        return TreeClassifier(questions=MofN(), prune=None, max_depth=1).fit(X, outside & (X.age > 40))

    def test_dates_are_short_and_whole(self) -> None:
        model = self.asked_twice_about_a_date()
        literals = model.tree_.root.question.literals
        dates = [each for each in literals if each.about.name == "joined"]
        assert len(dates) == 2
        texts = [text for text, _ in words(draw_tree(model, View(), asker="the test"))]
        written = " ".join(texts)
        for literal in dates:
            assert "." in literal.value  # the midpoint of two seconds
            assert literal.beginning + literal.value.partition(".")[0] in written
            assert literal.value not in written
            # Never a part of a date, which would be another date.
            assert any(literal.value.partition(".")[0] in text for text in texts)

    def test_numbers_have_six_digits(self) -> None:
        rng = np.random.default_rng(1)
        X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
        y = (X > 0.1).sum(axis=1) >= 2
        question = TreeClassifier(questions=MofN(), prune=None, max_depth=1).fit(X, y).tree_.root.question
        assert max(len(literal.value) for literal in question.literals) > 12
        asked = asked_text(question, answers(question))
        assert asked.startswith("at least 2 of: ")
        for literal in question.literals:
            assert f"{literal.beginning}{float(literal.value):.6g}" in asked


class TestWhatOnceWasWrong:
    """One test for each fault that was found by looking."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_row_is_told_what_the_model_predicts(self, kind: str) -> None:
        """A row that the tree divides was told the label of its largest part."""
        model, X, _ = fitted(kind)
        if not isinstance(X, pd.DataFrame):
            return
        rng = np.random.default_rng(1)
        for place in rng.integers(0, len(X), 12):
            values = X.iloc[place].to_dict()
            for name in rng.choice(X.columns, min(2, X.shape[1]), replace=False):
                values[name] = None
            conclusion = row_path(model.tree_, values).conclusion
            row = pd.DataFrame([values])
            predicted = model.predict(row)[0]
            if model.tree_.target.classes is None:
                assert conclusion.startswith(f"→ {predicted:.6g} (")
                continue
            share = model.predict_proba(row)[0][list(model.classes_).index(predicted)]
            assert " ".join(conclusion.split()).startswith(" ".join(f"→ {predicted} (".split()))
            assert conclusion.partition(f"({percent(share)}")[2][:1] in (" ", ";")

    def test_columns_called_like_made_up_ones_are_found_by_name(self) -> None:
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["x0", "x1"])
        y = np.where(X["x0"] > 0, "a", "b")
        model = TreeClassifier().fit(X, y)
        turned = X[["x1", "x0"]]
        assert scene_of(model, View(data=(turned, y))).nodes[1].loss == 0.0
        path = scene_of(model, View(row=turned.iloc[[0]])).path
        assert path is not None
        assert path.sentences[0].startswith(f"x0 is {X['x0'].iloc[0]:.6}")

    def test_levels_that_no_row_had_here(self) -> None:
        """It was said: c is red, so c = blue."""
        X = pd.DataFrame({"z": [0.0] * 10 + [1.0] * 10, "c": ["red"] * 10 + ["blue"] * 5 + ["green"] * 5})
        tree = TreeClassifier(prune=None).fit(X, ["A"] * 10 + ["B"] * 5 + ["C"] * 5).tree_
        last = row_path(tree, {"z": 1.0, "c": "red"}).sentences[-1]
        assert (
            last == "c is red, which no row had here when the tree was grown, so the row goes with c = blue"
        )
        last = row_path(tree, {"z": 1.0, "c": "mauve"}).sentences[-1]
        assert last == "c is mauve, which the tree does not know, so the row goes with c = blue"

    def test_the_pie_of_a_nearly_pure_leaf_is_drawn(self) -> None:
        """Its arc ended where it began, after rounding, and was left out."""
        n = 100_000
        right = np.arange(n) >= n // 2
        y = np.where(right, "q", "p")
        y[0] = "q"
        X = pd.DataFrame({"a": right * 1.0})
        model = TreeClassifier(prune=None, max_depth=1).fit(X, y)
        arcs = [line for line in to_svg(model, data=(X, y), charts=True).splitlines() if "A21.21" in line]
        ends = [[part.split("A")[0].split("Z")[0] for part in line.split(" 0 0 1 ")[1:]] for line in arcs]
        assert any(len(set(places)) == len(places) > 1 for places in ends)

    @pytest.mark.parametrize("scale", [1e-90, 1e-6, 1.0, 1e5, 1e12, 1e90])
    def test_numbers_are_rounded_never_cut(self, scale: float) -> None:
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"a": rng.normal(size=300) * scale, "c": rng.choice(["r", "b"], 300)})
        z = X["a"] * 3 + (X["c"] == "r") * scale
        weight = np.full(300, 1e4 if scale == 1e5 else 1e15 if scale > 1e5 else 1.0)
        for model, y in (
            (TreeRegressor(max_depth=2, prune=None).fit(X, z), z),
            (TreeClassifier(max_depth=2, prune=None).fit(X, z > 0), z > 0),
        ):
            for data in ((X, y), (X, y, weight)):
                picture = draw(model, View(data=data), charts=True)
                assert [text for text, _ in words(picture) if "…" in text] == []
                for frame, texts in cards(picture).values():
                    assert [text for text, area in texts if not within(area, frame)] == []

    def test_hidden_nodes_are_told_with_charts_as_well(self) -> None:
        model, X, y = fitted("unpruned")
        plain, charts = (
            [
                text
                for text, _ in words(draw(model, View(max_depth=1, data=(X, y)), charts=charts))
                if "below" in text
            ]
            for charts in (False, True)
        )
        assert plain == charts != []

    def test_line_breaks_in_names(self) -> None:
        model = TreeClassifier(prune=None).fit(np.arange(40.0)[:, None], ["one\ntwo"] * 20 + ["b"] * 20)
        assert not [text for text, _ in words(draw(model, title="three\nfour")) if "\n" in text]

    def test_all_figures_at_once_are_shown(self) -> None:
        model, _, _ = fitted("tested")
        asked = ["number", "rows", "weight", "mix", "impurity", "gain", "p_value", "label", "confidence"]
        texts = [text for text, _ in cards(draw(model, View(figures=asked)))["node 0"][1]]
        shown = " · ".join(texts)
        for part in ("node 0", "150 rows", "weight 150", "gini 0.667", "gain 0.333", "p "):
            assert part in shown
        assert "…" not in shown

    def test_weights_are_not_taken_for_rows(self) -> None:
        X, y = datasets.load_penguins()
        weight = np.where(np.arange(len(y)) % 2, 3.0, 0.5)
        model = TreeClassifier(max_depth=2, prune=None).fit(X, y, sample_weight=weight)
        texts = [text for text, _ in words(draw(model))]
        assert f"344 rows · weight {weight.sum():.0f} · gini 0.636" in texts or any(
            "weight 602" in t for t in texts
        )
        assert any("shares and counts are by weight" in text for text in texts)
        assert "[344 rows, weight 602]" in str(model.tree_)

    def test_levels_that_begin_alike_can_be_told_apart(self) -> None:
        towns = ["Garmisch-Partenkirchen", "Saint-Germain-en-Laye", "Stratford-upon-Avon"]
        wards = ["Cardiology", "Neurology", "Paediatric Surgery"]
        levels = [f"University Hospital of {town}, Department of {ward}" for town in towns for ward in wards]
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"hospital": rng.choice(levels, 900), "n": rng.normal(size=900)})
        y = np.array(levels)[:, None] == X["hospital"].to_numpy()
        target = np.argmax(y, axis=0) % 4
        model = TreeClassifier(prune=None, max_depth=3).fit(X, target)
        for frame, texts in cards(draw(model, View(data=(X, target)), charts=True)).values():
            names = [
                text
                for text, area in texts
                if "…" in text and area[2] < frame[0] + 120 and " more" not in text
            ]
            assert len(set(names)) == len(names)
        assert not [text for text, _ in words(draw(model)) if text.count('"') % 2]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"figures": 5}, "figures is of type int; give a list"),
            ({"figures": [3]}, "figures=3 is not known"),
            ({"title": 5}, "title=5 is not allowed; give a text or None"),
            ({"charts": "no"}, "charts='no' is not allowed; give True or False"),
            ({"amounts": np.array(["a", "b"])}, "amounts="),
            ({"direction": np.array(["a", "b"])}, "direction="),
            ({"theme": 3}, "theme=3 is not known"),
            ({"figures": ["loss"]}, "figures holds 'loss', which is counted on other rows"),
        ],
    )
    def test_options_of_a_wrong_type(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            to_svg(fitted("iris")[0], **options)

    def test_training_figures_are_not_shown_beside_other_data(self) -> None:
        model, X, y = fitted("iris")
        for write in (to_svg, lambda model, **how: model.tree_.to_text(**how)):
            with pytest.raises(
                ParameterError, match="figures holds 'impurity', which is known of the training rows"
            ):
                write(model, data=(X, y), figures=["rows", "impurity"])

    def test_messages_about_a_row_speak_of_the_row(self) -> None:
        model, X, _ = fitted("iris")
        for row in (5, [1, 2, 3]):
            with pytest.raises(
                (DataError, DataTypeError), match=r"row must be one row of a table: it (is of|has 3)"
            ):
                to_svg(model, row=row)
        unnamed = pd.DataFrame(X.to_numpy())
        other = TreeClassifier().fit(unnamed, fitted("iris")[2])
        assert row_path(other.tree_, unnamed.iloc[3]).sentences

    def test_a_file_of_another_kind_is_refused(self, tmp_path: Any) -> None:
        with pytest.raises(ParameterError, match=r"to_svg\(\) writes SVG, but path ends in '.png'"):
            to_svg(fitted("iris")[0], tmp_path / "tree.png")
