"""What the CWSA paper's experiments found: in words, pictures and tables."""

from collections.abc import Mapping

import pandas as pd

from skconf._page.chart import Axis, Chart, Line, Mark, Points
from skconf._page.tables import TablePart, as_texts
from skconf.experiments._agreement import CHANCE, agreement_words, distance_chart, not_compared
from skconf.experiments._cwsa import CWSASweep
from skconf.experiments._document import ExperimentReport
from skconf.experiments._layout import agreement, lay_out, wide
from skconf.report._numbers import number, percent

#: Curves of a picture, and their series; coverage is drawn in grey.
_CURVES = {"coverage": None, "selective_accuracy": 0, "cwsa": 1, "cwsa_plus": 2}
_SHORT = {"selective_accuracy": "accuracy", "cwsa": "CWSA", "cwsa_plus": "CWSA+"}
_KEY = ["source", "model", "threshold", "swept"]
_NO_AREA = (
    "Over the coverages that thresholds reach: a model whose answers are all accepted at every threshold has no area."
)
_COMPARED = "Ours, the paper's figure, and their difference in standard errors (s.e.), if they can be compared."
_DIVIDED = "CWSA is divided by all samples, CWSA+ by the accepted ones, as in the paper."


def cwsa_report(cells: pd.DataFrame, sweep: CWSASweep, source: Mapping[str, str]) -> ExperimentReport:
    """Return what the simulated models show.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`cwsa_experiment`.
    sweep : CWSASweep
        From :func:`cwsa_sweep`.
    source : mapping of str to str
        What was run.

    Returns
    -------
    ExperimentReport
    """
    title = "Tables 1 to 3, and Section 5"
    areas = TablePart("Areas over coverage", as_texts(sweep.summary.reset_index()), (_NO_AREA,))
    models = sweep.curves["model"].unique()
    return ExperimentReport(
        "CWSA of five simulated models",
        [*agreement_words(cells), _ranks(sweep)],
        [lay_out(title, wide(cells, _KEY), _KEY), agreement(title, cells), areas],
        not_compared(cells),
        [*(_curves(str(model), sweep.curves, cells) for model in models), *distance_chart(cells)],
        (_COMPARED, CHANCE, _DIVIDED),
        source,
    )


def predictions_report(cells: pd.DataFrame, source: Mapping[str, str]) -> ExperimentReport:
    """Return what predictions from files show.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`cwsa_predictions_experiment`.
    source : mapping of str to str
        What was run.

    Returns
    -------
    ExperimentReport
    """
    title = "Section 5.2, and the authors' sweep"
    curves = cells.pivot_table(index=["model", "threshold"], columns="quantity", values="ours").reset_index()
    models = list(dict.fromkeys(cells["model"]))
    return ExperimentReport(
        f"CWSA of the predictions of {', '.join(models)}",
        agreement_words(cells),
        [lay_out(title, wide(cells, _KEY[:3]), _KEY[:3]), agreement(title, cells)],
        not_compared(cells),
        [_curves(model, curves, cells) for model in models],
        (_COMPARED, "Nothing is drawn at random: figures agree, or they do not.", _DIVIDED),
        source,
    )


def _ranks(sweep: CWSASweep) -> str:
    """Return how calibration error and CWSA order the models."""
    by_error = sweep.summary["ece"].sort_values()
    by_cwsa = sweep.curves.groupby("model")["cwsa"].mean().sort_values(ascending=False)
    ordered = [", ".join(f"{model} ({number(value)})" for model, value in each.items()) for each in (by_error, by_cwsa)]
    ranks = pd.DataFrame({"ece": by_error.rank(), "cwsa": by_cwsa.rank(ascending=False)})
    apart = (ranks["ece"] - ranks["cwsa"]).abs()
    said = f"From best to worst, ECE orders the models {ordered[0]}; CWSA, mean over the thresholds, {ordered[1]}."
    if not apart.any():
        return f"{said} The order is the same."
    where = ranks.loc[model := str(apart.idxmax())]
    return f"{said} They differ most on {model}: number {where['ece']:g} by ECE, {where['cwsa']:g} by CWSA."


def _curves(model: str, curves: pd.DataFrame, cells: pd.DataFrame) -> Chart:
    """Return the metrics of a model over the threshold, and the printed ones as points."""
    ours = curves[curves["model"] == model]
    printed = cells[(cells["model"] == model) & cells["paper"].notna() & cells["threshold"].notna()]
    # Rows of the paper's tables stand at the threshold that they were swept at.
    printed = printed.assign(threshold=printed.get("swept", printed["threshold"]))
    marks: list[Mark] = []
    known = [quantity for quantity in _CURVES if quantity in ours]
    for quantity in known:
        series = _CURVES[quantity]
        own = printed[printed["quantity"] == quantity]
        name, is_quiet = _SHORT.get(quantity, quantity), series is None
        marks.append(Line(ours["threshold"], ours[quantity], name=name, series=series, dashed=is_quiet))
        marks.append(Points(own["threshold"], own["paper"], series=series))
    given = ours.melt("threshold", known, "quantity", "ours")
    data = pd.concat([given, printed[["threshold", "quantity", "paper"]]], ignore_index=True)
    return Chart(
        f"Model {model} over the threshold",
        _finding(ours, printed),
        Axis.around("threshold", "linear", ours["threshold"]),
        Axis.around("metric", "linear", data["ours"], data["paper"], [0.0, 1.0]),
        marks,
        data,
    )


def _finding(ours: pd.DataFrame, printed: pd.DataFrame) -> str:
    """Return where CWSA is highest, and what is answered there."""
    best = ours.loc[ours["cwsa"].round(9).idxmax()]
    said = f"CWSA is highest, {number(best['cwsa'])}, at {best['threshold']:.3g}"
    if "coverage" in ours:
        said += f", where {percent(best['coverage'])} are answered"
    if printed.empty:
        return f"{said}."
    noted = int((printed["note"] != "").sum())
    but = f", of which {noted} cannot be compared" if noted else ""
    return f"{said}. Points: {len(printed)} printed figures{but}."
