"""What the test of the CWSA paper's ranking claim found: in words, pictures and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from skconf._core.numbers import number, percent
from skconf.experiments._cwsa.ranking import CWSARanking
from skconf.experiments._shared.report import ExperimentReport
from skconf.report._page.chart import Axis, Chart, Points
from skconf.report._page.tables import TablePart, as_texts

_SCORES = {
    "cwsa_area": "area under CWSA over coverage",
    "cwsa_plus_area": "area under CWSA+ over coverage",
    "cwsa_area_to_zero": "area under CWSA, to coverage 0",
    "mean_cwsa": "mean of CWSA over thresholds",
    "aurc": "AURC",
}
_REFERENCES = {"accuracy": "accuracy", "aurc": "AURC"}
#: Of fewer models, all rankings agree by chance in one case of six, or more.
_FEWEST = 4
#: Models of a population that are listed.
_LISTED = 10
_NOTES = (
    "A pair agrees if both prefer the same of two models. Pairs that are equal by one of them do not count.",
    "Half would agree by chance. Intervals, at 95 %, are for other models of the kind, by the jackknife over models.",
    "The paper's areas end at the coverage of the highest threshold: a model that is sure of all its answers has none.",
)


def ranking_report(ranking: CWSARanking, source: Mapping[str, str], failed: Sequence[str] = ()) -> ExperimentReport:
    """Return whether areas under CWSA rank models as accuracy and AURC do.

    Parameters
    ----------
    ranking : CWSARanking
        From :func:`cwsa_ranking_experiment`.
    source : mapping of str to str
        What was run.
    failed : sequence of str, default=()
        The files that cannot be read, and why.

    Returns
    -------
    ExperimentReport
    """
    populations = list(dict.fromkeys(ranking.values["models"]))
    values = ranking.values.sort_values(["models", "cwsa_area"], ascending=[True, False])
    first = values.groupby("models", sort=False).head(_LISTED)
    titles = {"models": "models", "model": "model", **_REFERENCES, **_SCORES}
    return ExperimentReport(
        "Does the area under CWSA rank models?",
        ranking.agreement,
        [_finding(ranking.agreement, models) for models in populations],
        [
            TablePart("Pairs of models in which two rankings agree", _shown(ranking.agreement)),
            TablePart(f"Largest areas, up to {_LISTED} of each kind of models", as_texts(first.rename(columns=titles))),
        ],
        charts=[_chart(ranking, models) for models in populations],
        notes=_NOTES,
        source=source,
        failed=failed,
    )


def _finding(agreement: pd.DataFrame, models: str) -> str:
    """Return how often the paper's area agrees, and what AURC does."""
    rows = agreement[agreement["models"] == models].set_index(["score", "reference"])
    by_accuracy, by_aurc = rows.loc["cwsa_area", "accuracy"], rows.loc["cwsa_area", "aurc"]
    aurc_alone, pairs = rows.loc["aurc", "accuracy"], [f"{row['n_pairs']:,.0f}" for row in (by_accuracy, by_aurc)]
    name = f"{models[0].upper()}{models[1:]}"
    if by_accuracy["n_models"] < _FEWEST:
        return f"{name}: {by_accuracy['n_models']} models are too few to tell whether rankings agree."
    return (
        f"{name}: of {pairs[0]} pairs of {by_accuracy['n_models']} models, the area under "
        f"CWSA prefers the more accurate one in {_share(by_accuracy)}, and of {pairs[1]} the one with less AURC in "
        f"{_share(by_aurc)}. AURC prefers the more accurate one in {_share(aurc_alone)}. The model with the largest "
        f"area is number {by_accuracy['place']:g} by accuracy."
    )


def _share(row: "pd.Series[Any]") -> str:
    return percent(row["agree"], row["low"], row["high"])


def _shown(agreement: pd.DataFrame) -> pd.DataFrame:
    """Return the table of pairs as texts."""
    return pd.DataFrame(
        {
            "models": agreement["models"],
            "ranked by": agreement["score"].map(_SCORES),
            "held against": agreement["reference"].map(_REFERENCES),
            "pairs": [f"{pairs:,}" for pairs in agreement["n_pairs"]],
            "agree": [_share(row) for _, row in agreement.iterrows()],
            "place of the first": [f"{place:g}" for place in agreement["place"]],
        }
    )


def _chart(ranking: CWSARanking, models: str) -> Chart:
    """Return the paper's area of each model over its accuracy."""
    own = ranking.values[ranking.values["models"] == models]
    most = own.loc[own["cwsa_area"].idxmax()]
    said = (
        f"Each point is a model. The largest area, {number(most['cwsa_area'])}, has {most['model']}, whose accuracy is"
    )
    return Chart(
        f"Area under CWSA over accuracy: {models}",
        f"{said} {number(most['accuracy'])}; the highest accuracy is {number(own['accuracy'].max())}.",
        Axis.around("accuracy", "linear", own["accuracy"]),
        Axis.around("area", "linear", own["cwsa_area"]),
        [Points(own["accuracy"], own["cwsa_area"], series=0)],
        own.drop(columns="models"),
    )
