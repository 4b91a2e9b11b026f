"""The papers' printed values, and their differences from ours.

The result of an experiment has a row for each value, which is called a *cell*. The first columns of a cell identify the
value. The others are `ours`, `paper` (NaN if nothing is printed), `standard_error` (of the difference between the two),
`deviation` (in standard errors) and `note` (why the printed value cannot be compared).
"""

import re
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

#: Half a unit of the last of four printed decimals.
HALF_DIGIT = 0.5e-4


def printed_table(name: str) -> pd.DataFrame:
    """Return a printed table of one of the papers, with percentages as fractions."""
    with (files("skconf.experiments") / "printed" / f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)


def figures_of(table: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return a table with a row for each printed value: the columns of the key, `quantity` and `paper`."""
    return table.melt(key, var_name="quantity", value_name="paper")


def bare_name(name: str) -> str:
    """Return the letters and digits of a name in lower case, so that its different spellings become equal.

    Examples
    --------
    >>> bare_name("CIFAR-10"), bare_name("cifar_10")
    ('cifar10', 'cifar10')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def compare_with_paper(cells: pd.DataFrame, n_repetitions: int, paper_repetitions: int = 1) -> pd.DataFrame:
    """Add the difference between our values and the printed ones, in standard errors.

    `spread` is the standard deviation of one repetition. `resolution` is half a unit of the last printed digit or, for
    shares, half the step between two possible values. The result has neither `spread` nor
    `resolution`.
    """
    error = cells["spread"] * np.sqrt(1 / paper_repetitions + 1 / n_repetitions)
    difference = cells["ours"] - cells["paper"]
    # If rounding or whole counts explain a difference, it is not a deviation.
    beyond = (difference.abs() - cells["resolution"] * (1 + 1e-6)).clip(lower=0.0)
    compared = cells.assign(
        standard_error=error.where(cells["paper"].notna()),
        deviation=(np.sign(difference) * (beyond / error)).where(beyond != 0, 0.0),
    )
    last = ["ours", "paper", "standard_error", "deviation", "note"]
    return compared[[*compared.columns.difference([*last, "spread", "resolution"], sort=False), *last]]


def count_agreement(cells: pd.DataFrame, by: Any = "quantity") -> pd.DataFrame:
    """Count the cells of an experiment within one, two and three standard errors of the printed value.

    Parameters
    ----------
    cells : pandas.DataFrame of shape (n_cells, n_columns)
        The result of an experiment, with columns `deviation` and `note`.
    by : str or list of str, default="quantity"
        Columns to count by.

    Returns
    -------
    pandas.DataFrame
        A row for each value of `by`, and a last row for all. `printed` is the number of printed values. `compared` is
        the number of printed values that can be compared, because their `note` is empty. `within_1`, `within_2` and
        `within_3` are the numbers of compared values within one, two and three standard errors.

    Examples
    --------
    >>> from skconf.experiments import count_agreement, csr_synthetic_experiment
    >>> cells = csr_synthetic_experiment(100, distributions=["Bell", "Uniform"], modes=["perfect"])
    >>> count_agreement(cells).loc[["accuracy", "csr"], ["printed", "compared", "within_3"]]
              printed  compared  within_3
    quantity
    accuracy        2         2         2
    csr             2         1         1
    """
    printed = cells[cells["paper"].notna()]
    compared = printed["note"] == ""
    counts = pd.DataFrame({"printed": 1, "compared": compared.astype(int)}, index=printed.index)
    for errors in (1, 2, 3):
        counts[f"within_{errors}"] = (compared & (printed["deviation"].abs() <= errors)).astype(int)
    table = counts.groupby([printed[column] for column in np.atleast_1d(by)], sort=False).sum()
    table.loc["all" if table.index.nlevels == 1 else ("all",) * table.index.nlevels, :] = counts.sum()
    return table.astype(int)
