"""The names that a user meets first."""

import ast
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import skconf


def test_every_name_is_there_and_is_what_type_checkers_read():
    source = ast.parse(Path(skconf.__file__).read_text())
    read = {
        alias.name: node.module
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("skconf")
        for alias in node.names
    }
    assert {*read, "__version__"} == set(skconf.__all__)
    for name, module in read.items():
        home = __import__(module, fromlist=[name])
        assert getattr(skconf, name) is getattr(home, name)
    assert set(skconf.__all__) <= set(dir(skconf))


def test_import_waits_for_no_other_package_and_every_subpackage_is_there():
    public = {path.parent.name for path in Path(skconf.__file__).parent.glob("*/__init__.py")} - {"_core"}
    code = "import skconf, sys; print({'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules))\n"
    code += f"for name in {sorted(public)}: print(getattr(skconf, name).__name__, name in dir(skconf))\n"
    code += "from skconf import *\nprint(accumulate.__module__, metrics.__name__, SelectiveClassifier.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    waits, *subpackages, names = done.stdout.splitlines()
    assert waits == "set()"
    assert subpackages == [f"skconf.{name} True" for name in sorted(public)]
    assert names == "skconf.accumulation._accumulate skconf.metrics SelectiveClassifier"
    assert public - {"cli", "tables"} <= set(skconf.__all__)


@pytest.mark.parametrize("name", ["skconf", "calibration", "inference", "inspection", "metrics", "selective"])
def test_signatures_can_be_read(name):
    """help(ConfidenceProfile.from_correctness) began with 30 lines of "Union[numpy._typing._array_like._Buffer, …"."""
    home = skconf if name == "skconf" else getattr(skconf, name)
    public = [getattr(home, each) for each in home.__all__]
    classes = [each for each in public if inspect.isclass(each)]
    methods = [method for each in classes for _, method in inspect.getmembers(each, inspect.isroutine)]
    functions = [each for each in [*public, *methods] if inspect.isfunction(each) or inspect.ismethod(each)]
    assert [each.__qualname__ for each in functions if "numpy._typing" in str(inspect.signature(each))] == []


def test_another_name_is_none():
    with pytest.raises(AttributeError, match="module 'skconf' has no attribute 'confidence'"):
        _ = skconf.confidence
    assert not hasattr(skconf, "__wrapped__")  # inspect and doctest ask for it


def test_pickles_name_the_home_of_a_class():
    model = pickle.loads(pickle.dumps(skconf.SelectiveClassifier(None, threshold=0.5)))
    assert model.threshold == 0.5
