"""How the documentation is built: see docs/contributing.md."""

import importlib
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
nitpicky = True  # a name that leads nowhere is a mistake
nitpick_ignore_regex = [("py:.*", r"sklearn\..*")]  # scikit-learn's pages are no part of the build
html_theme_options = {"navigation_with_keys": False, "show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
myst_heading_anchors = 3

templates_path = ["_templates"]
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Every docstring has its sections: parameters as in the signature, with types and descriptions; what is returned.
numpydoc_validation_checks = {"GL06", "GL08", "PR01", "PR02", "PR04", "PR07", "RT01", "SS01", "SS03", "YD01"}
# Made by functions, not by users: they have attributes in place of parameters.
numpydoc_validation_exclude = {
    r"\.(Assessment|Comparison|ConfidenceProfile|ConfidenceReport|Interval|TopErrors|TunedThreshold)$|\.ShiftTest"
}
autodoc_typehints = "none"  # the docstrings say more

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r".*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "min_reported_time": 10,
    "abort_on_example_error": True,
    "doc_module": ("skconf",),
    "reference_url": {"skconf": None},  # names in the code of an example lead to their pages
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


def write_reference():
    """Write a page for each module, with a table of its public names, and one that leads to them."""
    docs = Path(__file__).parent
    (docs / "generated").mkdir(exist_ok=True)
    pages = "# Reference\n\nBy module, in the order in which a user meets them.\n\n```{toctree}\n:maxdepth: 2\n\n"
    for name in MODULES:
        module = importlib.import_module(name)
        public = [each for each in module.__all__ if callable(getattr(module, each))]
        lines = [f".. automodule:: {name}", "", ".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [f"   {each}" for each in sorted(public, key=str.lower)]
        (docs / "generated" / f"{name}.rst").write_text("\n".join([name, "=" * len(name), "", *lines, ""]))
        pages += f"generated/{name}\n"
    (docs / "reference.md").write_text(pages + "```\n")


def escape_bars(_app, _what, _name, _obj, _options, lines):
    """Let |x| be an absolute value in docstrings, not a substitution."""
    lines[:] = [line.replace("|", "\\|") if "``" not in line else line for line in lines]


def skip_foreign(_app, _what, _name, obj, _skip, _options):
    """Leave what scikit-learn, pandas or Python defines to their own documentation."""
    # A property has no module, its function has; nor has a method in C, its class has.
    owner = getattr(obj, "fget", None) or getattr(obj, "__objclass__", None) or obj
    module = getattr(owner, "__module__", None) or project
    return None if module.partition(".")[0] == project else True


def setup(app):
    """Write the reference before the sources are read."""
    app.connect("config-inited", lambda *_: write_reference())
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", escape_bars, priority=400)  # before numpydoc
