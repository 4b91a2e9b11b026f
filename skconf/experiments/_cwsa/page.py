"""The results of the CWSA paper's experiments in words, pictures and tables."""

from collections.abc import Mapping, Sequence

import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number, percent
from skconf.experiments._cwsa.experiment import CWSASweep
from skconf.experiments._shared.agreement import BESIDE, CHANCE
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import beside_paper, plain_table, title_of, where
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.tables import TablePart

#: The curves of a picture, and their series. Coverage is drawn in grey.
_CURVES = {"coverage": None, "selective_accuracy": 0, "cwsa": 1, "cwsa_plus": 2}
_LABELS = {"selective_accuracy": "accuracy", "cwsa": "CWSA", "cwsa_plus": "CWSA+"}
_KEY = ["source", "model", "threshold", "swept"]
#: The thresholds of the paper's tables, and the models of its figures.
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_FIGURES = ("mnist", "cifar10", "calibrated", "overconfident", "underconfident", "random")
#: A sentence names at most this many models.
_NAMED = 6
_NO_AREA = (
    "An area starts at the coverage of the highest threshold, and leaves out all smaller coverages. If every threshold "
    "accepts all answers, the area is 0."
)
_NOTHING_RANDOM = (BESIDE, "Nothing is drawn at random. A value agrees if all its digits are as printed.")
_DIVIDED = (
    "As in the paper, CWSA is a sum divided by the number of all samples, and CWSA+ a sum divided by the number of "
    "accepted samples."
)


def cwsa_report(cells: pd.DataFrame, sweep: CWSASweep, source: Mapping[str, str]) -> ExperimentReport:
    """Return the report on the simulated models."""
    title = "Tables 1 to 3, and Section 5"
    return ExperimentReport(
        "CWSA of five simulated models",
        cells,
        _by_area(sweep.summary),
        [beside_paper(title, cells, _KEY), _summary("Areas over coverage", sweep)],
        compared=cells,
        charts=[_curves(model, curves, cells) for model, curves in sweep.curves.groupby("model", sort=False)],
        notes=(BESIDE, CHANCE, _DIVIDED),
        source=source,
    )


def predictions_report(
    cells: pd.DataFrame, sweep: CWSASweep, source: Mapping[str, str], failed: Sequence[str] = ()
) -> ExperimentReport:
    """Return what predictions from files show."""
    models = list(sweep.summary.index)
    printed = cells[cells["paper"].notna()]
    title = "Compared with the paper, and with the authors' sweeps"
    compared = [] if printed.empty else [beside_paper(title, printed, _KEY[:3])]
    # The paper's Tables 1 to 3 have rows of these thresholds.
    rows = sweep.curves[sweep.curves["threshold"].round(9).isin(_THRESHOLDS)]
    return ExperimentReport(
        f"CWSA of the predictions of {listed(models) if len(models) <= _NAMED else f'{len(models)} models'}",
        cells,
        [_from_first_to_last(sweep.curves), *_by_area(sweep.summary)],
        [plain_table("As in Tables 1 to 3", rows.rename(columns=_title)), _summary("Summaries", sweep), *compared],
        compared=None if printed.empty else cells,
        charts=[_curves(model, curves, cells) for model, curves in sweep.curves.groupby("model", sort=False)],
        notes=(*(() if printed.empty else _NOTHING_RANDOM), _DIVIDED),
        source=source,
        failed=failed,
    )


def _summary(title: str, sweep: CWSASweep) -> TablePart:
    return plain_table(title, sweep.summary.reset_index().rename(columns=_title), notes=(_NO_AREA,))


def _title(column: str) -> str:
    metric = column.removesuffix("_area")
    return title_of(metric) + " area" * (metric != column)


def _from_first_to_last(curves: pd.DataFrame) -> str:
    """Return CWSA at the first and at the last threshold, for each model."""
    by_model = curves.groupby("model", sort=False)["cwsa"]
    went = [f"from {number(cwsa.iloc[0])} to {number(cwsa.iloc[-1])} ({model})" for model, cwsa in by_model]
    more = f", and so on for {len(went) - _NAMED} more"
    first, last = curves["threshold"].min(), curves["threshold"].max()
    shown = ", ".join(went[:_NAMED]) + more if len(went) > _NAMED else listed(went)
    return f"Between the thresholds {first:.2f} and {last:.2f}, CWSA goes {shown}."


def _by_area(summary: pd.DataFrame) -> list[str]:
    """Return the best models by area under CWSA, accuracy and AURC; nothing for a single model."""
    if len(summary) == 1:
        return []
    orders = {
        "the area under the curve of CWSA over coverage": summary["cwsa_area"].sort_values(ascending=False),
        "accuracy": summary["accuracy"].sort_values(ascending=False),
        "AURC": summary["aurc"].sort_values(),
    }
    of_most = {metric: str(order.index[0]) for metric, order in orders.items()}
    best = listed([f"{model} by {metric} ({number(orders[metric].iloc[0])})" for metric, model in of_most.items()])
    return [f"The best of {len(summary)} models is {best}."]


def _curves(model: str, curves: pd.DataFrame, cells: pd.DataFrame) -> Chart:
    """Return the metrics of a model over the threshold, and the printed ones as points."""
    printed = where(cells[cells["paper"].notna() & cells["threshold"].notna()], model=model)
    # Rows of the paper's tables are drawn at their threshold in the sweep.
    printed = printed.assign(threshold=printed.get("swept", printed["threshold"]))
    marks: list[Mark] = []
    for quantity, series in _CURVES.items():
        name, points = _LABELS.get(quantity, quantity), where(printed, quantity=quantity)
        marks.append(Line(curves["threshold"], curves[quantity], name=name, series=series, dashed=series is None))
        marks.append(Points(points["threshold"], points["paper"], series=series))
    ours = curves.melt("threshold", list(_CURVES), "quantity", "ours")
    data = pd.concat([ours, printed[["threshold", "quantity", "paper"]]], ignore_index=True)
    return Chart(
        f"Model {model} over the threshold{f' (Figure {_FIGURES.index(model) + 1})' if model in _FIGURES else ''}",
        _highest(curves, printed),
        Axis.around("threshold", "linear", curves["threshold"]),
        Axis.around("metric", "linear", data["ours"], data["paper"], [0.0, 1.0]),
        marks,
        data,
    )


def _highest(curves: pd.DataFrame, printed: pd.DataFrame) -> str:
    """Say at which threshold CWSA is highest, and what share of the samples is answered there."""
    best = curves.loc[curves["cwsa"].round(9).idxmax()]
    noted = int((printed["note"] != "").sum())
    points = f" Points: {len(printed)} printed values{f', of which {noted} cannot be compared' if noted else ''}."
    return (
        f"The highest CWSA is {number(best['cwsa'])} at the threshold {best['threshold']:.3g}, where "
        f"{percent(best['coverage'])} of the samples are answered.{'' if printed.empty else points}"
    )
