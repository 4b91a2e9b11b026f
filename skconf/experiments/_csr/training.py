"""The models of the CSR paper's experiment: XGBoost with fixed or searched hyperparameters.

The paper says that hyperparameters were searched by TPE with stratified 5-fold cross-validation and early stopping. It
gives neither the space nor the score of the search, and does not mention class weights. But its values reveal the class
weights. On the imbalanced data sets, its accuracy is three to nine standard errors below the accuracy of a plain
XGBoost with the same AUC, and its confidences are too high. Both effects also appear if weights balance the classes and
early stopping uses the *unweighted* log loss, which stops later. Accuracy, cwA, ECE, Brier loss and ECD then agree with
the paper.
"""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.utils import Bunch
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.labels import Codes
from skconf.experiments._shared.kept import KeptResult

MOST_ROUNDS = 2000
PATIENCE = 30
FOLDS = 5
FIXED = {"learning_rate": 0.1, "max_depth": 10, "subsample": 0.8, "colsample_bytree": 0.5}
#: The space of the search: bounds, and whether the scale is logarithmic.
SPACE: dict[str, tuple[float, float, bool]] = {
    "learning_rate": (0.01, 0.3, True),
    "max_depth": (3, 12, False),
    "min_child_weight": (1, 20, True),
    "subsample": (0.5, 1.0, False),
    "colsample_bytree": (0.3, 1.0, False),
    "reg_lambda": (1e-3, 10.0, True),
    "reg_alpha": (1e-3, 10.0, True),
}

Rows = NDArray[np.intp]
Advance = Callable[[float], Any]


@dataclass(frozen=True)
class Training:
    """How a model is trained. Together with the data set and the seed, this determines the model.

    Attributes
    ----------
    trials : int
        Number of trials of the search. 0 means fixed hyperparameters.
    class_weight : {"balanced"} or None
        Weights of the training samples. "balanced" gives each class the same total weight; None gives each sample the
        weight 1.
    device : {"cpu", "cuda"}, default="cpu"
        The device on which XGBoost trains.
    """

    trials: int
    class_weight: str | None
    device: str = "cpu"


@dataclass(frozen=True)
class Predictions:
    """The output of a trained model for the validation part and the test part.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the columns.
    validation_proba, test_proba : ndarray of shape (n_samples, n_classes)
        Probabilities.
    validation_class, test_class : ndarray of shape (n_samples,)
        The true labels, as positions in ``classes``.
    rounds : int
        Number of boosting rounds; 0 for other classifiers than XGBoost.
    """

    classes: NDArray[Any]
    validation_proba: NDArray[np.floating[Any]]
    validation_class: Codes
    test_proba: NDArray[np.floating[Any]]
    test_class: Codes
    rounds: int


class Outcome(NamedTuple):
    """The outcome of a trial: the mean loss over folds, and the mean number of rounds."""

    loss: float
    rounds: int


def split(data: Bunch, classes: Codes, seed: int) -> tuple[Rows, Rows, Rows]:
    """Return the rows to train on, to calibrate on and to test on: 60/20/20 by class.

    An official test set is used as it is. A quarter of the other rows is for calibration.
    """
    rows = np.arange(len(classes))
    if data.test_mask is None:
        rows, test = train_test_split(rows, test_size=0.2, stratify=classes, random_state=seed)
    else:
        rows, test = rows[~data.test_mask], rows[data.test_mask]
    train, validation = train_test_split(rows, test_size=0.25, stratify=classes[rows], random_state=seed)
    return train, validation, test


def train_and_predict(
    data: Bunch, training: Training, seed: int, *, n_jobs: int, trials: KeptResult, advance: Advance
) -> Predictions:
    """Train XGBoost on one part of a data set, and return its output for the other two parts.

    The seed determines the split, the search and XGBoost. `trials` keeps the outcomes of a search, so that it can
    continue after an interruption. `advance` is called with the share of the work since the last call.
    """
    labels, classes = np.unique(np.array(data.target.tolist()), return_inverse=True)
    train, validation, test = split(data, classes, seed)
    # XGBoost refuses some characters in names, such as in "income [k$]".
    features = data.data.set_axis([f"feature {place}" for place in range(data.data.shape[1])], axis=1)
    learner = _Learner(import_xgboost(), features.iloc[train], classes[train], training, seed, n_jobs)
    step = partial(advance, 1 / (training.trials + 1))
    # XGBoost ignores n_jobs in some places, and its threads wait for each other in busy loops.
    with threadpool_limits(n_jobs):
        if training.trials:
            parameters, rounds = _search(learner, training.trials, trials, step)
        else:
            parameters, rounds = FIXED, _rounds_on_a_fifth(learner)
        model = learner.fitted(parameters, rounds).set_params(device="cpu")  # the device of the samples
        parts = [(model.predict_proba(features.iloc[rows]), classes[rows]) for rows in (validation, test)]
    step()
    return Predictions(labels, *parts[0], *parts[1], rounds)


def import_xgboost() -> Any:
    """Return the module; raise ImportError with the command that installs it."""
    try:
        import xgboost
    except ImportError:
        raise ImportError("This experiment needs xgboost: pip install xgboost") from None
    return xgboost


def check_device(device: str) -> None:
    """Raise ValueError if XGBoost cannot train on a device. XGBoost itself would use another device, and only warn."""
    if device == "cpu":
        return
    model = import_xgboost().XGBClassifier(n_estimators=1, device=device, verbosity=0)
    try:
        used = json.loads(model.fit([[0.0], [1.0]], [0, 1]).get_booster().save_config())
        device_used = used["learner"]["generic_param"]["device"]
    except Exception as error:  # noqa: BLE001 – XGBoost and the driver have errors of their own
        device_used = str(error).strip().partition("\n")[0]  # words of another package
    if not device_used.startswith(device):
        raise ValueError(
            f"device is {device!r}, but XGBoost finds no such device (it reports: {device_used}). Use device='cpu' "
            "(--device cpu), or a machine with an NVIDIA GPU, its driver, and an XGBoost built for it."
        )


@dataclass(frozen=True)
class _Learner:
    """XGBoost with the samples for training."""

    xgboost: Any
    X: Any
    classes: Codes
    training: Training
    seed: int
    n_jobs: int

    def model(self, parameters: dict[str, Any], **more: Any) -> Any:
        always = {"tree_method": "hist", "enable_categorical": True, "random_state": self.seed, "n_jobs": self.n_jobs}
        always["device"] = self.training.device
        return self.xgboost.XGBClassifier(**always, **parameters, **more)

    def weight(self, rows: Rows) -> NDArray[np.float64]:
        return np.asarray(compute_sample_weight(self.training.class_weight, self.classes[rows]))

    def stopped_early(self, parameters: dict[str, Any], train: Rows, stop: Rows) -> tuple[float, int]:
        """Return the best log loss on some samples, without weights, and the number of rounds."""
        model = self.model(parameters, n_estimators=MOST_ROUNDS, early_stopping_rounds=PATIENCE)
        evaluated = [(self.X.iloc[stop], self.classes[stop])]
        model.fit(
            self.X.iloc[train],
            self.classes[train],
            sample_weight=self.weight(train),
            eval_set=evaluated,
            verbose=False,
        )
        return float(model.best_score), int(model.best_iteration) + 1

    def fitted(self, parameters: dict[str, Any], rounds: int) -> Any:
        everything = np.arange(len(self.classes))
        return self.model(parameters, n_estimators=rounds).fit(
            self.X, self.classes, sample_weight=self.weight(everything)
        )


def _rounds_on_a_fifth(learner: _Learner) -> int:
    """Return the number of rounds that early stopping on a fifth of the samples finds, with the fixed parameters."""
    rows = np.arange(len(learner.classes))
    _, rounds = learner.stopped_early(
        FIXED, *train_test_split(rows, test_size=0.2, stratify=learner.classes, random_state=learner.seed)
    )
    return rounds


def _search(
    learner: _Learner, n_trials: int, kept: KeptResult, advance: Callable[[], Any]
) -> tuple[dict[str, Any], int]:
    """Return the parameters that a TPE search finds, and their number of rounds."""
    try:
        import optuna
    except ImportError:
        raise ImportError("The search needs optuna: pip install optuna") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=learner.seed))
    # The proposals of the sampler depend only on the seed and on earlier outcomes, so known outcomes restore its state.
    # A study that optuna stores would continue with a new state, and would find another model after an interruption.
    known: dict[Any, Outcome] = kept.load(dict) or {}
    rounds = []
    for number in range(n_trials):
        trial = study.ask()
        parameters = {name: _suggest(trial, name, *bounds) for name, bounds in SPACE.items()}
        key = (number, *parameters.items())
        if (outcome := known.get(key)) is None:
            outcome = known[key] = _cross_validate(learner, parameters)
            kept.save(known)
        study.tell(trial, outcome.loss)
        rounds.append(outcome.rounds)
        advance()
    return study.best_params, rounds[study.best_trial.number]


def _suggest(trial: Any, name: str, low: float, high: float, log: bool) -> float:
    suggest = trial.suggest_int if isinstance(low, int) else trial.suggest_float
    return suggest(name, low, high, log=log)


def _cross_validate(learner: _Learner, parameters: dict[str, Any]) -> Outcome:
    """Return the mean log loss over folds, and the mean number of rounds."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=learner.seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = list(folds.split(learner.classes, learner.classes))
    outcomes = [learner.stopped_early(parameters, train, stop) for train, stop in parts]
    losses, rounds = zip(*outcomes, strict=True)
    return Outcome(float(np.mean(losses)), round(float(np.mean(rounds))))
