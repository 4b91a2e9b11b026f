"""The CSR paper's tables on real data for the eye: as text, Markdown and a page with plots."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from skconf._page.document import page
from skconf._page.parts import FigurePart, Part, Prose, new_figure
from skconf._page.tables import TablePart
from skconf.experiments._csr_tables import TABLES, csr_cells, csr_table2, wide_table
from skconf.experiments._layout import agreement, lay_out
from skconf.inspection._drawing import literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEYS = {"dataset": "data set", "calibration": "calibration"}
_KEYS_2 = {"calibration": "calibration", "n_datasets": "data sets"}
_NOTE = (
    "Ours, the paper's figure, and their difference in standard errors (s.e.), from the samples of the test sets. With "
    "several seeds ours are means, and ± is the standard deviation over seeds. The size ratio, which single errors "
    "decide, and the outcomes of tests have no standard error, and are not counted."
)


def csr_text(result: pd.DataFrame, table: int = 6, width: int | None = None) -> str:
    """Return one of the paper's tables as text, the printed figure beside each of ours.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    table : int, default=6
        2, 6, 7 or 12.
    width : int, default=None
        Characters of a line; a wider table is printed in parts, below each other. None prints it whole.

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
    return _part(result, table).text(width)


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
    parts = [_part(result, table).markdown() for table in tables]
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
    parts: list[Part] = [_part(result, table) for table in tables]
    if 6 in tables:
        parts.insert(0, FigurePart("Size ratio and distance from the paper", plot_csr(result)))
    parts += [agreement(f"Table {table}", csr_cells(result, table)) for table in tables if table != 2]
    return page("Calibrated size ratio on real data", [Prose(_NOTE), *parts], [])


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
                label = literal(calibration) if column == "ours" else None
                axes.plot(part[column], part["dataset"].map(height), alpha=opacity, label=label, **style)
    ratios.set(
        xscale="log", xlabel="CSR (faint: paper)", yticks=range(len(datasets)), yticklabels=list(map(literal, datasets))
    )
    ratios.axvline(1, color="black", linewidth=0.8)
    figure.legend(*ratios.get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    distances.set(xlabel="cwA (faint: accuracy), standard errors from the paper's")
    distances.axvspan(-3, 3, color="0.93", zorder=0)
    ratios.invert_yaxis()
    return figure


def _part(result: pd.DataFrame, table: int) -> TablePart:
    if table == 2:
        return lay_out("Table 2", csr_table2(result), _KEYS_2)
    return lay_out(f"Table {table}", wide_table(result, table), _KEYS)
