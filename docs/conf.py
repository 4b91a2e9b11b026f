"""How the documentation is built: `sphinx-build -W docs docs/_build/html`."""

import importlib
import inspect
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import skconf

project = "skconf"
author = "The skconf developers"
copyright = "The skconf developers, BSD-3-Clause"  # noqa: A001 - Sphinx names it so
version = release = skconf.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "generate_*.py", "sg_execution_times.rst"]
html_theme = "pydata_sphinx_theme"
html_title = "skconf"
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False, "show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
myst_heading_anchors = 3

templates_path = ["_templates"]
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say more

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r".*\.py$",
    "min_reported_time": 10,
    "abort_on_example_error": True,
    "doc_module": ("skconf",),
}

#: Modules of the reference, in the order of a reader's interest.
MODULES = (
    "skconf",
    "skconf.metrics",
    "skconf.calibration",
    "skconf.inference",
    "skconf.inspection",
    "skconf.datasets",
    "skconf.experiments",
)


def reference() -> str:
    """Return the page that lists every public name of the package."""
    text = "# Reference\n"
    for name in MODULES:
        module = importlib.import_module(name)
        names = [public for public in module.__all__ if not inspect.ismodule(getattr(module, public))]
        names = [public for public in names if callable(getattr(module, public))]
        lines = "\n".join(sorted(names, key=str.lower))
        text += f"\n## {name}\n\n{inspect.getdoc(module)}\n\n```{{eval-rst}}\n.. currentmodule:: {name}\n\n"
        text += ".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n"
        text += "".join(f"   {line}\n" for line in lines.splitlines()) + "```\n"
    return text


def escape_bars(_app, _what, _name, _obj, _options, lines):
    """Let |x| be an absolute value in docstrings, not a substitution."""
    lines[:] = [line.replace("|", "\\|") if "``" not in line else line for line in lines]


def setup(app):
    """Write the reference before the sources are read."""
    app.connect("config-inited", lambda *_: Path(__file__).with_name("reference.md").write_text(reference()))
    app.connect("autodoc-process-docstring", escape_bars, priority=400)  # before numpydoc
