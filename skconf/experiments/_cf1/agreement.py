"""The cF1 paper's Section 6.2: how often both kinds of metrics prefer the same model of a pair."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from scipy.special import ndtri

from skconf._core.checks import check_whole
from skconf._core.probabilities import Floats
from skconf._core.progress import run_parallel
from skconf.experiments._cf1.resamples import METRICS, bootstrap, resamples
from skconf.experiments._shared.data_split import DataSet, split_in_half
from skconf.experiments._shared.printed import printed_table
from skconf.experiments._shared.random_models import DEFAULT_KINDS, random_models
from skconf.metrics._base.kinds import divide

_LEVEL = 0.01


def cf1_agreement_experiment(
    dataset: DataSet = "digits",
    *,
    n_models: int = 100,
    kinds: Sequence[str] = DEFAULT_KINDS,
    models: Sequence[Any] | None = None,
    n_resamples: int = 1000,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Count how often cPrecision, cRecall and cF1 prefer the same model as the ordinary metrics.

    As in the paper's Section 6.2, many models are compared pair by pair. A pair is significant if the models differ at
    the level 0.01 in both metrics, the ordinary and the probabilistic. The agreement is the share of the significant
    pairs in which both metrics prefer the same model.

    Parameters
    ----------
    dataset : str, mapping from str to (X, y) or Bunch, or Bunch, default="digits"
        A name from :func:`skconf.datasets.list_uci`, or your own data as in :func:`csr_experiment`. Half of the data is
        test data. The paper uses SNLI.
    n_models : int, default=100
        Number of models, 2 or more, with random parameters.
    kinds : sequence of str, default=("logistic", "forest", "tree", "neighbors", "bayes")
        Kinds of the random models; there are about equally many models of each kind. The default kinds are logistic
        regression, random forests, decision trees, nearest neighbours and naive Bayes. Another kind is "network":
        perceptrons that are trained like the networks of the paper. All models of the paper are networks.
    models : sequence of classifiers, default=None
        Your own models, 2 or more, instead of random models. A pipeline gets the columns unchanged. For other models,
        numbers are scaled to unit variance, texts are one-hot encoded, and missing numbers become the median.
    n_resamples : int, default=1000
        Number of bootstrap resamples, 2 or more.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.
    n_jobs : int, default=None
        Number of processes for training. -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame
        A row for each `metric` and `class`. `significant` is the share of significant pairs among the `n_pairs` pairs
        of models. `agree` is the share of the significant pairs in which both metrics prefer the same model, or NaN if
        no pair is significant. For these two columns, the test of significance uses the standard error of the
        difference between two models on the same resamples. `significant_resamples` and `agree_resamples` are the same
        shares by a t-test of the two sets of resamples, as in the paper. `paper_significant` and `paper_agree` are from
        the paper's Table 1, averaged over the classes of SNLI. For your own data, these two columns are missing.

    Raises
    ------
    ValueError
        If a data set or a kind is unknown, if a number is too small, or if a model fails.
    FileNotFoundError
        If a raw file is missing.

    Notes
    -----
    A t-test of resamples treats the number of resamples as the number of samples. So nearly every pair is significant,
    and pairs that differ only by chance lower the agreement.

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
    models = random_models(n_models, random_state, kinds) if models is None else models
    halves = split_in_half(dataset, data_home, random_state)
    weights = resamples(len(halves.y_test), n_resamples, np.random.default_rng(random_state))
    tasks = [delayed(halves.learn)(model) for model in models]
    proba = run_parallel(tasks, "training", n_jobs=n_jobs, quiet=not progress)
    drawn = np.array([bootstrap(halves.y_test, given, weights) for given in proba])
    paper = printed_table("cf1_table1").groupby("metric")[[] if halves.is_own else ["significant", "agree"]].mean()
    rows = []
    for m, metric in enumerate(METRICS):
        for k, label in enumerate(halves.labels):
            row = {"metric": metric, "class": label, "n_pairs": len(models) * (len(models) - 1) // 2}
            for suffix, test in (("", _paired_z), ("_resamples", _resamples_t)):
                z, c_z = test(drawn[:, 0, m, :, k]), test(drawn[:, 1, m, :, k])
                both = np.minimum(np.abs(z), np.abs(c_z)) > -ndtri(_LEVEL / 2)  # False for NaN
                row[f"significant{suffix}"] = both.mean()
                row[f"agree{suffix}"] = ((z > 0) == (c_z > 0))[both].mean() if both.any() else np.nan
            rows.append(row | {f"paper_{name}": paper.loc[metric, name] for name in paper})
    return pd.DataFrame(rows)


def _paired_z(values: Floats) -> Floats:
    """Return the difference between the metrics of every pair of models, divided by its standard error.

    `values` has shape (n_models, n_resamples).
    """
    first, second = np.triu_indices(len(values), 1)
    covariance, mean = np.cov(values), values.mean(axis=1)
    variance = np.diag(covariance)[first] + np.diag(covariance)[second] - 2 * covariance[first, second]
    # For models with equal answers the difference is 0, and so is its variance up to rounding.
    return divide(mean[first] - mean[second], np.sqrt(np.maximum(variance, 1e-20)), np.nan)


def _resamples_t(values: Floats) -> Floats:
    """Return the t-statistic of every pair of models, as if the resamples were independent samples."""
    first, second = np.triu_indices(len(values), 1)
    mean, variance = values.mean(axis=1), values.var(axis=1, ddof=1) / values.shape[1]
    return divide(mean[first] - mean[second], np.sqrt(variance[first] + variance[second]), np.nan)
