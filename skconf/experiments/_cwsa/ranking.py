"""A test of the CWSA paper's claim that the area under the curve of CWSA over coverage ranks models."""

from collections.abc import Mapping, Sequence
from itertools import product
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from numpy.typing import NDArray

from skconf._core.checks import check_whole
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.progress import run_parallel
from skconf.datasets._synthetic import DISTRIBUTIONS, MODES, make_confidence_profile
from skconf.experiments._cwsa.experiment import cwsa_sweep
from skconf.experiments._shared.data_split import DataSet, Halves, split_in_half
from skconf.experiments._shared.random_models import random_models
from skconf.inference._p_values import student
from skconf.metrics import metric_coverage_auc
from skconf.profile import ConfidenceProfile

#: The scores that rank models, and the references to compare with; 1 means that higher is better.
_SCORES = {"cwsa_area": 1, "cwsa_plus_area": 1, "cwsa_area_to_zero": 1, "mean_cwsa": 1, "aurc": -1}
_REFERENCES = {"accuracy": 1, "aurc": -1}
_LEVEL = 0.95
#: With fewer models, there is no interval.
_LEAST_MODELS = 5
_N_SAMPLES = 1000
_DIGITS = 12


class CWSARanking(NamedTuple):
    """How well areas under CWSA rank models.

    Attributes
    ----------
    agreement : pandas.DataFrame
        A row for each population of models (column `models`), each `score`, and each `reference` that the score is
        compared with. `n_models` is the number of models. `n_pairs` is the number of pairs of models that differ in the
        score and in the reference. `agree` is the share of these pairs in which the score and the reference prefer the
        same model, with the 95% interval from `low` to `high`. `place` is the rank, by the reference, of the model that
        the score ranks first; the best rank is 1.
    values : pandas.DataFrame
        A row for each model, with its scores and with the two references: accuracy and AURC.
    """

    agreement: pd.DataFrame
    values: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


def cwsa_ranking_experiment(
    profiles: Mapping[str, ConfidenceProfile] | None = None,
    *,
    dataset: DataSet = "digits",
    n_models: int = 100,
    models: Sequence[Any] | None = None,
    data_home: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> CWSARanking:
    """Count how often the area under CWSA prefers the model of higher accuracy, or of lower AURC.

    Section 4.3 of the CWSA paper says that the area under the curve of CWSA over coverage can "enable model ranking
    under a single scalar", but the paper shows no ranking.

    Parameters
    ----------
    profiles : mapping of str to ConfidenceProfile, default=None
        Predictions of two or more models. If given, no other parameter is used. None means two populations of models:
        the 80 known distributions of the CSR paper with 1,000 samples each, and classifiers on a data set.
    dataset : str, mapping or Bunch, default="digits"
        A name from :func:`skconf.datasets.list_uci`, or your own data as ``{"name": (X, y)}``. Classifiers are trained
        on one half of the data.
    n_models : int, default=100
        Number of classifiers with random parameters, 2 or more. They are logistic regression, random forests, decision
        trees, nearest neighbours and naive Bayes in turn.
    models : sequence of classifiers, default=None
        Two or more classifiers to train. None means `n_models` classifiers with random parameters.
    data_home : path-like, default=None
        Folder with the raw files; see :func:`skconf.datasets.fetch_uci`.
    random_state : int, default=0
        Seed.
    n_jobs : int, default=None
        Processes that train; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    CWSARanking
        Two DataFrames. In `agreement`, the column `agree` is the share of pairs of models in which the score and the
        reference prefer the same model. `values` has a row for each model. The scores are `cwsa_area` and
        `cwsa_plus_area` (the paper's areas), `cwsa_area_to_zero` (the scorer ``metric_coverage_auc_to_zero``),
        `mean_cwsa` (the mean of CWSA over thresholds) and, for comparison, `aurc`.

    Raises
    ------
    FileNotFoundError
        If a raw file is missing.
    ValueError
        If there is no such data set, or if there are fewer than two models.

    See Also
    --------
    skconf.metrics.metric_coverage_auc : The area; with ``to_zero=True``, continued to coverage 0.

    Notes
    -----
    Intervals use Student's distribution with the standard error of the jackknife over models, because pairs that share
    a model are not independent. They show how the share would vary with other models of the same kind.

    Examples
    --------
    >>> from skconf.experiments import cwsa_ranking_experiment
    >>> ranking = cwsa_ranking_experiment(dataset="breast_cancer", n_models=10)
    >>> agreement = ranking.agreement.query("models == 'known distributions' and reference == 'accuracy'")
    >>> agreement.set_index("score")["agree"].round(2).to_dict()
    {'cwsa_area': 0.82, 'cwsa_plus_area': 0.78, 'cwsa_area_to_zero': 0.81, 'mean_cwsa': 0.81, 'aurc': 0.93}
    """
    if profiles is not None:
        check_whole(len(profiles), "the number of models", 2)
        populations = {"predictions": dict(profiles)}
    else:
        check_whole(n_models if models is None else len(models), "n_models", 2)
        models = random_models(n_models, random_state) if models is None else models
        halves = split_in_half(dataset, data_home, random_state)
        trained = _classifiers(models, halves, n_jobs, quiet=not progress)
        data = "data of one's own" if halves.is_own else dataset
        populations = {"known distributions": _known(random_state), f"classifiers on {data}": trained}
    tables = [_values(profiles).assign(models=kind) for kind, profiles in populations.items()]
    values = pd.concat(tables, ignore_index=True)
    values = values[["models", "model", *dict.fromkeys([*_REFERENCES, *_SCORES])]]
    rows = [
        {"models": kind, "score": score, "reference": reference}
        | _agreement(own[score], own[reference], score, reference)
        for kind, own in values.groupby("models", sort=False)
        for score, reference in product(_SCORES, _REFERENCES)
        if score != reference
    ]
    return CWSARanking(pd.DataFrame(rows), values)


def _known(seed: int) -> dict[str, ConfidenceProfile]:
    """Return simulated answers: a profile for each known distribution in each calibration mode."""
    return {
        f"{distribution}, {mode}": make_confidence_profile(distribution, mode, _N_SAMPLES, seed + number)
        for number, (distribution, mode) in enumerate(product(DISTRIBUTIONS, MODES))
    }


def _classifiers(
    models: Sequence[Any], halves: Halves, n_jobs: int | None, *, quiet: bool
) -> dict[str, ConfidenceProfile]:
    """Return the answers of classifiers on the second half of a data set."""
    given = run_parallel([delayed(halves.learn)(model) for model in models], "training", n_jobs=n_jobs, quiet=quiet)
    labels = np.arange(len(halves.labels))
    return {
        f"{type(model).__name__} {number}": ConfidenceProfile.from_predictions(halves.y_test, proba, labels=labels)
        for number, (model, proba) in enumerate(zip(models, given, strict=True))
    }


def _values(profiles: Mapping[str, ConfidenceProfile]) -> pd.DataFrame:
    """Return all scores and references of each model."""
    sweep = cwsa_sweep(profiles)
    to_zero = [metric_coverage_auc(profile, to_zero=True) for profile in profiles.values()]
    mean = sweep.curves.groupby("model", sort=False)["cwsa"].mean()
    return sweep.summary.assign(cwsa_area_to_zero=to_zero, mean_cwsa=mean).reset_index()


def _agreement(score: Any, reference: Any, score_name: str, reference_name: str) -> dict[str, float]:
    """Return the share of pairs of models that a score and a reference rank in the same order.

    `place` is the place by the reference of the model that the score ranks first.
    """
    # Values that differ only by the order of a sum are equal.
    first = _SCORES[score_name] * score.to_numpy(dtype=np.float64).round(_DIGITS)
    second = _REFERENCES[reference_name] * reference.to_numpy(dtype=np.float64).round(_DIGITS)
    n = len(first)
    signs = np.sign(first[:, np.newaxis] - first) * np.sign(second[:, np.newaxis] - second)
    same, differ = (signs > 0).sum(axis=1), (signs != 0).sum(axis=1)
    pairs = int(differ.sum()) // 2
    agree = same.sum() / differ.sum() if pairs else np.nan
    low, high = _interval(agree, same, differ) if pairs and n >= _LEAST_MODELS else (np.nan, np.nan)
    chosen = second[first == first.max(), np.newaxis]
    place = float(np.mean(1 + (second > chosen).sum(axis=1)))
    return {"n_models": n, "n_pairs": pairs, "agree": agree, "low": low, "high": high, "place": place}


def _interval(agree: float, same: NDArray[np.intp], differ: NDArray[np.intp]) -> tuple[float, float]:
    """Return Student's interval with the standard error of the jackknife, which leaves out one model at a time."""
    left = differ.sum() - 2 * differ
    if not left.all():
        return np.nan, np.nan
    without: Floats = (same.sum() - 2 * same) / left
    n = len(without)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    half = student(_LEVEL, n - 1) * error
    return max(agree - half, 0.0), min(agree + half, 1.0)
