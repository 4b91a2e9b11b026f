"""The cF1 paper's experiments: variance of metrics against test size, and agreement on which model is better."""

from collections.abc import Sequence
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skconf._core.checks import check_whole
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.progress import run_parallel
from skconf._core.renamed import renamed_keywords
from skconf.datasets import fetch_uci
from skconf.experiments._figures import new_figure
from skconf.experiments._printed import printed_table
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import divide
from skconf.profile import ConfidenceProfile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: With probabilities these are cPrecision, cRecall and cF1; with 0 and 1 for the predicted class, the ordinary ones.
_METRICS = {
    "precision": get_metric("cprecision_score", average=None, zero_division=np.nan),
    "recall": get_metric("crecall_score", average=None, zero_division=np.nan),
    "f1": get_metric("cf1_score", average=None, zero_division=np.nan),
}
#: Share of the training data, and of altered labels in it, of the paper's three models.
_MODELS = {"model 1": (1.0, 0.0), "model 2": (0.667, 0.1), "model 3": (0.333, 0.2)}
_LEVEL = 0.01
_APART = 1.96


class CF1Variance(NamedTuple):
    """Bootstrap of thresholded and probabilistic metrics at falling test sizes.

    Attributes
    ----------
    variances : pandas.DataFrame
        A row for each `n_test`, `model`, `metric` and `class`: mean and variance over resamples of the ordinary metric
        (`mean`, `variance`) and of the probabilistic one (`c_mean`, `c_variance`), and the share of resamples in which
        each is 0/0 (`undefined`, `c_undefined`), which are left out.
    contrasts : pandas.DataFrame
        A row for each `n_test`, pair of models, `better` and `worse`, `metric` and `class`: the mean difference in its
        standard errors, by the ordinary metric (`z`) and by the probabilistic one (`c_z`).
    summary : pandas.DataFrame
        A row for each `n_test` and `metric`: the share of models and classes whose variance is `lower` by the
        probabilistic metric; the median `ratio` of that variance to the ordinary metric's; the mean shares of resamples
        that are `undefined` and `c_undefined`; and the shares of pairs of models that differ by more than 1.96
        standard errors, by the ordinary metric (`apart`) and by the probabilistic one (`c_apart`).
    """

    variances: pd.DataFrame
    contrasts: pd.DataFrame
    summary: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


@renamed_keywords(seed="random_state")
def cf1_variance_experiment(
    dataset: str = "digits",
    *,
    ratios: Sequence[float] = (1.0, 0.5, 0.2, 0.1, 0.05),
    classifier: Any = None,
    n_resamples: int = 1000,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
) -> CF1Variance:
    """Compare the variance of cPrecision, cRecall and cF1 with that of the ordinary metrics, as tests get smaller.

    As in the paper's Section 6.1, three models differ by their training data: all of it, two thirds with a tenth of the
    labels altered, or a third with a fifth altered. All are evaluated on the same resamples of the test data.

    Parameters
    ----------
    dataset : str, default="digits"
        A name from :func:`skconf.datasets.list_uci`. Half of it is test data. The paper has SNLI.
    ratios : sequence of float, default=(1, .5, .2, .1, .05)
        Shares of the test data, in (0, 1].
    classifier : classifier, default=None
        The classifier to train; None stands for logistic regression.
    n_resamples : int, default=1000
        Resamples of the bootstrap, 2 or more.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.

    Returns
    -------
    CF1Variance
        DataFrames `variances`, `contrasts` and their `summary`. The paper has figures of these, without numbers: the
        variance of the probabilistic metric is always lower, and separates models better.

    Raises
    ------
    ValueError
        If there is no such data set, or a ratio is outside (0, 1].
    FileNotFoundError
        If a raw file is missing.

    Notes
    -----
    A metric on a smaller scale has less variance, too. Models are separated by their difference in standard errors.

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
    if not all(0 < ratio <= 1 for ratio in ratios):
        raise ValueError(f"ratios must lie in (0, 1], but are {list(ratios)}.")
    check_whole(n_resamples, "n_resamples", 2)
    X, X_test, y, y_test, labels = _split(dataset, data_home, random_state)
    classifier = LogisticRegression(max_iter=1000) if classifier is None else classifier
    rng = np.random.default_rng(random_state)
    proba = {}
    for model, (share, altered) in _MODELS.items():
        kept = rng.permutation(len(y))[: round(share * len(y))]
        proba[model] = _learn(classifier, X[kept], _alter(y[kept], altered, len(labels), rng), X_test, len(labels))
    order = rng.permutation(len(y_test))
    variances, contrasts = [], []
    for ratio in ratios:
        rows = order[: max(1, round(ratio * len(order)))]
        weights = _resamples(len(rows), n_resamples, rng)
        drawn = {model: _bootstrap(y_test[rows], given[rows], weights) for model, given in proba.items()}
        for model, values in drawn.items():
            mean, variance, undefined = _moments(values)
            columns = {"mean": mean, "variance": variance, "undefined": undefined}
            variances.append(_table(columns, labels).assign(n_test=len(rows), model=model))
        for better, worse in combinations(drawn, 2):
            mean, variance, _ = _moments(drawn[better] - drawn[worse])
            contrast = _table({"z": divide(mean, np.sqrt(variance), np.nan)}, labels)
            contrasts.append(contrast.assign(n_test=len(rows), better=better, worse=worse))
    spread = pd.concat(variances).set_index(["n_test", "model", "metric", "class"]).reset_index()
    apart = pd.concat(contrasts).set_index(["n_test", "better", "worse", "metric", "class"]).reset_index()
    return CF1Variance(spread, apart, _summary(spread, apart))


def plot_cf1_variance(variances: pd.DataFrame) -> "Figure":
    """Draw the variance over the test size, a panel for each metric, as the cF1 paper's figures.

    Parameters
    ----------
    variances : pandas.DataFrame
        From :func:`cf1_variance_experiment`.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from skconf.experiments import cf1_variance_experiment, plot_cf1_variance
    >>> tables = cf1_variance_experiment("breast_cancer", n_resamples=50)
    >>> len(plot_cf1_variance(tables.variances).axes)
    3
    """
    figure = new_figure(11, 4)
    panels = figure.subplots(1, len(_METRICS), sharex=True, sharey=True)
    means = variances.groupby(["metric", "model", "n_test"])[["variance", "c_variance"]].mean()
    for panel, metric in zip(panels, _METRICS, strict=True):
        for number, model in enumerate(_MODELS):
            part, style = means.loc[metric, model], {"color": f"C{number}", "markersize": 4}
            panel.plot(part.index, part["variance"], marker="o", label=f"{model}, ordinary", **style)
            panel.plot(
                part.index, part["c_variance"], marker="s", linestyle="--", label=f"{model}, probabilistic", **style
            )
        panel.set(xscale="log", yscale="log", xlabel="test samples", title=metric)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    panels[0].set_ylabel("variance over resamples, mean over classes")
    return figure


@renamed_keywords(seed="random_state")
def cf1_agreement_experiment(
    dataset: str = "digits",
    *,
    n_models: int = 100,
    models: Sequence[Any] | None = None,
    n_resamples: int = 1000,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Count how often cPrecision, cRecall and cF1 prefer the same model as the ordinary metrics.

    As in the paper's Section 6.2, many models are compared pair by pair. The agreement is the share of pairs with
    differences of the same sign, among those in which both metrics show a difference at the level .01.

    Parameters
    ----------
    dataset : str, default="digits"
        A name from :func:`skconf.datasets.list_uci`. Half of it is test data. The paper has SNLI.
    n_models : int, default=100
        Number of models, 2 or more: random parameters of logistic regression, random forests, decision trees, nearest
        neighbours and naive Bayes, in turn. The paper's are of one kind.
    models : sequence of classifiers, default=None
        The models, 2 or more, instead of random ones.
    n_resamples : int, default=1000
        Resamples of the bootstrap, 2 or more.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.
    n_jobs : int, default=None
        Processes that train; -1 uses all cores.
    progress : bool, default=False
        Show progress and the time left on standard error.

    Returns
    -------
    pandas.DataFrame
        A row for each `metric` and `class`, shares of all pairs of models: `significant` and `agree` by the standard
        error of a difference, in which both models see the same resamples; `significant_resamples` and
        `agree_resamples` by a t-test of the two sets of resamples, as in the paper; and its Table 1, averaged over the
        classes of SNLI, `paper_significant` and `paper_agree`.

    Raises
    ------
    ValueError
        If there is no such data set, or a number is too small.
    FileNotFoundError
        If a raw file is missing.

    Notes
    -----
    A t-test of resamples treats their number as the number of samples: nearly every pair is significant, and pairs that
    differ by chance lower the agreement.

    References
    ----------
    .. [1] R. Yacouby and D. Axman, Probabilistic Extension of Precision, Recall, and F1 Score for More Thorough
       Evaluation of Classification Models, Eval4NLP, 2020, Section 6.2.

    Examples
    --------
    >>> from skconf.experiments import cf1_agreement_experiment
    >>> table = cf1_agreement_experiment("breast_cancer", n_models=10, n_resamples=200)
    >>> bool((table["significant"] <= table["significant_resamples"]).all())
    True
    """
    check_whole(n_resamples, "n_resamples", 2)
    check_whole(n_models if models is None else len(models), "n_models", 2)
    models = random_models(n_models, random_state) if models is None else models
    X, X_test, y, y_test, labels = _split(dataset, data_home, random_state)
    weights = _resamples(len(y_test), n_resamples, np.random.default_rng(random_state))
    tasks = [delayed(_learn)(model, X, y, X_test, len(labels)) for model in models]
    proba = run_parallel(tasks, "training", n_jobs=n_jobs, quiet=not progress)
    drawn = np.array([_bootstrap(y_test, given, weights) for given in proba])
    paper = printed_table("cf1_table1").groupby("metric")[["significant", "agree"]].mean()
    rows = []
    for m, metric in enumerate(_METRICS):
        for k, label in enumerate(labels):
            row = {"metric": metric, "class": label}
            for suffix, test in (("", _paired_z), ("_resamples", _resamples_t)):
                z, c_z = test(drawn[:, 0, m, :, k]), test(drawn[:, 1, m, :, k])
                both = np.minimum(np.abs(z), np.abs(c_z)) > -ndtri(_LEVEL / 2)  # False for NaN
                row[f"significant{suffix}"] = both.mean()
                row[f"agree{suffix}"] = ((z > 0) == (c_z > 0))[both].mean() if both.any() else np.nan
            rows.append(row | {f"paper_{name}": paper.loc[metric, name] for name in paper})
    return pd.DataFrame(rows)


def random_models(n_models: int, seed: int) -> list[Any]:
    """Return classifiers with random parameters, five kinds in turn.

    Parameters
    ----------
    n_models : int
        How many.
    seed : int
        Seed.

    Returns
    -------
    list of classifiers
    """
    rng = np.random.default_rng(seed)

    def whole(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    kinds = [
        lambda: LogisticRegression(C=10 ** rng.uniform(-4, 1), max_iter=1000),
        lambda: RandomForestClassifier(whole(10, 100), max_depth=whole(2, 12), random_state=whole(0, 2**31 - 1)),
        lambda: DecisionTreeClassifier(max_depth=whole(3, 15), min_samples_leaf=whole(1, 20), random_state=0),
        lambda: KNeighborsClassifier(whole(2, 50)),
        lambda: GaussianNB(var_smoothing=10 ** rng.uniform(-9, 0)),
    ]
    return [kinds[number % len(kinds)]() for number in range(n_models)]


def _split(
    dataset: str, data_home: str | PathLike[str] | None, seed: int
) -> tuple[Floats, Floats, NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Return features and classes of two halves, features as numbers of unit variance, and the labels."""
    data = fetch_uci(dataset, data_home=data_home)
    encoder = LabelEncoder().fit(data.target)
    X, X_test, y, y_test = train_test_split(
        data.data, encoder.transform(data.target), test_size=0.5, stratify=data.target, random_state=seed
    )
    as_numbers = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_include="category")),
        remainder=make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    ).fit(X)
    return as_numbers.transform(X), as_numbers.transform(X_test), y, y_test, encoder.classes_


def _summary(variances: pd.DataFrame, contrasts: pd.DataFrame) -> pd.DataFrame:
    """Return the quantities of the paper's figures, in a row for each test size and metric."""
    key = ["n_test", "metric"]
    # If the ordinary metric is the same in all resamples, there is nothing to compare.
    known = variances[variances["variance"] > 0]
    ratio = known["c_variance"] / known["variance"]
    of_ratio = ratio.groupby([known[name] for name in key], sort=False)
    undefined = variances.groupby(key, sort=False)[["undefined", "c_undefined"]].mean()
    apart = contrasts[["z", "c_z"]].abs().gt(_APART).groupby([contrasts[name] for name in key], sort=False).mean()
    columns = {
        "lower": of_ratio.agg(lambda values: (values < 1).mean()),
        "ratio": of_ratio.median(),
        **undefined,
        "apart": apart["z"],
        "c_apart": apart["c_z"],
    }
    return pd.DataFrame(columns, index=undefined.index).reset_index()


def _alter(y: NDArray[np.intp], share: float, n_classes: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return classes with a share of them changed to another class."""
    chosen = rng.permutation(len(y))[: round(share * len(y))]
    out = y.copy()
    out[chosen] = (y[chosen] + rng.integers(1, n_classes, len(chosen))) % n_classes
    return out


def _learn(model: Any, X: Floats, y: NDArray[np.intp], X_test: Floats, n_classes: int) -> Floats:
    """Return probabilities of all classes, also of those that the training data lack."""
    fitted = clone(model).fit(X, y)
    proba = np.zeros((len(X_test), n_classes))
    proba[:, fitted.classes_] = fitted.predict_proba(X_test)
    return proba


def _resamples(n_samples: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each sample is drawn, a row for each resample."""
    return rng.multinomial(n_samples, np.full(n_samples, 1 / n_samples), size=n_resamples).astype(np.float64)


def _bootstrap(y: NDArray[np.intp], proba: Floats, weights: Floats) -> Floats:
    """Return the metrics of every resample, ordinary and probabilistic: (2, n_metrics, n_resamples, n_classes)."""
    labels, every = np.arange(proba.shape[1]), np.arange(len(y))
    values = []
    for given in (np.eye(len(labels))[proba.argmax(axis=1)], proba):
        profile = ConfidenceProfile.from_predictions(y, given, labels=labels)
        # The metrics are functions of the same sums; those of each sample, weighted, are those of a resample.
        sums = [weights @ part for part in _METRICS["f1"].sums(profile, every, len(every))]
        values.append([metric.combine(*sums) for metric in _METRICS.values()])
    return np.array(values)


def _moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean and variance over resamples, without NaNs, and the share of NaNs: (2, n_metrics, n_classes) each."""
    defined = ~np.isnan(values)
    n_defined = defined.sum(axis=2)
    mean = divide(np.where(defined, values, 0.0).sum(axis=2), n_defined, np.nan)
    squares = np.where(defined, values - mean[:, :, np.newaxis], 0.0) ** 2
    return mean, divide(squares.sum(axis=2), np.maximum(n_defined - 1, 0), np.nan), 1 - defined.mean(axis=2)


def _table(columns: dict[str, Floats], labels: NDArray[Any]) -> pd.DataFrame:
    """Return a row for each metric and class, of arrays of shape (2, n_metrics, n_classes)."""
    index = pd.MultiIndex.from_product([_METRICS, labels], names=["metric", "class"])
    flat = {
        prefix + name: array[kind].ravel() for name, array in columns.items() for kind, prefix in enumerate(("", "c_"))
    }
    return pd.DataFrame(flat, index=index).reset_index()


def _paired_z(values: Floats) -> Floats:
    """Return the difference of every pair of models in standard errors, from (n_models, n_resamples) values."""
    first, second = np.triu_indices(len(values), 1)
    covariance, mean = np.cov(values), values.mean(axis=1)
    variance = np.diag(covariance)[first] + np.diag(covariance)[second] - 2 * covariance[first, second]
    # For models with equal answers the difference is 0, and so is its variance up to rounding.
    return divide(mean[first] - mean[second], np.sqrt(np.maximum(variance, 1e-20)), np.nan)


def _resamples_t(values: Floats) -> Floats:
    """Return the t-statistic of every pair of models, with resamples treated as samples."""
    first, second = np.triu_indices(len(values), 1)
    mean, variance = values.mean(axis=1), values.var(axis=1, ddof=1) / values.shape[1]
    return divide(mean[first] - mean[second], np.sqrt(variance[first] + variance[second]), np.nan)
