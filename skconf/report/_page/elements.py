"""Write elements of HTML and SVG, which escape their content, and identifiers that are unique on a page."""

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any, TypeAlias

from skconf._core.messages import visible

#: Elements that have no content and no closing tag.
_EMPTY = frozenset({"br", "hr", "input", "meta"})


#: The space before a percent sign, and the dash between the ends of an interval; each with its replacement, at which no
#: line ends.
_BEFORE_PERCENT, _UNBROKEN = re.compile(r"(?<=\d) (?=%)"), "\N{NO-BREAK SPACE}"
_BETWEEN_ENDS, _ONE_WORD = re.compile(r"(?<=\d)–(?=[\d−])"), "\N{WORD JOINER}–\N{WORD JOINER}"


class Markup(str):
    """Text that is already markup; all other strings are escaped."""

    __slots__ = ()


Content: TypeAlias = "str | Iterable[Content] | None"


def element(name: str, /, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """Return an element.

    Plain strings in the content are escaped, and None is left out. In the name of an attribute, ``_`` stands for ``-``,
    but a ``_`` at its end is dropped (``class_``). An attribute that is True is written without a value; an attribute
    that is None or False is left out.

    Examples
    --------
    >>> element("p", "a < b", element("br"), class_="note", aria_hidden="true")
    '<p class="note" aria-hidden="true">a &lt; b<br></p>'
    """
    written = "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    if name in _EMPTY:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(content)}</{name}>")


def joined(content: Content) -> Markup:
    """Return contents one after another; plain texts are escaped."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(unbroken(escape(visible(content, keep="\n"), quote=False)))
    return Markup("".join(map(joined, content)))


def unbroken(text: str) -> str:
    """Return a text that keeps a number and its percent sign, and both ends of an interval, in one line."""
    return _BETWEEN_ENDS.sub(_ONE_WORD, _BEFORE_PERCENT.sub(_UNBROKEN, text))


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, float) else visible(str(value), keep="\n")
    return f' {name}="{escape(text)}"'


def as_json(data: Any, **attributes: str) -> Markup:
    """Return data in an element that browsers do not run, and that no text in the data can close."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return element("script", Markup(text), type="application/json", **attributes)


class Ids:
    """Gives unique identifiers: the requested text, with a number if it is taken.

    Every identifier begins with the prefix, so that several pages fit into one notebook. `scripted` says
    whether a script runs on the page; without one, buttons are left out.
    """

    def __init__(self, prefix: str = "", *, scripted: bool = True) -> None:
        self.scripted = scripted
        self._prefix = prefix
        self._taken: dict[str, int] = {}

    def new(self, stem: str) -> str:
        """Return an identifier of letters, digits and dashes."""
        plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:40] or "part"
        return self.unique(self._prefix + plain, between="-")

    def unique(self, name: str, between: str = " ") -> str:
        """Return a name, with a number after it if the name was given before."""
        number = self._taken.get(name, 0) + 1
        while number > 1 and f"{name}{between}{number}" in self._taken:
            number += 1
        made = name if number == 1 else f"{name}{between}{number}"
        self._taken[made] = 1
        self._taken[name] = number
        return made
