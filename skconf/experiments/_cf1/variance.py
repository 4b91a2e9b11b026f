"""The cF1 paper's Section 6.1: the variance of metrics by test size, and the models that they separate."""

import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.linear_model import LogisticRegression

from skconf._core.checks import check_whole
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf.experiments._cf1.resamples import METRICS, bootstrap, resamples
from skconf.experiments._shared.data_split import DataSet, split_in_half
from skconf.experiments._shared.estimators import seeded
from skconf.metrics._base.kinds import divide

_APART = 1.96
_BAND = (0.025, 0.975)
#: Level of the tests of variance, and their names in the summary.
LEVEL = 0.05
_TITLES = {"f": "f_test", "bartlett": "bartlett", "levene": "levene"}
#: Resamples that differ by less are equal except for rounding.
_NO_SPREAD = 1e-12
#: A test set needs at least two samples to have resamples.
_FEWEST = 2


class CF1Variance(NamedTuple):
    """Bootstrap of ordinary and probabilistic metrics at decreasing test sizes.

    Attributes
    ----------
    variances : pandas.DataFrame
        A row for each `n_test`, `model`, `metric` and `class`. Columns with the prefix `c_` are for the probabilistic
        metric, and the same columns without the prefix for the ordinary metric. `mean` and `variance` are over the
        resamples. `low` and `high` are the limits of the middle 95% of the resamples. `undefined` is the share of
        resamples in which the metric is 0/0. The other columns leave these resamples out. `p_f`, `p_bartlett` and
        `p_levene` are p-values of tests of the hypothesis that both metrics have the same variance. They are NaN if a
        variance is 0 or undefined.
    means : pandas.DataFrame
        A row for each `n_test`, `model` and `metric`. The columns are the same as in `variances`. They describe the
        mean of the metric over classes.
    contrasts : pandas.DataFrame
        A row for each `n_test`, pair of models (`better` and `worse`), `metric` and `class`. `z` is the mean difference
        between the two models in the ordinary metric, in standard errors. `c_z` is the same for the probabilistic
        metric.
    summary : pandas.DataFrame
        A row for each `n_test` and `metric`. `lower` is the share of models and classes for which `c_variance` is below
        `variance`. `ratio` is the median of `c_variance` / `variance`. `undefined` and `c_undefined` are the columns of
        `variances`, averaged over models and classes. `apart` is the share of pairs of models that differ by more than
        1.96 standard errors in the ordinary metric, averaged over classes. `c_apart` is the same for the probabilistic
        metric. `f_test`, `bartlett` and `levene` are the shares of models and classes for which the test of this name
        rejects equal variances at the level 0.05.
    """

    variances: pd.DataFrame
    means: pd.DataFrame
    contrasts: pd.DataFrame
    summary: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


def cf1_variance_experiment(
    dataset: DataSet = "digits",
    *,
    ratios: Sequence[float] = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    training_shares: Sequence[float] = (1.0, 0.667, 0.333),
    label_noise: Sequence[float] = (0.0, 0.1, 0.2),
    classifier: Any = None,
    n_resamples: int = 1000,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
) -> CF1Variance:
    """Compare the variances of cPrecision, cRecall and cF1 with the variances of ordinary metrics, by test size.

    By default, three models are compared, and each is trained on different data, as in the paper's Section 6.1. The
    first model has all training data. The second has two thirds of the training data, with a tenth of the labels
    altered. The third has one third, with a fifth of the labels altered. All models are evaluated on the same resamples
    of the test data.

    Parameters
    ----------
    dataset : str, mapping from str to (X, y) or Bunch, or Bunch, default="digits"
        A name from :func:`skconf.datasets.list_uci`, or your own data as in :func:`csr_experiment`. Half of the data is
        test data. The paper uses SNLI.
    ratios : sequence of float, default=(1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
        Sizes of the test sets, as shares of the test data, in (0, 1].
    training_shares : sequence of float, default=(1, 0.667, 0.333)
        For each model, the share of the training data on which it is trained, in (0, 1]. The order is from the best
        model to the worst.
    label_noise : sequence of float, default=(0, 0.1, 0.2)
        For each model, the share of its training labels that are changed to another class, in [0, 1].
    classifier : classifier, default=None
        The classifier to train. None means logistic regression. A pipeline gets the columns unchanged. For other
        classifiers, numbers are scaled to unit variance, texts are one-hot encoded, and missing numbers become the
        median.
    n_resamples : int, default=1000
        Number of bootstrap resamples, 2 or more.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.

    Returns
    -------
    CF1Variance
        DataFrames `variances`, `means`, `contrasts` and their `summary`. The paper shows these results in pictures
        without numbers. In the pictures, the probabilistic metric always has less variance than the ordinary metric,
        and separates models better.

    Raises
    ------
    ValueError
        If there is no such data set, if a share is out of range, if there are fewer than two models, if the numbers of
        training shares and label noises differ, or if the classifier fails.
    FileNotFoundError
        If a raw file is missing.

    Notes
    -----
    A metric whose values are closer together has less variance, but need not separate models better. How well a metric
    separates two models depends on the difference of their values, divided by its standard error.

    The tests of variance are the tests of the paper: the F test, Bartlett's test, and Levene's test around the median.
    The tests assume that resamples are independent samples, and that the two metrics come from different samples. Here
    neither is true: with enough resamples, any two variances differ significantly.

    References
    ----------
    .. [1] R. Yacouby and D. Axman, Probabilistic Extension of Precision, Recall, and F1 Score for More Thorough
       Evaluation of Classification Models, Eval4NLP, 2020, Section 6.1.

    Examples
    --------
    >>> from skconf.experiments import cf1_variance_experiment
    >>> tables = cf1_variance_experiment("breast_cancer", ratios=[1.0], n_resamples=200)
    >>> f1 = tables.variances.query("metric == 'f1'")
    >>> bool((f1["c_variance"] < f1["variance"]).all())
    True
    """
    check_whole(n_resamples, "n_resamples", 2)
    models = _models(ratios, training_shares, label_noise)
    halves = split_in_half(dataset, data_home, random_state)
    classifier = LogisticRegression(max_iter=1000) if classifier is None else seeded(classifier, random_state)
    rng = np.random.default_rng(random_state)
    proba = {}
    for model, (share, noise) in models.items():
        kept = rng.permutation(len(halves.y))[: round(share * len(halves.y))]
        proba[model] = halves.learn(classifier, kept, _alter(halves.y[kept], noise, len(halves.labels), rng))
    order = rng.permutation(len(halves.y_test))
    parts = []
    for size in dict.fromkeys(max(_FEWEST, round(ratio * len(order))) for ratio in ratios):
        rows = order[:size]
        weights = resamples(len(rows), n_resamples, rng)
        drawn = {model: bootstrap(halves.y_test[rows], given[rows], weights) for model, given in proba.items()}
        parts.append([part.assign(n_test=len(rows)) for part in _of_one_size(drawn, halves.labels)])
    keys = (["model", "metric", "class"], ["model", "metric"], ["better", "worse", "metric", "class"])
    spread, means, apart = (
        pd.concat(tables).set_index(["n_test", *key]).reset_index()
        for tables, key in zip(zip(*parts, strict=True), keys, strict=True)
    )
    return CF1Variance(spread, means, apart, _summary(spread, apart))


def _models(
    ratios: Sequence[float], training_shares: Sequence[float], label_noise: Sequence[float]
) -> dict[str, tuple[float, float]]:
    """Return the share of training data and of altered labels of each model; raise if one is out of range."""
    for name, shares in (("ratios", ratios), ("training_shares", training_shares)):
        if not shares or not all(0 < share <= 1 for share in shares):
            raise ValueError(f"{name} must lie in (0, 1], but are {list(shares)}.")
    if not all(0 <= share <= 1 for share in label_noise):
        raise ValueError(f"label_noise must lie in [0, 1], but is {list(label_noise)}.")
    if len(training_shares) != len(label_noise) or len(label_noise) < 2:
        raise ValueError(
            f"There are {len(training_shares)} training_shares, and {len(label_noise)} values of label_noise. Pass one "
            "of each for every model, and at least two models."
        )
    pairs = zip(training_shares, label_noise, strict=True)
    return {f"model {number}": pair for number, pair in enumerate(pairs, 1)}


def _of_one_size(drawn: dict[str, Floats], labels: NDArray[Any]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return variances by class, variances of the mean over classes, and differences between models (`z`)."""
    by_class, means, contrasts = [], [], []
    for model, values in drawn.items():
        by_class.append(_spread(values, labels).assign(model=model))
        whole = divide(np.nansum(values, axis=3), (~np.isnan(values)).sum(axis=3), np.nan)
        means.append(_spread(whole[..., np.newaxis], np.zeros(1)).drop(columns="class").assign(model=model))
    for better, worse in combinations(drawn, 2):
        mean, variance, _ = _moments(drawn[better] - drawn[worse])
        contrast = _table({"z": divide(mean, np.sqrt(variance), np.nan)}, labels)
        contrasts.append(contrast.assign(better=better, worse=worse))
    return pd.concat(by_class), pd.concat(means), pd.concat(contrasts)


def _spread(values: Floats, labels: NDArray[Any]) -> pd.DataFrame:
    """Return mean, variance, limits of the band and p-values, with a row for each metric and class."""
    mean, variance, undefined = _moments(values)
    columns = {"mean": mean, "variance": variance, "undefined": undefined}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        columns["low"], columns["high"] = np.nanquantile(values, _BAND, axis=2)
    pairs = values.transpose(1, 3, 0, 2).reshape(-1, 2, values.shape[2])
    p_values = pd.DataFrame([_p_values(*pair) for pair in pairs]).add_prefix("p_")
    return _table(columns, labels).join(p_values)


def _p_values(ordinary: Floats, probabilistic: Floats) -> dict[str, float]:
    """Return the p-values of tests of equal variances of two metrics; NaN if a metric has no variance."""
    values = [metric[~np.isnan(metric)] for metric in (ordinary, probabilistic)]
    if any(len(metric) < 2 or np.ptp(metric) <= _NO_SPREAD for metric in values):
        return dict.fromkeys(_TESTS, np.nan)
    return {name: float(test(*values)) for name, test in _TESTS.items()}


def _f_test(first: Floats, second: Floats) -> float:
    """Return the p-value of the two-sided F test."""
    ratio = stats.f(len(first) - 1, len(second) - 1)
    at = first.var(ddof=1) / second.var(ddof=1)
    return float(min(1.0, 2 * min(ratio.cdf(at), ratio.sf(at))))


#: p-values of the paper's tests, by name.
_TESTS: dict[str, Callable[[Floats, Floats], float]] = {
    "f": _f_test,
    "bartlett": lambda *values: stats.bartlett(*values).pvalue,
    "levene": lambda *values: stats.levene(*values).pvalue,
}


def _summary(variances: pd.DataFrame, contrasts: pd.DataFrame) -> pd.DataFrame:
    """Return the quantities of the paper's figures, with a row for each test size and metric."""
    key = ["n_test", "metric"]
    ratio = ratios(variances)
    p_values = variances[[f"p_{name}" for name in _TITLES]].set_axis(list(_TITLES.values()), axis=1)
    # Cases without a ratio, or without a test, are left out.
    cases = variances[[*key, "undefined", "c_undefined"]].assign(
        lower=(ratio < 1).astype(float), ratio=ratio, **p_values.lt(LEVEL).astype(float).where(p_values.notna())
    )
    apart = contrasts[key].assign(apart=contrasts["z"].abs() > _APART, c_apart=contrasts["c_z"].abs() > _APART)
    by_case, by_pair = (table.groupby(key, sort=False) for table in (cases, apart))
    summary = by_case.mean().assign(ratio=by_case["ratio"].median()).join(by_pair.mean())
    columns = ["lower", "ratio", "undefined", "c_undefined", "apart", "c_apart", *p_values]
    return summary[columns].reset_index()


def ratios(variances: pd.DataFrame) -> "pd.Series[float]":
    """Return `c_variance` divided by `variance`, for each case in which `variance` is above 0."""
    known = variances[variances["variance"] > 0]
    return known["c_variance"] / known["variance"]


def _alter(y: NDArray[np.intp], share: float, n_classes: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the classes, a given share of them changed at random to another class."""
    chosen = rng.permutation(len(y))[: round(share * len(y))]
    out = y.copy()
    out[chosen] = (y[chosen] + rng.integers(1, n_classes, len(chosen))) % n_classes
    return out


def _moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean and the variance over resamples without NaNs, and the share of NaNs.

    Each has shape (2, n_metrics, n_classes).
    """
    defined = ~np.isnan(values)
    n_defined = defined.sum(axis=2)
    mean = divide(np.where(defined, values, 0.0).sum(axis=2), n_defined, np.nan)
    squares = np.where(defined, values - mean[:, :, np.newaxis], 0.0) ** 2
    return mean, divide(squares.sum(axis=2), np.maximum(n_defined - 1, 0), np.nan), 1 - defined.mean(axis=2)


def _table(columns: dict[str, Floats], labels: NDArray[Any]) -> pd.DataFrame:
    """Return a row for each metric and class from arrays of shape (2, n_metrics, n_classes)."""
    index = pd.MultiIndex.from_product([METRICS, labels], names=["metric", "class"])
    flat = {
        prefix + name: array[kind].ravel() for name, array in columns.items() for kind, prefix in enumerate(("", "c_"))
    }
    return pd.DataFrame(flat, index=index).reset_index()
