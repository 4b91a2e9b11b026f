"""The models of the CSR experiment: what determines them, and those that are kept on disk or trained."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.progress import progress as progress_bar
from skconf._core.warn import warn
from skconf.datasets import fetch_uci
from skconf.datasets._uci import find_data_set
from skconf.experiments._csr import training
from skconf.experiments._csr.training import Advance, Predictions, Training, check_device, split, train_and_predict
from skconf.experiments._shared.estimators import EstimatorError, learn, seeded
from skconf.experiments._shared.kept import KeptResult, as_file_name, prepare_results

#: Changes whenever the code that trains changes, so that models trained before are not reused.
_CODE = hashlib.sha256(Path(training.__file__).read_bytes()).hexdigest()


@dataclass(frozen=True)
class Model:
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

    def kept(self, folder: Path | None) -> KeptResult:
        """Return where its predictions are kept."""
        return KeptResult.of(folder, f"{self.dataset}-{self.seed}", self.key)

    def train(
        self, folder: Path | None, n_jobs: int, advance: Advance, tell: Callable[[str], Any]
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
        kept = self.kept(folder)
        trials = kept.part("trials")
        with kept.held(partial(tell, f"waiting for another run that trains {self}")):
            predictions = kept.load(Predictions)
            if predictions is None:
                predictions = train_and_predict(
                    self.data(), self.training, self.seed, n_jobs=n_jobs, trials=trials, advance=advance
                )
                kept.save(predictions)
            trials.remove()
            return predictions

    def __str__(self) -> str:
        return f"{self.called or 'XGBoost'} on {self.dataset}, seed {self.seed}"


def kept_or_trained(
    models: list[Model], folder: Path | None, data_home: Any, download_if_missing: bool, n_jobs: int, *, progress: bool
) -> dict[Model, Predictions]:
    """Return the predictions of models, without those whose data are missing or whose classifier fails."""
    kept = ((model, model.kept(folder).load(Predictions)) for model in models if not model.called)
    found = {model: predictions for model, predictions in kept if predictions is not None}
    for device in {model.training.device for model in models if not model.called and model not in found}:
        check_device(device)
    models = _with_data(models, found, data_home, download_if_missing)
    if found and progress:
        print(f"{len(found)} of {len(models)} models were trained before: {folder}", file=sys.stderr)
    missing = [model for model in models if model not in found]
    if missing:
        prepare_results(folder)
        outcomes = dict(_train(missing, folder, n_jobs, progress))
        _tell_failures({model: each for model, each in outcomes.items() if isinstance(each, EstimatorError)})
        found |= {model: each for model, each in outcomes.items() if isinstance(each, Predictions)}
    return found


def _with_data(
    models: list[Model], found: dict[Model, Predictions], data_home: Any, download_if_missing: bool
) -> list[Model]:
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


def _tell_failures(failures: dict[Model, EstimatorError]) -> None:
    """Warn, once for each classifier and data set, of what failed."""
    for called, dataset in dict.fromkeys((model.called, model.dataset) for model in failures):
        error = next(each for model, each in failures.items() if (model.called, model.dataset) == (called, dataset))
        warn(f"{called} is left out on {dataset}. {error}")


def _train(
    models: list[Model], folder: Path | None, n_jobs: int, progress: bool
) -> Iterator[tuple[Model, Predictions | EstimatorError]]:
    """Train models, several at once where there are cores, and yield each when it is done."""
    on_gpu = any(model.training.device != "cpu" for model in models)  # of which there is one
    at_once = 1 if on_gpu else max(1, min(n_jobs, len(models)))
    threads = max(1, n_jobs // at_once)
    total = sum(model.cost for model in models)
    with progress_bar("training", total, unit="", quiet=not progress) as bar:
        if at_once == 1:
            for model in models:
                bar.write(f"training {model}")
                yield model, model.train(folder, threads, partial(_move, bar, model.cost), bar.write)
            return
        tasks = (delayed(_train_apart)(model, folder, threads, progress) for model in models)
        for model, predictions in Parallel(at_once, return_as="generator_unordered")(tasks):
            bar.update(model.cost)
            bar.write(f"trained {model}")
            yield model, predictions


def _move(bar: Any, cost: float, share: float) -> None:
    """Move a bar by a share of a model's cost."""
    bar.update(share * cost)


def _train_apart(
    model: Model, folder: Path | None, threads: int, tell: bool
) -> tuple[Model, Predictions | EstimatorError]:
    """Train a model in a separate process, which cannot move the bar."""
    return model, model.train(folder, threads, _ignore, partial(print, file=sys.stderr) if tell else _ignore)


def _ignore(_: Any) -> None:
    """Ignore the progress."""


def predict_with(estimator: Any, name: str, data: Bunch, seed: int) -> Predictions:
    """Fit a classifier on one part of a data set, split as for XGBoost, and return its output for the two others.

    Raises
    ------
    EstimatorError
        If it fails.
    """
    labels, classes = np.unique(np.array(data.target.tolist()), return_inverse=True)
    train, *others = split(data, classes, seed)
    features = [data.data.iloc[rows] for rows in others]
    validation, test = learn(
        seeded(estimator, seed), data.data.iloc[train], classes[train], features, len(labels), name
    )
    return Predictions(labels, validation, classes[others[0]], test, classes[others[1]], 0)
