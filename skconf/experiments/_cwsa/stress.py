"""The stress tests of the CWSA paper's authors: wrong labels, rare classes, shuffled confidences, shifted inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skconf._core.checks import check_whole
from skconf._core.probabilities import Floats
from skconf._core.warn import warn
from skconf.experiments._cwsa.experiment import AT_THRESHOLD, OVERALL, metric_at
from skconf.experiments._cwsa.files import Predictions, read_predictions
from skconf.experiments._shared.data_split import DataSet, Halves, split_in_half
from skconf.experiments._shared.estimators import trained
from skconf.experiments._shared.printed import compare_with_paper, figures_of, printed_table
from skconf.profile import ConfidenceProfile

#: The authors' threshold, the shares that they alter, and the name, size and classes of their simulated model.
_THRESHOLD = 0.9
_SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
_SIMULATED, _N_SAMPLES, _N_CLASSES = "simulated", 1000, 3
#: Standard deviations of the noise that is added to features of unit variance.
_DISTANCES = (0.0, 0.5, 1.0, 1.5, 2.0)
#: The number of digits in the authors' files.
_RESOLUTION = 1e-6
#: The number of rows, over repetitions, that are evaluated at once.
_MOST_ROWS = 1_000_000
_LAST = ["paper", "standard_error", "deviation", "note"]
#: Classifiers that are trained if no predictions are given.
_CLASSIFIERS = {
    "logistic regression": LogisticRegression(max_iter=1000),
    "random forest": RandomForestClassifier(30, random_state=0),
    "naive Bayes": GaussianNB(var_smoothing=1e-2),
}


class Answers(NamedTuple):
    """Predictions: for each, whether it is right, its confidence, and the number of its true class."""

    correct: NDArray[np.bool_]
    confidence: Floats
    truth: NDArray[np.intp] | None
    n_classes: int


@dataclass(frozen=True)
class Model:
    """A model, as functions that return its answers (drawn anew at each call if possible), also for shifted inputs."""

    answers: Callable[[np.random.Generator], Answers]
    shifted: Callable[[np.random.Generator, float], Answers] | None = None


def cwsa_stress_experiment(
    folder: str | PathLike[str] | None = None,
    *,
    dataset: DataSet = "digits",
    n_repetitions: int = 100,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Rerun the stress tests of the CWSA paper's authors on their simulated model, on real data, or on predictions.

    The paper calls its metrics robust to noise. Its authors' repository has the following four tests.

    - "label noise": a share of the true labels is replaced by other classes.
    - "imbalance": each class in turn gets a given share of the samples, which are drawn with replacement.
    - "degraded confidence": a share of the confidences is shuffled among the answers.
    - "shifted inputs": normal noise with a given standard deviation is added to the features. This test
      needs features, so only the trained classifiers get it.

    Parameters
    ----------
    folder : path-like, default=None
        Predictions to alter, in files as for :func:`cwsa_predictions_experiment`. None means the authors' simulated
        model, and three classifiers that are trained on half of `dataset`.
    dataset : str, mapping or Bunch, default="digits"
        A name from :func:`skconf.datasets.list_uci`, or your own data as ``{"name": (X, y)}``.
    n_repetitions : int, default=100
        Repetitions of each test, 2 or more.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 11)
        A row for each `model`, `test`, `level` and `quantity`. Coverage, selective accuracy, CWSA and CWSA+ are at a
        threshold of 0.9. `ours` is the mean over repetitions, and `spread` the standard deviation over repetitions.
        `paper` is the authors' value, from a single run, and `source` is the authors' file with this value.
        `standard_error`, `deviation` and `note` are as in :func:`csr_synthetic_experiment`.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If there is no such data set, `n_repetitions` is too small, or no predictions can be read.

    Warns
    -----
    UserWarning
        If a file of predictions cannot be read. The other files are read.

    Notes
    -----
    A right answer whose label is altered counts as wrong. The new label is drawn from the other classes. A wrong answer
    becomes right if the new label is the answer. If a file only says whether each answer is right, its classes are
    unknown. Then no wrong answer becomes right, and there is no test of imbalance.

    Examples
    --------
    >>> from skconf.experiments import cwsa_stress_experiment
    >>> cells = cwsa_stress_experiment(n_repetitions=5)
    >>> noise = cells.query("model == 'simulated' and test == 'label noise' and quantity == 'cwsa'")
    >>> noise.set_index("level")[["ours", "paper"]].round(2).iloc[[0, -1]]
           ours  paper
    level
    0.0    0.23   0.24
    0.4    0.05   0.05
    """
    check_whole(n_repetitions, "n_repetitions", 2)
    if folder is None:
        return stressed(models_at_hand(dataset, data_home, random_state), n_repetitions, random_state)
    predictions = read_predictions(folder)
    models = answers_of(predictions)
    for reason in predictions.failed:
        warn(reason)
    return stressed(models, n_repetitions, random_state)


def answers_of(predictions: Predictions) -> dict[str, Model]:
    """Return a model for each file of predictions. A file with graded answers is added to `failed` instead."""
    models = {}
    for name, profile in predictions.profiles.items():
        if profile.kind == "graded":
            predictions.failed.append(
                f"left out {name}: its answers are graded between 0 and 1, but the tests need answers that "
                "are right or wrong"
            )
            continue
        truth = predictions.truth[name]
        codes, classes = (None, ()) if truth is None else pd.factorize(truth)
        models[name] = _fixed(Answers(profile.correct, profile.confidence, codes, len(classes)))
    if not models:
        raise ValueError("\n".join(predictions.failed))
    return models


def _fixed(answers: Answers) -> Model:
    return Model(lambda rng: answers)  # noqa: ARG005


def models_at_hand(dataset: DataSet, data_home: str | PathLike[str] | None, seed: int) -> dict[str, Model]:
    """Return the authors' simulated model, and three classifiers that are trained on half of a data set."""
    halves = split_in_half(dataset, data_home, seed)
    return {_SIMULATED: Model(_simulated)} | {name: _trained(model, halves) for name, model in _CLASSIFIERS.items()}


def _trained(classifier: Any, halves: Halves) -> Model:
    """Train a classifier, and return it as a model that can also answer shifted inputs."""
    X, X_test = halves.numbers
    probabilities = trained(classifier, X, halves.y, len(halves.labels))

    def answers(inputs: Any) -> Answers:
        proba = probabilities(inputs)
        correct = proba.argmax(axis=1) == halves.y_test
        return Answers(correct, proba.max(axis=1), halves.y_test, len(halves.labels))

    unshifted, spread = answers(X_test), X.std(axis=0)

    def shifted(rng: np.random.Generator, distance: float) -> Answers:
        return answers(X_test + distance * spread * rng.normal(size=X_test.shape)) if distance else unshifted

    return replace(_fixed(unshifted), shifted=shifted)


def stressed(models: Mapping[str, Model], n_repetitions: int, seed: int) -> pd.DataFrame:
    """Run all stress tests on these models; return the table of `cwsa_stress_experiment`."""
    rows = []
    turns = range(n_repetitions)
    for number, (name, model) in enumerate(models.items()):
        rng = np.random.default_rng([seed, number])
        for test, alter in _ALTERED.items():
            if test == "imbalance" and model.answers(rng).n_classes < 2:
                continue
            for level in _SHARES:
                drawn = (alter(model.answers(rng), level, rng, turn) for turn in turns)
                rows.append({"model": name, "test": test, "level": level} | _figures(drawn))
        if model.shifted is None:
            continue
        for level in _DISTANCES:
            drawn = (model.shifted(rng, level) for _ in turns)
            rows.append({"model": name, "test": "shifted inputs", "level": level} | _figures(drawn))
    return _beside_the_authors(pd.DataFrame(rows), n_repetitions)


def _figures(drawn: Iterator[Answers]) -> dict[str, tuple[float, float]]:
    """Return, for each quantity, the mean and the standard deviation over repetitions."""
    # As many repetitions at once as fit into memory.
    parts = ([first, *islice(drawn, ceil(_MOST_ROWS / len(first.correct)) - 1)] for first in drawn)
    values = pd.concat([_values(part) for part in parts])
    return {name: (column.mean(), column.std()) for name, column in values.items()}  # without NaN


def _values(drawn: Sequence[Answers]) -> pd.DataFrame:
    """Return a table with a row for each repetition and a column for each quantity."""
    profile = ConfidenceProfile.from_correctness(
        np.concatenate([answers.correct for answers in drawn]),
        np.concatenate([answers.confidence for answers in drawn]),
    )
    groups = np.repeat(np.arange(len(drawn)), [len(answers.correct) for answers in drawn])
    metrics = {"accuracy": metric_at("selective_accuracy", 0.0)}
    metrics |= {name: metric_at(name, _THRESHOLD) for name in (*AT_THRESHOLD, *OVERALL)}
    return pd.DataFrame({name: metric.by_group(profile, groups, len(drawn)) for name, metric in metrics.items()})


def _beside_the_authors(rows: pd.DataFrame, n_repetitions: int) -> pd.DataFrame:
    """Return a row for each quantity, with the authors' values of the simulated model."""
    key = ["model", "test", "level"]
    cells = rows.melt(key, var_name="quantity", value_name="both")
    cells[["ours", "spread"]] = cells.pop("both").tolist()
    table = printed_table("cwsa_stress").assign(model=_SIMULATED)
    printed = figures_of(table, ["source", *key])
    cells = cells.merge(printed, how="left", on=[*key, "quantity"])
    cells = cells.assign(resolution=_RESOLUTION, note="", source=cells["source"].fillna(""))
    compared = compare_with_paper(cells, n_repetitions).assign(spread=cells["spread"])
    return compared[["source", *key, "quantity", "ours", "spread", *_LAST]]


def _simulated(rng: np.random.Generator) -> Answers:
    """Return answers of the authors' simulated model, whose confidence is high if the answer is right."""
    truth = rng.integers(0, _N_CLASSES, _N_SAMPLES)
    correct = (rng.random(_N_SAMPLES) < 0.9) | (rng.integers(0, _N_CLASSES, _N_SAMPLES) == 0)
    low = np.where(correct, 0.8, 0.5)
    return Answers(correct, low + 0.2 * rng.random(_N_SAMPLES), truth, _N_CLASSES)


def _label_noise(answers: Answers, share: float, rng: np.random.Generator, turn: int) -> Answers:  # noqa: ARG001
    altered = _chosen(answers, share, rng)
    correct = answers.correct.copy()
    others = max(answers.n_classes - 1, 1)
    by_chance = (rng.integers(0, others, len(altered)) == 0) & (answers.n_classes > 1)
    correct[altered] = ~answers.correct[altered] & by_chance
    return answers._replace(correct=correct)


def _imbalance(answers: Answers, share: float, rng: np.random.Generator, turn: int) -> Answers:
    """Draw from the answers so that one class has the given share; each turn takes the next class."""
    if answers.truth is None:
        raise ValueError("imbalance needs true labels.")
    is_rare = answers.truth == turn % answers.n_classes
    n_rare = round(share * len(is_rare))
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(is_rare), n_rare), rng.choice(np.flatnonzero(~is_rare), len(is_rare) - n_rare)]
    )
    return Answers(answers.correct[rows], answers.confidence[rows], answers.truth[rows], answers.n_classes)


def _degraded(answers: Answers, share: float, rng: np.random.Generator, turn: int) -> Answers:  # noqa: ARG001
    shuffled = _chosen(answers, share, rng)
    confidence = answers.confidence.copy()
    confidence[shuffled] = rng.permutation(confidence[shuffled])
    return answers._replace(confidence=confidence)


def _chosen(answers: Answers, share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    return rng.choice(len(answers.correct), int(share * len(answers.correct)), replace=False)


_ALTERED: dict[str, Callable[[Answers, float, np.random.Generator, int], Answers]] = {
    "label noise": _label_noise,
    "imbalance": _imbalance,
    "degraded confidence": _degraded,
}
