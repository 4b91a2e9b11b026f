"""The results of the ECUAS paper's experiments in words, pictures and tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number
from skconf.experiments._shared.agreement import BESIDE, CHANCE
from skconf.experiments._shared.charts import rows_chart
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import beside_paper, plain_table, where
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points

_KEY = ["system", "scores"]
#: The metrics by their order n.
_ORDERS = {"n_ecuas_0": "0", "n_ecuas_1": "1", "n_ecuas_128": "128"}
_SCORES = {"raw": "raw", "cal": "calibrated"}
_COST = "ECUAS ÷ ECUAS of the class frequencies, log scale"
#: Height of a system in a picture.
_ROW = 34
_NOTES = (
    BESIDE,
    "ECUAS is divided by the ECUAS of a system that only knows the class frequencies.",
    "A value above 1 means that the system costs more than a system that only knows the class frequencies.",
    "Metrics of raw scores have a standard error of 0. They agree with the paper if float32 explains the difference.",
    "The calibration is repeated with other folds. This gives the standard error of each metric of calibrated scores.",
    CHANCE,
)


def ecuas_report(
    cells: pd.DataFrame, sampled: pd.DataFrame, source: Mapping[str, str], failed: Sequence[str] = ()
) -> ExperimentReport:
    """Return the report on the cost of systems, with raw and calibrated scores, and with drawn answers."""
    names = sampled["system"].unique()
    return ExperimentReport(
        "ECUAS of classification systems",
        cells,
        [_effects(cells), _rises(sampled)],
        [
            beside_paper("Table 3", cells, _KEY),
            plain_table("Figure 2: sampled answers (appendix B.1)", sampled),
        ],
        compared=cells,
        charts=[
            *(_costs(where(cells, quantity=order), n) for order, n in _ORDERS.items()),
            *(_worse_answers(name, where(sampled, system=name)) for name in names),
        ],
        notes=_NOTES,
        source={**source, "systems": ", ".join(names)},
        failed=failed,
    )


def _effects(cells: pd.DataFrame) -> str:
    """Say how calibration changes the cost."""
    costs = cells.pivot(index=["quantity", "system"], columns="scores", values="ours")
    ratios = {n: (costs["cal"] / costs["raw"])[order] for order, n in _ORDERS.items()}
    effects = [
        f"{(ratio < 1).sum()} of {len(ratio)} systems at n = {n} (calibrated ÷ raw: median {ratio.median():.2f})"
        for n, ratio in ratios.items()
    ]
    return f"Calibration lowers the cost of {listed(effects)}."


def _rises(sampled: pd.DataFrame) -> str:
    """Say whether worse answers cost more, as they should."""
    rising = sampled.groupby("system")[list(_ORDERS)].agg(lambda costs: bool((np.diff(costs) > 0).all()))
    counts = [f"{rising[order].sum()} of {len(rising)} systems at n = {n}" for order, n in _ORDERS.items()]
    return f"If answers are sampled at higher and higher temperatures, each step raises the cost of {listed(counts)}."


def _costs(cells: pd.DataFrame, n: str) -> Chart:
    """Return a chart of the cost of each system, raw and calibrated, with the printed values."""
    points = cells.rename(columns={"system": "row"})
    series = {name: where(points, scores=scores) for scores, name in _SCORES.items()}
    largest = cells.loc[cells["ours"].idxmax()]
    finding = (
        f"{largest['system']} ({_SCORES[largest['scores']]}) costs most: {number(largest['ours'])} times the cost of "
        "a system that only knows the class frequencies."
    )
    axis = Axis.around(_COST, "log", cells["ours"], cells["paper"])
    data, rows = cells[[*_KEY, "quantity", "ours", "paper"]], list(points["row"].unique())
    return rows_chart(f"Cost at n = {n}", finding, axis, rows, series, data, what="system", height=_ROW)


def _worse_answers(system: str, sampled: pd.DataFrame) -> Chart:
    """Return a chart of the cost of a system by the temperature of its answers."""
    first, last = sampled.iloc[0], sampled.iloc[-1]
    growth = [f"{last[order] / first[order]:.2g} at n = {n}" for order, n in _ORDERS.items()]
    between = f"From temperature {first['temperature']:g} to {last['temperature']:g}"
    finding = f"{between}, the cost grows by a factor of {listed(growth)}."
    marks: list[Mark] = []
    for series, (order, n) in enumerate(_ORDERS.items()):
        marks.append(Line(sampled["temperature"], sampled[order], name=f"n = {n}", series=series))
        marks.append(Points(sampled["temperature"], sampled[order], series=series))
    across = Axis.around("temperature of the answers", "linear", sampled["temperature"])
    up = Axis.around(_COST, "log", sampled[list(_ORDERS)])
    return Chart(f"Figure 2: cost of {system} by the temperature of its answers", finding, across, up, marks, sampled)
