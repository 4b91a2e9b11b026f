"""Write a whole page into one file, which loads nothing from the network, and say when and how it was made."""

import os
import platform
import shlex
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePosixPath, PureWindowsPath

from skconf._core.version import __version__
from skconf.report._page.elements import Content, Ids, Markup, element, joined
from skconf.report._page.parts import Part, Section

#: What a page may load: only its own style and its own script.
_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri 'none'; form-action 'none'"
)


def page(title: str, opening: Sequence[Part], sections: Sequence[Section]) -> str:
    """Return a page as HTML. The same parts give the same bytes on the same day.

    The title is plain text. A line below it says when and with what the page was made. `opening` has the parts before
    the first section.
    """
    ids = Ids()
    keys = [ids.new(section.short) for section in sections]
    links = [element("a", section.short, href=f"#{key}") for section, key in zip(sections, keys, strict=True)]
    header = element(
        "header",
        element("h1", title),
        element("p", f"{made_on()} · skconf {__version__}", class_="byline"),
        element("nav", links, aria_label="Sections") if len(links) > 1 else None,
    )
    main = [part.html(ids) for part in opening]
    main += [element("section", section.html(ids), id=key) for section, key in zip(sections, keys, strict=True)]
    return _document(title, joined([header, element("main", main)]))


def fragment(parts: Sequence[Part], *, prefix: str) -> str:
    """Return parts for a notebook: with their style, without a script.

    Each identifier begins with the prefix, which must differ between the cells of a notebook.
    """
    ids = Ids(prefix, scripted=False)
    shown = element("div", [part.html(ids) for part in parts], class_="skconf-page")
    return joined([element("style", Markup(style_sheet())), shown])


def _document(title: str, body: Content) -> str:
    style, script = Markup(style_sheet()), Markup(_asset("page.js"))
    policy = _POLICY.format(style=_digest(style), script=_digest(script))
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", style),
    ]
    lines = [Markup("<!DOCTYPE html>"), Markup('<html lang="en">'), element("head", head)]
    return "\n".join([*lines, element("body", body, element("script", script), class_="skconf-page"), "</html>\n"])


def style_sheet() -> str:
    """Return the style of pages and of the charts on them."""
    return _asset("page.css") + _asset("chart.css")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    """Return a file of this package, without indents and without lines that are only a comment."""
    text = files("skconf.report._page").joinpath(name).read_text(encoding="utf-8")
    lines = map(str.strip, text.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(("//", "/*")))


def made_on() -> str:
    """Return today's date in UTC, or the date of SOURCE_DATE_EPOCH if it is set, so that pages can be reproduced.

    Raise if SOURCE_DATE_EPOCH is not a number of seconds.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        text = f"SOURCE_DATE_EPOCH={epoch!r} is not a number of seconds since 1970. Unset it, or set it to a number."
        raise ValueError(text) from None
    return f"{now.day} {now:%B %Y}"


def how_made(command: str) -> dict[str, str]:
    """Return the facts on how a page was made: versions, date, and the command, if there is one."""
    facts = {"made by": f"skconf {__version__}, Python {platform.python_version()}", "on": f"{made_on()} (UTC)"}
    return facts | {"command": without_folders(command)} if command else facts


def without_folders(command: str) -> str:
    """Return a command with only the last part of each absolute path.

    Examples
    --------
    >>> without_folders("skconf evaluate /data/a.csv --html=/data/page.html")
    'skconf evaluate a.csv --html=page.html'
    """
    try:
        words = shlex.split(command, posix=True)
    except ValueError:  # a quote without an end
        words = command.translate(dict.fromkeys(map(ord, "'\""))).split()
    return shlex.join(_shortened(word) for word in words)


def _shortened(word: str) -> str:
    """Return a word of a command without the folders of an absolute path, also after an equals sign."""
    before, equal, last = word.rpartition("=")
    for kind in (PurePosixPath, PureWindowsPath):
        if kind(last).is_absolute():
            return f"{before}{equal}{kind(last).name or '/'}"
    return word
