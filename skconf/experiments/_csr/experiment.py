"""The CSR paper's experiment on real data: XGBoost, raw and calibrated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import cpu_count, effective_n_jobs
from sklearn.base import clone

from skconf._core.checks import check_option, check_whole
from skconf.calibration import CALIBRATORS, PlattCalibrator
from skconf.datasets._uci import find_data_set
from skconf.experiments._csr.curves import measure_curves
from skconf.experiments._csr.models import Model, kept_or_trained
from skconf.experiments._csr.tables import TABLES, measure
from skconf.experiments._csr.training import Predictions, Training
from skconf.experiments._shared.estimators import check_estimator
from skconf.experiments._shared.kept import prepare_folder, results_folder
from skconf.experiments._shared.own_data import DataSets, own_data
from skconf.profile import ConfidenceProfile

#: The presets, with the number of trials of the search for hyperparameters.
PRESETS = {"quick": 0, "paper": 60}

#: Calibrations by name. The Platt scaling of the paper is a sigmoid of the probability, not of the logit.
CALIBRATIONS: dict[str, Any] = {"none": None, **CALIBRATORS, "platt": partial(PlattCalibrator, on="proba")}

#: A class of the user's own data needs this many rows, so that training, early stopping, calibration and test each have
#: some.
_LEAST_ROWS = 5
#: The name of the file of predictions on which calibrations are fitted.
_VALIDATION = "validation"


def csr_experiment(
    datasets: DataSets = ("breast_cancer", "digits"),
    *,
    estimators: Mapping[str, Any] | None = None,
    calibrations: Sequence[str] | Mapping[str, Any] = ("none", "isotonic", "platt"),
    preset: str = "quick",
    trials: int | None = None,
    class_weight: str | None = "balanced",
    device: str = "cpu",
    random_state: int | Sequence[int] = 0,
    tables: Sequence[int] = tuple(TABLES),
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    results: str | PathLike[str] | None = None,
    save_predictions: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Rerun the CSR paper's experiment on real data: the data of the paper, or your own data.

    Each data set is split 60/20/20, stratified by class. XGBoost is trained on the first part, calibrated on the second
    and evaluated on the third. If there is an official test set, XGBoost is evaluated on it, and the other rows are
    split 75/25. Calibration does not change the predicted class.

    Parameters
    ----------
    datasets : sequence of str, mapping from str to (X, y) or Bunch, or Bunch, default=("breast_cancer", "digits")
        Names from :func:`skconf.datasets.list_uci`. The default data sets need no files. A data set that is not
        available is left out with a warning. Instead of names, pass your own data: `X` is a table of numbers, text or
        both, and may have missing values. `y` has the labels, at least five of each class. A Bunch may have a
        `test_mask`, an array with True for each row of an official test set. The paper has no values for your own data.
    estimators : mapping from str, default=None
        A mapping from names to classifiers with ``predict_proba``, which are trained in addition to XGBoost. A pipeline
        gets the columns unchanged. For other classifiers, numbers are scaled to unit variance, texts are one-hot
        encoded, and missing numbers become the median. The labels are passed to all classifiers as numbers from 0. A
        classifier that fails is left out with a warning.
    calibrations : sequence of str, or mapping from str, default=("none", "isotonic", "platt")
        Calibrations to compare: "none" and the names in ``skconf.calibration.CALIBRATORS``. Here, "platt" is the Platt
        scaling of the paper, a sigmoid of the probability. Pass a mapping for your own calibrators.
    preset : {"quick", "paper"}, default="quick"
        "quick" uses fixed hyperparameters. Early stopping on a fifth of the training part finds the number of rounds.
        "paper" tunes hyperparameters as the paper does: TPE with 60 trials, each evaluated by stratified 5-fold
        cross-validation with early stopping. The search takes hours.
    trials : int, default=None
        Number of trials of the search. None means 60 trials if `preset` is "paper", and no search if it is "quick".
    class_weight : {"balanced"} or None, default="balanced"
        Weights of the training samples. The paper mentions no weights, but our values with "balanced" agree with its
        values (see the notes). Early stopping uses no weights.
    device : {"cpu", "cuda"}, default="cpu"
        Device on which XGBoost trains. Models trained on a GPU differ slightly from models trained on a CPU.
    random_state : int or sequence of int, default=0
        Seed of the splits, of the search and of XGBoost. With several seeds, tables show means.
    tables : sequence of int, default=(2, 6, 7, 12)
        Tables whose values are computed. The test of calibration in Table 7 takes most of the time.
    data_home : path-like, default=None
        Folder with the raw files, with a subfolder for each data set: see :func:`skconf.datasets.fetch_uci`.
    download_if_missing : bool, default=True
        Download missing files.
    results : path-like, default=None
        Folder to keep the predictions of trained models in. After an interruption, the same call trains only the models
        that were not finished. A search for hyperparameters continues after the last finished trial. Models of
        `estimators` are always trained again. None keeps nothing.
    save_predictions : path-like, default=None
        Folder to write the predictions of every model to, for `skconf evaluate` and other programs. In
        DATASET/seed=SEED/, a file CALIBRATION.csv has the predictions on the test part. `validation.csv` has the
        uncalibrated predictions on the part on which calibrations are fitted. The columns are `y_true`, `y_pred`, and a
        probability `proba_LABEL` for each class. Rows of all calibrations are in the same order. Predictions of
        `estimators` are in the folder "DATASET, NAME".
    n_jobs : int, default=None
        Number of cores. -1 means all, None half of them. Several models are trained at once. If there are more cores
        than models, XGBoost uses several threads.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame
        A row for each data set, seed and calibration. The columns are `dataset`, `seed`, `calibration`, the number of
        test samples `n_test`, the boosting `rounds`, and the quantities of the tables. A column `X_se` has the standard
        error of `X` on a test set of this size. If `tables` contains 12, three columns hold the curves of Figures 1
        and 2: `roc` and `cw_roc` are arrays of shape (n_points, 2), and `curve_of` is the class that these curves
        separate from the other classes. For an estimator named "mine", the column `calibration` contains "mine" in the
        row without calibration, and "mine, platt" in the row with Platt scaling. For all
        models of `estimators`, `rounds` is 0.

    Raises
    ------
    ImportError
        If xgboost or, for a search, optuna is not installed.
    FileNotFoundError
        If no data set is available. The message says where to get the first data set.
    TypeError
        If your own data are not a table.
    ValueError
        If there is no such data set, calibration, preset or table, if no file has the expected content, or if XGBoost
        does not find the device. If labels of your own data are missing, continuous or all equal, or if a class has too
        few rows. If a classifier has no ``predict_proba``.

    Warns
    -----
    UserWarning
        If a data set or a classifier is left out.

    See Also
    --------
    csr_table, csr_table2 : The tables, with the printed values.

    Notes
    -----
    On the imbalanced data sets, the paper's accuracy is three to nine standard errors below the accuracy of a plain
    XGBoost with the same AUC, and the paper's confidences are too high. Both effects also appear in our models with
    ``class_weight="balanced"``: training weights balance the classes, but early stopping ignores these weights and
    therefore stops later.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Sections 3.2 and A.4.

    Examples
    --------
    >>> from skconf.experiments import csr_experiment
    >>> result = csr_experiment(["breast_cancer"], tables=[6])
    >>> result[["dataset", "calibration", "n_test"]]
             dataset calibration  n_test
    0  breast_cancer        none     114
    1  breast_cancer    isotonic     114
    2  breast_cancer       platt     114

    Your own data, and your own model in addition to XGBoost:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> own = {"iris": load_iris(return_X_y=True)}
    >>> result = csr_experiment(own, estimators={"bayes": GaussianNB()}, calibrations=["none"], tables=[6])
    >>> result[["dataset", "calibration", "n_test"]]
      dataset calibration  n_test
    0    iris        none      30
    1    iris       bayes      30
    """
    own = own_data(datasets, _LEAST_ROWS)
    names = list(dict.fromkeys(datasets if own is None else own))
    if own is None:
        for name in names:
            find_data_set(name)
    estimators = _named(estimators or {}, calibrations)
    calibrators = _calibrators(calibrations)
    for table in tables:
        check_option(table, "table", TABLES)
    training = _training(preset, trials, class_weight, device)
    seeds = [random_state] if isinstance(random_state, int | np.integer) else list(dict.fromkeys(random_state))
    for seed in seeds:
        check_whole(seed, "random_state", 0)
    n_jobs = max(1, cpu_count() // 2) if n_jobs is None else effective_n_jobs(n_jobs)
    saved = _folder_of_predictions(save_predictions, calibrators)
    models = [
        Model(name, int(seed), training, str(data_home or ""), *learner, own=own and own[name])
        for name in names
        for seed in seeds
        for learner in (("", None), *estimators.items())
    ]
    trained = kept_or_trained(
        models, results_folder(results), data_home, download_if_missing, n_jobs, progress=progress
    )
    return pd.DataFrame(
        {"dataset": model.dataset, "seed": model.seed, "calibration": model.row_of(calibration), **figures}
        for model in models
        if model in trained
        for calibration, figures in _evaluate(
            trained[model], calibrators, tables, saved and saved / model.place / f"seed={model.seed}"
        )
    )


def _training(preset: str, trials: int | None, class_weight: str | None, device: str) -> Training:
    """Return how XGBoost is trained; raise if an option is invalid."""
    check_option(preset, "preset", PRESETS)
    check_option(class_weight, "class_weight", ("balanced", None))
    check_option(device, "device", ("cpu", "cuda"))
    if trials is not None:
        check_whole(trials, "trials")
    return Training(PRESETS[preset] if trials is None else trials, class_weight, device)


def _named(estimators: Mapping[str, Any], calibrations: Iterable[str]) -> dict[str, Any]:
    """Return the user's own classifiers by their names; raise if one is invalid."""
    named = {str(name): estimator for name, estimator in estimators.items()}
    for name, estimator in named.items():
        if name in {"", *calibrations}:
            raise ValueError(f"no estimator may have the name of a calibration, but one is named {name!r}.")
        check_estimator(name, estimator)
    return named


def _calibrators(calibrations: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return calibrators by their names, None for no calibration."""
    if isinstance(calibrations, Mapping):
        return dict(calibrations)
    for calibration in calibrations:
        check_option(calibration, "calibration", CALIBRATIONS)
    return {name: CALIBRATIONS[name] and CALIBRATIONS[name]() for name in calibrations}


def _folder_of_predictions(folder: str | PathLike[str] | None, calibrations: Iterable[str]) -> Path | None:
    """Make the folder for predictions, if they are saved; raise if a calibration's name cannot name a file."""
    if folder is None:
        return None
    for name in calibrations:
        if Path(name).name != name or name == _VALIDATION:
            raise ValueError(f"calibrations contains the name {name!r}, which cannot be the name of a file. Rename it.")
    made = Path(folder).expanduser()
    advice = "Choose another folder (save_predictions, or --save-predictions on the command line)."
    prepare_folder(made, f"cannot save predictions in {made}", advice)
    return made


def _evaluate(
    predictions: Predictions, calibrators: Mapping[str, Any], tables: Sequence[int], folder: Path | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a model, one for each calibration, and save its predictions, if there is a folder for them."""
    classes, raw = predictions.classes, predictions.test_proba
    to_calibrate_on, to_test_on = classes[predictions.validation_class], classes[predictions.test_class]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        validated = ConfidenceProfile.from_predictions(to_calibrate_on, predictions.validation_proba, labels=classes)
        _save(validated, folder / f"{_VALIDATION}.csv")
    for calibration, calibrator in calibrators.items():
        proba = raw
        if calibrator is not None:
            fitted = clone(calibrator).fit(predictions.validation_proba, to_calibrate_on, labels=classes)
            proba = fitted.predict_proba(raw)
        profile = ConfidenceProfile.from_predictions(
            to_test_on, proba, y_pred=classes[raw.argmax(axis=1)], labels=classes
        )
        if folder is not None:
            _save(profile, folder / f"{calibration}.csv")
        figures = measure(profile, tables) | (measure_curves(profile) if 12 in tables else {})
        yield calibration, {"n_test": len(profile), "rounds": predictions.rounds, **figures}


def _save(profile: ConfidenceProfile, file: Path) -> None:
    """Write the labels and probabilities of a profile with all digits."""
    labels = profile.require("classes")
    true_class, predicted_class = profile.require("true_class"), profile.require("predicted_class")
    table = pd.DataFrame({"y_true": labels[true_class], "y_pred": labels[predicted_class]})
    proba = pd.DataFrame(profile.proba.astype(float), columns=[f"proba_{label}" for label in labels])
    pd.concat([table, proba], axis=1).to_csv(file, index=False)
