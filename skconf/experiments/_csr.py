"""The CSR paper's experiment on real data: XGBoost, without calibration, isotonic and with Platt scaling."""

import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from os import PathLike
from typing import Any

import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch

from skconf.calibration import IsotonicCalibrator, PlattCalibrator
from skconf.datasets import fetch_uci
from skconf.experiments._xgboost import early_stopped_xgboost
from skconf.metrics import get_metric
from skconf.metrics._checks import check_option
from skconf.profile import ConfidenceProfile
from skconf.selective import SelectiveClassifier

#: Calibrations as the paper ran them: its Platt scaling is a sigmoid of the probability, not of the logit.
CALIBRATIONS: dict[str, Any] = {
    "none": None,
    "isotonic": IsotonicCalibrator(),
    "platt": PlattCalibrator(on="proba"),
}

#: The metric of every column of the paper's Table 6.
METRICS = {
    "accuracy": get_metric("selective_accuracy_score", threshold=0.0),
    "cw_accuracy": get_metric("cw_accuracy_score"),
    "gain": get_metric("confidence_gain"),
    "csr": get_metric("calibrated_size_ratio"),
    "csr_std": get_metric("calibrated_size_ratio_std"),
    "risk_probability": get_metric("overconfidence_risk"),
}


def csr_experiment(
    datasets: Sequence[str] = ("breast_cancer", "digits"),
    *,
    calibrations: Sequence[str] = tuple(CALIBRATIONS),
    data_home: str | PathLike[str] | None = None,
    seed: int = 0,
    progress: Callable[[str], Any] | None = None,
) -> pd.DataFrame:
    """Rerun the CSR paper's experiment on real data, beside its printed numbers.

    Each data set is split 60/20/20 by class (or 75/25 beside its official test set). XGBoost is trained on the first
    part, calibrated on the second and evaluated on the third; the prediction stays the uncalibrated model's. XGBoost's
    parameters are fixed, where the paper searched for them.

    Parameters
    ----------
    datasets : sequence of str, default=("breast_cancer", "digits")
        Names from :func:`skconf.datasets.list_uci`. The default ones need no download.
    calibrations : sequence of str, default=("none", "isotonic", "platt")
        Which calibrations to compare.
    data_home : path-like, default=None
        Folder with the raw files, in a folder for each data set; see :func:`skconf.datasets.fetch_uci`.
    seed : int, default=0
        Seed of the splits and of XGBoost.
    progress : callable, default=None
        Called with a line of text at every step.

    Returns
    -------
    pandas.DataFrame
        A row for each data set and calibration: `accuracy`, `cw_accuracy`, `gain`, `csr`, `csr_std` and
        `risk_probability`; the paper's figures in columns that begin with `paper_`, NaN where it has none; and the
        number of test samples, `n_test`.

    Raises
    ------
    ImportError
        If xgboost is not installed.
    FileNotFoundError
        If a raw file is missing; the message says where to get it and where to put it.
    ValueError
        If there is no such data set or calibration, or a file is not what it should be.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Table 6 and Section A.4.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment
    >>> table = csr_experiment(["breast_cancer"])
    >>> table[["dataset", "calibration", "n_test"]]
             dataset calibration  n_test
    0  breast_cancer        none     114
    1  breast_cancer    isotonic     114
    2  breast_cancer       platt     114
    """
    for calibration in calibrations:
        check_option(calibration, "calibration", CALIBRATIONS)
    tell = progress or (lambda line: None)  # noqa: ARG005
    # All files are read and checked first: a missing one must not show after an hour of training.
    loaded = [fetch_uci(name, data_home=data_home) for name in datasets]
    paper = paper_table().set_index(["dataset", "calibration"])
    rows = []
    for number, data in enumerate(loaded, start=1):
        step = f"[{number}/{len(loaded)}] {data.name}"
        tell(f"{step}: training XGBoost on {len(data.target):,} samples, {data.data.shape[1]} features")
        started = time.perf_counter()
        train, validation, test = split(data, seed)
        model = FrozenEstimator(SelectiveClassifier(early_stopped_xgboost(*train, seed)).fit(*train))
        for calibration in calibrations:
            selective = SelectiveClassifier(model, calibration=CALIBRATIONS[calibration], keep_prediction=True)
            profile = ConfidenceProfile.from_estimator(selective.fit(*validation), *test)
            key = (data.name, calibration)
            printed = paper.loc[key] if key in paper.index else pd.Series(float("nan"), METRICS)
            rows.append(
                {"dataset": data.name, "calibration": calibration}
                | {name: metric(profile) for name, metric in METRICS.items()}
                | {f"paper_{name}": float(printed[name]) for name in METRICS}
                | {"n_test": len(profile)}
            )
        tell(f"{step}: done in {time.perf_counter() - started:.0f} s")
    return pd.DataFrame(rows)


def split(data: Bunch, seed: int) -> list[tuple[pd.DataFrame, pd.Series]]:
    """Split a data set by class into training, validation and test part, keeping an official test set.

    Parameters
    ----------
    data : Bunch
        From :func:`skconf.datasets.fetch_uci`.
    seed : int
        Seed.

    Returns
    -------
    list of three (features, labels)
    """
    X, y = data.data, data.target
    if data.test_mask is None:
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    else:
        X_test, y_test = X[data.test_mask], y[data.test_mask]
        X, y = X[~data.test_mask], y[~data.test_mask]
    X, X_validation, y, y_validation = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
    return [(X, y), (X_validation, y_validation), (X_test, y_test)]


def paper_table() -> pd.DataFrame:
    """Return the paper's Table 6 as printed, percentages as fractions.

    Returns
    -------
    pandas.DataFrame
    """
    with (files("skconf.experiments") / "tables" / "csr_table6.csv").open() as file:
        return pd.read_csv(file)


def format_csr_table(table: pd.DataFrame) -> str:
    """Return the table as text, the paper's figure beside each of ours.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`csr_experiment`.

    Returns
    -------
    str
    """
    styles = {
        "accuracy": ("accuracy", "{:.4f}"),
        "cw_accuracy": ("cwA", "{:.4f}"),
        "gain": ("gain", "{:.1%}"),
        "csr": ("CSR", "{:,.4g}"),
        "csr_std": ("σ", "{:.4g}"),
        "risk_probability": ("P_risk", "{:.2%}"),
    }
    columns: dict[tuple[str, str], Any] = {
        ("", "data set"): table["dataset"],
        ("", "calibration"): table["calibration"],
    }
    for name, (title, style) in styles.items():
        for prefix, whose in (("", "ours"), ("paper_", "paper")):
            numbers = table[prefix + name]
            columns[title, whose] = ["–" if pd.isna(number) else _short(style, number) for number in numbers]
    return pd.DataFrame(columns).to_string(index=False, sparsify=True)


def _short(style: str, number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1e4 else style.format(number)
