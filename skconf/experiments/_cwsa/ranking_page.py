"""The results of the test of the CWSA paper's ranking claim in words, pictures and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from skconf._core.messages import capitalized
from skconf._core.numbers import number, percent
from skconf.experiments._cwsa.ranking import CWSARanking
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import plain_table, where
from skconf.report._page.chart import Axis, Chart, Points
from skconf.report._page.tables import TablePart

_SCORES = {
    "cwsa_area": "area under the curve of CWSA over coverage",
    "cwsa_plus_area": "area under the curve of CWSA+ over coverage",
    "cwsa_area_to_zero": "area under the curve of CWSA, continued to coverage 0",
    "mean_cwsa": "mean of CWSA over thresholds",
    "aurc": "AURC",
}
_REFERENCES = {"accuracy": "accuracy", "aurc": "AURC"}
#: With fewer models, all rankings agree by chance in one case of six, or more.
_FEWEST = 4
#: The note below the table of pairs.
_RANK = (
    'The last column is about the model that ranks first by the metric in the column "ranked by". It gives the rank of '
    'this model by the metric in the column "compared with".'
)
#: The number of models of a population that are listed.
_LISTED = 10
_NOTES = (
    "Two rankings agree on a pair of models if both prefer the same model.",
    "Pairs with equal values of a score do not count.",
    "A random ranking would agree with any other ranking on half of the pairs.",
    "The 95% intervals (jackknife over models) say what to expect of other models of the same kind.",
    "The paper's area starts at the coverage of the highest threshold, and leaves out all smaller coverages.",
    "If all confidences are 1, the paper's area is 0.",
)


def ranking_report(ranking: CWSARanking, source: Mapping[str, str], failed: Sequence[str] = ()) -> ExperimentReport:
    """Return the report on whether areas under CWSA rank models like accuracy and AURC."""
    kinds = ranking.values["models"].unique()
    values = ranking.values.sort_values(["models", "cwsa_area"], ascending=[True, False])
    largest = values.groupby("models", sort=False).head(_LISTED)
    title = f"Largest areas, up to {_LISTED} for each kind of model"
    return ExperimentReport(
        "Does the area under CWSA rank models?",
        ranking.agreement,
        [_finding(where(ranking.agreement, models=kind), kind) for kind in kinds],
        [_pairs(ranking.agreement), plain_table(title, largest, {**_REFERENCES, **_SCORES})],
        charts=[_chart(where(ranking.values, models=kind), kind) for kind in kinds],
        notes=_NOTES,
        source=source,
        failed=failed,
    )


def _finding(agreement: pd.DataFrame, kind: str) -> str:
    """Say how often the paper's area agrees with accuracy and AURC, and how often AURC agrees with accuracy."""
    rows = agreement.set_index(["score", "reference"])
    by_accuracy, by_aurc = rows.loc["cwsa_area", "accuracy"], rows.loc["cwsa_area", "aurc"]
    name, n_models = capitalized(kind), by_accuracy["n_models"]
    if n_models < _FEWEST:
        return f"{name}: {n_models} models are too few to tell whether rankings agree."
    return (
        f"{name}: in {_share(by_accuracy)} of {by_accuracy['n_pairs']:,.0f} pairs of {n_models} models, the area "
        f"under CWSA prefers the more accurate model. In {_share(by_aurc)} of {by_aurc['n_pairs']:,.0f} pairs, it "
        "prefers the model with lower AURC. AURC prefers the more accurate model in "
        f"{_share(rows.loc['aurc', 'accuracy'])} of pairs. The model with the largest area has rank "
        f"{by_accuracy['place']:g} by accuracy."
    )


def _share(row: "pd.Series[Any]") -> str:
    return percent(row["agree"], row["low"], row["high"])


def _pairs(agreement: pd.DataFrame) -> TablePart:
    """Return the share of pairs of models in which rankings agree."""
    shown = pd.DataFrame(
        {
            "models": agreement["models"],
            "ranked by": agreement["score"].map(_SCORES),
            "compared with": agreement["reference"].map(_REFERENCES),
            "pairs": agreement["n_pairs"].map("{:,}".format),
            "agree": agreement.apply(_share, axis=1),
            "rank of the first": agreement["place"].map("{:g}".format),
        }
    )
    return TablePart("Pairs of models in which two rankings agree", shown, (_RANK,))


def _chart(values: pd.DataFrame, kind: str) -> Chart:
    """Return a chart with a point for each model: its accuracy, and its area under CWSA."""
    largest, most = values.loc[values["cwsa_area"].idxmax()], values["accuracy"].max()
    return Chart(
        f"Area under the CWSA curve and accuracy of each model: {kind}",
        f"Each point is a model. {largest['model']} has the largest area, {number(largest['cwsa_area'])}, and an "
        f"accuracy of {number(largest['accuracy'])}. The highest accuracy is {number(most)}.",
        Axis.around("accuracy", "linear", values["accuracy"]),
        Axis.around("area", "linear", values["cwsa_area"]),
        [Points(values["accuracy"], values["cwsa_area"], series=0)],
        values.drop(columns="models"),
    )
