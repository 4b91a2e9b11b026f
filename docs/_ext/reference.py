"""The reference by what a reader wants to do; within metrics, by the question that they answer."""

import importlib
from dataclasses import dataclass

import skconf.metrics  # noqa: F401 - its definitions register themselves
from skconf.metrics._base.questions import QUESTIONS, question_of

#: Modules with public names, in the order in which a user meets them.
MODULES = (
    "skconf",
    "skconf.metrics",
    "skconf.calibration",
    "skconf.inference",
    "skconf.inspection",
    "skconf.datasets",
    "skconf.experiments",
)
#: Public names of modules whose others the root shows.
BESIDE_THE_ROOT = (
    "skconf.profile.tree_similarity",
    "skconf.selective.TunedThreshold",
    "skconf.selective.register_onnx",
)


@dataclass(frozen=True)
class Family:
    """A page of the reference.

    Attributes
    ----------
    key : str
        Name of the page.
    title : str
        What is done with it.
    when : str
        When to use it, in two lines.
    guides : tuple of str
        Pages of the guide about it.
    names : tuple of str
        Public names, or `module.*` for all of a module that no other family has.
    icon : str
        Of Font Awesome, for its card.
    """

    key: str
    title: str
    when: str
    guides: tuple[str, ...]
    names: tuple[str, ...]
    icon: str


FAMILIES = (
    Family(
        "evaluate",
        "Evaluate a model",
        "A report answers all questions about a model or its predictions. A profile checks predictions once, for many "
        "metrics. Scorers use the metrics in cross-validation and searches.",
        ("guide/trust", "guide/scoring", "guide/other_tasks", "guide/answers"),
        (
            "skconf.confidence_report",
            "skconf.ConfidenceReport",
            "skconf.ConfidenceProfile",
            "skconf.read_log",
            "skconf.profile.tree_similarity",
            "skconf.inference.assess_confidence",
            "skconf.inference.Assessment",
            "skconf.inference.Stretch",
            "skconf.confidence_scoring",
            "skconf.get_scorer",
            "skconf.get_scorer_names",
        ),
        "clipboard-check",
    ),
    Family(
        "metrics",
        "Measure one thing",
        "Find a metric by the question that it answers. Each is a function of true labels and probabilities, or of a "
        "profile.",
        ("metrics", "guide/choose_a_metric"),
        ("skconf.metrics.*",),
        "ruler",
    ),
    Family(
        "abstain",
        "Abstain",
        "The model answers only above a threshold, and the other cases are sent to a person. Choose the threshold "
        "yourself, or name an error rate, a coverage or a cost, and let skconf find it.",
        ("guide/selective_classifier", "guide/tuned_selective_classifier"),
        (
            "skconf.SelectiveClassifier",
            "skconf.TunedSelectiveClassifierCV",
            "skconf.predict_selective",
            "skconf.tune_threshold",
            "skconf.selective.TunedThreshold",
            "skconf.selective.register_onnx",
            "skconf.required_samples",
            "skconf.RiskMonitor",
        ),
        "hand",
    ),
    Family(
        "calibrate",
        "Calibrate",
        "The model is overconfident or underconfident. A calibrator corrects its probabilities. It is fitted on "
        "samples that the model has not seen. SelectiveClassifier uses calibrators by name.",
        ("guide/selective_classifier",),
        ("skconf.calibration.*",),
        "sliders",
    ),
    Family(
        "infer",
        "Compare, with intervals",
        "Compute the interval of a metric, compare two models, and find the slices of the data that are worse.",
        ("guide/intervals",),
        ("skconf.inference.*",),
        "scale-balanced",
    ),
    Family(
        "draw",
        "Draw",
        "Displays draw pictures, as in scikit-learn: from an estimator or from predictions. The numbers of a picture "
        "are attributes.",
        ("guide/see",),
        ("skconf.inspection.*",),
        "chart-line",
    ),
    Family(
        "large",
        "Files of any size",
        "Read predictions in files, larger than memory, or on a cluster: the sums of the parts give the metrics of the "
        "whole.",
        ("guide/large_data",),
        ("skconf.accumulate", "skconf.MetricAccumulator"),
        "database",
    ),
    Family(
        "data",
        "Data to try it on",
        "Generate predictions of known calibration, simulate models, or read the raw files of the papers' data sets.",
        ("guide/reproduction",),
        ("skconf.datasets.*",),
        "flask",
    ),
    Family(
        "papers",
        "Rerun the papers",
        "Each experiment of the four papers is a function and a command. It prints our values beside the paper's.",
        ("guide/reproduction", "guide/disagreements"),
        ("skconf.experiments.*",),
        "file-lines",
    ),
)


def public_names():
    """Return all public names that are called, in the order of modules."""
    modules = {name: importlib.import_module(name) for name in MODULES}
    called = {
        name: [each for each in module.__all__ if callable(getattr(module, each))] for name, module in modules.items()
    }
    return [*(f"{name}.{each}" for name, names in called.items() for each in names), *BESIDE_THE_ROOT]


def object_of(name):
    """Return what a full name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def names_by_family():
    """Return the names of each family; every public name has exactly one."""
    public = public_names()
    chosen = [name for family in FAMILIES for name in family.names if not name.endswith("*")]
    found = {}
    for family in FAMILIES:
        rest = [each.removesuffix("*") for each in family.names if each.endswith("*")]
        all_of = [name for name in public if name not in chosen and name.rpartition(".")[0] + "." in rest]
        found[family.key] = [each for each in family.names if not each.endswith("*")] + sorted(all_of, key=str.lower)
    listed = sorted(name for names in found.values() for name in names)
    if listed != sorted(public):
        raise ValueError(f"docs/_ext/reference.py has no family, or two, for {set(listed) ^ set(public)}.")
    return found


def summary(names):
    """Return the table of names, with a page for each."""
    return [".. autosummary::", "   :toctree: .", "   :nosignatures:", "", *(f"   ~{name}" for name in names), ""]


def heading(text, line):
    """Return a heading of reStructuredText."""
    return [text, line * len(text), ""]


def metrics_by_question(names):
    """Return a table of metrics for each question, and one of what is no metric."""
    lines = []
    for question in QUESTIONS:
        own = [name for name in names if question_of(name.rpartition(".")[2]) == question]
        lines += [f".. _metrics-{question.key}:", "", *heading(question.title, "-"), question.about, "", *summary(own)]
    tools = [name for name in names if question_of(name.rpartition(".")[2]) is None]
    return [*lines, *heading("Make your own", "-"), *summary(tools)]


def page(family, names):
    """Return the page of a family."""
    guides = " · ".join(f":doc:`/{guide}`" for guide in family.guides)
    lines = heading(family.title, "=")
    modules = sorted({each.removesuffix(".*") for each in family.names if each.endswith("*")})
    # Before a paragraph, which takes the anchor: the table's would be lost with its table of contents.
    lines += [line for module in modules for line in (f".. py:module:: {module}", "   :no-index-entry:", "")]
    lines += [".. py:currentmodule:: None", "", family.when, "", f"Guide: {guides}", ""]
    return "\n".join(lines + (metrics_by_question(names) if family.key == "metrics" else summary(names))) + "\n"


INDEX = """\
# Reference

This page lists every public name, by what you want to do.

::::{grid} 1 2 3 3
:gutter: 3

"""
CARD = """\
:::{{grid-item-card}} {{fas}}`{icon}` {title}
:link: generated/{key}
:link-type: doc

{when}
:::

"""


def index(docs):
    """Return the page that leads to the families."""
    cards = "".join(
        CARD.format(icon=family.icon, title=family.title, key=family.key, when=family.when) for family in FAMILIES
    )
    pages = "".join(f"generated/{family.key}\n" for family in FAMILIES)
    names = names_by_family()
    classes = {
        family.title: [name for name in names[family.key] if isinstance(object_of(name), type)] for family in FAMILIES
    }
    listed = "".join(
        f"- {title}: {', '.join(f'{{class}}`~{name}`' for name in of_it)}\n"
        for title, of_it in classes.items()
        if of_it
    )
    questions = "".join(f"- {{ref}}`{question.title} <metrics-{question.key}>`\n" for question in QUESTIONS)
    command = "Options of the command: [skconf](command_line.md).\n\n" if (docs / "command_line.md").exists() else ""
    lists = f"## Classes\n\n{listed}\n## Questions that metrics answer\n\n{questions}\n"
    return f"{INDEX}{cards}::::\n\n{command}{lists}```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{pages}```\n"


def write(app, _config):
    """Write a page for each family, and one that leads to them."""
    docs = app.srcdir
    (docs / "generated" / "pages").mkdir(parents=True, exist_ok=True)
    names = names_by_family()
    for family in FAMILIES:
        write_if_new(docs / "generated" / f"{family.key}.rst", page(family, names[family.key]))
    write_if_new(docs / "reference.md", index(docs))


def write_if_new(path, text):
    """Write a file only where it changes, so that Sphinx reads only what is new."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app):
    """Write the reference before the sources are read."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
