"""Place values and texts in the frame of a chart."""

from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf.report._page.axes import Axis
from skconf.report._page.elements import Markup, element

#: Height of letters. At 420 units on a phone's 358 pixels these are 11 pixels.
FONT = 13
#: The distance between lines of text.
LINE = 16
#: Lines are kept up to this many times the size of the frame, so that slopes at the edge do not change.
_BEYOND = 20.0


@dataclass(frozen=True)
class Box:
    """A rectangle, with y growing downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> "Box":
        """Return the rectangle with a margin all around."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def covers(self, points: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which points are inside."""
        x, y = points[:, 0], points[:, 1]
        return (self.left <= x) & (x <= self.right) & (self.top <= y) & (y <= self.bottom)


@dataclass(frozen=True)
class Frame:
    """The places of values in a chart. The box is the area between the axes."""

    x: Axis
    y: Axis
    box: Box

    def at(self, x: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return places of points, one in each row. NaN stays NaN, and infinite values are far outside."""
        across = np.clip(self.x.place(x), -_BEYOND, 1 + _BEYOND)
        up = np.clip(self.y.place(y), -_BEYOND, 1 + _BEYOND)
        across, up = np.broadcast_arrays(across, up)
        box = self.box
        left = box.left + across * (box.right - box.left)
        return np.column_stack([left.ravel(), (box.bottom - up * (box.bottom - box.top)).ravel()])


def number(value: float) -> str:
    """Return a coordinate with one decimal, which is finer than a pixel."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path(pieces: list[NDArray[Any]], close: bool = False) -> str:
    """Return the data of a path through points, one piece after another."""
    end = "Z" if close else ""
    return "".join(f"M{' '.join(number(v) for v in piece.ravel())}{end}" for piece in pieces)


def text_width(text: str) -> float:
    """Estimate the width of a text, rather too large than too small, because fonts differ."""
    return FONT * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in "…mwMW" or east_asian_width(letter) in "WF":
        return 1.0
    return 0.53 if letter.islower() or letter == " " else 0.64


def written(text: str, x: float, y: float, kind: str, width: float = np.inf) -> Markup:
    """Write a text at a place, shortened to a width; ``kind`` has its CSS classes. Hovering shows the whole text."""
    shown = _fitted(text, width)
    whole = element("title", text) if shown != text else None
    return element("text", shown, whole, x=number(x), y=number(y), class_=kind)


def _fitted(text: str, width: float) -> str:
    """Return a text that is shortened in the middle, because names often differ at the end."""
    if text_width(text) <= width:
        return text
    kept = len(text) - 1
    while kept > 1 and text_width(_shortened(text, kept)) > width:
        kept -= 1
    return _shortened(text, kept)


def _shortened(text: str, kept: int) -> str:
    return text[: -(-kept // 2)] + "…" + text[len(text) - kept // 2 :]
