"""What the CSR paper's synthetic experiments found: in words, pictures and tables."""

from collections.abc import Mapping

import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number
from skconf.experiments._csr.synthetic import CSRAreas, csr_risk_extremes
from skconf.experiments._csr.synthetic_means import SIZES, csr_table1
from skconf.experiments._shared.agreement import CHANCE, agreement_words, distance_chart, not_compared
from skconf.experiments._shared.document import ExperimentReport
from skconf.experiments._shared.layout import agreement, lay_out, wide
from skconf.report._page.chart import Axis, Band, Chart, Mark, Points
from skconf.report._page.tables import TablePart, as_texts

_KEY = ["n_samples", "distribution", "mode"]
#: Height of a mode in a picture.
_ROW = 36
_NOTES = (
    "Ours, the paper's figure, and their difference in standard errors (s.e.), if they can be compared.",
    CHANCE,
    "Ours are means over repetitions; the printed ones, too, except those of areas, which come from one data set each.",
)


def synthetic_report(cells: pd.DataFrame, areas: CSRAreas, source: Mapping[str, str]) -> ExperimentReport:
    """Return what size ratio and weighted areas say of distributions that are known.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`csr_synthetic_experiment`.
    areas : CSRAreas
        From :func:`csr_synthetic_auc_experiment`.
    source : mapping of str to str
        What was run.

    Returns
    -------
    ExperimentReport
    """
    both = pd.concat([cells, areas.areas, areas.counts.drop(columns="n_distributions")], ignore_index=True)
    both = both[[*_KEY, *(name for name in both if name not in _KEY)]]
    sizes = cells["n_samples"].unique()
    means = csr_table1(cells) if _has_table1(cells) else None
    return ExperimentReport(
        "Calibrated size ratio of known distributions",
        [*agreement_words(both), *_false_alarms(means), *(_risks(cells, n) for n in sizes), _above(areas.counts)],
        [
            *_table1(means),
            lay_out("Tables 5, 8 and 9", wide(cells, _KEY), _KEY),
            TablePart("Table 3", as_texts(csr_risk_extremes(cells))),
            lay_out("Table 10", wide(areas.counts, ["mode"]), ["mode"]),
            lay_out("Table 11, and other modes", wide(areas.areas, _KEY[1:]), _KEY[1:]),
            agreement("Tables 5, 8 and 9", cells),
            agreement("Table 11", areas.areas),
            *([] if means is None else [agreement("Table 1", means)]),
        ],
        not_compared(both),
        [*(_by_mode(cells, n) for n in sizes), *(_risk_by_mode(cells, n) for n in sizes), *distance_chart(both)],
        _NOTES,
        source,
    )


def _has_table1(cells: pd.DataFrame) -> bool:
    return set(SIZES) <= set(cells.loc[cells["mode"] == "perfect", "n_samples"])


def _table1(means: pd.DataFrame | None) -> list[TablePart]:
    """Return Table 1, a row for each distribution, and below it those of all."""
    if means is None:
        return []
    key = ["distribution", "n_samples"]
    return [lay_out("Table 1", wide(means, key), {"distribution": "distribution", "n_samples": "samples"})]


def _false_alarms(means: pd.DataFrame | None) -> list[str]:
    """Return how often calibrated samples look overconfident, where all distributions were drawn."""
    total = pd.DataFrame() if means is None else means[means["distribution"] == "all"]
    if total.empty:
        return []
    one, few, many = (f"{row['ours']:.2%} (paper {row['paper']:.2%})".replace("%", " %") for _, row in total.iterrows())
    said = f"Of calibrated sets of samples, {one} have a size ratio more than 1σ above 1; a normal one, 15.87 %."
    tail = f"More than 3σ above it are {few} with {SIZES[0]} samples, {many} with {SIZES[2]:,}; a normal one, 0.13 %."
    return [f"{said} {tail}"]


def _values(cells: pd.DataFrame, n_samples: int, quantity: str) -> pd.DataFrame:
    return cells[(cells["n_samples"] == n_samples) & (cells["quantity"] == quantity)]


def _risks(cells: pd.DataFrame, n_samples: int) -> str:
    """Return in which modes the risk is high on every distribution, and in which it is low."""
    risk = _values(cells, n_samples, "risk_probability").groupby("mode", sort=False)["ours"].agg(["min", "max"])
    sides = {"above": risk.index[risk["min"] > 0.5], "below": risk.index[risk["max"] < 0.5]}
    told = [f"{side} one half in {listed(list(modes))}" for side, modes in sides.items() if len(modes)]
    said = "; ".join(told) or "in no mode on one side of one half"
    return f"Of {n_samples:,} samples, the risk of overconfidence is, on every distribution, {said}."


def _above(counts: pd.DataFrame) -> str:
    """Return how often confidence weights raise the area."""
    each = [f"{row['ours']:g} in {row['mode']}" for _, row in counts.iterrows()]
    said = "Distributions on which weights of confidence raise the area under the ROC curve, of"
    return f"{said} {counts['n_distributions'].iloc[0]}, equal ones counting half: {listed(each)}."


def _by_mode(cells: pd.DataFrame, n_samples: int) -> Chart:
    """Return the size ratios of all distributions in each mode, and the printed ones."""
    part = _values(cells, n_samples, "csr")
    axis = Axis.around("size ratio, log scale", "log", part["ours"], part["paper"], [1])
    finding = f"{_medians(part)} Shaded: more errors than announced."
    height = part["mode"].nunique() - 0.5
    return _rows(
        f"Size ratio of {n_samples:,} samples",
        finding,
        axis,
        part,
        Band([1, axis.high], [-0.5] * 2, [height] * 2),
    )


def _risk_by_mode(cells: pd.DataFrame, n_samples: int) -> Chart:
    """Return the risks of all distributions in each mode, and the printed ones."""
    part = _values(cells, n_samples, "risk_probability")
    return _rows(
        f"Risk of {n_samples:,} samples", _medians(part), Axis("probability of overconfidence", "percent"), part
    )


def _medians(part: pd.DataFrame) -> str:
    """Return where the points of the modes lie."""
    medians = part.groupby("mode", sort=False)["ours"].median()
    if len(medians) == 1:
        return f"A point for each distribution; their median is {number(medians.iloc[0])}."
    extremes = f"{medians.idxmin()} ({number(medians.min())}) to {medians.idxmax()} ({number(medians.max())})"
    return f"A point for each distribution; medians range from {extremes}."


def _rows(name: str, finding: str, axis: Axis, part: pd.DataFrame, *behind: Mark) -> Chart:
    """Return a picture with a row for each mode."""
    modes = list(dict.fromkeys(part["mode"]))
    row = part["mode"].map(modes.index)
    printed = part["paper"].notna().any()
    marks = [*behind, Points(part["paper"], row + 0.2), Points(part["ours"], row - 0.1 * printed, series=0)]
    data = part[[*_KEY, "ours", "paper"]].dropna(axis="columns", how="all")
    said = f"{finding} Grey: the paper's." if printed else finding
    return Chart(name, said, axis, Axis.named("mode", modes), marks, data, height=max(300, 70 + _ROW * len(modes)))
