"""Write docs/metrics.md: every metric with its direction, range, inputs, kind, scorers and paper.

Run with ``python docs/generate_metrics.py``; a test holds the file to what this makes of the package.
"""

import inspect
import warnings
from pathlib import Path

import numpy as np

from skconf import ConfidenceProfile
from skconf.metrics._base.kinds import Additive, Ranked, Ratio
from skconf.metrics._base.registry import metric_classes

TARGET = Path(__file__).parent / "metrics.md"
HEADER = """\
# Every metric

Generated from the definitions by `docs/generate_metrics.py`.

- **best**: the best value there is; ↑ higher is better, ↓ lower is better.
- **inputs**: *c, z* stands for confidence and correctness, which a `ConfidenceProfile.from_correctness` gives; *p* for
  classes and their probabilities; weights are *counts* (a sample of weight 2 counts as two), *importances*, or refused.
- **kind**: *ratio* (of two weighted sums) and *additive* metrics have values by group, contributions and merged parts;
  *ranked* ones share one sort; *whole* ones need all confidences.

| function | what it is | range | best | inputs | weights | kind | scorers | source |
|---|---|---|---|---|---|---|---|---|
"""


def number(value):
    """Return a bound for people."""
    return {np.inf: "∞", -np.inf: "−∞"}.get(value, f"{value:g}".replace("-", "−"))


def needs(metric):
    """Return what a metric reads, found by giving it a profile without classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            metric(ConfidenceProfile.from_correctness([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]))
        except ValueError:
            return "*p*"
    return "*c, z*"


def weights(metric):
    """Return what a weight means: refused, found by giving some, or what the definition says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            metric(ConfidenceProfile.from_predictions([0, 1, 1], [0.3, 0.8, 0.6], sample_weight=[1, 2, 1]))
        except ValueError:
            return "refused"
    return "importances" if getattr(metric, "weight_meaning", "").startswith("importances") else "counts"


def kind(cls):
    """Return the kind of a definition."""
    for base, name in ((Ratio, "ratio"), (Additive, "additive"), (Ranked, "ranked")):
        if issubclass(cls, base):
            return name
    return "whole"


def row(name, cls):
    """Return a line of the table."""
    info, metric = cls.info, cls.with_params({})
    arrow = {True: " ↑", False: " ↓", None: ""}[info.greater_is_better]
    low, high = map(number, info.bounds)
    cells = [
        f"`{name}`",
        inspect.getdoc(cls.function).splitlines()[0].rstrip("."),
        "" if info.best is None and info.greater_is_better is None and info.bounds == (0, 1) else f"[{low}, {high}]",
        "" if info.best is None else number(info.best) + arrow,
        needs(metric),
        weights(metric),
        kind(cls),
        ", ".join(f"`{scorer}`" for scorer in info.scorers),
        info.reference,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table():
    """Return the whole page."""
    return HEADER + "\n".join(row(name, cls) for name, cls in sorted(metric_classes().items())) + "\n"


if __name__ == "__main__":
    TARGET.write_text(table())
