"""A whole page in one file, which asks no host for anything."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from skconf.report._page.elements import Content, Markup, element, joined
from skconf.report._page.ids import Ids
from skconf.report._page.parts import Part, Section

_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri 'none'; form-action 'none'"
)


def page(title: str, opening: Sequence[Part], sections: Sequence[Section], *, byline: str = "") -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        Title of the page, plain text.
    opening : sequence of Part
        What is said before the first section.
    sections : sequence of Section
        The questions and their answers.
    byline : str, default=""
        A line below the title: when, by what.

    Returns
    -------
    str
        The same bytes for the same parts.
    """
    ids = Ids()
    keys = [ids.new(section.short) for section in sections]
    links = [element("a", each.short, href=f"#{key}") for each, key in zip(sections, keys, strict=True)]
    header = element(
        "header",
        element("h1", title),
        element("p", byline, class_="byline") if byline else None,
        element("nav", links, aria_label="Sections") if len(links) > 1 else None,
    )
    main = [part.html(ids) for part in opening]
    main += [element("section", each.html(ids), id=key) for each, key in zip(sections, keys, strict=True)]
    return _document(title, joined([header, element("main", main)]))


def fragment(parts: Sequence[Part], *, prefix: str) -> str:
    """Return parts for a notebook: with their style, without a script.

    Parameters
    ----------
    parts : sequence of Part
        What to show.
    prefix : str
        Begin of each identifier; another one for each cell.
    """
    ids = Ids(prefix, scripted=False)
    shown = element("div", [part.html(ids) for part in parts], class_="skconf-page")
    return joined([element("style", Markup(style_sheet())), shown])


def _document(title: str, body: Content) -> str:
    style, script = Markup(style_sheet()), Markup(_asset("page.js"))
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", style),
    ]
    lines = [Markup("<!DOCTYPE html>"), Markup('<html lang="en">'), element("head", head)]
    return "\n".join([*lines, element("body", body, element("script", script), class_="skconf-page"), "</html>\n"])


def style_sheet() -> str:
    """Return the style of pages and of the charts on them."""
    return _asset("page.css") + _asset("chart.css")


def _policy(style: str, script: str) -> str:
    """Return what the page may load: only its own style and its own script."""
    return _POLICY.format(style=_digest(style), script=_digest(script))


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    """Return a file of this package."""
    return files("skconf.report._page").joinpath(name).read_text(encoding="utf-8")
