"""Words that docs/style.md rules out: planted ones are found where they are, and the project has none."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = """\
| write | it means | not |
|---|---|---|
| overconfident | more errors | `too sure`, `oversure` |
| imply | what is expected | `announc*` |
| 0.95 | a number | `.95` |
| 95% | a share | `95 %` |
"""


@pytest.fixture
def words(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import words

    return words


def found(words, tmp_path, name, text):
    """Return the lines and the words that are found in a file."""
    path = tmp_path / name
    path.write_text(text)
    return [(line, word) for line, word, _ in sorted(words.found_in(path, words.banned(TABLE)))]


def test_a_page_is_searched_and_its_code_is_not(words, tmp_path):
    page = (
        "# It is too\nsure\n\nIt announces .5 errors, in 20 % of 3.5 cases.\n\n```python\nx = .5  # too sure\n```\n"
        "Call `f(.5)`, see [this](announced.md) or <https://a.b/too sure>, version 1.2.3 and $0.5.\n\n"
        "| of | Oversure |\n|---|---|\n"
    )
    assert found(words, tmp_path, "page.md", page) == [
        (1, "too sure"),
        (4, ".5"),
        (4, "20 %"),
        (4, "announces"),
        (11, "Oversure"),
    ]


MODULE = '''"""Return what is announced.

    >>> f(.5)  # too sure
    .5

    In .25 of all, ``announced`` is a name.
"""

announced = {"announced": .5}
# It is too sure.
print(f"{announced:.2f} is too sure")
raise ValueError("the model is too "
                 "sure, at %.3f" % .75)
'''


def test_what_a_module_says_is_searched_and_its_code_is_not(words, tmp_path):
    assert found(words, tmp_path, "module.py", MODULE) == [
        (1, "announced"),
        (6, ".25"),
        (10, "too sure"),
        (11, "too sure"),
        (12, "too sure"),
    ]


def test_what_to_write_is_told_and_the_status_says_it(words, tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("One.\n\nIt announced none.\n")
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "files", lambda: [page])
    assert words.main() == 1
    assert capsys.readouterr().out == "page.md:3: announced → imply\n"
    page.write_text("One.\n")
    assert words.main() == 0


def test_the_table_is_read_as_it_stands(words):
    page = (ROOT / "docs" / "style.md").read_text()
    rows = [line for line in page.splitlines() if re.match(r"\| (?!write|---)", line)]
    assert len(rows) <= 40
    patterns = words.banned(page)
    assert len(patterns) == sum(line.rsplit("|", 2)[1].count("`") // 2 for line in rows)
    written = {write for *_, write in patterns}
    assert {line.split("|")[1].strip() for line in rows} == written


def test_the_project_has_none_of_them():
    done = subprocess.run([sys.executable, "tools/words.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
