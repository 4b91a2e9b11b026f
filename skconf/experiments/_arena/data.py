"""The arena's predictions: small models on generated data, on data of scikit-learn, or on data in files."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_gaussian_quantiles
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, as_probabilities, check_probabilities
from skconf.datasets import describe_uci, fetch_uci
from skconf.report._evidence.origin import digest

#: The most rows of a data set, and the most training samples: with more, models would be nearly perfect.
_MOST_ROWS, _MOST_TRAINING = 8000, 1000
#: A class with fewer samples is left out.
_FEWEST = 8
#: Numbers of classes of generated data sets of several classes.
_CLASSES = (3, 3, 4, 5, 6, 7, 8, 10, 12, 15)

Table = tuple[Floats, Codes]
Random = np.random.Generator


@dataclass(frozen=True)
class Predictions:
    """Probabilities of samples that the model was not trained on, and their true classes.

    Attributes
    ----------
    data, model, group : str
        Names of the data set and of the model, and the origin of the data set: "generated", "sklearn", "uci", "scores"
        or "own".
    load : callable
        A function that returns probabilities of shape (n_samples, n_classes) and the columns of the true classes.
    key : tuple
        What the predictions depend on in addition to the names, such as a seed or the content of a file.
    """

    data: str
    model: str
    group: str
    load: Callable[[], tuple[Floats, Codes]]
    key: tuple[Any, ...]


def generated_names() -> list[str]:
    """Name the generated data sets."""
    return [f"{family}_{kind}_{copy}" for kind in ("two", "many") for family in _FAMILIES for copy in (1, 2)]


def models() -> dict[str, Callable[[int], Any]]:
    """Return functions that make a model from a seed, by the name of the model. XGBoost is included if installed."""
    makers: dict[str, Callable[[int], Any]] = {
        "logistic": lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "naive_bayes": lambda _: GaussianNB(),
        "neighbors": lambda _: make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "forest": lambda seed: RandomForestClassifier(60, random_state=seed),
        "boosting": lambda seed: HistGradientBoostingClassifier(max_iter=50, random_state=seed),
        "network": lambda seed: make_pipeline(
            StandardScaler(), MLPClassifier((50,), max_iter=120, random_state=seed, tol=1e-3)
        ),
    }
    try:
        from xgboost import XGBClassifier
    except ImportError:
        return makers
    boosted = {"n_estimators": 60, "max_depth": 6, "learning_rate": 0.2, "n_jobs": 1, "tree_method": "hist"}
    return {**makers, "xgboost": lambda seed: XGBClassifier(**boosted, random_state=seed)}


def find_predictions(
    datasets: Sequence[str], only_models: Sequence[str], seed: int, data_home: Any, scores: Any
) -> list[Predictions]:
    """Return the predictions of every model on every data set, and the predictions in a folder of scores."""
    every = models()
    predictions = [
        Predictions(name, model, group, partial(_trained, load, every[model], seed), (seed, _MOST_TRAINING))
        for name, (group, load) in sources(seed, data_home).items()
        if name in datasets or group in datasets or "all" in datasets
        for model in only_models
    ]
    wanted = {"all", "scores"} & set(datasets)
    return predictions + ([*_from_scores(Path(scores))] if scores is not None and wanted else [])


def own_predictions(path: str | os.PathLike[str]) -> Predictions:
    """Return the predictions in a file with the arrays `proba` (or `probabilities`) and `y` (or `labels`)."""
    file = Path(path)
    proba, codes = _read_own(file)
    return Predictions(file.stem, "own", "own", lambda: (proba, codes), (file.name, _digest(proba, codes)))


def sources(seed: int, data_home: Any) -> dict[str, tuple[str, Callable[[], Table]]]:
    """Return the group of every available data set, and the function that loads it."""
    sources: dict[str, tuple[str, Callable[[], Table]]] = {
        name: ("generated", partial(_generated, name, seed)) for name in generated_names()
    }
    sources["breast_cancer"] = "sklearn", partial(load_breast_cancer, return_X_y=True)
    sources["digits"] = "sklearn", partial(load_digits, return_X_y=True)
    files = describe_uci(data_home)["files"]
    for name in files.index[files == "at hand"]:
        sources[name] = "uci", partial(_from_uci, name, data_home)
    return sources


def _from_uci(name: str, data_home: Any) -> Table:
    data = fetch_uci(name, data_home, download_if_missing=False)
    return pd.get_dummies(data.data).to_numpy(float), pd.factorize(data.target, sort=True)[0]


def _trained(load: Callable[[], Table], make: Callable[[int], Any], seed: int) -> tuple[Floats, Codes]:
    """Return the probabilities of a model for samples that it was not trained on, and their classes."""
    X, y = load()
    rng = np.random.default_rng([seed, len(y)])
    rows = rng.permutation(len(y))[:_MOST_ROWS]
    X, y = X[rows], y[rows]
    kept = np.isin(y, np.flatnonzero(np.bincount(y) >= _FEWEST))
    X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    n_training = min(_MOST_TRAINING, len(y) // 4)
    X_train, X, y_train, y = train_test_split(X, y, train_size=n_training, stratify=y, random_state=seed)
    return np.asarray(make(seed).fit(X_train, y_train).predict_proba(X), dtype=np.float64), y


def _from_scores(folder: Path) -> Iterator[Predictions]:
    """Yield the predictions in a folder: the softmax of NAME.scores.npy, and the classes in NAME.targets.npy."""
    for file in sorted(folder.glob("*.scores.npy")):
        name = file.name.removesuffix(".scores.npy")

        true = file.with_name(f"{name}.targets.npy")

        def load(file: Path = file, true: Path = true) -> tuple[Floats, Codes]:
            targets = np.load(true, allow_pickle=False)
            return softmax(np.load(file, allow_pickle=False).astype(np.float64), axis=1), targets.astype(np.intp)

        yield Predictions(name, "scores", "scores", load, (file.name, digest(file), digest(true)))


def _read_own(file: Path) -> tuple[Floats, Codes]:
    proba, y = _arrays_in(file)
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(f"{file} has a missing label in row {int(np.argmax(np.isnan(y)))}. Leave such rows out.")
    proba = as_probabilities(proba, "proba")
    check_probabilities(proba, "proba")
    proba = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    classes, codes = np.unique(y, return_inverse=True)
    if y.shape != (len(proba),) or len(classes) > proba.shape[1]:
        raise ValueError(
            f"{file} holds labels of shape {y.shape} with {len(classes)} classes, but probabilities of shape "
            f"{proba.shape}; they must be of shape (n_samples,) and (n_samples, n_classes)."
        )
    if len(classes) < proba.shape[1]:  # labels must then be numbers of columns
        if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= proba.shape[1]:
            raise ValueError(
                f"{file} has labels of {len(classes)} classes, but probabilities with {proba.shape[1]} columns. "
                "Replace each label by the number of its column in the probabilities: 0, 1, ..."
            )
        codes = y
    return proba.astype(np.float64), codes.astype(np.intp)


def _arrays_in(file: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the probabilities and labels in a file; refuse Python objects, which could run code."""
    saved = "Write it with numpy.savez(file, proba=proba, y=y). Labels must be numbers or strings: y.astype(str)."
    try:
        with np.load(file, allow_pickle=False) as arrays:
            names = {what: next((name for name in of if name in arrays), None) for what, of in _ARRAYS.items()}
            if None in names.values():
                wanted = " and ".join(" or ".join(of) for of in _ARRAYS.values())
                raise ValueError(f"it has the arrays {', '.join(arrays) or 'none'}, but needs {wanted}.")
            return arrays[names["probabilities"]], arrays[names["labels"]]
    except TypeError:
        raise ValueError(f"cannot read {file}: it has a single array. {saved}") from None
    except (ValueError, EOFError, BadZipFile) as error:
        what = "objects are not loaded (allow_pickle=False)" if "pickle" in str(error) else str(error).rstrip(".")
        raise ValueError(f"cannot read {file}: {what}. {saved}") from None


_ARRAYS = {"probabilities": ("proba", "probabilities"), "labels": ("y", "labels", "y_true")}


def _digest(proba: Floats, codes: Codes) -> str:
    """Return a digest of arrays."""
    return sha256(repr(proba.shape).encode() + proba.tobytes() + codes.tobytes()).hexdigest()[:16]


def _generated(name: str, seed: int) -> Table:
    """Return a data set whose shape and difficulty follow from its name and a seed."""
    family, kind, _ = name.split("_")
    rng = np.random.default_rng([seed, generated_names().index(name), 2026])
    n_classes = 2 if kind == "two" else int(rng.choice(_CLASSES))
    X, y = _FAMILIES[family](rng, n_classes)
    return X, np.unique(y, return_inverse=True)[1]


def _clusters(rng: Random, n_classes: int, weights: Any = None) -> Table:
    informative = int(rng.integers(6, 13))
    X, y = make_classification(
        _MOST_ROWS,
        informative + int(rng.integers(0, 12)),
        n_informative=informative,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=int(rng.integers(1, 4)),
        weights=weights,
        class_sep=float(rng.uniform(0.5, 2.0)),
        flip_y=float(rng.choice([0.0, 0.02, 0.1])),
        random_state=int(rng.integers(2**31)),
    )
    return X, y


def _rare(rng: Random, n_classes: int) -> Table:
    """Return clusters whose classes differ in size. Of two classes, the rarer one has 3 to 15% of the samples."""
    share = rng.uniform(0.03, 0.15) if n_classes == 2 else rng.uniform(0.5, 0.8)
    sizes = np.array([1, share / (1 - share)]) if n_classes == 2 else share ** np.arange(n_classes)
    return _clusters(rng, n_classes, list(sizes / sizes.sum()))


def _shells(rng: Random, n_classes: int) -> Table:
    """Return shells around the origin, with some labels drawn at random."""
    X, y = make_gaussian_quantiles(
        n_samples=_MOST_ROWS,
        n_features=int(rng.integers(3, 9)),
        n_classes=n_classes,
        random_state=int(rng.integers(2**31)),
    )
    drawn = rng.random(len(y)) < rng.choice([0.0, 0.05, 0.15])
    return X, np.where(drawn, rng.integers(n_classes, size=len(y)), y)


def _waves(rng: Random, n_classes: int) -> Table:
    """Return labels drawn from a softmax of smooth waves, so no model can have a high confidence everywhere."""
    X = rng.normal(size=(_MOST_ROWS, int(rng.integers(4, 15))))
    hidden = np.sin(
        X @ rng.normal(size=(X.shape[1], 20)) / sqrt(X.shape[1]) * rng.uniform(1, 3) + rng.uniform(0, 6, 20)
    )
    return X, _drawn(rng, rng.uniform(0.7, 3.0) * hidden @ rng.normal(size=(20, n_classes)))


def _steps(rng: Random, n_classes: int) -> Table:
    """Return counts and switches whose products determine the class: trees can learn it, linear models cannot."""
    counts = rng.poisson(rng.uniform(0.5, 4, 6), size=(_MOST_ROWS, 6))
    switches = rng.random((_MOST_ROWS, 6)) < rng.uniform(0.1, 0.6, 6)
    X = np.hstack([counts, switches, rng.normal(size=(_MOST_ROWS, 3))]).astype(float)
    crossed = np.hstack([(counts > 1) & switches, switches & np.roll(switches, 1, axis=1)]).astype(float)
    logits = crossed @ rng.normal(size=(12, n_classes)) + X[:, -3:] @ rng.normal(size=(3, n_classes))
    return X, _drawn(rng, rng.uniform(0.8, 2.5) * logits)


def _tails(rng: Random, n_classes: int) -> Table:
    """Return clouds of different width with heavy tails, where models are most confident far from the data."""
    y = rng.integers(n_classes, size=_MOST_ROWS)
    centres = rng.normal(size=(n_classes, int(rng.integers(3, 10)))) * rng.uniform(1.0, 2.5)
    width = rng.uniform(0.5, 2.0, n_classes)
    noise = rng.standard_t(rng.choice([2, 3, 6]), size=(_MOST_ROWS, centres.shape[1]))
    return centres[y] + width[y, np.newaxis] * noise, y


def _drawn(rng: Random, logits: Floats) -> Codes:
    return (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)


_FAMILIES: dict[str, Callable[[Random, int], Table]] = {
    "clusters": _clusters,
    "rare": _rare,
    "shells": _shells,
    "waves": _waves,
    "steps": _steps,
    "tails": _tails,
}
