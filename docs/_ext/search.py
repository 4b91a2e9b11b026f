"""What people search for, and the page that comes first: main entries of the index, which the search puts on top.

`tools/check_site.py` searches the built site for each. Metrics bring their own: what their docstrings begin with, such
as "Expected calibration error (ECE): ...", is the name in words and the abbreviation.
"""

import re

from sphinx.addnodes import index
from sphinx.transforms import SphinxTransform

import skconf.metrics  # noqa: F401 - its definitions register themselves
from skconf.metrics._base.questions import plain_words
from skconf.metrics._base.registry import metric_classes

METRICS = "generated/skconf.metrics"
PAGES = {
    "install": "install",
    "installation": "install",
    "pip": "install",
    "getting started": "start",
    "quickstart": "start",
    "tutorial": "start",
    "csv": "columns",
    "column names": "columns",
    "threshold": "guide/tuned_selective_classifier",
    "guarantee": "guide/tuned_selective_classifier",
    "guaranteed error rate": "guide/tuned_selective_classifier",
    "abstain": "guide/selective_classifier",
    "reject option": "guide/selective_classifier",
    "selective classification": "guide/selective_classifier",
    "calibration": "guide/calibrators",
    "calibrate": "guide/calibrators",
    "calibration curve": "generated/skconf.inspection.ReliabilityDisplay",
    "reliability diagram": "generated/skconf.inspection.ReliabilityDisplay",
    "risk-coverage curve": "generated/skconf.inspection.RiskCoverageDisplay",
    "overconfident": "guide/trust",
    "cost": "guide/selective_classifier#decisions-by-costs",
    "compare models": "guide/intervals",
    "confidence interval": "guide/intervals",
    "confidence_interval": "guide/intervals",
    "scoring": "guide/scoring",
    "xgboost": "questions#does-skconf-work-with-xgboost-lightgbm-and-catboost",
    "lightgbm": "questions#does-skconf-work-with-xgboost-lightgbm-and-catboost",
    "catboost": "questions#does-skconf-work-with-xgboost-lightgbm-and-catboost",
    "language model": "guide/answers",
    "llm": "guide/answers",
    "monitor": "generated/skconf.RiskMonitor",
    "production": "guide/production",
    "deploy": "guide/production",
    "deployment": "guide/production",
    "monitoring": "guide/production",
    "pickle": "guide/production",
    "joblib": "guide/production",
    "drift": "guide/production",
    "calibration error": f"{METRICS}.expected_calibration_error",
    "brier score": f"{METRICS}.confidence_brier_loss",
}


def of_metrics():
    """Return the entries that metrics bring, and their pages."""
    found = {}
    for name in metric_classes():
        words = re.match(r"([^:(]+?)(?: \(([^)]+)\))?:", plain_words(name))
        for entry in filter(None, words.groups() if words else ()):
            found.setdefault(entry.lower(), f"{METRICS}.{name}")
    return found


LEADS_TO = of_metrics() | PAGES


class Entries(SphinxTransform):
    """Add the entries of a page to it."""

    default_priority = 800  # before the domains look for them

    def apply(self, **_):
        """Put them before all else."""
        pages = ((entry, *page.partition("#")[::2]) for entry, page in LEADS_TO.items())
        own = [("single", entry, anchor, "main", None) for entry, page, anchor in pages if page == self.env.docname]
        if own:
            self.document.insert(0, index(entries=own))


def setup(app):
    """Add entries to every page that has some."""
    app.add_transform(Entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
