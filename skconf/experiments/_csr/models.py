"""The models of the CSR experiment: their settings, and how they are trained or read from disk."""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.progress import progress as progress_bar
from skconf._core.warn import warn
from skconf.datasets import fetch_uci
from skconf.datasets._uci import find_data_set
from skconf.experiments._csr import training
from skconf.experiments._csr.training import Advance, Predictions, Training, check_device, split, train_and_predict
from skconf.experiments._shared.estimators import EstimatorError, as_numbers, seeded, trained
from skconf.experiments._shared.kept import KeptResult, as_file_name, prepare_results

#: A number that changes whenever the training code changes, so that older models are not reused.
_CODE = hashlib.sha256(Path(training.__file__).read_bytes()).hexdigest()


@dataclass(frozen=True)
class Model:
    """A model to train on one data set with one seed: XGBoost, or the user's classifier with the name `learner`."""

    dataset: str
    seed: int
    training: Training
    data_home: str
    learner: str = ""
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
        """The approximate training time, in arbitrary units."""
        if self.own is None:
            data_set = find_data_set(self.dataset)
            rows, n_classes = data_set.rows, len(data_set.labels)
        else:
            rows, n_classes = len(self.own.target), self.own.target.nunique()
        return rows if self.learner else rows * max(1, n_classes - 1) * (1 + 5 * self.training.trials)

    @property
    def place(self) -> str:
        """The name of the folder of its predictions."""
        return as_file_name(f"{self.dataset}, {self.learner}" if self.learner else self.dataset)

    def row_of(self, calibration: str) -> str:
        """Return the name that this model with a calibration has in the results."""
        if not self.learner:
            return calibration
        return self.learner if calibration == "none" else f"{self.learner}, {calibration}"

    def kept(self, folder: Path | None) -> KeptResult:
        """Return the file in which its predictions are kept."""
        return KeptResult.of(folder, f"{self.dataset}-{self.seed}", self.key)

    def train(self, folder: Path | None, n_jobs: int, advance: Advance) -> Predictions | EstimatorError:
        """Train the model and keep its predictions.

        Predictions of a classifier of the user are not kept, because a change of its code cannot be seen. If such a
        classifier fails, the error is returned and not raised.
        """
        data = self.own
        if data is None:
            data = fetch_uci(self.dataset, self.data_home or None, download_if_missing=False)
        if self.learner:
            try:
                with threadpool_limits(n_jobs):
                    predictions = predict_with(self.estimator, self.learner, data, self.seed)
            except EstimatorError as error:
                return EstimatorError(str(error))
            advance(1.0)
            return predictions
        kept = self.kept(folder)
        trials = kept.part("trials")
        predictions = train_and_predict(data, self.training, self.seed, n_jobs=n_jobs, trials=trials, advance=advance)
        kept.save(predictions)
        trials.remove()
        return predictions

    def __str__(self) -> str:
        return f"{self.learner or 'XGBoost'} on {self.dataset}, seed {self.seed}"


def kept_or_trained(
    models: list[Model],
    folder: Path | None,
    data_home: str | PathLike[str] | None,
    download_if_missing: bool,
    n_jobs: int,
    *,
    progress: bool,
) -> dict[Model, Predictions]:
    """Return the predictions of models; leave out models whose data are missing or whose classifier fails."""
    loaded = ((model, model.kept(folder).load(Predictions)) for model in models if not model.learner)
    kept: dict[Model, Predictions] = {model: predictions for model, predictions in loaded if predictions is not None}
    missing = [model for model in models if model not in kept]
    for device in {model.training.device for model in missing if not model.learner}:
        check_device(device)
    lacking = _without_data(missing, data_home, download_if_missing)
    missing = [model for model in missing if model.dataset not in lacking]
    if lacking and not (kept or missing):
        raise next(iter(lacking.values()))
    for name, problem in lacking.items():
        warn(f"{name} is left out. {problem}")
    if kept and progress:
        print(f"{len(kept)} of {len(kept) + len(missing)} models were trained before: {folder}", file=sys.stderr)
    if not missing:
        return kept
    prepare_results(folder)
    outcomes = dict(_train(missing, folder, n_jobs, progress))
    failed: set[tuple[str, str]] = set()  # a warning for each classifier and data set
    for model, outcome in outcomes.items():
        if isinstance(outcome, EstimatorError) and (model.learner, model.dataset) not in failed:
            failed.add((model.learner, model.dataset))
            warn(f"{model.learner} is left out on {model.dataset}. {outcome}")
    return kept | {model: outcome for model, outcome in outcomes.items() if isinstance(outcome, Predictions)}


def _without_data(
    models: list[Model], data_home: str | PathLike[str] | None, download_if_missing: bool
) -> dict[str, Exception]:
    """Return the data sets that are not available, with the errors. Called before training, which may take hours."""
    problems: dict[str, Exception] = {}
    for name in dict.fromkeys(model.dataset for model in models if model.own is None):
        try:
            fetch_uci(name, data_home, download_if_missing)
        except (OSError, ValueError, ImportError) as error:
            problems[name] = error
    return problems


def _train(
    models: list[Model], folder: Path | None, n_jobs: int, progress: bool
) -> Iterator[tuple[Model, Predictions | EstimatorError]]:
    """Train models, several at once if there are enough cores, and yield each model when it is ready."""
    on_gpu = any(model.training.device != "cpu" for model in models)  # there is one GPU
    at_once = 1 if on_gpu else max(1, min(n_jobs, len(models)))
    threads = max(1, n_jobs // at_once)
    with progress_bar("training", sum(model.cost for model in models), unit="", quiet=not progress) as bar:
        if at_once == 1:
            for model in models:
                bar.write(f"training {model}")
                yield model, model.train(folder, threads, partial(_move, bar, model.cost))
            return
        tasks = (delayed(_train_apart)(model, folder, threads) for model in models)
        for model, outcome in Parallel(at_once, return_as="generator_unordered")(tasks):
            bar.update(model.cost)
            bar.write(f"trained {model}")
            yield model, outcome


def _move(bar: Any, cost: float, share: float) -> None:
    """Advance a progress bar by a share of the cost of a model."""
    bar.update(share * cost)


def _train_apart(model: Model, folder: Path | None, threads: int) -> tuple[Model, Predictions | EstimatorError]:
    """Train a model in a separate process, which cannot update the progress bar."""
    return model, model.train(folder, threads, lambda _: None)


def predict_with(estimator: Any, name: str, data: Bunch, seed: int) -> Predictions:
    """Fit a classifier on one part of a data set, split as for XGBoost, and return its output on the other parts."""
    labels, classes = np.unique(np.array(data.target.tolist()), return_inverse=True)
    train, validation, test = split(data, classes, seed)
    features = [data.data.iloc[rows] for rows in (train, validation, test)]
    if not isinstance(estimator, Pipeline):  # a pipeline gets the columns unchanged
        numbers = as_numbers().fit(features[0])
        features = [numbers.transform(part) for part in features]
    predict = trained(seeded(estimator, seed), features[0], classes[train], len(labels), name)
    return Predictions(labels, predict(features[1]), classes[validation], predict(features[2]), classes[test], 0)
