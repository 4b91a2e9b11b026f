"""Check the built documentation: ``python tools/check_site.py HTML_DIR``.

- What people search for leads to the right page first. `docs/_ext/search.py` names this page; results are ranked here
  as the site's own search ranks them (`searchtools.js` of Sphinx 8 and 9).
- Every link within the site has its page, and its anchor there.
- No example prints an object of matplotlib, such as Text(0.5, 1.0, ...).
- The links of cards of the gallery, whose text is hidden, have a name for screen readers.
- No page has more than 2,000 words, not counting code, formulas and tables.
"""

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import snowballstemmer  # type: ignore[import-untyped]  # comes with Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from search import LEADS_TO  # type: ignore[import-not-found]  # noqa: E402

MOST_WORDS = 2000
#: Scores of Sphinx's own search, for full names and last parts of names, priorities of objects, titles and terms.
NAME, PART_OF_NAME, PRIORITIES = 11, 6, {0: 15, 1: 5, 2: -5}
TITLE, PART_OF_TITLE, TERM, PART_OF_TERM = 15, 7, 5, 2
Result = tuple[float, str, str]  # score, title, page with anchor


def ranked(index: dict[str, Any], query: str) -> list[Result]:
    """Return what a search finds, best first; entries of the index that are not main ones come last."""
    query = query.lower().strip()
    results = [*in_titles(index, query), *in_objects(index, query), *in_terms(index, query)]
    results += in_entries(index, query, main=True)
    others = in_entries(index, query, main=False)
    found: dict[tuple[str, str], Result] = {}
    for group in (results, others):
        for each in sorted(group, key=lambda each: (-each[0], each[1].lower())):
            found.setdefault(each[1:], each)
    return list(found.values())


def place(index: dict[str, Any], file: int, anchor: str | None) -> str:
    """Return the page and the anchor of a result."""
    return str(index["docnames"][file]) + (f"#{anchor}" if anchor else "")


def in_titles(index: dict[str, Any], query: str) -> Iterator[Result]:
    """Go through titles of pages and sections that hold the query, and not much besides."""
    for title, places in index["alltitles"].items():
        if query in title.lower().strip() and len(query) >= len(title) / 2:
            for file, anchor in places:
                is_page = index["titles"][file] == title
                shown = title if is_page else f"{index['titles'][file]} > {title}"
                yield round_half_up(TITLE * len(query) / len(title)) + is_page, shown, place(index, file, anchor)


def in_entries(index: dict[str, Any], query: str, main: bool) -> Iterator[Result]:
    """Go through entries of the index that hold the query, and not much besides."""
    for entry, places in index["indexentries"].items():
        if query in entry and len(query) >= len(entry) / 2:
            for file, anchor, is_main in places:
                if is_main == main:
                    score = round_half_up(100 * len(query) / len(entry))
                    yield score, index["titles"][file], place(index, file, anchor)


def in_objects(index: dict[str, Any], query: str) -> Iterator[Result]:
    """Go through the names of the reference."""
    words = set(split(query))
    for word in words:
        for prefix, matches in index["objects"].items():
            for file, kind, priority, anchor, name in matches:
                full = f"{prefix}.{name}" if prefix else name
                last = full.lower().rpartition(".")[2]
                about = f"{prefix} {name} {index['objnames'][str(kind)][2]} {index['titles'][file]}".lower()
                if word not in full.lower() or any(other not in about for other in words - {word}):
                    continue
                score = NAME if word in (full.lower(), last) else PART_OF_NAME * (word in last)
                own = {"": full, "-": f"{index['objnames'][str(kind)][1]}-{full}"}.get(anchor, anchor)
                yield score + PRIORITIES.get(priority, 0), full, place(index, file, own)


def in_terms(index: dict[str, Any], query: str) -> Iterator[Result]:
    """Go through the pages that hold all words of the query."""
    stemmer = snowballstemmer.stemmer("english")
    words = {stemmer.stemWord(word) for word in split(query)}
    scores: dict[int, dict[str, int]] = {}
    for word in words:
        kinds = (("terms", TERM, PART_OF_TERM), ("titleterms", TITLE, PART_OF_TITLE))
        found = [(index[kind][word], whole) for kind, whole, _ in kinds if word in index[kind]]
        for kind, _, part in kinds if len(word) > 2 else ():
            if word not in index[kind]:
                found += [(files, part) for term, files in index[kind].items() if word in term]
        for files, score in found:
            for file in files if isinstance(files, list) else [files]:
                scores.setdefault(file, {})[word] = score
    for file, by_word in scores.items():
        if len(by_word) == len(words):
            yield max(by_word.values()), index["titles"][file], place(index, file, None)


def split(query: str) -> list[str]:
    """Return the words of a query."""
    return re.findall(r"\w+", query)


def round_half_up(number: float) -> int:
    """Round as JavaScript does."""
    return int(number + 0.5)


class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the links of a tag, and its anchors."""
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            if value and tag == "a" and name == "href":
                self.links.append(value)


class Prose(HTMLParser):
    """The words of the running text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open = {"article": 0} | dict.fromkeys(("pre", "table", "math", "script", "style"), 0)
        self.feed(text)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        """Count a tag that begins."""
        if tag in self._open:
            self._open[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Count a tag that ends."""
        if tag in self._open:
            self._open[tag] -= 1

    def handle_data(self, data: str) -> None:
        """Keep words that are in the article, and in no other counted tag."""
        if [tag for tag, depth in self._open.items() if depth] == ["article"]:
            self.words += re.findall(r"\S*[^\W\d_]{2}\S*", data)


def long_pages(folder: Path) -> Iterator[str]:
    """Go through the pages that are too long to read."""
    for path in sorted(folder.rglob("*.html")):
        if (n_words := len(Prose(path.read_text()).words)) > MOST_WORDS:
            yield f"{path.relative_to(folder).as_posix()}: has {n_words:,} words"


def dead_links(folder: Path) -> Iterator[str]:
    """Go through the links within a site that lead nowhere."""
    pages = {path.relative_to(folder).as_posix(): Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    for name, page in pages.items():
        for link in dict.fromkeys(page.links):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (folder / name).parent / unquote(address.path) if address.path else folder / name
            where = target.resolve().relative_to(folder.resolve()).as_posix()
            anchor = unquote(address.fragment)
            if not target.exists():
                yield f"{name}: {link}: no such file"
            elif anchor and where in pages and anchor not in pages[where].anchors:
                yield f"{name}: {link}: no such anchor"


def printed_objects(folder: Path) -> Iterator[str]:
    """Go through the pages of examples that print an object of matplotlib."""
    for path in sorted((folder / "auto_examples").glob("*.html")):
        if found := re.search(r"<span[^>]*>\W*(?:Text\(|&lt;matplotlib)|\[Text\(|&lt;matplotlib\.", path.read_text()):
            yield f"{path.name}: prints {found[0]!r}"


def unnamed_cards(folder: Path) -> Iterator[str]:
    """Go through the pages with cards that a screen reader cannot name."""
    for path in sorted(folder.rglob("*.html")):
        if re.search(r'sphx-glr-thumbcontainer"[^>]*><img[^>]*>\s*<p><a (?![^>]*aria-label)', path.read_text()):
            yield f"{path.relative_to(folder).as_posix()}: has a card whose link has no name"


def wrong_results(folder: Path) -> Iterator[str]:
    """Go through the searches that do not lead to the right page first."""
    text = (folder / "searchindex.js").read_text()
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    for query, page in LEADS_TO.items():
        first = next((where for _, _, where in ranked(index, query)), "nothing")
        if first != page:
            yield f"search for {query!r}: {first} comes first, not {page}"


def main() -> None:
    """Print all mistakes, and fail if there are any."""
    folder = Path(sys.argv[1])
    checks = (dead_links, printed_objects, unnamed_cards, long_pages, wrong_results)
    if wrong := [line for check in checks for line in check(folder)]:
        raise SystemExit("\n".join(wrong))
    print(
        f"{len(LEADS_TO)} searches lead to the right page; no dead link, no printed object, no card without name, "
        f"no page above {MOST_WORDS:,} words"
    )


if __name__ == "__main__":
    main()
