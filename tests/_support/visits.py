"""What a browser finds on a page: on a screen, in the dark, on a phone and on paper."""

import io
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from PIL import Image

WIDE, NARROW = {"width": 1000, "height": 900}, {"width": 390, "height": 844}
PHONE = {"viewport": NARROW, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"

#: Width of what can be scrolled to; texts that begin left of the screen or end right of it, also in tables.
_OVERFLOW = """() => {
    const out = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const box = range.getBoundingClientRect();
        if (box.width && (box.left < -1 || box.right > innerWidth + 1))
            out.push(walker.currentNode.textContent);
    }
    return [document.documentElement.scrollWidth, innerWidth, out];
}"""
_LETTERS = """() => [...document.querySelectorAll('svg text')].filter(each => each.getBoundingClientRect().width).map(
    each => [each.textContent, parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a])"""
_COLOURS = """() => [document.body, ...document.querySelectorAll('h1, p, td, th, output, svg text')].map(each => {
    const style = getComputedStyle(each);
    return each === document.body ? style.backgroundColor : each.closest('svg') ? style.fill : style.color;
})"""
#: All that is read of a page, except for what works on a screen only; the browser leaves out texts of charts.
_READ = """() => {
    const shown = [...document.querySelectorAll('input[type=number], svg text')].filter(
        each => each.getBoundingClientRect().width);
    const others = shown.map(each => each.value ?? [...each.childNodes].filter(
        node => node.nodeName !== 'title').map(node => node.textContent).join(''));
    for (const each of document.querySelectorAll('nav, button, input, svg')) each.style.display = 'none';
    return [document.body.innerText, ...others].join('\\n');
}"""


@dataclass
class Visit:
    """What was found.

    Attributes
    ----------
    requested, said : list of str
        Addresses that the page asked for, and messages in its console.
    violations : dict of dict
        For each screen, the rules of axe-core that are violated, and where.
    heights : dict of int
        Height of the page as it is opened, by the width of the window.
    overflow : dict of list
        On a narrow window and on a phone: width of what can be scrolled to, of the screen, and texts beyond it.
    letters : list of (str, float)
        Texts in charts, and their size in pixels on a phone.
    inks : dict of list
        For each medium, luminance of the ground, and of every kind of text.
    bright : float
        Share of the dark page that is bright.
    shown, printed : Counter
        Numbers on the screen and on paper.
    """

    requested: list
    said: list
    violations: dict
    heights: dict
    overflow: dict
    letters: list
    inks: dict
    bright: float
    shown: Counter
    printed: Counter


def visit(browser, file):
    """Open a page and return what is found."""
    from axe_playwright_python.base import AXE_SCRIPT

    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    requested, said = [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    heights = {}
    for width in (NARROW["width"], WIDE["width"]):
        page.set_viewport_size({**WIDE, "width": width})
        heights[width] = page.evaluate("document.documentElement.scrollHeight")
    printed = numbers(on_paper(page))
    own = {"requested": [url for url in requested if url != page.url], "said": list(said)}
    page.evaluate(OPEN_ALL)
    inks, bright = _themes(page)
    page.evaluate(AXE_SCRIPT)
    violations = {"light": _violations(page)}
    # Colours are what dark changes, and what a narrow window leaves.
    page.emulate_media(color_scheme="dark")
    violations["dark"] = _violations(page, "runOnly: ['color-contrast']")
    page.set_viewport_size(NARROW)
    violations["narrow"] = _violations(page, "rules: {'color-contrast': {enabled: false}}")
    overflow = {"window": page.evaluate(_OVERFLOW)}
    page.evaluate("document.querySelectorAll('details.screen').forEach(each => each.remove())")  # not for paper
    shown = numbers(page.evaluate(_READ))
    context.close()
    overflow["phone"], letters = _on_phone(browser, file)
    return Visit(
        **own,
        violations=violations,
        heights=heights,
        overflow=overflow,
        letters=letters,
        inks=inks,
        bright=bright,
        shown=shown,
        printed=printed,
    )


def _themes(page):
    inks = {}
    for media in ({"media": "print"}, {"media": "screen"}, {"color_scheme": "light"}, {"color_scheme": "dark"}):
        page.emulate_media(**({"color_scheme": "dark"} | media))
        inks[" ".join(media.values())] = [_luminance(colour) for colour in page.evaluate(_COLOURS)]
    grey = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("L").histogram()
    page.emulate_media(color_scheme="light")
    return inks, sum(grey[128:]) / sum(grey)


def _luminance(colour):
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _violations(page, options=""):
    found = page.evaluate(f"axe.run({{resultTypes: ['violations'], {options}}})")["violations"]
    return {each["id"]: [node["target"] for node in each["nodes"]][:5] for each in found}


def _on_phone(browser, file):
    context = browser.new_context(**PHONE)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate(OPEN_ALL)
    found = page.evaluate(_OVERFLOW), page.evaluate(_LETTERS)
    context.close()
    return found


def on_paper(page):
    """Return the text of a page that is printed."""
    from pypdf import PdfReader

    text = "\n".join(sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf())).pages)
    return unicodedata.normalize("NFKC", text)


def numbers(text):
    """Return how often each number stands in a text; hashes, which paper may break, are none."""
    text = re.sub(r"\b(?=\d*[a-f])[\da-f]{12,}\b", "", unicodedata.normalize("NFKC", text))
    return Counter(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+", text))
