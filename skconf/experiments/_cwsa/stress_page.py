"""What the CWSA paper's stress tests found: in words, pictures and tables."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from skconf._core.numbers import number, percent
from skconf.experiments._shared.agreement import CHANCE
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import agreement, beside_paper
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.tables import TablePart

#: What the level of a test is, on its axis.
_LEVELS = {
    "label noise": "share of labels altered",
    "imbalance": "share of one class",
    "degraded confidence": "share of confidences shuffled",
    "shifted inputs": "standard deviations of noise",
}
_NOTES = (
    "Means over repetitions, ± their standard deviation, at a threshold of 0.9; CWSA is divided by all samples.",
    "Label noise turns right answers into wrong ones. A wrong one becomes right if the new label is the answer.",
)


def stress_report(cells: pd.DataFrame, source: Mapping[str, str], failed: Sequence[str] = ()) -> ExperimentReport:
    """Return what the tests do to CWSA, and to what it is compared with.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`cwsa_stress_experiment`.
    source : mapping of str to str
        What was run.
    failed : sequence of str, default=()
        The files that cannot be read, and why.

    Returns
    -------
    ExperimentReport
    """
    tests = [test for test in _LEVELS if (cells["test"] == test).any()]
    printed = cells["paper"].notna().any()
    beside = [agreement("the authors' files", cells)] if printed else []
    return ExperimentReport(
        "Stress tests of CWSA",
        cells,
        [_effect(cells, test) for test in tests],
        [*(_table(cells[cells["test"] == test], test) for test in tests), *beside],
        compared=cells.drop(columns="spread") if printed else None,
        charts=[_chart(cells, test) for test in tests],
        notes=(*_NOTES, CHANCE) if printed else _NOTES,
        source=source,
        failed=failed,
    )


def _table(cells: pd.DataFrame, test: str) -> TablePart:
    return beside_paper(test.capitalize(), cells, {"model": "model", "level": _LEVELS[test]})


def _effect(cells: pd.DataFrame, test: str) -> str:
    """Return what the strongest level leaves of CWSA and accuracy, and what it makes of AURC: lowest to highest."""
    of_test = cells[cells["test"] == test]
    last = of_test["level"].max()
    values = of_test.pivot_table(index=["model", "level"], columns="quantity", values="ours", sort=False)
    first, then = values.xs(0.0, level="level"), values.xs(last, level="level")
    kept = (then / first)[["cwsa", "accuracy"]].where(first > 0)
    said = [
        f"CWSA keeps {_range(kept['cwsa'], percent)} of its value",
        f"accuracy {_range(kept['accuracy'], percent)}",
        f"and AURC, {_range(first['aurc'], number)} before, is {_range(then['aurc'], number)}",
    ]
    return f"{test.capitalize()}, {_LEVELS[test]} from 0 to {last:g}: {', '.join(said)}."


def _range(values: "pd.Series[float]", words: Callable[[float], str]) -> str:
    """Return the lowest value and the highest, or the one that there is."""
    ends = dict.fromkeys([words(values.min()), words(values.max())])
    return " to ".join(end.removesuffix(" %") for end in ends) + " %" * words(values.max()).endswith("%")


def _chart(cells: pd.DataFrame, test: str) -> Chart:
    """Return CWSA of every model over the level of a test, and its accuracy as points."""
    of_test = cells[(cells["test"] == test) & cells["quantity"].isin(["cwsa", "accuracy"])]
    marks: list[Mark] = []
    series_of = {model: series for series, model in enumerate(dict.fromkeys(cells["model"]))}
    for model in dict.fromkeys(of_test["model"]):
        series = series_of[model]
        own = of_test[of_test["model"] == model].set_index("quantity")
        cwsa, accuracy = own.loc[["cwsa"]], own.loc[["accuracy"]]
        marks.append(Line(cwsa["level"], cwsa["ours"], name=str(model), series=series))
        marks.append(Points(accuracy["level"], accuracy["ours"], series=series))
    return Chart(
        test.capitalize(),
        f"Lines: CWSA; points: accuracy. {_effect(cells, test)}",
        Axis.around(_LEVELS[test], "linear", of_test["level"]),
        Axis.around("metric", "linear", of_test["ours"], [0.0, 1.0]),
        marks,
        of_test[["model", "level", "quantity", "ours"]],
    )
