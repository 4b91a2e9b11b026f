"""The results of the cF1 paper's experiments in words, pictures and tables."""

from collections.abc import Mapping

import pandas as pd

from skconf._core.messages import capitalized, listed
from skconf._core.numbers import number, percent
from skconf.experiments._cf1.variance import LEVEL, CF1Variance, ratios
from skconf.experiments._shared.printed import printed_table
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import plain_table, where
from skconf.report._page.chart import Axis, Band, Chart, Line, Mark, Points

_METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: Explanations of the columns.
_VARIANCE = (
    "lower: share of models and classes for which the probabilistic metric has less variance than the ordinary metric.",
    "ratio: variance of the probabilistic metric / variance of the ordinary metric; median over models and classes.",
    "undefined: share of resamples in which the ordinary metric is 0/0.",
    "apart: share of pairs of models whose ordinary metrics differ by more than 1.96 standard errors.",
    "c_undefined and c_apart: the same shares for the probabilistic metric.",
    "f_test, bartlett, levene: share of models and classes for which this test rejects equal variances, at level 0.05.",
)
_SAME_MODEL = (
    "significant: share of pairs that differ in both metrics, at the level 0.01.",
    "agree: share of the significant pairs in which both metrics prefer the same model.",
    "significant_resamples, agree_resamples: the same shares by the paper's t-test.",
    "The paper's t-test treats resamples as if they were independent samples.",
)
_NOTES = (
    "A metric whose values are closer together has less variance, but need not separate models better.",
    'To see which metric separates models better, compare the columns "apart" and "c_apart".',
    "As in the paper, the tests of variance treat resamples as if they were independent samples.",
    "So with enough resamples, the tests find a difference between any two variances.",
    "Bands contain the middle 95% of the resamples.",
    "If a resample lacks a class, cPrecision and cF1 of this class are 0, and recall and cRecall are undefined.",
    "Precision and F1 are then 0 if the class is predicted, and undefined if not.",
    "Undefined values are left out of all means.",
)
#: With at most this many classes, each has a picture, as in the paper. With more, the mean is shown.
_MOST_CLASSES = 3


def cf1_report(variance: CF1Variance, by_class: pd.DataFrame, source: Mapping[str, str]) -> ExperimentReport:
    """Return the report on the variance of probabilistic metrics, and on whether they prefer the same models."""
    means = by_class.drop(columns="class").groupby("metric", sort=False).mean().reset_index()
    means["n_pairs"] = by_class.groupby("metric", sort=False)["n_pairs"].sum().to_numpy()
    shares = by_class.drop(columns=[name for name in by_class if name.startswith("paper_")])
    tables = [
        plain_table("Variance, and pairs of models that differ (Section 6.1)", variance.summary, notes=_VARIANCE),
        plain_table("Agreement of pairs by class (Section 6.2, as Table 1)", shares, notes=_SAME_MODEL),
    ]
    left_out = []
    if "paper_agree" in means:
        printed = printed_table("cf1_table1")
        tables.append(plain_table("Table 1 as printed, on SNLI", printed))
        other = "Table 1 is for other data, SNLI."
        left_out.append(f"None of the {2 * len(printed)} printed values can be compared: {other}")
    return ExperimentReport(
        "cPrecision, cRecall and cF1 compared with the ordinary metrics",
        variance.variances,
        [_lower(variance.variances), _tested(variance.variances), _apart(variance.summary), _same(means)],
        tables,
        left_out=left_out,
        charts=[
            *(_variances(variance.variances, metric) for metric in _METRICS),
            *(chart for metric in _METRICS for chart in _values(variance, metric)),
        ],
        notes=_NOTES,
        source=source,
    )


def _lower(variances: pd.DataFrame) -> str:
    """Say how often the probabilistic metric has less variance."""
    ratio = ratios(variances)
    return (
        f"The probabilistic metric has less variance in {(ratio < 1).sum():,} of {len(ratio):,} cases. A case is a "
        f"model, a metric, a class and a test size. The median ratio of the variances is {number(ratio.median())}. The "
        "paper says that the probabilistic metric always has less variance."
    )


def _tested(variances: pd.DataFrame) -> str:
    """Say how often the tests find different variances."""
    tests = {"p_f": "the F test", "p_bartlett": "Bartlett's", "p_levene": "Levene's"}
    known = variances[variances["p_f"].notna()]
    shares = [f"{percent((known[name] < LEVEL).mean())} of cases according to {test}" for name, test in tests.items()]
    differ = f"At the level {LEVEL:g}, the variances of the two metrics differ in {listed(shares)}."
    return f"{differ} The paper says that the variances differ in all cases."


def _apart(summary: pd.DataFrame) -> str:
    """Say how many pairs of models differ clearly by each kind of metric, on the smallest test set."""
    size = summary["n_test"].min()
    ordinary, probabilistic = map(percent, where(summary, n_test=size)[["apart", "c_apart"]].mean())
    return (
        f"On the smallest test set with {size:,} samples, ordinary metrics distinguish {ordinary} of the pairs of "
        f"models, and probabilistic metrics distinguish {probabilistic}."
    )


def _same(means: pd.DataFrame) -> str:
    """Say how often both kinds of metrics prefer the same model."""
    shares = [
        f"{percent(row.agree)} by {_METRICS[row.metric]} (of {row.significant * row.n_pairs:,.0f} of "
        f"{row.n_pairs:,} cases)"
        for row in means.itertuples()
    ]
    same = (
        f"If both metrics distinguish two models, they prefer the same one in {listed(shares)}. These are means over "
        "classes"
    )
    paper = f". The paper has {listed(list(map(percent, means['paper_agree'])))}" if "paper_agree" in means else ""
    return f"{same}{paper}."


def _variances(variances: pd.DataFrame, metric: str) -> Chart:
    """Return a chart of the variances by test size: a curve for each model, as the mean over classes."""
    own = where(variances, metric=metric)
    own, ratio = own[own["variance"] > 0], ratios(own)
    kinds = {"variance": "ordinary", "c_variance": "probabilistic"}
    means = own.groupby(["model", "n_test"])[list(kinds)].mean()
    drawn = means.where(means > 0).reset_index()
    marks: list[Mark] = []
    for series, (column, kind) in enumerate(kinds.items()):
        for _, curve in drawn.groupby("model"):
            marks.append(Line(curve["n_test"], curve[column], name=kind, series=series))
            marks.append(Points(curve["n_test"], curve[column], series=series))
    return Chart(
        f"Variance of {_METRICS[metric]}",
        f"The probabilistic metric has less variance in {(ratio < 1).sum():,} of {len(ratio):,} cases; the median "
        f"ratio of the variances is {number(ratio.median())}. Each model has a curve for each metric, as a mean over "
        "classes.",
        Axis.around("test samples, log scale", "log", drawn["n_test"]),
        Axis.around("variance, log scale", "log", drawn[list(kinds)]),
        marks,
        means.reset_index(),
    )


def _values(variance: CF1Variance, metric: str) -> list[Chart]:
    """Return charts of the metric by test size, with bands: for each class or, if there are many, for their mean."""
    own = where(variance.variances, metric=metric)
    if own["class"].nunique() <= _MOST_CLASSES:  # as in the paper's Figures 2 to 4
        classes = own.groupby("class", sort=False)
        return [chart for label, part in classes for chart in _side_by_side(part, metric, f"class {label}")]
    return _side_by_side(where(variance.means, metric=metric), metric, "mean over classes")


def _side_by_side(values: pd.DataFrame, metric: str, shown: str) -> list[Chart]:
    """Return charts of the ordinary and of the probabilistic metric with the same axis."""
    name = capitalized(_METRICS[metric])
    across = Axis.around("test samples, log scale", "log", values["n_test"])
    limits = [values[f"{prefix}{end}"] for prefix in ("", "c_") for end in ("low", "high")]
    charts = []
    for prefix, title in {"": name, "c_": f"c{name}"}.items():
        mean, low, high = columns = [f"{prefix}{column}" for column in ("mean", "low", "high")]
        data = values[["n_test", "model", *columns]].sort_values("n_test", kind="stable")
        marks: list[Mark] = []
        for series, (model, curve) in enumerate(data.groupby("model")):
            marks.append(Band(curve["n_test"], curve[low], curve[high], series=series))
            marks.append(Line(curve["n_test"], curve[mean], name=str(model), series=series))
            marks.append(Points(curve["n_test"], curve[mean], series=series))
        up = Axis.around(title, "percent", *limits)
        charts.append(Chart(f"{title}, {shown}", "Each model has a line with its 95% band.", across, up, marks, data))
    return charts
