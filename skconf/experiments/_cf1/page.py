"""What the cF1 paper's experiments found: in words, pictures and tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from skconf._core.checks import check_option
from skconf._core.messages import listed
from skconf._core.numbers import number, percent
from skconf.experiments._cf1.resamples import METRICS
from skconf.experiments._cf1.variance import LEVEL, CF1Variance, ratios
from skconf.experiments._shared.figures import new_figure
from skconf.experiments._shared.printed import printed_table
from skconf.experiments._shared.report import ExperimentReport
from skconf.report._page.chart import Axis, Band, Chart, Line, Mark, Points
from skconf.report._page.tables import TablePart, as_texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: Explanations of the columns.
_VARIANCE = (
    "lower: share of models and classes where the probabilistic metric has less variance; ratio: the median ratio.",
    "undefined: share of resamples that are 0/0; apart: share of pairs of models more than 1.96 s.e. apart.",
    "c_: the same by the probabilistic metric.",
    "f_test, bartlett, levene: share of models and classes whose two variances differ, by each test at the level .05.",
)
_SAME_MODEL = (
    "significant: share of pairs that differ by both metrics, at the level .01.",
    "agree: share of these where both metrics prefer the same model.",
    "_resamples: the same by the paper's t-test, which treats resamples as samples.",
)
_NOTES = (
    "A metric on a smaller scale has less variance, too: models are told apart by differences in standard errors.",
    "The tests of variance are the paper's. They count resamples as samples: of enough, any variances differ.",
    "Bands hold the middle 95 % of the resamples.",
    "Of a class that a small test lacks, cPrecision and cF1 are 0; ordinary ones are undefined, and left out of means.",
)
#: So many classes have pictures of their own, as the paper's three; of more, the mean is shown.
_MOST_CLASSES = 3


def cf1_report(variance: CF1Variance, by_class: pd.DataFrame, source: Mapping[str, str]) -> ExperimentReport:
    """Return what probabilistic metrics do to variance, and whether they prefer the same models.

    Parameters
    ----------
    variance : CF1Variance
        From :func:`cf1_variance_experiment`.
    by_class : pandas.DataFrame
        From :func:`cf1_agreement_experiment`.
    source : mapping of str to str
        What was run.

    Returns
    -------
    ExperimentReport
    """
    means = by_class.drop(columns="class").groupby("metric", sort=False).mean().reset_index()
    means["n_pairs"] = by_class.groupby("metric", sort=False)["n_pairs"].sum().to_numpy()
    shares = by_class[[name for name in by_class if not name.startswith("paper_")]]
    printed = printed_table("cf1_table1") if "paper_agree" in means else None
    tables = [
        TablePart("Variance, and pairs of models that differ (Section 6.1)", as_texts(variance.summary), _VARIANCE),
        TablePart("Agreement of pairs by class (Section 6.2, as Table 1)", as_texts(shares), _SAME_MODEL),
    ]
    left_out = []
    if printed is not None:
        tables.append(TablePart("Table 1 as printed, on SNLI", as_texts(printed)))
        n_printed = 2 * len(printed)
        left_out.append(f"None of the {n_printed} printed figures can be compared: Table 1 is on other data, SNLI.")
    return ExperimentReport(
        "cPrecision, cRecall and cF1 beside the ordinary metrics",
        variance.variances,
        [_lower(variance), _tested(variance.variances), _apart(variance.summary), _same(means)],
        tables,
        left_out=left_out,
        charts=[
            *(_variances(variance.variances, metric) for metric in _METRICS),
            _agreement(means),
            *(chart for metric in _METRICS for chart in _values(variance, metric)),
        ],
        notes=_NOTES,
        source=source,
    )


def _lower(variance: CF1Variance) -> str:
    ratio = ratios(variance.variances)
    return (
        f"The probabilistic metric has less variance in {(ratio < 1).sum():,} of {len(ratio):,} cases (each a model, "
        f"metric, class and test size); the median ratio is {number(ratio.median())}. The paper: always less."
    )


def _tested(variances: pd.DataFrame) -> str:
    """Return how often the tests find different variances."""
    tests = {"p_f": "the F test", "p_bartlett": "Bartlett's", "p_levene": "Levene's"}
    known = variances[variances["p_f"].notna()]
    shares = [f"{percent((known[name] < LEVEL).mean())} of cases by {test}" for name, test in tests.items()]
    return f"At the level {LEVEL:g} the two variances differ in {listed(shares)}. The paper: in all."


def _apart(summary: pd.DataFrame) -> str:
    """Return how many pairs of models each kind of metric tells apart, at the smallest test."""
    small = summary[summary["n_test"] == summary["n_test"].min()]
    ordinary, probabilistic = (percent(small[name].mean()) for name in ("apart", "c_apart"))
    return (
        f"On the smallest test, of {small['n_test'].iloc[0]:,} samples, ordinary metrics tell {ordinary} of pairs of "
        f"models apart, probabilistic ones {probabilistic}."
    )


def _same(means: pd.DataFrame) -> str:
    """Return how often both kinds of metrics prefer the same model."""
    each = [
        f"{percent(row['agree'])} by {_METRICS[row['metric']]} (of {row['significant'] * row['n_pairs']:,.0f} of "
        f"{row['n_pairs']:,} cases)"
        for _, row in means.iterrows()
    ]
    said = f"Where both metrics tell two models apart, they prefer the same one, mean over classes, in {listed(each)}"
    if "paper_agree" not in means:
        return f"{said}."
    return f"{said}; the paper has {listed([percent(share) for share in means['paper_agree']])}."


def _variances(variances: pd.DataFrame, metric: str) -> Chart:
    """Return the variances over the test size, a curve for each model, mean over classes."""
    own = variances[(variances["metric"] == metric) & (variances["variance"] > 0)]
    means = own.groupby(["model", "n_test"])[["variance", "c_variance"]].mean().reset_index()
    marks: list[Mark] = []
    for series, (column, kind) in enumerate({"variance": "ordinary", "c_variance": "probabilistic"}.items()):
        for number_of, (_, part) in enumerate(means.groupby("model")):
            shown = part[column].where(part[column] > 0)
            marks.append(Line(part["n_test"], shown, name=None if number_of else kind, series=series))
            marks.append(Points(part["n_test"], shown, series=series))
    ratio = ratios(own)
    return Chart(
        f"Variance of {_METRICS[metric]}",
        f"Less by the probabilistic metric in {(ratio < 1).sum():,} of {len(ratio):,} cases, median ratio "
        f"{number(ratio.median())}. A curve for each model, mean over these.",
        Axis.around("test samples, log scale", "log", means["n_test"]),
        Axis.around(
            "variance, log scale", "log", means[["variance", "c_variance"]].where(means[["variance", "c_variance"]] > 0)
        ),
        marks,
        means,
    )


def _values(variance: CF1Variance, metric: str) -> list[Chart]:
    """Return the metric over the test size with bands, ordinary beside probabilistic, as the paper's Figures 2 to 4."""
    own = variance.variances[variance.variances["metric"] == metric]
    if own["class"].nunique() <= _MOST_CLASSES:
        return [
            chart
            for label, part in own.groupby("class", sort=False)
            for chart in _values_of(part, metric, f"class {label}")
        ]
    return _values_of(variance.means[variance.means["metric"] == metric], metric, "mean over classes")


def _values_of(part: pd.DataFrame, metric: str, of: str) -> list[Chart]:
    """Return the two pictures of one class, or of the mean, on the same axis."""
    name = f"{_METRICS[metric][0].upper()}{_METRICS[metric][1:]}"
    kinds = {"": name, "c_": f"c{name}"}
    limits = [part[f"{prefix}{end}"] for prefix in kinds for end in ("low", "high")]
    charts = []
    for prefix, name in kinds.items():
        columns = ["n_test", "model", *(f"{prefix}{each}" for each in ("mean", "low", "high"))]
        shown = part[columns].sort_values("n_test", kind="stable")
        marks: list[Mark] = []
        for series, (model, curve) in enumerate(shown.groupby("model")):
            low, mean, high = (curve[f"{prefix}{each}"] for each in ("low", "mean", "high"))
            marks.append(Band(curve["n_test"], low, high, series=series))
            marks.append(Line(curve["n_test"], mean, name=str(model), series=series))
            marks.append(Points(curve["n_test"], mean, series=series))
        axes = (Axis.around("test samples, log scale", "log", part["n_test"]), Axis.around(name, "percent", *limits))
        charts.append(Chart(f"{name}, {of}", _bands_apart(shown, prefix), *axes, marks, shown))
    return charts


def _bands_apart(shown: pd.DataFrame, prefix: str) -> str:
    """Return down to which test size the bands of no two models overlap."""
    if shown[f"{prefix}mean"].isna().all():
        return "It is 0/0 at every test size: no model predicts the class."
    sizes = sorted(shown["n_test"].unique(), reverse=True)
    apart = []
    for size in sizes:
        bands = shown[shown["n_test"] == size].sort_values(f"{prefix}low")
        if not (bands[f"{prefix}low"].iloc[1:].to_numpy() > bands[f"{prefix}high"].iloc[:-1].to_numpy()).all():
            break
        apart.append(size)
    if not apart:
        return "A line with its 95 % band for each model: bands overlap at every test size."
    return f"A line with its 95 % band for each model: no bands overlap down to {apart[-1]:,} test samples."


def _agreement(means: pd.DataFrame) -> Chart:
    """Return how often both metrics prefer the same model, by both tests, and the printed shares."""
    kinds = {"agree": "paired test", "agree_resamples": "the paper's test"}
    is_printed = "paper_agree" in means
    marks: list[Mark] = [Points(means["paper_agree"], means.index + 0.22)] if is_printed else []
    for series, (column, kind) in enumerate(kinds.items()):
        marks.append(Points(means[column], means.index + 0.22 * (series - 1), name=kind, series=series))
    return Chart(
        "Agreement on the better model",
        f"{_same(means)}{' Grey: the paper, on SNLI.' if is_printed else ''}",
        Axis("same model preferred, of pairs where both metrics differ", "percent"),
        Axis.named("metric", [_METRICS[name] for name in means["metric"]]),
        marks,
        means,
    )


def plot_cf1_variance(variances: pd.DataFrame) -> "Figure":
    """Draw the variance over the test size, a panel for each metric, as the cF1 paper's figures.

    Parameters
    ----------
    variances : pandas.DataFrame
        From :func:`cf1_variance_experiment`.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from skconf.experiments import cf1_variance_experiment, plot_cf1_variance
    >>> tables = cf1_variance_experiment("breast_cancer", n_resamples=50)
    >>> len(plot_cf1_variance(tables.variances).axes)
    3
    """
    figure = new_figure(11, 4)
    panels = figure.subplots(1, len(METRICS), sharex=True, sharey=True)
    means = variances.groupby(["metric", "model", "n_test"])[["variance", "c_variance"]].mean()
    for panel, metric in zip(panels, METRICS, strict=True):
        for place, model in enumerate(dict.fromkeys(variances["model"])):
            part, style = means.loc[metric, model], {"color": f"C{place}", "markersize": 4}
            panel.plot(part.index, part["variance"], marker="o", label=f"{model}, ordinary", **style)
            panel.plot(
                part.index, part["c_variance"], marker="s", linestyle="--", label=f"{model}, probabilistic", **style
            )
        panel.set(xscale="log", yscale="log", xlabel="test samples", title=metric)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    panels[0].set_ylabel("variance over resamples, mean over classes")
    return figure


def plot_cf1_values(variances: pd.DataFrame, metric: str = "f1") -> "Figure":
    """Draw a metric over the test size with 95 % bands, panels by class, as the cF1 paper's Figures 2 to 4.

    Parameters
    ----------
    variances : pandas.DataFrame
        From :func:`cf1_variance_experiment`.
    metric : {"f1", "precision", "recall"}, default="f1"
        Which metric: on the left the ordinary one, on the right the probabilistic one.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there is no such metric.

    Examples
    --------
    >>> from skconf.experiments import cf1_variance_experiment, plot_cf1_values
    >>> tables = cf1_variance_experiment("breast_cancer", n_resamples=50)
    >>> len(plot_cf1_values(tables.variances, "recall").axes)
    4
    """
    check_option(metric, "metric", METRICS)
    own = variances[variances["metric"] == metric]
    labels = list(dict.fromkeys(own["class"]))
    figure = new_figure(8, 1 + 2.2 * len(labels))
    panels = figure.subplots(len(labels), 2, sharex=True, sharey="row", squeeze=False)
    for row, label in zip(panels, labels, strict=True):
        for panel, prefix in zip(row, ("", "c_"), strict=True):
            for model, part in own[own["class"] == label].groupby("model", sort=False):
                panel.fill_between(part["n_test"], part[f"{prefix}low"], part[f"{prefix}high"], alpha=0.2)
                panel.plot(part["n_test"], part[f"{prefix}mean"], marker="o", markersize=3, label=model)
            panel.set(xscale="log", title=f"{'probabilistic' if prefix else 'ordinary'} {metric}, class {label}")
    for panel in panels[-1]:
        panel.set_xlabel("test samples")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure
