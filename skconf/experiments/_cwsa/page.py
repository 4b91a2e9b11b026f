"""What the CWSA paper's experiments found: in words, pictures and tables."""

from collections.abc import Mapping, Sequence

import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number, percent
from skconf.experiments._cwsa.experiment import CWSASweep
from skconf.experiments._shared.agreement import BESIDE, CHANCE
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import agreement, beside_paper, title_of
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.tables import TablePart, as_texts

#: Curves of a picture, and their series; coverage is drawn in grey.
_CURVES = {"coverage": None, "selective_accuracy": 0, "cwsa": 1, "cwsa_plus": 2}
_SHORT = {"selective_accuracy": "accuracy", "cwsa": "CWSA", "cwsa_plus": "CWSA+"}
_KEY = ["source", "model", "threshold", "swept"]
#: The rows of the paper's tables, and what its figures show.
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_FIGURES = ("mnist", "cifar10", "calibrated", "overconfident", "underconfident", "random")
#: So many models are named in a sentence.
_NAMED = 6
_NO_AREA = (
    "Over the coverages that thresholds reach: a model whose answers are all accepted at every threshold has no area."
)
_NOTHING_RANDOM = (BESIDE, "Nothing is drawn at random: figures agree, or they do not.")
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
    areas = TablePart("Areas over coverage", _summary_texts(sweep), (_NO_AREA,))
    models = sweep.curves["model"].unique()
    return ExperimentReport(
        "CWSA of five simulated models",
        cells,
        [_ranks(sweep), *_by_area(sweep)],
        [beside_paper(title, cells, _KEY), agreement(title, cells), areas],
        compared=cells,
        charts=[_curves(str(model), sweep.curves, cells) for model in models],
        notes=(BESIDE, CHANCE, _DIVIDED),
        source=source,
    )


def predictions_report(
    cells: pd.DataFrame, sweep: CWSASweep, source: Mapping[str, str], failed: Sequence[str] = ()
) -> ExperimentReport:
    """Return what predictions from files show.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`cwsa_predictions_experiment`.
    sweep : CWSASweep
        Of the same predictions.
    source : mapping of str to str
        What was run.
    failed : sequence of str, default=()
        The files that cannot be read, and why.

    Returns
    -------
    ExperimentReport
    """
    models = list(sweep.summary.index)
    printed = cells[cells["paper"].notna()]
    title = "Beside the paper, and the authors' sweeps"
    compared = [] if printed.empty else [beside_paper(title, printed, _KEY[:3]), agreement(title, printed)]
    return ExperimentReport(
        f"CWSA of the predictions of {listed(models) if len(models) <= _NAMED else f'{len(models)} models'}",
        cells,
        [_from_first_to_last(sweep), *_by_area(sweep)],
        [_at_paper_thresholds(sweep), TablePart("Summaries", _summary_texts(sweep), (_NO_AREA,)), *compared],
        compared=None if printed.empty else cells,
        charts=[_curves(model, sweep.curves, cells) for model in models],
        notes=(*_NOTHING_RANDOM, _DIVIDED) if len(printed) else (_DIVIDED,),
        source=source,
        failed=failed,
    )


def _at_paper_thresholds(sweep: CWSASweep) -> TablePart:
    """Return the curves where the paper's Tables 1 to 3 have rows."""
    rows = sweep.curves[sweep.curves["threshold"].round(9).isin(_THRESHOLDS)]
    return TablePart("As in Tables 1 to 3", as_texts(rows.rename(columns=_title)))


def _summary_texts(sweep: CWSASweep) -> pd.DataFrame:
    return as_texts(sweep.summary.reset_index().rename(columns=_title))


def _title(column: str) -> str:
    of = column.removesuffix("_area")
    return title_of(of) + " area" * (of != column)


def _from_first_to_last(sweep: CWSASweep) -> str:
    """Return how CWSA goes over the thresholds, for each model."""
    curves = sweep.curves.groupby("model", sort=False)["cwsa"]
    went = [f"from {number(cwsa.iloc[0])} to {number(cwsa.iloc[-1])} ({model})" for model, cwsa in curves]
    went = [*went[:_NAMED], f"and so on for {len(went) - _NAMED} more"] if len(went) > _NAMED else [listed(went)]
    ends = sweep.curves["threshold"].agg(["min", "max"])
    return f"From a threshold of {ends['min']:.2f} to {ends['max']:.2f}, CWSA goes {', '.join(went)}."


def _by_area(sweep: CWSASweep) -> list[str]:
    """Return how the area under CWSA orders models, beside accuracy and AURC; nothing of a single model."""
    if len(sweep.summary) == 1:
        return []
    orders = {
        "the area under CWSA over coverage": sweep.summary["cwsa_area"].sort_values(ascending=False),
        "accuracy": sweep.summary["accuracy"].sort_values(ascending=False),
        "AURC": sweep.summary["aurc"].sort_values(),
    }
    said = [
        f"by {by}, {', '.join(f'{model} ({number(value)})' for model, value in order.head(_NAMED).items())}"
        for by, order in orders.items()
    ]
    which = f"The first {_NAMED} of {len(sweep.summary)}" if len(sweep.summary) > _NAMED else "From best to worst"
    return [f"{which}: {'; '.join(said)}."]


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
        f"Model {model} over the threshold{_figure(model)}",
        _finding(ours, printed),
        Axis.around("threshold", "linear", ours["threshold"]),
        Axis.around("metric", "linear", data["ours"], data["paper"], [0.0, 1.0]),
        marks,
        data,
    )


def _figure(model: str) -> str:
    """Return which figure of the paper shows a model."""
    return f" (Figure {_FIGURES.index(model) + 1})" if model in _FIGURES else ""


def _finding(ours: pd.DataFrame, printed: pd.DataFrame) -> str:
    """Return where CWSA is highest, and what is answered there."""
    best = ours.loc[ours["cwsa"].round(9).idxmax()]
    said = f"CWSA is highest, {number(best['cwsa'])}, at {best['threshold']:.3g}"
    said += f", where {percent(best['coverage'])} are answered"
    if printed.empty:
        return f"{said}."
    noted = int((printed["note"] != "").sum())
    but = f", of which {noted} cannot be compared" if noted else ""
    return f"{said}. Points: {len(printed)} printed figures{but}."
