"""A table that follows what a reader sets (a slider, allowed errors, or prices), with marks on a curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

import numpy as np
import pandas as pd

from skconf.report._page.chart import Chart
from skconf.report._page.elements import Ids, Markup, as_json, element, unbroken
from skconf.report._page.marks import Here
from skconf.report._page.parts import ChartPart
from skconf.report._page.tables import TablePart

#: Errors that exceed the limit by at most this much are allowed. Costs this close are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Slider:
    """A table with a row for each model, and a slider. The positions of the slider are called stops.

    The slider moves all rows to the same stop. A reader can also type allowed errors, or prices. Then each row moves to
    its own stop: for allowed errors, to the last stop that keeps them; for prices, to the stop with the least cost.
    Without a script, and on paper, the table shows the default stop.

    Attributes
    ----------
    label : str
        The label of the slider.
    stops : sequence of str
        Each stop in words, for screen readers.
    columns : sequence of str
        Headings of the table; the first column names the rows.
    cells : sequence of sequence of sequence of str
        For each stop, the rows of the table. The first cell of a row names the model, and is the same at all stops.
    default : int
        The number of the stop that is shown first.
    named : int
        Position of the column that says how many of 1,000 cases are answered. Sentences about a stop use this number.
    allowed : str
        The label of the field for the allowed errors.
    errors : sequence of sequence of float or None
        For each stop, the errors of each row, in the unit of the field `allowed`; None if too few cases are answered.
    amounts : mapping of str to sequence of sequence of float
        For each price, by stop and row: how many times it is paid in 1,000 cases (for losses and costs, their sum). The
        keys name the prices, which a reader can change.
    prices : mapping of str to float
        The prices that are shown first.
    are_examples : bool
        Whether these prices are only examples.
    total : str
        Title of the last column, Σ price × amount.
    curve : Chart or None
        A chart beside the table, with a mark for each row.
    places : sequence of sequence of pair of float
        For each stop and row, the place of the row's mark in the chart: the share answered, and the errors.
    """

    label: str
    stops: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Sequence[str]]]
    default: int
    named: int
    allowed: str
    errors: Sequence[Sequence[float | None]]
    amounts: Mapping[str, Sequence[Sequence[float]]]
    prices: Mapping[str, float]
    are_examples: bool
    total: str
    curve: Chart | None
    places: Sequence[Sequence[tuple[float, float]]]

    def text(self, width: int | None = None) -> str:
        """Return the table at the default stop."""
        table = TablePart("", self._shown(), (self._priced(), self._cheapest()))
        return f"To {self.label.lower()} {self.stops[self.default]}:\n{table.text(width)}"

    def html(self, ids: Ids) -> Markup:
        """Return the slider, its table, the fields, and the curve."""
        name = ids.new("slider")
        moved = element(
            "input",
            type="range",
            id=name,
            min="0",
            max=str(len(self.stops) - 1),
            step="1",
            value=str(self.default),
            aria_valuetext=self.stops[self.default],
            hidden=True,
        )
        place = element("output", self.stops[self.default], for_=name)
        head = element("p", element("label", self.label, for_=name), " ", moved, " ", place, class_="moved")
        table = TablePart("", self._shown()).html(ids)
        data = as_json(self._data(), class_="stops")
        priced = element("p", self._priced(), class_="note priced")
        cheapest = element("p", self._cheapest(), class_="cheapest", aria_live="polite")
        controls = element("div", head, self._allowing(ids), self._fields(ids), priced, cheapest, data)
        curve = None if self.curve is None else ChartPart(self._marked(self.curve)).html(ids)
        return element("div", controls, curve, element("div", table, class_="across"), class_="slider")

    def _marked(self, curve: Chart) -> Chart:
        """Return the curve with a mark for each row."""
        at = enumerate(self.places[self.default])
        here = [Here([x], [y], series=row, row=row) for row, (x, y) in at]
        return replace(curve, marks=[*curve.marks, *here])

    def _cheapest(self) -> str:
        """Say where each row costs least. The script uses the same words for other prices."""
        rows = range(len(self.cells[0]))
        costs = [[self._total(stop, row) for stop in range(len(self.stops))] for row in rows]
        cheapest = [next(at for at, cost in enumerate(each) if cost <= min(each) + _ROUNDING) for each in costs]
        shown = [
            f"{self.cells[0][row][0]} costs {_whole(costs[row][stop]):,} per 1,000 cases, of which it answers "
            f"{self.cells[stop][row][self.named]}"
            for row, stop in zip(rows, cheapest, strict=True)
        ]
        return f"Cheapest: {'; '.join(shown)}."

    def _total(self, stop: int, row: int) -> float:
        """Return the cost of a row at a stop, Σ price × amount."""
        total = 0.0
        for what in self.amounts:  # in the order in which the script adds
            total += self.prices[what] * self.amounts[what][stop][row]
        return total

    def _priced(self) -> str:
        """Return the prices that are shown first, in words."""
        prices = ", ".join(f"{what} {price:g}" for what, price in self.prices.items())
        return f"{'Example prices' if self.are_examples else 'Prices'}: {prices}."

    def _allowing(self, ids: Ids) -> Markup:
        """Return the field for the allowed errors."""
        name = ids.new(self.allowed)
        box = element("input", type="number", id=name, min="0", step="any", class_="allowed", placeholder="e.g. 3")
        return element("p", element("label", f"or: {self.allowed}", for_=name), " ", box, class_="prices", hidden=True)

    def _fields(self, ids: Ids) -> Markup:
        """Return the fields for the prices, and the button that moves to the least cost."""
        fields = []
        for what in self.amounts:
            name = ids.new(what)
            box = element(
                "input",
                type="number",
                id=name,
                min="0",
                step="any",
                required=True,
                value=f"{self.prices[what]:g}",
                class_="price",
            )
            fields.append(element("span", element("label", what, for_=name), " ", box))
        of_whom = element("span", "(example prices)", class_="example note") if self.are_examples else None
        go = element("button", "Show the cheapest", type="button", class_="cheapest-place")
        return element("p", "or: ", fields, " ", of_whom, " ", go, class_="prices", hidden=True)

    def _data(self) -> dict[str, object]:
        # The same as in the elements that the script replaces.
        cells = [[[unbroken(cell) for cell in row[1:]] for row in rows] for rows in self.cells]
        data: dict[str, object] = {
            "stops": list(self.stops),
            "cells": cells,
            "named": self.named - 1,
            "errors": self.errors,
            "amounts": [self.amounts[what] for what in self.amounts],
        }
        if self.curve is not None:
            data["places"] = self._in_the_picture(self.curve)
        return data

    def _in_the_picture(self, curve: Chart) -> list[list[list[float]]]:
        """Return the places of the marks at every stop, in units of the picture."""
        values = np.asarray(self.places, dtype=float)
        at = curve.at(values[..., 0].ravel(), values[..., 1].ravel()).round(1)
        return [[[float(x), float(y)] for x, y in rows] for rows in at.reshape(values.shape)]

    def _shown(self) -> pd.DataFrame:
        """Return the table at the default stop, with the total."""
        table = pd.DataFrame(self.cells[self.default], columns=list(self.columns))
        totals = [f"{_whole(self._total(self.default, row)):,}" for row in range(len(table))]
        return table.assign(**{self.total: totals})


def _whole(number: float) -> int:
    """Round to a whole number as the script does: a half is rounded up."""
    return floor(number + 0.5)
