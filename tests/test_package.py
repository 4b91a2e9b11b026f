"""What the package says of itself, in one place each."""

import re
import tomllib
from pathlib import Path

import pytest

import skconf

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_written_once():
    # The changelog has it as a heading, too: whoever releases compares them by `nox --session release`.
    texts = [*ROOT.glob("*.md"), ROOT / "CITATION.cff", ROOT / "pyproject.toml", ROOT / "conda" / "recipe.yaml"]
    held = [
        file.name for file in texts if re.search(r"""^\W*version\W+["']?\d+\.\d+\.\d""", file.read_text("utf-8"), re.M)
    ]
    assert not held
    assert "version" in PROJECT["dynamic"]
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", skconf.__version__)


def test_recipe_for_conda_has_the_requirements():
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    runs = text.partition("\n  run:\n")[2].partition("\n\n")[0]
    named = {line.strip("- ").replace(" ", "") for line in runs.splitlines()}
    least = re.search(r'python_min: "(.+)"', text)[1]
    assert named == {"python>=${{python_min}}", *PROJECT["dependencies"]}
    assert PROJECT["requires-python"] == f">={least}"
    assert f"skconf = {PROJECT['scripts']['skconf']}" in text
    assert f"license: {PROJECT['license']}\n" in text
    assert f"summary: {PROJECT['description']}\n" in text


@pytest.mark.parametrize("extra", ["plot", "large", "logs", "dask", "spark", "experiments", "arena", "all", "test"])
def test_extras_that_the_documentation_names_are_there(extra):
    assert PROJECT["optional-dependencies"][extra]
    assert f"`{extra}`" in (ROOT / "docs" / "install.md").read_text(encoding="utf-8") or extra in ("arena", "all")


def test_tests_need_no_heavy_package():
    def needed(extra):
        for requirement in PROJECT["optional-dependencies"][extra]:
            if requirement.startswith("skconf["):
                for other in re.search(r"\[(.+)\]", requirement)[1].split(","):
                    yield from needed(other)
            else:
                yield re.split(r"[\[<>=!~]", requirement)[0]

    heavy = {"torch", "pyspark", "dask", "probmetrics", "netcal", "numba", "tensorflow"}
    assert not heavy & {*needed("test")}
    assert not heavy & {*needed("all")}


def test_tests_that_are_listed_as_long_are_there():
    """Who renames one renames it in the list, too: `TestProperties` are made in another file."""
    for line in (ROOT / "tests" / "long.txt").read_text(encoding="utf-8").splitlines():
        file, *_, name = line.split("::")
        places = [file, "tests/_support/metrics/properties.py"] if "::TestProperties::" in line else [file]
        # An example is named by what its docstring is of.
        defined = re.compile(rf"^ *(def|class) {name.rpartition('.')[2]}\b", re.M)
        assert any(defined.search((ROOT / place).read_text(encoding="utf-8")) for place in places), line
