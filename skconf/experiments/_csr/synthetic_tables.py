"""The CSR paper's Tables 1 and 3 on synthetic samples: means over three numbers of samples, and extreme risks."""

from typing import Any

import numpy as np
import pandas as pd

from skconf.datasets._synthetic import DISTRIBUTIONS
from skconf.experiments._shared.printed import HALF_DIGIT, compare_with_paper, figures_of, printed_table

#: The table has means over these numbers of samples.
SIZES = (100, 10_000, 100_000)
#: Shares of all sets of samples in Section 3.1, over all sizes or for one size.
_TOTALS = (("over_1_sigma", SIZES, 0.0977), ("over_3_sigma", SIZES[:1], 0.0070), ("over_3_sigma", SIZES[2:], 0.0030))
#: Half the step of a printed share, which is from 300 repetitions.
_HALF_STEP = 0.5 / 300
#: Number of samples of Table 3.
_OF_TABLE_3 = 1000


def csr_table1(cells: pd.DataFrame) -> pd.DataFrame:
    """Average results over three numbers of samples, and compare with Table 1 and Section 3.1 of the CSR paper.

    Parameters
    ----------
    cells : pandas.DataFrame
        The result of :func:`csr_synthetic_experiment`. It must include the mode "perfect" with `n_samples` of 100,
        10,000 and 100,000.

    Returns
    -------
    pandas.DataFrame
        A row for each `distribution` and `quantity`, with the columns of :func:`csr_synthetic_experiment` except
        `mode`. If all ten distributions are simulated, the last three rows have the `distribution` "all". The first
        gives the share of all calibrated sets of samples whose size ratio is more than one standard deviation above 1.
        The others give the share for more than three standard deviations: the second for sets of 100 samples, the third
        for sets of 100,000 samples.

    Raises
    ------
    ValueError
        If `cells` lacks results in the mode "perfect" for any of the three numbers of samples: 100, 10,000 and 100,000.

    Examples
    --------
    >>> from skconf.experiments import csr_synthetic_experiment, csr_table1
    >>> sizes = [100, 10_000, 100_000]
    >>> cells = csr_synthetic_experiment(sizes, distributions=["Bell"], modes=["perfect"], n_repetitions=10)
    >>> csr_table1(cells).loc[:1, ["distribution", "quantity", "paper"]]
      distribution     quantity   paper
    0         Bell     accuracy  0.4984
    1         Bell  cw_accuracy  0.5439
    """
    perfect = cells[(cells["mode"] == "perfect") & cells["n_samples"].isin(SIZES)]
    lacking = [f"{size:,}" for size in SIZES if size not in set(perfect["n_samples"])]
    if lacking:
        raise ValueError(
            f"cells must have the mode 'perfect' with {' and '.join(lacking)} samples. Call "
            f"csr_synthetic_experiment with n_samples={list(SIZES)}."
        )
    by_row = perfect.groupby(["distribution", "quantity"], sort=False)
    means = by_row.agg(ours=("ours", "mean"), error=("standard_error", _of_mean), note=("note", "first")).reset_index()
    printed = figures_of(printed_table("csr_table1"), ["distribution"])
    rows = means.assign(n_samples="mean of three").merge(printed, on=["distribution", "quantity"], how="left")
    if set(perfect["distribution"]) == set(DISTRIBUTIONS):
        rows = pd.concat([rows, *(_total(perfect, *total) for total in _TOTALS)], ignore_index=True)
    share = rows["quantity"].str.startswith("over_")
    # This is already the standard error of the difference.
    rows = rows.assign(spread=rows["error"] / np.sqrt(2), resolution=np.where(share, _HALF_STEP, HALF_DIGIT))
    return compare_with_paper(rows.drop(columns="error"), 1)


def csr_risk_extremes(cells: pd.DataFrame) -> pd.DataFrame:
    """Find the distributions with the largest and smallest mean risk in each calibration mode: the CSR paper's Table 3.

    Parameters
    ----------
    cells : pandas.DataFrame
        From :func:`csr_synthetic_experiment`.

    Returns
    -------
    pandas.DataFrame
        A row for each `n_samples`, `extreme` and `mode`, with our `distribution` and `risk_probability`. For 1,000
        samples, the row also has the distribution and risk of the paper. If several distributions have the same risk,
        the first of them in `cells` is named. In nine rows of the paper, several distributions have the same risk. Six
        of these rows name the first of them, too; three rows name a later one.

    Examples
    --------
    >>> from skconf.experiments import csr_risk_extremes, csr_synthetic_experiment
    >>> cells = csr_synthetic_experiment(distributions=["Bell", "Log-Uniform High"], modes=["perfect"])
    >>> csr_risk_extremes(cells)[["extreme", "distribution", "paper_distribution"]]
        extreme      distribution paper_distribution
    0   largest              Bell           Skew Low
    1  smallest  Log-Uniform High   Log-Uniform High
    """
    risk = cells[cells["quantity"] == "risk_probability"].set_index("distribution")
    printed = printed_table("csr_table3").set_index(["extreme", "mode"])
    rows = []
    for extreme in ("largest", "smallest"):
        for (n_samples, mode), of_mode in risk.groupby(["n_samples", "mode"], sort=False):
            ordered = of_mode["ours"].dropna().sort_values(ascending=extreme == "smallest", kind="stable")
            row: dict[str, Any] = {"n_samples": n_samples, "extreme": extreme, "mode": mode}
            row |= {"distribution": ordered.index[0], "risk_probability": ordered.iloc[0]}
            paper = printed.loc[(extreme, mode)] if n_samples == _OF_TABLE_3 else printed.iloc[0].map(lambda _: np.nan)
            rows.append(row | paper.add_prefix("paper_").to_dict())
    return pd.DataFrame(rows)


def _of_mean(errors: "pd.Series[float]") -> float:
    """Return the standard error of the mean of independent values, given their standard errors."""
    return float(np.sqrt((errors**2).sum(skipna=False)) / len(errors))


def _total(perfect: pd.DataFrame, quantity: str, sizes: tuple[int, ...], paper: float) -> pd.DataFrame:
    """Return the row of a quantity over all distributions, for these sizes of the sets of samples."""
    part = perfect[(perfect["quantity"] == quantity) & perfect["n_samples"].isin(sizes)]
    total = {"ours": part["ours"].mean(), "error": _of_mean(part["standard_error"]), "note": "", "paper": paper}
    named = "mean of three" if len(sizes) > 1 else f"{sizes[0]:,}"
    return pd.DataFrame([{"distribution": "all", "quantity": quantity, "n_samples": named, **total}])
