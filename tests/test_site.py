"""What the documentation makes of the code."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def source(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    return importlib.import_module("source")


@pytest.mark.parametrize(
    ("module", "name", "line"),
    [
        ("skconf", "SelectiveClassifier", "class SelectiveClassifier("),
        ("skconf", "SelectiveClassifier.predict", "def predict("),
        ("skconf", "confidence_report", "def confidence_report("),
        ("skconf.metrics", "expected_calibration_error", "class ExpectedCalibrationError("),
        ("skconf.metrics", "get_metric", "def get_metric("),
        ("skconf.inference", "Interval", "class Interval"),
    ],
)
def test_source_of_a_name_defines_it(source, module, name, line):
    path, first, last = source.lines_of(module, name)
    shown = (ROOT / path).read_text().splitlines()[first - 1 : last]
    # Decorators stand above it.
    assert any(each.strip().startswith(line) for each in shown[:5])
    assert shown[-1].strip()


def test_what_has_no_code_has_no_source(source):
    assert source.linkcode_resolve("py", {"module": "skconf.inference", "fullname": "Interval.low"}) is None


def test_headings_of_docstrings_stand_alone():
    """A heading that was wrapped into its paragraph is none, and the page lacks the section."""
    wrapped = re.compile(r"^ +[A-Z]\w+( [A-Z]\w+)? -{4,}", flags=re.M)
    assert not [path for path in (ROOT / "skconf").rglob("*.py") if wrapped.search(path.read_text())]
    wrapped = re.compile(r"^# (.*[^-] -{3,}|%% \S)", flags=re.M)
    assert not [path for path in (ROOT / "examples").glob("*.py") if wrapped.search(path.read_text())]


def test_every_example_stands_under_a_task_once():
    """In docs/gallery.rst: that is where a reader looks for it."""
    listed = re.findall(r"^   \.\./examples/(\w+)\.py$", (ROOT / "docs" / "gallery.rst").read_text(), flags=re.M)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    assert len(listed) <= 20


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_example_opens_with_a_question_and_ends_with_what_to_do(path):
    text = path.read_text()
    title, line, _, *intro = text.removeprefix('"""\n').split('"""')[0].splitlines()
    assert set(line) == {"="}
    assert len(title) <= 60
    assert "?" in " ".join(intro)
    assert "\n# %%\n# **What to do.** " in text[text.rindex("# %%") - 1 :]
