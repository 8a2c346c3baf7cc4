"""What moves the price of a house. (The houses are made up.)

Partial dependence averages over all other columns as they are in the table: it shows what the tree does with
a column, all else being as it is. With the number of rooms the price hardly rises; with age it falls, up to
forty years, and then no more. A tree has no slopes, only steps.

The conditional average of the predictions looks only at the houses that have so many rooms. These are the
larger ones, so it rises steeply: what it shows is the area. Income acts more strongly in the centre than in
the new town: where two lines are not parallel, two columns act together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gallery import run

from arboretum import TreeRegressor, datasets, partial_dependence, plot


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the dependence on rooms, on age, and on income in two quarters."""
    X, price = datasets.make_houses(1500)
    model = TreeRegressor().fit(X, price)
    plot.partial_dependence(model, "rooms", X, ax=axes[0])
    predicted = model.predict(X)
    rooms = [number for number, n in X.rooms.value_counts().sort_index().items() if n >= 20]
    means = [float(predicted[X.rooms == number].mean()) for number in rooms]
    axes[0].plot(rooms, means, "k:", label="conditional average")
    axes[0].legend(frameon=False)
    plot.partial_dependence(model, "age", X, ax=axes[1])
    both = partial_dependence(model, ["income", "quarter"], X)
    income, quarters = both.grid
    apart = partial_dependence(model, "rooms", X, grid=[rooms[0], rooms[-1]]).values.ravel()
    rises = {"rooms": float(apart[1] - apart[0]), "rooms, conditional average": means[-1] - means[0]}
    for quarter, style in (("centre", "-"), ("new town", "--")):
        values = np.asarray(both.values)[..., list(quarters).index(quarter)].ravel()
        axes[2].step(income, values, style, label=quarter)
        rises[f"income, {quarter}"] = float(values[-1] - values[0])
    axes[2].set(xlabel="income", ylabel="mean price")
    axes[2].legend(frameon=False)
    return {f"rise with {what}": rise for what, rise in rises.items()}


if __name__ == "__main__":
    run(draw, 3)
