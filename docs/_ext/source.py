"""The repository: its place in the header, and [source] at every name of the reference.

One setting: the address named Repository of `[project.urls]` in pyproject.toml. While there is none, neither is shown.
"""

import importlib
import inspect
import tomllib
from operator import attrgetter
from pathlib import Path

import skconf
from skconf.metrics._base.registry import metric_classes

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REPOSITORY = PROJECT.get("urls", {}).get("Repository", "")


def lines_of(module, name):
    """Return the file of a public name, from the root of the repository, and its first and last line."""
    found = attrgetter(name)(importlib.import_module(module))
    if module == "skconf.metrics":
        found = metric_classes().get(name, found)  # the functions are made from their definitions
    found = inspect.unwrap(getattr(found, "fget", None) or found)
    lines, first = inspect.getsourcelines(found)
    return Path(inspect.getsourcefile(found)).relative_to(ROOT).as_posix(), first, first + len(lines) - 1


def linkcode_resolve(_domain, info):
    """Return the address of the source of an object; None for what has no code, such as an attribute."""
    try:
        path, first, last = lines_of(info["module"], info["fullname"])
    except (AttributeError, TypeError, ValueError):
        return None
    return f"{REPOSITORY}/blob/v{skconf.__version__}/{path}#L{first}-L{last}"
