"""A slider that moves the cells of a table over exact stops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor

import pandas as pd

from skconf.report._page.elements import Ids, Markup, as_json, element, unbroken
from skconf.report._page.tables import TablePart


@dataclass(frozen=True)
class Slider:
    """A table whose cells follow a slider; without a script, and on paper, it shows the default.

    Attributes
    ----------
    label : str
        What is moved.
    stops : sequence of str
        Each stop in words, which screen readers say.
    columns : sequence of str
        Headings of the table; the first column names the rows.
    cells : sequence of sequence of sequence of str
        The rows of the table at each stop; the first cells of the rows are those of all stops.
    default : int
        Number of the stop that is shown first.
    amounts : mapping of str to sequence of sequence of float, default={}
        For each price that the reader may change, what it is paid for: a number for each stop and row.
    prices : mapping of str to float, default={}
        The prices that are shown first.
    total : str, default="cost"
        Title of the last column, Σ price × amount.
    """

    label: str
    stops: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Sequence[str]]]
    default: int
    amounts: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    prices: Mapping[str, float] = field(default_factory=dict)
    total: str = "cost"

    def text(self, width: int | None = None) -> str:
        """Return the table at the default."""
        notes = (self._priced(), self._cheapest()) if self.amounts else ()
        return f"{self.label} {self.stops[self.default]}\n{TablePart('', self._shown(), notes).text(width)}"

    def html(self, ids: Ids) -> Markup:
        """Return the slider, its table, and the prices."""
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
        priced = element("p", self._priced(), class_="note priced") if self.amounts else None
        cheapest = element("p", self._cheapest(), class_="cheapest", aria_live="polite") if self.amounts else None
        return element("div", head, self._fields(ids), table, priced, cheapest, data, class_="slider")

    def _cheapest(self) -> str:
        """Return where each row costs least; the script says it of other prices in the same words."""
        names = [row[0] for row in self.cells[0]]
        costs = [[self._total(stop, row) for stop in range(len(self.stops))] for row in range(len(names))]
        cheapest = [min(range(len(row)), key=row.__getitem__) for row in costs]
        shown = [
            f"{name} where it answers {self.stops[stop]}: {row[stop]:,}"
            for name, stop, row in zip(names, cheapest, costs, strict=True)
        ]
        return f"Cheapest: {'; '.join(shown)}."

    def _total(self, stop: int, row: int) -> int:
        """Return a whole cost, rounded as the script rounds it."""
        return floor(sum(self.prices[what] * self.amounts[what][stop][row] for what in self.amounts) + 0.5)

    def _priced(self) -> str:
        """Return the prices that are shown first, in words."""
        return f"Here {', '.join(f'{what} {price:g}' for what, price in self.prices.items())}."

    def _fields(self, ids: Ids) -> Markup | None:
        """Return the fields of the prices."""
        if not self.amounts:
            return None
        fields = []
        for what in self.amounts:
            name = ids.new(what)
            box = element(
                "input", type="number", id=name, min="0", step="any", value=f"{self.prices[what]:g}", class_="price"
            )
            fields.append(element("span", element("label", what, for_=name), " ", box))
        return element("p", fields, class_="prices", hidden=True)

    def _data(self) -> dict[str, object]:
        # As the elements have them, which the script replaces.
        cells = [[[unbroken(cell) for cell in row[1:]] for row in rows] for rows in self.cells]
        return {"stops": list(self.stops), "cells": cells, "amounts": [self.amounts[what] for what in self.amounts]}

    def _shown(self) -> pd.DataFrame:
        """Return the table at the default, with the total."""
        table = pd.DataFrame(self.cells[self.default], columns=list(self.columns))
        if not self.amounts:
            return table
        return table.assign(**{self.total: [f"{self._total(self.default, row):,}" for row in range(len(table))]})
