"""How the documentation is built: see docs/contributing.md."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from source import REPOSITORY, linkcode_resolve  # noqa: F401 - Sphinx finds it here

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
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "formulas",  # these nine lie in _ext
    "links",
    "live_report",
    "mathml",
    "pictures",
    "reference",
    "search",
    "thumbnails",
    "used_in",
]
exclude_patterns = ["_build", "_ext", "generate_*.py", "generated/pages", "**sg_execution_times.rst"]
html_theme = "pydata_sphinx_theme"
html_title = "skconf"
html_show_sourcelink = False
nitpicky = True  # a name that leads nowhere is a mistake
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.svg"
html_extra_path = ["generated/pages"]  # the live report
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "skconf", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "header_links_before_dropdown": 6,
    "navbar_persistent": ["search-button"],
    "navbar_align": "left",
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if REPOSITORY:
    extensions.append("sphinx.ext.linkcode")
    html_theme_options["icon_links"] = [{"name": "Repository", "url": REPOSITORY, "icon": "fa-solid fa-code-branch"}]
# Pages without pages below them need no column of navigation.
ALONE = (
    "index",
    "gallery",
    "install",
    "start",
    "tasks",
    "columns",
    "metrics",
    "sources",
    "questions",
    "coming_from",
    "peers",
    "speed",
    "contributing",
    "versions",
    "command_line",
)
html_sidebars = {page: [] for page in ALONE}
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.highlight-text) > div.highlight pre"  # what is printed is not copied

# The link of a card of the gallery, whose style hides its text.
CARD = re.compile(
    r'(sphx-glr-thumbcontainer"[^>]*><img[^>]*>\s*<p><a class="reference internal")'
    r'( href="[^"]*"><span[^>]*>([^<]+)</span>)'
)

templates_path = ["_templates"]
autosummary_generate = True
# Their pages would have more than 2,000 words: each method has a page of its own.
autosummary_context = {"long_classes": ("skconf.ConfidenceProfile", "skconf.TunedSelectiveClassifierCV")}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Every docstring has its sections: parameters as in the signature, with types and descriptions; what is returned.
numpydoc_validation_checks = {"GL06", "GL08", "PR01", "PR02", "PR04", "PR07", "RT01", "SS01", "SS03", "YD01"}
# Made by functions, not by users: they have attributes in place of parameters.
numpydoc_validation_exclude = {
    r"\.(AnswersResult|Assessment|Comparison|ConfidenceProfile|ConfidenceReport|Interval|PrevalenceEstimate|Stretch|TunedThreshold)$|\.ShiftTest"
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
    "image_scrapers": ("thumbnails.scrape",),
    "backreferences_dir": "generated/examples",  # which examples use a name: its page shows them
    "ignore_repr_types": r"'matplotlib\.",  # such as Text(0.5, 1.0, ...) below a picture
    "reference_url": {"skconf": None},  # names in the code of an example lead to their pages
}


def escape_bars(_app, _what, _name, _obj, _options, lines):
    """Let |x| be an absolute value in docstrings, not a substitution."""
    lines[:] = [line.replace("|", "\\|") if "``" not in line else line for line in lines]


def skip_foreign(_app, _what, _name, obj, _skip, _options):
    """Leave what scikit-learn, pandas or Python defines to their own documentation."""
    # A property has no module, its function has; nor has a method in C, its class has.
    owner = getattr(obj, "fget", None) or getattr(obj, "__objclass__", None) or obj
    module = getattr(owner, "__module__", None) or project
    return None if module.partition(".")[0] == project else True


def speak(_app, _page, _template, context, _doctree):
    """Give screen readers what docutils and themes leave out: entries of a list of references, names of links."""
    body = context.get("body", "").replace('role="doc-biblioentry"', 'role="listitem"')
    context["body"] = CARD.sub(r'\1 aria-label="\3"\2', body)
    toctree, silent = context["generate_toctree_html"], 'class="toctree-toggle" role="presentation"'
    named = 'class="toctree-toggle" role="img" aria-label="pages below"'
    context["generate_toctree_html"] = lambda *args, **options: str(toctree(*args, **options)).replace(silent, named)


def setup(app):
    """Mend docstrings before numpydoc reads them, and pages after docutils wrote them."""
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("html-page-context", speak, priority=900)  # after the theme
    app.connect("autodoc-process-docstring", escape_bars, priority=400)
