"""What is deprecated goes when its sentence says so."""

import re
from pathlib import Path

import pytest

import skconf

PACKAGE = Path(skconf.__file__).parent


def overdue(text, version):
    """Return the versions that sentences of a text name for a removal, and that have been reached."""
    reached = tuple(map(int, version.split(".")[:2]))
    return [each for each in re.findall(r"removed in (\d+\.\d+)", text) if tuple(map(int, each.split("."))) <= reached]


@pytest.mark.parametrize(("version", "found"), [("0.3.9", []), ("0.4.0.dev0", ["0.4"]), ("1.0", ["0.4"])])
def test_sentence_of_a_removal_is_read(version, found):
    assert overdue('@deprecated("renamed to `after` in 0.3, removed in 0.4")', version) == found


def test_nothing_deprecated_is_overdue():
    late = {file.name: overdue(file.read_text(encoding="utf-8"), skconf.__version__) for file in PACKAGE.rglob("*.py")}
    assert not {name: versions for name, versions in late.items() if versions}
