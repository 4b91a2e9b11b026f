"""Texts in charts, and about the room that they take."""

from unicodedata import east_asian_width

import numpy as np

from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import number

#: Height of letters. At 420 units on a phone's 358 pixels these are 11 pixels.
FONT = 13
#: From one line of text to the next.
LINE = 16


def text_width(text: str) -> float:
    """Return about the width of a text, rather too much: fonts differ."""
    return FONT * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.0
    return 0.53 if letter.islower() or letter == " " else 0.64


def written(text: str, x: float, y: float, kind: str, width: float = np.inf) -> Markup:
    """Return a text at a place, shortened to a width; ``kind`` are its classes, its whole is shown on hovering."""
    shown = _fitted(text, width)
    whole = element("title", text) if shown != text else None
    return element("text", shown, whole, x=number(x), y=number(y), class_=kind)


def _fitted(text: str, width: float) -> str:
    """Return a text, shortened in its middle: names often differ at the end."""
    if text_width(text) <= width:
        return text
    kept = len(text) - 1
    while kept > 1 and text_width(_shortened(text, kept)) > width:
        kept -= 1
    return _shortened(text, kept)


def _shortened(text: str, kept: int) -> str:
    return text[: -(-kept // 2)] + "…" + text[len(text) - kept // 2 :]
