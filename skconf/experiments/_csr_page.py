"""The CSR paper's tables on real data for the eye: as text, Markdown and a page with plots."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from skconf.experiments._csr_tables import TABLES, csr_cells, csr_table2, csr_table6, csr_table7, csr_table12
from skconf.experiments._printed import count_agreement
from skconf.experiments._render import figure_html, markdown, new_figure, page, table_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAKE: dict[int, Callable[[pd.DataFrame], pd.DataFrame]] = {
    2: csr_table2,
    6: csr_table6,
    7: csr_table7,
    12: csr_table12,
}
#: Title and format of every quantity.
_SHOWN = {
    "accuracy": ("accuracy", "{:.4f}"),
    "cw_accuracy": ("cwA", "{:.4f}"),
    "delta_cw_accuracy": ("ΔcwA", "{:+.4f}"),
    "gain": ("gain", "{:.1%}"),
    "csr": ("CSR", "{:,.4g}"),
    "csr_std": ("σ", "{:,.4g}"),
    "risk_probability": ("P_risk", "{:.2%}"),
    "over_1_sigma": (">1σ", "{:.0f}"),
    "over_3_sigma": (">3σ", "{:.0f}"),
    "ece15": ("ECE", "{:.4f}"),
    "brier": ("Brier", "{:.4f}"),
    "ecd": ("ECD", "{:+.4f}"),
    "ecd_test": ("ECD test", "{:+.2g}"),
    "tce_percent": ("TCE %", "{:.1f}"),
    "t_cal": ("T-Cal", "{:.4f}"),
    "t_cal_reject": ("rejects", "{:.2g}"),
    "calibration_distance": ("CalDist", "{:.4f}"),
    "cwsa_0.5": ("CWSA", "{:.4f}"),
    "cwsa_plus_0.5": ("CWSA+", "{:.4f}"),
    "auc": ("AUC", "{:.4f}"),
    "cw_auc": ("cwAUC", "{:.4f}"),
    "delta_auc": ("ΔAUC", "{:+.4f}"),
    "auc_gain": ("AUC gain", "{:.1%}"),
}
_KEYS = {"dataset": "data set", "calibration": "calibration", "n_datasets": "data sets"}
_NOTE = (
    "Ours, the paper's figure, and their difference in standard errors (s.e.), from the samples of the test sets. With "
    "several seeds ours are means, and ± is the standard deviation over seeds."
)


def csr_text(result: pd.DataFrame, table: int = 6) -> str:
    """Return one of the paper's tables as text, the printed figure beside each of ours.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    table : int, default=6
        2, 6, 7 or 12.

    Returns
    -------
    str

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_text
    >>> print(csr_text(csr_experiment(["breast_cancer"], calibrations=["platt"], tables=[12]), 12))
                              accuracy                cwA ...
         data set calibration     ours  paper s.e.   ours  paper s.e. ...
    breast_cancer       platt   0.9298 0.9737 -1.3 0.9447 0.9747 -1.1 ...
    """
    return str(_texts(_MAKE[table](result)).to_string(index=False, sparsify=True))


def csr_markdown(result: pd.DataFrame, tables: Sequence[int] = tuple(TABLES)) -> str:
    """Return the paper's tables in Markdown, the printed figure beside each of ours.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    tables : sequence of int, default=(2, 6, 7, 12)
        Which ones.

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
    parts = [f"## Table {table}\n\n{markdown(_texts(_MAKE[table](result)))}" for table in tables]
    return "\n".join([f"# Calibrated size ratio on real data\n\n{_NOTE}\n", *parts])


def csr_html(result: pd.DataFrame, tables: Sequence[int] = tuple(TABLES)) -> str:
    """Return a page with the paper's tables, the printed figure beside each of ours, and plots; it needs no other file.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    tables : sequence of int, default=(2, 6, 7, 12)
        Which tables.

    Returns
    -------
    str

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_html
    >>> csr_html(csr_experiment(["breast_cancer"], tables=[6]), [6])[:15]
    '<!DOCTYPE html>'
    """
    parts = [(f"Table {table}", table_html(_texts(_MAKE[table](result)))) for table in tables]
    if 6 in tables:
        parts.insert(0, ("Size ratio and distance from the paper", figure_html(plot_csr(result))))
    for table in tables:
        if table != 2:
            agreement = count_agreement(csr_cells(result, table)).reset_index()
            parts.append((f"Figures of Table {table} within 1, 2 and 3 standard errors", table_html(agreement)))
    return page("Calibrated size ratio on real data", _NOTE, parts)


def plot_csr(result: pd.DataFrame) -> "Figure":
    """Draw the size ratio of each data set, and how far accuracy and cwA are from the printed ones.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`, with the figures of Table 6.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, plot_csr
    >>> plot_csr(csr_experiment(["breast_cancer"], tables=[6])).savefig("csr.svg")  # doctest: +SKIP
    """
    cells = csr_cells(result, 6)
    datasets = list(dict.fromkeys(cells["dataset"]))
    calibrations = list(dict.fromkeys(cells["calibration"]))
    figure = new_figure(11, 1.5 + 0.4 * len(datasets))
    ratios, distances = figure.subplots(1, 2, sharey=True)
    for number, calibration in enumerate(calibrations):
        style = {"color": f"C{number}", "marker": "os^Dvp*"[number % 7], "linestyle": ""}
        height = {name: place + 0.12 * (number - (len(calibrations) - 1) / 2) for place, name in enumerate(datasets)}
        mine = cells[cells["calibration"] == calibration]
        for quantity, axes, columns in (
            ("csr", ratios, {"ours": 1.0, "paper": 0.3}),
            ("accuracy", distances, {"deviation": 0.3}),
            ("cw_accuracy", distances, {"deviation": 1.0}),
        ):
            part = mine[mine["quantity"] == quantity]
            for column, opacity in columns.items():
                label = calibration if column == "ours" else None
                axes.plot(part[column], part["dataset"].map(height), alpha=opacity, label=label, **style)
    ratios.set(xscale="log", xlabel="CSR (faint: paper)", yticks=range(len(datasets)), yticklabels=datasets)
    ratios.xaxis.set_major_formatter("{x:,.9g}")
    ratios.xaxis.set_minor_formatter("")
    ratios.axvline(1, color="black", linewidth=0.8)
    ratios.legend()
    distances.set(xlabel="cwA (faint: accuracy), standard errors from the paper's")
    distances.axvspan(-3, 3, color="0.93", zorder=0)
    ratios.invert_yaxis()
    return figure


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as texts, with two lines of titles: the quantity, and whose figure it is."""
    shown: dict[tuple[str, str], Any] = {("", title): table[key] for key, title in _KEYS.items() if key in table}
    for name, (title, style) in _SHOWN.items():
        if name not in table:
            continue
        spreads = table.get(f"{name}_spread", [float("nan")] * len(table))
        shown[title, "ours"] = [
            _text(style, ours) + (f" ±{_text(style, spread).lstrip('+')}" if pd.notna(spread) else "")
            for ours, spread in zip(table[name], spreads, strict=True)
        ]
        shown[title, "paper"] = [_text(style, number) for number in table[f"paper_{name}"]]
        deviations = table.get(f"{name}_deviation")
        if deviations is not None and deviations.notna().any():
            shown[title, "s.e."] = [_text("{:+.1f}", number) for number in deviations]
    return pd.DataFrame(shown)


def _text(style: str, number: float) -> str:
    if pd.isna(number):
        return "–"
    return f"{number:,.0f}" if abs(number) >= 1e4 else style.format(number)
