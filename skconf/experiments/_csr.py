"""The CSR paper's experiment on real data: XGBoost, raw and calibrated."""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.checks import check_option, check_whole
from skconf._core.progress import progress as progress_bar
from skconf._core.renamed import renamed_keywords
from skconf._core.warn import warn
from skconf.calibration import CALIBRATORS, PlattCalibrator
from skconf.datasets import fetch_uci
from skconf.datasets._uci import find_data_set
from skconf.experiments import _xgboost
from skconf.experiments._csr_curves import measure_curves
from skconf.experiments._csr_tables import TABLES, measure
from skconf.experiments._estimators import EstimatorError, check_estimator, predict_with
from skconf.experiments._own import DataSets, own_data
from skconf.experiments._results import Results, as_file_name
from skconf.experiments._saved import VALIDATION, Save, Saved
from skconf.experiments._xgboost import Advance, Predictions, Training, check_device, train_and_predict
from skconf.profile import ConfidenceProfile

#: Ways to train, by the number of trials of the search for hyperparameters.
PRESETS = {"quick": 0, "paper": 60}

#: Calibrations by name. The paper's Platt scaling is a sigmoid of the probability, not of the logit.
CALIBRATIONS: dict[str, Any] = {"none": None, **CALIBRATORS, "platt": partial(PlattCalibrator, on="proba")}

#: Rows that a class of one's own data needs to be in the parts to train, calibrate and test on, and to stop early.
_LEAST_ROWS = 5

#: Changes whenever the code that trains changes, so that models trained before are not reused.
_CODE = hashlib.sha256(Path(_xgboost.__file__).read_bytes()).hexdigest()


@renamed_keywords(seed="random_state")
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
    """Rerun the CSR paper's experiment on real data, the paper's or your own.

    Each data set is split 60/20/20 by class (or 75/25 beside its official test set). XGBoost is trained on the first
    part, calibrated on the second and evaluated on the third; the prediction stays the uncalibrated model's. The
    functions for the paper's tables put the printed figures beside these.

    Parameters
    ----------
    datasets : sequence of str, mapping from str to (X, y) or Bunch, or Bunch, default=("breast_cancer", "digits")
        Names from :func:`skconf.datasets.list_uci`, of which the default ones need no files; a data set that is not
        available is left out, with a warning, and the rest run. Or your own data: `X` is a table of numbers, text or
        both, perhaps with missing values; `y` has the labels, five or more of each class. A Bunch may have a
        `test_mask`. Nothing is printed in the paper to compare them with.
    estimators : mapping from str, default=None
        Classifiers with ``predict_proba`` to train beside XGBoost, by their names. A pipeline gets the columns as they
        are; everything else numbers of unit variance, of text one column for each value, and the median where a value
        is missing. Their labels are numbers from 0. One that fails is left out, with a warning.
    calibrations : sequence of str, or mapping from str, default=("none", "isotonic", "platt")
        Which calibrations to compare: "none" and the names in ``skconf.calibration.CALIBRATORS``. Here "platt" is the
        paper's, a sigmoid of the probability. Pass a mapping to name your own calibrators.
    preset : {"quick", "paper"}, default="quick"
        "quick" takes fixed hyperparameters, and as many rounds as early stopping finds on a fifth of the training part.
        "paper" searches for them as the paper did: TPE with 60 trials, each evaluated by stratified 5-fold
        cross-validation with early stopping. That takes hours.
    trials : int, default=None
        Number of trials of the search, instead of the preset's.
    class_weight : {"balanced"} or None, default="balanced"
        Weights of the training samples. The paper mentions none, but its figures are those of balanced classes, where
        early stopping counts every sample once; see the notes.
    device : {"cpu", "cuda"}, default="cpu"
        Where XGBoost trains. Models of a GPU differ a little from those of a processor.
    random_state : int or sequence of int, default=0
        Seed of the splits, of the search and of XGBoost. With several, all is repeated, and tables show the means.
    tables : sequence of int, default=(2, 6, 7, 12)
        Tables to compute the figures of. The test of calibration in Table 7 takes most of the time.
    data_home : path-like, default=None
        Folder with the raw files, in a folder for each data set; see :func:`skconf.datasets.fetch_uci`.
    download_if_missing : bool, default=True
        Download the files that are missing.
    results : path-like, default=None
        Folder to keep the predictions of trained models in. The same call then continues where one before was
        interrupted: at most the current model is lost, or its current trial in a search. None keeps nothing.
    save_predictions : path-like, default=None
        Folder to write the predictions of every model to, for `skconf evaluate` and other programs. In
        DATASET/seed=SEED/ there is a file CALIBRATION.csv with the test part, and `validation.csv` with the
        uncalibrated output for the part that calibrations are fitted on. Their columns: `y_true`, `y_pred`, and a
        probability `proba_LABEL` for each class. Rows of all calibrations are in the same order.
        Those of `estimators` are in "DATASET, NAME".
    n_jobs : int, default=None
        Cores to use, for several models at once and then for the threads of XGBoost; -1 takes all, None half of them.
    progress : bool, default=False
        Show progress and the time left on standard error.

    Returns
    -------
    pandas.DataFrame
        A row for each data set, seed and calibration: `dataset`, `seed`, `calibration`, the number of test samples
        `n_test`, the boosting `rounds`, the quantities of the tables, and their standard errors on a test set of this
        size in columns that end in `_se`. With Table 12 there are the curves of Figures 1 and 2, arrays `roc` and
        `cw_roc` of shape (n_points, 2), of the class `curve_of`. Rows of `estimators` have their name in
        `calibration`: "mine" without calibration, then "mine, platt"; and 0 `rounds`.

    Raises
    ------
    ImportError
        If xgboost or, for a search, optuna is not installed.
    FileNotFoundError
        If none of the data sets is available; the message says where to get the first.
    TypeError
        If your own data are no table.
    ValueError
        If there is no such data set, calibration, preset or table, no file has the expected content, or XGBoost finds
        no such device; labels of your own are missing, continuous, all equal, or too few of a class; or a classifier
        lacks ``predict_proba``.

    Warns
    -----
    UserWarning
        If a data set or a classifier is left out.

    See Also
    --------
    csr_table2, csr_table6, csr_table7, csr_table12 : The tables, beside the printed ones.

    Notes
    -----
    On the imbalanced data sets the paper's accuracy is three to nine standard errors below that of a plain XGBoost with
    the same AUC, and its confidences are too high. Weights that balance the classes, and early stopping by the log loss
    without weights, which then comes later, have both effects.

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

    Your own data, and a model of your own beside XGBoost:

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
    datasets = list(dict.fromkeys(datasets if own is None else own))
    if own is None:
        for name in datasets:
            find_data_set(name)
    estimators = _named(estimators or {}, calibrations)
    calibrators = _calibrators(calibrations)
    for table in tables:
        check_option(table, "table", TABLES)
    check_option(preset, "preset", PRESETS)
    check_option(class_weight, "class_weight", ("balanced", None))
    check_option(device, "device", ("cpu", "cuda"))
    if trials is not None:
        check_whole(trials, "trials")
    n_jobs = max(1, cpu_count() // 2) if n_jobs is None else effective_n_jobs(n_jobs)
    training = Training(PRESETS[preset] if trials is None else trials, class_weight, device)
    seeds = [random_state] if isinstance(random_state, int | np.integer) else list(dict.fromkeys(random_state))
    for number in seeds:
        check_whole(number, "random_state", 0)

    kept = Results(results)
    saved = Saved(save_predictions, calibrators)
    models = [
        _Model(name, int(number), training, str(data_home or ""), *learner, own=own and own[name])
        for name in datasets
        for number in seeds
        for learner in (("", None), *estimators.items())
    ]
    found = _kept_or_trained(models, kept, data_home, download_if_missing, n_jobs, progress=progress)
    return pd.DataFrame(
        {"dataset": model.dataset, "seed": model.seed, "calibration": model.row_of(calibration), **outcome}
        for model in models
        if model in found
        for calibration, outcome in _evaluate(found[model], calibrators, tables, saved.of(model.place, model.seed))
    )


def _named(estimators: Mapping[str, Any], calibrations: Iterable[str]) -> dict[str, Any]:
    """Return classifiers of the user's own by their names; raise if there is something wrong with them."""
    found = {str(name): estimator for name, estimator in estimators.items()}
    for name, estimator in found.items():
        if name in {"", *calibrations}:
            raise ValueError(f"estimators must have names that no calibration has, but one is {name!r}.")
        check_estimator(name, estimator)
    return found


def _calibrators(calibrations: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return calibrators by their names, None for no calibration."""
    if isinstance(calibrations, Mapping):
        return dict(calibrations)
    for calibration in calibrations:
        check_option(calibration, "calibration", CALIBRATIONS)
    return {name: CALIBRATIONS[name] and CALIBRATIONS[name]() for name in calibrations}


@dataclass(frozen=True)
class _Model:
    """A model to train: one data set, one seed, and XGBoost or a classifier of the user's, which is `called` so."""

    dataset: str
    seed: int
    training: Training
    data_home: str
    called: str = ""
    estimator: Any = field(default=None, compare=False)
    own: Bunch | None = field(default=None, compare=False)

    @property
    def key(self) -> dict[str, Any]:
        """Everything that determines the model's predictions."""
        packages = ["xgboost", "scikit-learn", *(["optuna"] if self.training.trials else [])]
        return {
            "dataset": self.dataset,
            **({} if self.own is None else {"content": self.own.digest}),
            "seed": self.seed,
            "training": asdict(self.training),
            "versions": {package: version(package) for package in packages},
            "code": _CODE,
        }

    @property
    def cost(self) -> float:
        """Roughly how long it takes, in arbitrary units."""
        if self.own is None:
            data_set = find_data_set(self.dataset)
            rows, n_classes = data_set.rows, len(data_set.labels)
        else:
            rows, n_classes = len(self.own.target), self.own.target.nunique()
        return rows if self.called else rows * max(1, n_classes - 1) * (1 + 5 * self.training.trials)

    def data(self) -> Bunch:
        """Return features and labels."""
        if self.own is not None:
            return self.own
        return fetch_uci(self.dataset, self.data_home or None, download_if_missing=False)

    @property
    def place(self) -> str:
        """Name of its folder of predictions."""
        return as_file_name(f"{self.dataset}, {self.called}" if self.called else self.dataset)

    def row_of(self, calibration: str) -> str:
        """Return what rows of a calibration are called."""
        return ", ".join(filter(None, (self.called, "" if self.called and calibration == "none" else calibration)))

    def train(
        self, kept: Results, n_jobs: int, advance: Advance, tell: Callable[[str], Any]
    ) -> "Predictions | EstimatorError":
        """Train the model and keep its predictions; if another run is training it, wait and use that result.

        Those of a classifier of the user's are not kept, as nothing tells when its code changes; its error is returned.
        """
        if self.called:
            try:
                with threadpool_limits(n_jobs):
                    predictions = predict_with(self.estimator, self.called, self.data(), self.seed)
            except EstimatorError as error:
                return EstimatorError(str(error))
            advance(1.0)
            return predictions
        with kept.training(self.key, partial(tell, f"waiting for another run that trains {self}")) as journal:
            found = kept.load(self.key)
            if found is None:
                found = train_and_predict(
                    self.data(), self.training, self.seed, n_jobs=n_jobs, journal=journal, advance=advance
                )
                kept.save(self.key, found)
            return found

    def __str__(self) -> str:
        return f"{self.called or 'XGBoost'} on {self.dataset}, seed {self.seed}"


def _kept_or_trained(
    models: list[_Model], kept: Results, data_home: Any, download_if_missing: bool, n_jobs: int, *, progress: bool
) -> dict[_Model, Predictions]:
    """Return the predictions of models, without those whose data are missing or whose classifier fails."""
    found = {
        model: predictions for model in models if not model.called and (predictions := kept.load(model.key)) is not None
    }
    for device in {model.training.device for model in models if not model.called and model not in found}:
        check_device(device)
    models = _with_data(models, found, data_home, download_if_missing)
    if found and progress:
        print(f"{len(found)} of {len(models)} models were trained before: {kept.folder}", file=sys.stderr)
    missing = [model for model in models if model not in found]
    if missing:
        kept.prepare()
        outcomes = dict(_train(missing, kept, n_jobs, progress))
        _tell_failures({model: each for model, each in outcomes.items() if isinstance(each, EstimatorError)})
        found |= {model: each for model, each in outcomes.items() if isinstance(each, Predictions)}
    return found


def _with_data(
    models: list[_Model], found: dict[_Model, Predictions], data_home: Any, download_if_missing: bool
) -> list[_Model]:
    """Return the models that are on disk or can be trained, to find missing files before hours of training."""
    problems: dict[str, Exception] = {}
    for name in dict.fromkeys(model.dataset for model in models if model not in found and model.own is None):
        try:
            fetch_uci(name, data_home, download_if_missing)
        except (OSError, ValueError, ImportError) as error:
            problems[name] = error
    left = [model for model in models if model in found or model.dataset not in problems]
    if problems and not left:
        raise next(iter(problems.values()))
    for name, problem in problems.items():
        warn(f"{name} is left out. {problem}")
    return left


def _tell_failures(failures: dict[_Model, EstimatorError]) -> None:
    """Warn, once for each classifier and data set, of what failed."""
    for called, dataset in dict.fromkeys((model.called, model.dataset) for model in failures):
        error = next(each for model, each in failures.items() if (model.called, model.dataset) == (called, dataset))
        warn(f"{called} is left out on {dataset}. {error}")


def _train(
    models: list[_Model], kept: Results, n_jobs: int, progress: bool
) -> Iterator[tuple[_Model, Predictions | EstimatorError]]:
    """Train models, several at once where there are cores, and yield each when it is done."""
    on_gpu = any(model.training.device != "cpu" for model in models)  # of which there is one
    at_once = 1 if on_gpu else max(1, min(n_jobs, len(models)))
    threads = max(1, n_jobs // at_once)
    total = sum(model.cost for model in models)
    with progress_bar("training", total, unit="", quiet=not progress) as bar:
        if at_once == 1:
            for model in models:
                bar.write(f"training {model}")
                yield model, model.train(kept, threads, partial(_move, bar, model.cost), bar.write)
            return
        tasks = (delayed(_train_apart)(model, kept, threads, progress) for model in models)
        for model, predictions in Parallel(at_once, return_as="generator_unordered")(tasks):
            bar.update(model.cost)
            bar.write(f"trained {model}")
            yield model, predictions


def _move(bar: Any, cost: float, share: float) -> None:
    """Move a bar by a share of a model's cost."""
    bar.update(share * cost)


def _train_apart(model: _Model, kept: Results, threads: int, tell: bool) -> tuple[_Model, Predictions | EstimatorError]:
    """Train a model in a separate process, which cannot move the bar."""
    return model, model.train(kept, threads, _ignore, partial(print, file=sys.stderr) if tell else _ignore)


def _ignore(_: Any) -> None:
    """Ignore the progress."""


def _evaluate(
    predictions: Predictions, calibrators: Mapping[str, Any], tables: Sequence[int], save: Save
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a model, one for each calibration, and save its predictions."""
    classes, raw = predictions.classes, predictions.test_proba
    to_calibrate_on, to_test_on = classes[predictions.validation_class], classes[predictions.test_class]
    save(VALIDATION, ConfidenceProfile.from_predictions(to_calibrate_on, predictions.validation_proba, labels=classes))
    for calibration, calibrator in calibrators.items():
        proba = raw
        if calibrator is not None:
            fitted = clone(calibrator).fit(predictions.validation_proba, to_calibrate_on, labels=classes)
            proba = fitted.predict_proba(raw)
        profile = ConfidenceProfile.from_predictions(
            to_test_on, proba, y_pred=classes[raw.argmax(axis=1)], labels=classes
        )
        save(calibration, profile)
        figures = measure(profile, tables) | (measure_curves(profile) if 12 in tables else {})
        yield calibration, {"n_test": len(profile), "rounds": predictions.rounds, **figures}
