"""Find words that `docs/style.md` rules out: ``python tools/words.py`` prints each with its line and what to write.

The table of that page is the only list. This tool reads the prose of pages, and docstrings, messages and comments of
the package, of the examples and of the code that writes the reference. It leaves out code, printed output, names in
backticks and addresses.
"""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLE = ROOT / "docs" / "style.md"
#: Patterns of text that is not prose: on pages, blocks of code, options of directives, names, addresses and tags; in
#: docstrings, examples.
CODE_ON_PAGES = re.compile(
    r"^( *)(`{3,}).*?^\1\2`*$|^---\n.*?^---$|`[^`\n]+`|\]\([^)]*\)|<[^>]*>|https?:\S+", re.M | re.S
)
CODE_IN_STRINGS = re.compile(r"^[ \t]*>>>.*?(?=\n[ \t]*\n|\Z)|`+[^`]+`+|\{[^{}]*\}|https?:\S+", re.M | re.S)
#: Replaces text that is left out; no pattern matches across it.
OUT = "\0"


def banned(page: str) -> list[tuple[str, re.Pattern[str], str]]:
    """Read the table of a page; return the longest word of each banned expression, its pattern, and what to write."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", page, flags=re.M)
    return [
        (max(re.split(r"[\s*]|95", each.lower()), key=len), pattern(each), write.strip())
        for write, column in rows
        for each in re.findall(r"`([^`]+)`", column)
    ]


def pattern(words: str) -> re.Pattern[str]:
    """Return a pattern that finds words, also across line ends; `*` means any ending, and 95 any digits."""
    text = re.escape(words).replace(r"\ ", r"\s+").replace(r"\*", r"\w*").replace("95", r"\d+")
    start = r"(?<![\w.)\]}%:])" if words.startswith(".") else r"(?<!\w)"
    return re.compile(f"{start}{text}(?![\\w(%])", re.IGNORECASE)


def blank(text: str) -> str:
    """Leave the line ends of a text, and nothing else."""
    return re.sub(r"[^\n]+", OUT, text)


def prose_of_page(text: str) -> str:
    """Return the prose of a page, on the same lines."""
    return CODE_ON_PAGES.sub(lambda found: blank(found[0]), text)


def prose_of_code(text: str) -> str:
    """Return the prose of a module, on the same lines: docstrings, messages and comments."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parts, last, before = [], 0, ""
    for kind, token, (row, column), (end_row, end_column), _ in tokenize.generate_tokens(io.StringIO(text).readline):
        begin, end = starts[row - 1] + column, starts[end_row - 1] + end_column
        if begin < last or not token.strip():
            continue
        parts.append(text[last:begin])
        if kind == tokenize.COMMENT:
            parts.append(re.sub(r"`[^`]+`", OUT, token.lstrip("#: ")))
        elif kind == tokenize.STRING:
            inner = re.sub(r"^\w*(\"{3}|'{3}|\"|')|(\"{3}|'{3}|\"|')$", "", token)
            # One word is a name or a value.
            parts.append(CODE_IN_STRINGS.sub(lambda found: blank(found[0]), inner) if re.search(r"\s", inner) else OUT)
        elif tokenize.tok_name[kind] == "FSTRING_MIDDLE":
            parts.append(OUT if before == ":" else token)  # after a colon, it is a format such as .3f
        elif not tokenize.tok_name[kind].startswith("FSTRING"):
            parts.append(OUT)
        last, before = end, token
    return "".join(parts)


def found_in(path: Path, patterns: list[tuple[str, re.Pattern[str], str]]) -> Iterator[tuple[int, str, str]]:
    """Go through the banned expressions in a file: the line, the words found, and what to write."""
    text = path.read_text()
    prose = prose_of_code(text) if path.suffix == ".py" else prose_of_page(text)
    lowered = prose.lower()
    for word, each, write in patterns:
        if word not in lowered:  # this is faster than the pattern
            continue
        for match in each.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), write


def files() -> list[Path]:
    """Return the files to read."""
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path != STYLE and "_build" not in path.parts]
    code = [path for folder in ("skconf", "examples", "docs/_ext") for path in (ROOT / folder).rglob("*.py")]
    return sorted([ROOT / "README.md", *pages, *code, *(ROOT / "examples").glob("*.rst")])


def main() -> int:
    """Print all findings; return 1 if there are any."""
    patterns = banned(STYLE.read_text())
    count = 0
    for path in files():
        for line, found, write in sorted(found_in(path, patterns)):
            print(f"{path.relative_to(ROOT)}:{line}: {found} → {write}")
            count += 1
    print(f"{count} to mend" if count else "no word to mend", file=sys.stderr)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
