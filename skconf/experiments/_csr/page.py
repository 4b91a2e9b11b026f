"""The CSR paper's experiment on real data as text, as Markdown and as a page with pictures."""

from collections.abc import Sequence

import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import number as written
from skconf.experiments._csr.curves import TOGETHER, curve_charts
from skconf.experiments._csr.tables import TABLES, csr_cells, csr_table, csr_table2, wide_table
from skconf.experiments._shared.agreement import CHANCE
from skconf.experiments._shared.charts import rows_chart
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import lay_out, wide
from skconf.report._page.chart import Axis, Band, Chart
from skconf.report._page.tables import TablePart

_TITLE = "Calibrated size ratio on real data"
_KEYS = {"dataset": "data set", "calibration": "calibration"}
_KEYS_2 = {"calibration": "calibration", "n_datasets": "data sets"}
_SPREAD = "With several seeds, {} are means, and ± is the standard deviation over seeds."
_NOTES = (
    "Each entry: our value, the paper's value, and their difference in standard errors (s.e.) of the test samples.",
    _SPREAD.format("ours"),
    "Size ratios (which depend on single errors) and results of tests have no standard error and are not compared.",
    CHANCE,
    (
        "All values of a data set come from the same model and test samples. If one of them agrees with the paper, the "
        "others tend to agree, too."
    ),
)
#: A note if the paper has no values to compare with.
_NOTES_OF_OWN = (
    "The split, the calibrations, the metrics and the tables are as in the paper, but the data are different.",
    _SPREAD.format("values"),
)
#: Pages call a size ratio risky if it is more than this many standard deviations above 1: the larger of the paper's two
#: limits.
_RISKY = 3
#: Height of a data set in a picture.
_ROW = 42


def csr_text(result: pd.DataFrame, table: int = 6, width: int | None = None) -> str:
    """Return one of the paper's tables as text, with our values and the printed values.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    table : int, default=6
        2, 6, 7 or 12.
    width : int, default=None
        Characters of a line. A wider table is split into parts. None prints the whole table.

    Returns
    -------
    str

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_text
    >>> print(csr_text(csr_experiment(["breast_cancer"], calibrations=["platt"], tables=[12]), 12))
                              accuracy                cwA ...
         data set calibration     ours  paper s.e.   ours  paper s.e. ...
    breast_cancer       platt   0.9... 0.9737  ... 0.9... 0.9747  ...
    """
    return _table(result, table).text(width)


def csr_markdown(result: pd.DataFrame, tables: Sequence[int] = tuple(TABLES)) -> str:
    """Return Markdown: the result in words, then the paper's tables with our values and the printed values.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    tables : sequence of int, default=(2, 6, 7, 12)
        The tables.

    Returns
    -------
    str

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_markdown
    >>> print(csr_markdown(csr_experiment(["breast_cancer"], tables=[2]), [2]))
    # Calibrated size ratio on real data
    ...
    | calibration | data sets | accuracy ours | accuracy paper | accuracy s.e. | cwA ours | ...
    """
    return csr_report(result, tables).markdown()


def csr_html(result: pd.DataFrame, tables: Sequence[int] = tuple(TABLES)) -> str:
    """Return an HTML page: the result in words, pictures, and the paper's tables.

    The page needs no other file. The tables have our values and the printed values.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    tables : sequence of int, default=(2, 6, 7, 12)
        Which tables.

    Returns
    -------
    str
        HTML. The same result gives the same bytes on the same day, or with the same SOURCE_DATE_EPOCH.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_html
    >>> csr_html(csr_experiment(["breast_cancer"], tables=[6]), [6])[:15]
    '<!DOCTYPE html>'
    """
    return csr_report(result, tables).page()


def csr_report(result: pd.DataFrame, tables: Sequence[int]) -> ExperimentReport:
    """Return the report of the experiment, with those of the paper's tables that have these numbers."""
    by_table = [csr_cells(result, number) for number in dict.fromkeys(6 if table == 2 else table for table in tables)]
    # The tables share some columns.
    cells = pd.concat(by_table).drop_duplicates(["dataset", "calibration", "quantity"]).reset_index(drop=True)
    seeds = list(dict.fromkeys(result["seed"]))
    sizes = result.groupby("dataset", sort=False)["n_test"].first()
    return ExperimentReport(
        _TITLE,
        _figures(result, tables),
        _findings(cells),
        [_table(result, number) for number in tables],
        compared=cells,
        charts=[
            *(_ratios(cells) if "csr" in set(cells["quantity"]) else []),
            *(curve_charts(result) if 12 in tables else []),
        ],
        notes=_NOTES if cells["paper"].notna().any() else _NOTES_OF_OWN,
        source={
            "data sets": ", ".join(f"{name} ({n:,} test samples)" for name, n in sizes.items()),
            "calibrations": ", ".join(dict.fromkeys(result["calibration"])),
            "seed" if len(seeds) == 1 else "seeds": ", ".join(map(str, seeds)),
        },
        packages=("xgboost",),
    )


def _figures(result: pd.DataFrame, tables: Sequence[int]) -> pd.DataFrame:
    """Return the tables in one frame, without repeated columns."""
    parts = [csr_table(number, result) for number in sorted({*tables} - {2})] or [csr_table2(result)]
    figures = pd.concat(parts, axis=1)
    return figures.loc[:, ~figures.columns.duplicated()]


def _table(result: pd.DataFrame, number: int) -> TablePart:
    if number == 2:
        return lay_out("Table 2", csr_table2(result), _KEYS_2)
    return lay_out(f"Table {number}", wide_table(result, number), _KEYS)


def _findings(cells: pd.DataFrame) -> list[str]:
    """Say where size ratios are risky, where T-Cal rejects calibration, and where weights increase the area."""
    ours, paper = (
        cells.pivot(index=["dataset", "calibration"], columns="quantity", values=v) for v in ("ours", "paper")
    )
    sentences = []
    if "csr" in ours:
        known = paper[["csr", "csr_std"]].dropna()
        printed = f"; in the paper {_where(_is_risky(known))}" if len(known) else ""
        said = f"The size ratio is more than {_RISKY}σ above 1 (a sign of overconfidence)"
        sentences.append(f"{said} {_where(_is_risky(ours))}{printed}.")
    if "t_cal_reject" in ours:
        sentences.append(f"The test T-Cal rejects calibration {_where(ours['t_cal_reject'] > 0.5)}.")
    if "auc_gain" in ours:
        sentences.append(f"Confidence weights increase the area under the ROC curve {_where(ours['delta_auc'] > 0)}.")
    return sentences


def _is_risky(table: pd.DataFrame) -> "pd.Series[bool]":
    return table["csr"] - 1 > _RISKY * table["csr_std"]


def _where(hits: "pd.Series[bool]") -> str:
    """Name the calibrations for which `hits` is true.

    If there are several data sets, count them for each calibration, and begin with the largest count.
    """
    datasets = hits.index.unique("dataset")
    if len(datasets) > 1:
        counts = hits.groupby("calibration", sort=False).agg(["sum", "size"])
        counts = counts.sort_values("sum", ascending=False, kind="stable")
        each = [f"{int(n)} of {size} {_by(str(name))}" for name, n, size in counts.itertuples()]
        return f"on data sets: {listed(each)}"
    of_one = hits.droplevel("dataset")
    have, lack = ([_by(str(name)) for name in some.index] for some in (of_one[of_one], of_one[~of_one]))
    if not have:
        return f"on {datasets[0]} in none of {len(lack)} cases"
    others = [f"not {', nor '.join(lack)}"] if lack else []
    return f"on {datasets[0]} {', '.join([listed(have), *others])}"


def _by(calibration: str) -> str:
    """Return a calibration in the words of a sentence, such as "without calibration"."""
    if calibration == "none":
        return "without calibration"
    return f"with {calibration.replace('_', ' ').replace(', ', ' + ')}"


def _ratios(cells: pd.DataFrame) -> list[Chart]:
    """Return charts of the size ratios by data set. Each chart shows a few of the calibrations."""
    sizes = cells[cells["quantity"].isin(["csr", "csr_std"])]
    table = wide(sizes[["dataset", "calibration", "quantity", "ours", "paper"]], ["dataset", "calibration"])
    calibrations = list(dict.fromkeys(table["calibration"]))
    together = [calibrations[start : start + TOGETHER] for start in range(0, len(calibrations), TOGETHER)]
    return [_ratio_chart(table[table["calibration"].isin(some)], some) for some in together]


def _ratio_chart(table: pd.DataFrame, calibrations: Sequence[str]) -> Chart:
    """Return a chart of our and the printed size ratios for some calibrations."""
    datasets = list(dict.fromkeys(table["dataset"]))
    axis = Axis.around("size ratio, log scale", "log", table["csr"], table["paper_csr"], [1])
    points = pd.DataFrame(
        {
            "calibration": table["calibration"],
            "row": table["dataset"],
            "ours": table["csr"].clip(lower=axis.low),
            "paper": table["paper_csr"].clip(lower=axis.low),
            "low": table["csr"] - _RISKY * table["csr_std"],
            "high": table["csr"],
        }
    )
    return rows_chart(
        f"Size ratio {listed([_by(name) for name in calibrations])}",
        _ratio_finding(table),
        axis,
        datasets,
        {_by(name).removeprefix("with "): points[points["calibration"] == name] for name in calibrations},
        table,
        what="data set",
        behind=[Band([1, axis.high], [-0.5] * 2, [len(datasets) - 0.5] * 2)],
        height=_ROW,
    )


def _ratio_finding(data: pd.DataFrame) -> str:
    """Name the largest size ratio, and explain the picture."""
    largest = data.loc[data["csr"].idxmax()]
    return (
        f"The largest size ratio is {written(largest['csr'])}, for {largest['dataset']} "
        f"{_by(largest['calibration'])}. The ratio divides observed errors by the errors that the confidences imply, "
        f"both weighted by 1 ÷ (1 − c). Each line ends {_RISKY}σ below its ratio; σ is the standard deviation of "
        "the ratio if the model is calibrated. If a line ends in the shaded area, the ratio is more than "
        f"{_RISKY}σ above 1, and the model is probably overconfident."
        f"{' A ratio of 0 is drawn at the left edge.' * bool((data['csr'] == 0).any())}"
    )
