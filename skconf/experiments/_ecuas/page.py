"""What the ECUAS paper's experiments found: in words, pictures and tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number
from skconf.experiments._ecuas.cost import cost_charts
from skconf.experiments._shared.agreement import BESIDE, CHANCE
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import agreement, beside_paper, plain_table
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points

_KEY = ["system", "scores"]
#: The metric by its order n, the n of its title, and what the order does.
_ORDERS = {"n_ecuas_0": "0", "n_ecuas_1": "1", "n_ecuas_128": "128"}
_SCORES = {"raw": "raw", "cal": "calibrated"}
#: Height of a system in a picture.
_ROW = 34
_NOTES = (
    BESIDE,
    "ECUAS is divided by that of the class frequencies: above 1, a system costs more than one that knows only them.",
    "Raw scores have a standard error of 0: figures agree as far as the paper's float32 allows, or they do not.",
    "Of calibrated scores, the standard error is the spread over folds.",
    CHANCE,
)


def ecuas_report(
    cells: pd.DataFrame, sampled: pd.DataFrame, source: Mapping[str, str], failed: Sequence[str] = ()
) -> ExperimentReport:
    """Return what systems cost, raw, calibrated and with worse answers.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`ecuas_experiment`.
    sampled : pandas.DataFrame
        From :func:`ecuas_sampling_experiment`.
    source : mapping of str to str
        What was run.
    failed : sequence of str, default=()
        The systems that cannot be read, and why.

    Returns
    -------
    ExperimentReport
    """
    tables = [beside_paper("Table 3", cells, _KEY), agreement("Table 3", cells)]
    tables.append(plain_table("Figure 2: sampled answers (appendix B.1)", sampled))
    costs = [_costs(cells, order) for order in _ORDERS]
    return ExperimentReport(
        "ECUAS of classification systems",
        cells,
        [_effects(cells), _rises(sampled)],
        tables,
        compared=cells,
        charts=[*costs, *_temperatures(sampled), *cost_charts()],
        notes=_NOTES,
        source={**source, "systems": ", ".join(sampled["system"].unique())},
        failed=failed,
    )


def _effects(cells: pd.DataFrame) -> str:
    """Return what calibration does to the cost."""
    costs = cells[cells["quantity"].isin(_ORDERS)].pivot(index="system", columns=["quantity", "scores"], values="ours")
    each = []
    for order, n in _ORDERS.items():
        ratio = costs[order, "cal"] / costs[order, "raw"]
        each.append(f"{(ratio < 1).sum()} of {len(ratio)} at n = {n} (median factor {ratio.median():.2f})")
    return f"Calibration lowers the cost of systems: {listed(each)}."


def _rises(sampled: pd.DataFrame) -> str:
    """Return whether worse answers cost more, as they should."""
    rising = {
        n: sampled.groupby("system", sort=False)[order].agg(lambda cost: bool((np.diff(cost) > 0).all()))
        for order, n in _ORDERS.items()
    }
    each = [f"{found.sum()} of {len(found)} systems at n = {n}" for n, found in rising.items()]
    return f"The cost rises with every step of the temperature at which answers are drawn: {listed(each)}."


def _costs(cells: pd.DataFrame, order: str) -> Chart:
    """Return the cost of each system, raw and calibrated, and the printed ones."""
    part = cells[cells["quantity"] == order]
    systems = list(dict.fromkeys(part["system"]))
    marks: list[Mark] = []
    for series, (scores, name) in enumerate(_SCORES.items()):
        own = part[part["scores"] == scores]
        row = own["system"].map(systems.index) + 0.2 * (series - 0.5)
        marks += [Points(own["paper"], row + 0.1), Points(own["ours"], row, name=name, series=series)]
    largest = part.loc[part["ours"].idxmax()]
    printed = " Grey: the paper's." if part["paper"].notna().any() else ""
    return Chart(
        f"Cost at n = {_ORDERS[order]}",
        f"{largest['system']}, {_SCORES[largest['scores']]}, costs most: {number(largest['ours'])} times what the "
        f"class frequencies cost.{printed}",
        Axis.around("ECUAS over that of the class frequencies, log scale", "log", part["ours"], part["paper"]),
        Axis.named("system", systems),
        marks,
        part[[*_KEY, "quantity", "ours", "paper"]],
        height=max(300, 70 + _ROW * len(systems)),
    )


def _temperatures(sampled: pd.DataFrame) -> list[Chart]:
    """Return the cost of each system over the temperature of its answers."""
    return [_temperature(str(system), part) for system, part in sampled.groupby("system", sort=False)]


def _temperature(system: str, part: pd.DataFrame) -> Chart:
    first, last = part.iloc[0], part.iloc[-1]
    each = [f"{last[order] / first[order]:.2g} times at n = {n}" for order, n in _ORDERS.items()]
    marks = [
        Line(part["temperature"], part[order], name=f"n = {n}", series=series)
        for series, (order, n) in enumerate(_ORDERS.items())
    ]
    points = [Points(part["temperature"], part[order], series=series) for series, order in enumerate(_ORDERS)]
    finding = f"From temperature {first['temperature']:g} to {last['temperature']:g}, the cost grows {listed(each)}."
    up = Axis.around("ECUAS over that of the class frequencies, log scale", "log", part[list(_ORDERS)])
    across = Axis.around("temperature of the answers", "linear", part["temperature"])
    return Chart(f"Figure 2: worse answers of {system}", finding, across, up, [*marks, *points], part)
