"""What the cF1 paper's experiments found: in words, pictures and tables."""

from collections.abc import Mapping

import pandas as pd

from skconf._page.chart import Axis, Chart, Line, Mark, Points
from skconf._page.tables import TablePart, as_texts
from skconf.experiments._agreement import listed
from skconf.experiments._cf1 import CF1Variance
from skconf.experiments._document import ExperimentReport
from skconf.report._numbers import number, percent

_METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: Explanations of the columns.
_VARIANCE = (
    "lower: share of models and classes where the probabilistic metric has less variance; ratio: the median ratio.",
    "undefined: share of resamples that are 0/0; apart: share of pairs of models more than 1.96 s.e. apart.",
    "c_: the same by the probabilistic metric.",
)
_SAME_MODEL = (
    "significant: share of pairs that differ by both metrics, at the level .01.",
    "agree: share of these where both metrics prefer the same model.",
    "_resamples: the same by the paper's t-test, which treats resamples as samples; paper_: its Table 1, on SNLI.",
)
#: What a smaller variance does not say.
_SCALE = "A metric on a smaller scale has less variance, too: models are told apart by differences in standard errors."


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
    n_printed = int(means.filter(like="paper_").notna().to_numpy().sum())
    return ExperimentReport(
        "cPrecision, cRecall and cF1 beside the ordinary metrics",
        [_lower(variance), _apart(variance.summary), _same(means)],
        [
            TablePart("Variance, and pairs of models that differ (Section 6.1)", as_texts(variance.summary), _VARIANCE),
            TablePart("Agreement of pairs, mean over classes (Section 6.2, Table 1)", as_texts(means), _SAME_MODEL),
            TablePart("Agreement by class", as_texts(by_class)),
        ],
        [f"{n_printed} of {n_printed} printed figures cannot be compared: the paper's Table 1 is on other data, SNLI."],
        [*(_variances(variance.variances, metric) for metric in _METRICS), _agreement(means)],
        (_SCALE,),
        source,
    )


def _ratios(variances: pd.DataFrame) -> "pd.Series[float]":
    """Return the ratios of variances, where the ordinary metric has one."""
    known = variances[variances["variance"] > 0]
    return known["c_variance"] / known["variance"]


def _lower(variance: CF1Variance) -> str:
    ratio = _ratios(variance.variances)
    return (
        f"The probabilistic metric has less variance in {(ratio < 1).sum():,} of {len(ratio):,} cases (each a model, "
        f"metric, class and test size); the median ratio is {number(ratio.median())}. The paper: always less."
    )


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
        f"{percent(row['agree'])} by {_METRICS[row['metric']]} (of {percent(row['significant'])} of all pairs)"
        for _, row in means.iterrows()
    ]
    printed = [f"{percent(row['paper_agree'])}" for _, row in means.iterrows()]
    said = f"Where both metrics tell two models apart, they prefer the same one in {listed(each)}"
    return f"{said}; the paper has {listed(printed)}."


def _variances(variances: pd.DataFrame, metric: str) -> Chart:
    """Return the variances over the test size, a curve for each model, mean over classes."""
    own = variances[variances["metric"] == metric]
    means = own.groupby(["model", "n_test"])[["variance", "c_variance"]].mean().reset_index()
    marks: list[Mark] = []
    for series, (column, kind) in enumerate({"variance": "ordinary", "c_variance": "probabilistic"}.items()):
        for number_of, (_, part) in enumerate(means.groupby("model")):
            shown = part[column].where(part[column] > 0)
            marks.append(Line(part["n_test"], shown, name=None if number_of else kind, series=series))
            marks.append(Points(part["n_test"], shown, series=series))
    ratio = _ratios(own)
    return Chart(
        f"Variance of {_METRICS[metric]}",
        f"Less by the probabilistic metric in {(ratio < 1).sum():,} of {len(ratio):,} cases, median ratio "
        f"{number(ratio.median())}. A curve for each of three models, mean over classes.",
        Axis.around("test samples, log scale", "log", means["n_test"]),
        Axis.around(
            "variance, log scale", "log", means[["variance", "c_variance"]].where(means[["variance", "c_variance"]] > 0)
        ),
        marks,
        means,
    )


def _agreement(means: pd.DataFrame) -> Chart:
    """Return how often both metrics prefer the same model, by both tests, and the printed shares."""
    kinds = {"agree": "paired test", "agree_resamples": "the paper's test"}
    marks: list[Mark] = [Points(means["paper_agree"], means.index + 0.22)]
    for series, (column, kind) in enumerate(kinds.items()):
        marks.append(Points(means[column], means.index + 0.22 * (series - 1), name=kind, series=series))
    return Chart(
        "Agreement on the better model",
        f"{_same(means)} Grey: the paper's, on SNLI.",
        Axis("same model preferred, of pairs where both metrics differ", "percent"),
        Axis.named("metric", [_METRICS[name] for name in means["metric"]]),
        marks,
        means,
    )
