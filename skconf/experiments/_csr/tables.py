"""The quantities of the CSR paper's tables on real data, and the tables with our values and the printed ones."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.checks import check_option
from skconf._core.probabilities import Floats
from skconf.experiments._shared.printed import HALF_DIGIT, compare_with_paper, figures_of, printed_table
from skconf.experiments._shared.tables import wide
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Additive
from skconf.profile import ConfidenceProfile

#: A value and its standard error, NaN if it has none.
Figure = tuple[float, float]

#: Columns of each table. Table 2 has means of the columns of Table 6, and counts of risky data sets.
TABLES: dict[int, tuple[str, ...]] = {
    2: ("accuracy", "cw_accuracy", "gain", "csr", "csr_std", "risk_probability"),
    6: ("accuracy", "cw_accuracy", "gain", "csr", "csr_std", "risk_probability"),
    7: (
        "ece15",
        "brier",
        "ecd",
        "ecd_test",
        "tce_percent",
        "t_cal",
        "t_cal_reject",
        "calibration_distance",
        "cwsa_0.5",
        "cwsa_plus_0.5",
    ),
    12: ("accuracy", "cw_accuracy", "delta_cw_accuracy", "gain", "auc", "cw_auc", "delta_auc", "auc_gain"),
}
#: Tables with a row for each data set.
_BY_DATA_SET = (6, 7, 12)
#: The paper counts a data set as risky if the size ratio exceeds 1 by this many standard deviations.
_RISKY = {"over_1_sigma": 1, "over_3_sigma": 3}
#: Quantities that depend more on a few errors, or on the model, than on the sample of the test set.
_WITHOUT_ERROR = ("csr", "csr_std", "risk_probability")
_RAW_NOTE = "the paper prints uncalibrated values here"
_ERROR_NOTE = "no standard error"
#: With fewer errors than this, differences of areas depend on a few pairs in the wrong order.
_OF_FEW_PAIRS, _FEW = ("delta_auc", "auc_gain"), 30
_FEW_NOTE = f"fewer than {_FEW} errors determine this value"

_METRICS = {
    "accuracy": get_metric("selective_accuracy_score", threshold=0.0),
    "cw_accuracy": get_metric("cw_accuracy_score"),
    "gain": get_metric("confidence_gain"),
    "csr": get_metric("calibrated_size_ratio"),
    "csr_std": get_metric("calibrated_size_ratio_std"),
    "risk_probability": get_metric("overconfidence_risk"),
    "ece15": get_metric("expected_calibration_error"),
    "brier": get_metric("confidence_brier_loss"),
    "ecd": get_metric("entropic_calibration_difference", on="confidence"),
    "calibration_distance": get_metric("calibration_distance_error"),
    "cwsa_0.5": get_metric("cwsa_score"),
    "cwsa_plus_0.5": get_metric("cwsa_plus_score"),
}


def measure(profile: ConfidenceProfile, tables: Iterable[int]) -> dict[str, float]:
    """Return the quantities of some tables (keys of ``TABLES``), and the standard error of each."""
    wanted = dict.fromkeys(name for table in tables for name in TABLES[table])
    figures = {name: _figure(name, profile) for name in wanted if name in _METRICS}
    for names, compute in _TOGETHER.items():
        if wanted.keys() & names:
            figures |= compute(profile)
    return {key: number for name in wanted for key, number in zip((name, f"{name}_se"), figures[name], strict=True)}


def _figure(name: str, profile: ConfidenceProfile) -> Figure:
    metric = _METRICS[name]
    # Binned errors have kinks only if a bin is exactly calibrated, and these models are not.
    known = (isinstance(metric, Additive) or not metric.why_resampled) and name not in _WITHOUT_ERROR
    return metric(profile), _length(metric.influence(profile)) if known else np.nan


def _length(influence: Floats) -> float:
    """Return the standard error, computed from the influence of the samples."""
    return float(np.sqrt(influence @ influence))


def _accuracies_apart(profile: ConfidenceProfile) -> dict[str, Figure]:
    plain, weighted = _METRICS["accuracy"], _METRICS["cw_accuracy"]
    change = weighted.influence(profile) - plain.influence(profile)
    return {"delta_cw_accuracy": (weighted(profile) - plain(profile), _length(change))}


def _areas(profile: ConfidenceProfile) -> dict[str, Figure]:
    metric = get_metric("cw_roc_auc_score")
    # If all confidences are equal, the weighted area is equal to the ordinary one.
    equal = replace(profile, confidence=np.ones(len(profile)))
    plain, weighted = metric(equal), metric(profile)
    of_plain, of_weighted = metric.influence(equal), metric.influence(profile)
    lower, of_lower = (plain, of_plain) if plain < weighted else (weighted, of_weighted)
    gain, error = 0.0, 0.0
    if lower < 1:
        gain = (weighted - plain) / (1 - lower)
        error = _length(of_weighted - of_plain + gain * of_lower) / (1 - lower)
    return {
        "auc": (plain, _length(of_plain)),
        "cw_auc": (weighted, _length(of_weighted)),
        "delta_auc": (weighted - plain, _length(of_weighted - of_plain)),
        "auc_gain": (gain, error),
    }


def _tests(profile: ConfidenceProfile) -> dict[str, Figure]:
    n = len(profile)
    t_cal = get_metric("t_cal_test")(profile)
    values = {
        "ecd_test": get_metric("ecd_test", on="confidence")(profile).outcome,
        # The paper gives no sizes of the bins; these are from the paper that proposed the error.
        "tce_percent": get_metric("tce_error", n_min=n // 20, n_max=n // 5)(profile),
        # It also does not say which statistic it prints. Here it is the statistic with the smallest p-value.
        "t_cal": t_cal.statistics[np.argmin(t_cal.p_values)],
        "t_cal_reject": t_cal.rejected,
    }
    return {name: (float(value), np.nan) for name, value in values.items()}


#: Quantities that are computed together.
_TOGETHER: dict[tuple[str, ...], Callable[[ConfidenceProfile], dict[str, Figure]]] = {
    ("delta_cw_accuracy",): _accuracies_apart,
    ("auc", "cw_auc", "delta_auc", "auc_gain"): _areas,
    ("ecd_test", "tce_percent", "t_cal", "t_cal_reject"): _tests,
}


def csr_cells(result: pd.DataFrame, table: int = 6) -> pd.DataFrame:
    """Compare each of our values with the value that a table of the CSR paper prints.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.
    table : int, default=6
        Number of the table: 6, 7 or 12.

    Returns
    -------
    pandas.DataFrame
        A row for each data set, calibration and quantity. `ours` is the mean of our values over seeds. `spread` is
        their standard deviation, or NaN for a single seed. `paper` is the printed value, or NaN if there is none.
        `standard_error` is the standard error of `ours` − `paper`, from the `n_test` samples of the test sets.
        `deviation` is the part of the difference that rounding does not explain, divided by `standard_error`. A `note`
        says why a printed value cannot be compared.

    Raises
    ------
    ValueError
        If the result lacks the quantities of this table.

    See Also
    --------
    count_agreement : How many cells agree within sampling error.

    Notes
    -----
    The standard error assumes two independent test sets. If a data set has an official test set, our values and the
    printed values come from the same test samples. Then they should differ by less than the standard error suggests.

    Examples
    --------
    >>> from skconf.experiments import count_agreement, csr_cells, csr_experiment
    >>> cells = csr_cells(csr_experiment(["breast_cancer"], tables=[6]))
    >>> count_agreement(cells).loc[["accuracy", "cw_accuracy"], ["compared", "within_3"]]
                 compared  within_3
    quantity
    accuracy            3         3
    cw_accuracy         3         3
    """
    key, columns = ["dataset", "calibration"], list(TABLES[table])
    if not {*columns} <= {*result}:
        raise ValueError(f"The result has no values of Table {table}. Add {table} to the tables of csr_experiment.")
    by_row = result.groupby(key, sort=False)
    figures = {
        "ours": by_row[columns].mean(),
        "over_seeds": by_row[columns].std(),
        "spread": by_row[[f"{column}_se" for column in columns]].mean().set_axis(columns, axis=1),
    }
    melted = [
        part.melt(var_name="quantity", value_name=name, ignore_index=False).set_index("quantity", append=True)
        for name, part in figures.items()
    ]
    values = pd.concat(melted, axis=1).reset_index().merge(by_row["n_test"].first().reset_index(), on=key)
    printed = figures_of(printed_table(f"csr_table{table}"), key)
    cells = values.merge(printed, on=[*key, "quantity"], how="left")
    uncalibrated = (cells["dataset"] == "wine") & cells["calibration"].isin(["isotonic", "platt"])
    few = cells["quantity"].isin(_OF_FEW_PAIRS)
    if few.any():
        wrong = (by_row["n_test"].first() * (1 - by_row["accuracy"].mean())).rename("wrong").reset_index()
        few &= (cells.merge(wrong, on=key, how="left")["wrong"] < _FEW).to_numpy()
    note = np.select([uncalibrated, cells["spread"].isna(), few], [_RAW_NOTE, _ERROR_NOTE, _FEW_NOTE], "")
    cells = cells.assign(resolution=HALF_DIGIT, note=note)
    compared = compare_with_paper(cells, n_repetitions=result["seed"].nunique())
    compared.insert(compared.columns.get_loc("paper"), "spread", compared.pop("over_seeds"))
    compared.loc[note != "", "deviation"] = np.nan
    return compared


def csr_table(number: int, result: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the paper, with a row for each data set and calibration.

    Parameters
    ----------
    number : {6, 7, 12}
        Table 6 has accuracy, confidence-weighted accuracy, gain, size ratio and risk. Table 7 has other metrics of
        calibration, and CWSA. Table 12 has accuracy and area under the ROC curve, plain and weighted by confidence.
    result : pandas.DataFrame
        From :func:`csr_experiment`.

    Returns
    -------
    pandas.DataFrame
        A row for each data set and calibration. For each quantity `X`, the column `X` has our value (the mean over
        seeds). `paper_X` has the printed value, or NaN if there is none. `X_spread` has the standard deviation over
        seeds, if there are several seeds. `X_deviation` has the difference between our value and the printed value in
        standard errors, as in :func:`csr_cells`, if `X` has a standard error.

    Raises
    ------
    ValueError
        If there is no such table, or the result lacks its values.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_table
    >>> result = csr_experiment(["breast_cancer"])
    >>> csr_table(6, result)[["calibration", "n_test", "paper_accuracy", "paper_csr"]]
      calibration  n_test  paper_accuracy     paper_csr
    0        none     114          0.9737  1.172900e+00
    1    isotonic     114          0.9737  2.631579e+06
    2       platt     114          0.9737  2.493500e+00
    >>> csr_table(7, result)[["calibration", "paper_ece15", "paper_ecd_test"]]
      calibration  paper_ece15  paper_ecd_test
    0        none       0.0254             0.0
    1    isotonic       0.0452             1.0
    2       platt       0.0215             0.0
    >>> csr_table(12, result)[["calibration", "paper_auc", "paper_cw_auc"]]
      calibration  paper_auc  paper_cw_auc
    0        none     0.9897        0.9823
    1    isotonic     0.9570        0.9626
    2       platt     0.9897        0.9808
    """
    check_option(number, "number", _BY_DATA_SET)
    table = wide_table(result, number)
    return table.drop(columns=[name for name in table if name.endswith("_note")])


def csr_table2(result: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2: means over data sets, and numbers of risky data sets.

    Parameters
    ----------
    result : pandas.DataFrame
        From :func:`csr_experiment`.

    Returns
    -------
    pandas.DataFrame
        A row for each calibration. For each quantity `X` of Table 6, `X` and `paper_X` are means over data sets.
        `X_deviation` is their difference in standard errors, if `X` has a standard error. If the result has data sets
        of the paper, all others are left out. `n_datasets` is the number of data sets. `over_1_sigma` is the number of
        data sets whose size ratio is more than one standard deviation above 1. `over_3_sigma` is the same number for
        three standard deviations. The paper's values are computed from its Table 6 for the same data sets.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment, csr_table2
    >>> table = csr_table2(csr_experiment(["breast_cancer"], tables=[2]))
    >>> table[["calibration", "over_3_sigma", "paper_over_3_sigma"]]
      calibration  over_3_sigma  paper_over_3_sigma
    0        none           0.0                 0.0
    1    isotonic           1.0                 1.0
    2       platt           0.0                 0.0
    """
    cells = csr_cells(result, 6)
    known = cells["dataset"].isin(printed_table("csr_table6")["dataset"])
    cells = cells[known] if known.any() else cells
    rows = []
    for calibration, part in cells.groupby("calibration", sort=False):
        ours, paper, error = (
            part.pivot(index="dataset", columns="quantity", values=column)
            for column in ("ours", "paper", "standard_error")
        )
        row: dict[str, Any] = {"calibration": calibration, "n_datasets": len(ours)}
        for name in TABLES[2]:
            row |= {name: ours[name].mean(), f"paper_{name}": paper[name].mean(skipna=False)}
            if name not in _WITHOUT_ERROR:
                of_mean = np.sqrt((error[name] ** 2).mean(skipna=False) / len(error))
                row[f"{name}_deviation"] = (row[name] - row[f"paper_{name}"]) / of_mean
        for name, sigmas in _RISKY.items():
            row |= {name: _count_risky(ours, sigmas), f"paper_{name}": _count_risky(paper, sigmas)}
        rows.append(row)
    return pd.DataFrame(rows)


def _count_risky(table: pd.DataFrame, sigmas: int) -> float:
    """Return the number of data sets whose size ratio is too high; NaN if a size ratio is missing."""
    if table["csr"].isna().any():
        return np.nan
    return float((table["csr"] - 1 > sigmas * table["csr_std"]).sum())


def wide_table(result: pd.DataFrame, table: int) -> pd.DataFrame:
    """Return a table with a row for each data set and calibration, and notes on values that cannot be compared."""
    cells = csr_cells(result, table)
    unknown = cells["note"] == _ERROR_NOTE
    always = cells.loc[unknown, "quantity"].unique()
    cells["note"] = cells["note"].mask(unknown, "")
    if result["seed"].nunique() == 1:
        del cells["spread"]
    return wide(cells, ["dataset", "calibration", "n_test"]).drop(columns=[f"{name}_deviation" for name in always])
