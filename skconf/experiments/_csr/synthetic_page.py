"""The report of the CSR paper's synthetic experiments: findings, tables and pictures."""

from collections.abc import Mapping

import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number
from skconf.experiments._csr.synthetic import CSRAreas
from skconf.experiments._csr.synthetic_tables import SIZES, csr_risk_extremes, csr_table1
from skconf.experiments._shared.agreement import BESIDE, CHANCE
from skconf.experiments._shared.charts import rows_chart
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import beside_paper, plain_table, where
from skconf.report._page.chart import Axis, Band, Chart

_KEY = ["n_samples", "distribution", "mode"]
_NOTES = (
    BESIDE,
    CHANCE,
    "Our values and the printed values are means over repetitions. But each printed area comes from one data set.",
)


def synthetic_report(cells: pd.DataFrame, areas: CSRAreas, source: Mapping[str, str]) -> ExperimentReport:
    """Return the report on size ratios and weighted areas for known distributions."""
    both = pd.concat([cells, areas.areas, areas.counts.drop(columns="n_distributions")], ignore_index=True)
    both = both[[*_KEY, *(name for name in both if name not in _KEY)]]
    sizes = cells["n_samples"].unique()
    means = csr_table1(cells) if set(SIZES) <= set(cells.loc[cells["mode"] == "perfect", "n_samples"]) else None
    table1 = {"distribution": "distribution", "n_samples": "samples"}  # rows for all distributions follow below
    return ExperimentReport(
        "Calibrated size ratio of known distributions",
        cells,
        [*_false_alarms(means), *(_risks(cells, n) for n in sizes), _above(areas.counts)],
        [
            *([] if means is None else [beside_paper("Table 1", means, table1)]),
            beside_paper("Tables 5, 8 and 9", cells, _KEY),
            plain_table("Table 3", csr_risk_extremes(cells)),
            beside_paper("Table 10", areas.counts, ["mode"]),
            beside_paper("Table 11, and other modes", areas.areas, _KEY[1:]),
        ],
        compared=both,
        charts=[_size_ratios(cells, n) for n in sizes],
        notes=_NOTES,
        source=source,
    )


def _false_alarms(means: pd.DataFrame | None) -> list[str]:
    """Say how often calibrated samples look overconfident, if all distributions were drawn."""
    total = pd.DataFrame() if means is None else means[means["distribution"] == "all"]
    if total.empty:
        return []
    one, few, many = (f"{row['ours']:.2%} (paper {row['paper']:.2%})" for _, row in total.iterrows())
    said = f"The size ratio is more than 1σ above 1 in {one} of calibrated sets of samples."
    tail = f"It is more than 3σ above 1 in {few} of sets of {SIZES[0]} samples, and in {many} of sets of {SIZES[2]:,}."
    normal = "A normal distribution would have 15.87% beyond 1σ and 0.13% beyond 3σ."
    return [f"{said} {tail} {normal}"]


def _risks(cells: pd.DataFrame, n_samples: int) -> str:
    """Name the modes in which the risk is above one half for every distribution, and those in which it is below."""
    part = where(cells, n_samples=n_samples, quantity="risk_probability")
    risk = part.groupby("mode", sort=False)["ours"].agg(["min", "max"])
    sides = {"above": risk.index[risk["min"] > 0.5], "below": risk.index[risk["max"] < 0.5]}
    every = "one half for every distribution in"
    told = [f"{side} {every} {listed(list(modes))}" for side, modes in sides.items() if len(modes)]
    said = "; ".join(told) or "on both sides of one half in every mode"
    return f"With {n_samples:,} samples, the risk of overconfidence is {said}."


def _above(counts: pd.DataFrame) -> str:
    """Say how often confidence weights increase the area."""
    each = [f"{row['ours']:g} in {row['mode']}" for _, row in counts.iterrows()]
    said = f"Number of distributions (of {counts['n_distributions'].iloc[0]}) for which confidence weights increase"
    return f"{said} the area under the ROC curve (equal areas count half): {listed(each)}."


def _size_ratios(cells: pd.DataFrame, n_samples: int) -> Chart:
    """Return a chart of the size ratios of all distributions in each mode, with the printed ones."""
    part = where(cells, n_samples=n_samples, quantity="csr")
    modes = list(dict.fromkeys(part["mode"]))
    axis = Axis.around("size ratio, log scale", "log", part["ours"], part["paper"], [1])
    return rows_chart(
        f"Size ratio with {n_samples:,} samples",
        f"{_medians(part)} Shaded: more errors than expected.",
        axis,
        modes,
        {"": part[["ours", "paper"]].assign(row=part["mode"])},
        part[[*_KEY, "ours", "paper"]].dropna(axis="columns", how="all"),
        what="mode",
        behind=[Band([1, axis.high], [-0.5] * 2, [len(modes) - 0.5] * 2)],
    )


def _medians(part: pd.DataFrame) -> str:
    """Give the lowest and the highest median of the modes, and say that each point is a distribution."""
    medians = part.groupby("mode", sort=False)["ours"].median()
    if len(medians) == 1:
        return f"Each distribution is a point. The median is {number(medians.iloc[0])}."
    extremes = f"{medians.idxmin()} ({number(medians.min())}) to {medians.idxmax()} ({number(medians.max())})"
    return f"Each distribution is a point. Medians range from {extremes}."
