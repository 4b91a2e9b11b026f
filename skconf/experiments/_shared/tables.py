"""Tables of texts: our values and the printed values, with a column for each quantity, and other tables."""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from skconf._core.numbers import with_minus
from skconf.report._page.tables import TablePart, as_texts

#: Columns of a wide table, for the quantity X, by the columns of cells.
_COLUMNS = {
    "ours": "{}",
    "spread": "{}_spread",
    "paper": "paper_{}",
    "deviation": "{}_deviation",
    "note": "{}_note",
}
#: Deviations of more standard errors are not meaningful: the errors are nearly 0.
_MOST_ERRORS = 999
#: The default format of a quantity.
_STYLE = "{:.4f}"


def where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows of a table in which columns have these values, such as ``where(table, mode="perfect")``."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table


def wide(cells: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return a table with a row for each combination of the key, and columns X, paper_X, ... for each quantity X.

    `cells` has a row for each combination and quantity, with `ours`, `paper` and perhaps `spread`, `deviation` and
    `note`.
    """
    key, whose = list(key), [column for column in _COLUMNS if column in cells]
    rows = cells.set_index(key).index.unique()
    table = cells.pivot(index=key, columns="quantity", values=whose).reindex(rows)
    ordered = table[[(column, name) for name in cells["quantity"].unique() for column in whose]]
    names = [_COLUMNS[column].format(name) for column, name in ordered.columns]
    return ordered.set_axis(names, axis=1).infer_objects().reset_index()


def lay_out(title: str, table: pd.DataFrame, key: Mapping[str, str] | Sequence[str]) -> TablePart:
    """Return a wide table as texts: for each quantity our value, the paper's, and their difference in standard errors.

    If the paper prints none of the values, only ours are shown. The table comes from :func:`wide`. The key lists the
    columns that identify rows, or maps them to titles.
    """
    titles = key if isinstance(key, Mapping) else {name: name.replace("_", " ") for name in key}
    shown: dict[tuple[str, str], Any] = {
        ("", titles[name]): [_text("{:.6g}" if isinstance(value, float) else "{}", value) for value in table[name]]
        for name in titles
    }
    quantities = [name.removeprefix("paper_") for name in table if str(name).startswith("paper_")]
    is_printed = any(table[f"paper_{name}"].notna().any() for name in quantities)
    notes = {name: ["" if pd.isna(note) else note for note in _column(table, f"{name}_note")] for name in quantities}
    distinct = dict.fromkeys(note for column in notes.values() for note in column if note)
    mark = {note: f" [{number}]" for number, note in enumerate(distinct, 1)} | {"": ""}
    for name in quantities:
        columns = _of_quantity(table, name, [mark[note] for note in notes[name]], is_printed=is_printed)
        shown |= {(title_of(name), below): cells for below, cells in columns.items()}
    laid_out = pd.DataFrame(shown)
    if not {"paper", "s.e."} & {below for _, below in shown}:
        laid_out.columns = pd.Index([heading or below for heading, below in shown])
    return TablePart(title, laid_out, tuple(f"{mark[note].strip()} {note}." for note in distinct))


def _of_quantity(table: pd.DataFrame, name: str, marks: list[str], *, is_printed: bool) -> dict[str, list[str]]:
    """Return the columns of a quantity: our values with their spread, the printed ones, and the differences."""
    style = _shown(name)[1]
    spreads, deviations = (_column(table, f"{name}_{what}") for what in ("spread", "deviation"))
    beside = ["" if pd.isna(spread) else f" ±{_text(style, spread).lstrip('+')}" for spread in spreads]
    ours = [_text(style, number) for number in table[name]]
    columns = {"ours" if is_printed else "value": list(map(str.__add__, ours, beside))}
    if is_printed:
        columns["paper"] = [_text(style, number) for number in table[f"paper_{name}"]]
    if deviations.notna().any() or any(marks):
        columns["s.e."] = list(map(str.__add__, map(_in_errors, deviations), marks))
    return columns


def beside_paper(title: str, cells: pd.DataFrame, key: Mapping[str, str] | Sequence[str]) -> TablePart:
    """Return cells as a wide table of texts, in the layout of `lay_out`."""
    return lay_out(title, wide(cells, list(key)), key)


def plain_table(
    title: str, table: pd.DataFrame, titles: Mapping[str, str] | None = None, notes: Sequence[str] = ()
) -> TablePart:
    """Return a table with its numbers as texts with four digits; titles replace the names of columns."""
    return TablePart(title, as_texts(table.rename(columns=titles or {})), tuple(notes))


def title_of(quantity: str) -> str:
    """Return the title of a quantity."""
    return _shown(quantity)[0]


def _shown(quantity: str) -> tuple[str, str]:
    """Return the title and the format of a quantity."""
    return _quantities().get(quantity, (quantity.replace("_", " "), _STYLE))


@cache
def _quantities() -> dict[str, tuple[str, str]]:
    """Return title and format of each quantity in quantities.csv; for any other quantity, the name is the title."""
    with (files("skconf.experiments._shared") / "quantities.csv").open(encoding="utf-8") as file:
        return {row["quantity"]: (row["title"], row["style"]) for row in csv.DictReader(file)}


def _in_errors(deviation: float) -> str:
    if abs(deviation) > _MOST_ERRORS:
        return f"> {_MOST_ERRORS}" if deviation > 0 else f"< −{_MOST_ERRORS}"
    return _text("{:+.1f}", deviation)


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    return table[name] if name in table else pd.Series(float("nan"), table.index)


def _text(style: str, value: Any) -> str:
    if pd.isna(value):
        return "–"
    many = isinstance(value, float) and 1e4 <= abs(value) < float("inf")
    text = f"{value:,.0f}" if many else style.format(value)
    return text if isinstance(value, str) else with_minus(text)
