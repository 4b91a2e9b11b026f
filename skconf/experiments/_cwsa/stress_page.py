"""The results of the CWSA paper's stress tests in words, pictures and tables."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from skconf._core.numbers import number, percent
from skconf.experiments._shared.agreement import CHANCE
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import beside_paper, where
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points

#: The label of the axis for the level of each test.
_LEVELS = {
    "label noise": "share of labels altered",
    "imbalance": "share of one class",
    "degraded confidence": "share of confidences shuffled",
    "shifted inputs": "standard deviations of noise",
}
_NOTES = (
    "Our values are means over repetitions, and ± is the standard deviation over repetitions.",
    "Coverage, selective accuracy, CWSA and CWSA+ are at a threshold of 0.9.",
    "CWSA is a sum divided by the number of all samples, not only of the accepted samples.",
    "Label noise turns right answers into wrong ones. A wrong answer becomes right if the new label is the answer.",
)


def stress_report(cells: pd.DataFrame, source: Mapping[str, str], failed: Sequence[str] = ()) -> ExperimentReport:
    """Return the report on how the stress tests change CWSA and other metrics."""
    parts = {test: part for test in _LEVELS if len(part := where(cells, test=test))}
    effects = {test: _effect(part, test) for test, part in parts.items()}
    series = {model: number for number, model in enumerate(cells["model"].unique())}
    tables = [
        beside_paper(test.capitalize(), part, {"model": "model", "level": _LEVELS[test]})
        for test, part in parts.items()
    ]
    printed = cells["paper"].notna().any()
    return ExperimentReport(
        "Stress tests of CWSA",
        cells,
        list(effects.values()),
        tables,
        compared=cells.drop(columns="spread") if printed else None,
        charts=[_chart(part, test, effects[test], series) for test, part in parts.items()],
        notes=(*_NOTES, CHANCE) if printed else _NOTES,
        source=source,
        failed=failed,
    )


def _effect(cells: pd.DataFrame, test: str) -> str:
    """Say how the strongest level changes CWSA, accuracy and AURC, with the lowest and highest value over models."""
    last = cells["level"].max()
    values = cells.pivot_table(index=["model", "level"], columns="quantity", values="ours", sort=False)
    first, then = values.xs(0.0, level="level"), values.xs(last, level="level")
    kept = (then / first).where(first > 0)
    return (
        f"{test.capitalize()}, {_LEVELS[test]} from 0 to {last:g}: CWSA keeps {_range(kept['cwsa'], percent)} of its "
        f"value, and accuracy keeps {_range(kept['accuracy'], percent)}. AURC is "
        f"{_range(first['aurc'], number)} before, and {_range(then['aurc'], number)} after."
    )


def _range(values: "pd.Series[float]", words: Callable[[float], str]) -> str:
    """Return the lowest and the highest value, or the only value."""
    ends = dict.fromkeys([words(values.min()), words(values.max())])
    return " to ".join(end.removesuffix("%") for end in ends) + "%" * words(values.max()).endswith("%")


def _chart(cells: pd.DataFrame, test: str, effect: str, series: Mapping[str, int]) -> Chart:
    """Return a chart by the level of a test: lines for the CWSA of each model, and points for its accuracy."""
    data = cells.loc[cells["quantity"].isin(["cwsa", "accuracy"]), ["model", "level", "quantity", "ours"]]
    marks: list[Mark] = []
    for model, own in data.groupby("model", sort=False):
        cwsa, accuracy = where(own, quantity="cwsa"), where(own, quantity="accuracy")
        marks.append(Line(cwsa["level"], cwsa["ours"], name=str(model), series=series[str(model)]))
        marks.append(Points(accuracy["level"], accuracy["ours"], series=series[str(model)]))
    return Chart(
        test.capitalize(),
        f"Lines: CWSA; points: accuracy. {effect}",
        Axis.around(_LEVELS[test], "linear", data["level"]),
        Axis.around("metric", "linear", data["ours"], [0.0, 1.0]),
        marks,
        data,
    )
