"""Data in a page: for its script to read, and for people to copy."""

import json
from typing import Any

import pandas as pd

from skconf.report._page.elements import Markup, element, joined
from skconf.report._page.ids import Ids


def as_json(data: Any, **attributes: str) -> Markup:
    """Return data in an element that no browser runs, and that no text in it can end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return element("script", Markup(text), type="application/json", **attributes)


def copied_as(what: str, text: str, ids: Ids, name: str | None = None) -> Markup:
    """Return a button that copies a text; it is there once the script of the page runs, if there is one."""
    if not ids.scripted:
        return Markup("")
    source = ids.new("copied")
    button = element(
        "button",
        what,
        type="button",
        class_="copy",
        data_from=source,
        aria_label=name and f"{what}: {name}",
        hidden=True,
    )
    return joined([button, as_json(text, id=source)])


def csv_of(table: pd.DataFrame) -> str:
    """Return a table as CSV, with numbers of six figures."""
    return str(table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
