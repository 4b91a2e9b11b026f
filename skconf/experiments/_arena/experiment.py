"""The arena: a comparison of calibrators on predictions of real models."""

import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.checks import check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf._core.progress import run_parallel
from skconf.experiments._arena import data
from skconf.experiments._arena.calibrators import Contestant, find_contestants
from skconf.experiments._arena.data import Predictions, find_predictions, models, own_predictions, sources
from skconf.experiments._shared.kept import KeptResult, prepare_results, results_folder
from skconf.metrics import (
    aurc_loss,
    calibrated_size_ratio,
    calibrated_size_ratio_zscore,
    cw_accuracy_score,
    ecuas_loss,
    overconfidence_risk,
    smooth_calibration_error,
)
from skconf.profile import ConfidenceProfile

SIZES = (50, 200, 1000, 4000)
#: Groups of data sets.
GROUPS = ("generated", "sklearn", "uci", "scores", "all")
#: The most and the fewest test samples of a run.
_MOST_TESTED, _FEWEST_TESTED = 2000, 150
#: A number that changes whenever the predictions may change.
_CODE = hashlib.sha256(Path(data.__file__).read_bytes()).hexdigest()[:16]
_EPS = float(np.finfo(np.float64).eps)


def arena_experiment(
    datasets: Sequence[str] = ("generated", "sklearn"),
    *,
    calibrators: Sequence[str | Callable[[], Any]] | None = None,
    only_models: Sequence[str] | None = None,
    sizes: Sequence[int] = SIZES,
    predictions: Sequence[str | os.PathLike[str]] = (),
    scores: str | os.PathLike[str] | None = None,
    data_home: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare calibrators on predictions of real models.

    A run is a data set, a model and a number of calibration samples. Small models are trained on a quarter of the data,
    but on at most 1,000 samples. Calibrators are fitted to some of the remaining samples, and tested on up to 2,000
    others.

    Parameters
    ----------
    datasets : sequence of str, default=("generated", "sklearn")
        Names or groups. The groups are "generated" (24 data sets that depend on `random_state`), "sklearn" (two data
        sets of scikit-learn), "uci" (the data sets of :func:`skconf.datasets.list_uci` whose files exist), "scores"
        (the predictions in the folder `scores`) and "all" (all of these groups).
    calibrators : sequence of str or class, default=None
        Names such as "pooled" or "probmetrics sms", packages such as "skconf" or "betacal", or your own calibrator as a
        class or as ``"module:Class"``. The class takes no arguments, and has ``fit(proba, y)`` and
        ``predict_proba(proba)``. None means all calibrators of the installed packages.
    only_models : sequence of str, default=None
        Names of models. None means all.
    sizes : sequence of int, default=(50, 200, 1000, 4000)
        Numbers of calibration samples. If fewer than 150 samples would remain for the test, there is no run with this
        number.
    predictions : sequence of path-like, default=()
        Files NAME.npz with your own predictions: arrays `proba` or `probabilities`, and `y` or `labels`. They are read
        with ``allow_pickle=False``.
    scores : path-like, default=None
        Folder with files NAME.scores.npy (logits) and NAME.targets.npy (classes). They are used only if `datasets`
        contains "scores" or "all".
    data_home : path-like, default=None
        Folder with raw files; see :func:`skconf.datasets.fetch_uci`. Nothing is downloaded.
    results : path-like, default=None
        Folder to keep results in. After an interruption, the same call continues from these results. None keeps
        nothing.
    random_state : int, default=0
        Seed of the generated data, of the models, and of the draws of calibration and test samples.
    n_jobs : int, default=None
        Number of processes. -1 uses all cores. Each process has one thread.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame
        A row for each run and calibrator. Its columns are `data`, `model`, `group`, `n_classes`, `n` (calibration
        samples), `n_test`, `calibrator` and `package`; the losses `brier`, `log_loss`, `smooth_ece`, `cw_error` (1 −
        confidence-weighted accuracy), `aurc` and `ecuas`; `fit_seconds` and `predict_seconds`; and `failure`, the
        reason why there are no values, or "". `csr` is the calibrated size ratio, `zscore` its difference from 1 in
        standard deviations, and `overconfidence_risk` the risk of overconfidence. These three columns use only the
        first `n_tail` test samples. `n_tail` is the smaller of `n` and `n_test`.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a name is unknown, or a file does not hold predictions.

    See Also
    --------
    skconf.calibration.PooledCalibrator : The calibrator that the others are compared with.

    Examples
    --------
    >>> from skconf.experiments import arena_experiment
    >>> runs = arena_experiment(["breast_cancer"], calibrators=["pooled", "none"], only_models=["forest"], sizes=[200])
    >>> runs[["data", "model", "n", "calibrator"]]
                data   model    n calibrator
    0  breast_cancer  forest  200     pooled
    1  breast_cancer  forest  200       none
    """
    contestants = find_contestants(calibrators)
    known = [*GROUPS, *sources(0, data_home)]
    for name in datasets:
        check_option(name, "dataset", known)
    chosen = list(models()) if only_models is None else list(only_models)
    for name in chosen:
        check_option(name, "model", models())
    for size in sizes:
        check_whole(size, "sizes", 2)
    check_whole(random_state, "random_state", 0)
    every = [own_predictions(path) for path in predictions]
    if twice := [name for name, count in Counter(each.data for each in every).items() if count > 1]:
        raise ValueError(f"several files of predictions are called {shorten(twice)}. Rename all but one.")
    sizes = list(dict.fromkeys(sizes))
    every += find_predictions(datasets, chosen, random_state, data_home, scores)
    if not every:
        raise ValueError(f"there are no predictions for the data sets {list(datasets)}. Name data sets or files.")
    folder = results_folder(results)
    prepare_results(folder)
    tasks = [delayed(_compete)(_Bout(each, random_state), contestants, sizes, folder) for each in every]
    rows = run_parallel(tasks, "calibrating", n_jobs=n_jobs, quiet=not progress)
    return pd.DataFrame([row for of_model in rows for row in of_model])


@dataclass(frozen=True)
class _Bout:
    """The predictions of a model, and the seed that draws calibration and test samples from them."""

    predictions: Predictions
    seed: int

    @cached_property
    def loaded(self) -> tuple[Floats, Codes]:
        """Return probabilities and classes. The model is trained only if it is needed."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model that has not converged can be calibrated, too
            return self.predictions.load()

    def outcome(self, size: int, contestant: Contestant) -> dict[str, Any]:
        """Return the results of a calibrator with this many calibration samples, or why it failed."""
        proba, codes = self.loaded
        n_classes, n_test = proba.shape[1], min(len(codes) - size, _MOST_TESTED)
        if n_test < _FEWEST_TESTED or n_classes > (contestant.most_classes or n_classes):
            return {"takes_part": False}
        order = np.random.default_rng([self.seed, size, len(codes)]).permutation(len(codes))
        fit, test = order[:size], order[size : size + n_test]
        outcome: dict[str, Any] = {"n_classes": n_classes, "n_test": n_test, "failure": ""}
        try:
            answer, to_fit, to_predict = contestant.answer(proba[fit], codes[fit], proba[test])
        except Exception as error:  # noqa: BLE001 – a calibrator may raise any error, and the others continue
            return outcome | {"failure": f"{type(error).__name__}: {error}"[:200]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about undefined metrics
            measured = _measured(answer, codes[test], min(size, n_test))
        return outcome | measured | {"fit_seconds": to_fit, "predict_seconds": to_predict}

    def kept(self, folder: Path | None) -> KeptResult:
        """Return the file in which the outcomes are kept."""
        whose = self.predictions
        return KeptResult.of(
            folder, f"{whose.data}-{whose.model}", [whose.data, whose.model, whose.key, self.seed, _CODE]
        )


def _compete(
    bout: _Bout, contestants: Sequence[Contestant], sizes: Sequence[int], folder: Path | None
) -> list[dict[str, Any]]:
    """Return the results for a model: a row for each number of calibration samples and each calibrator."""
    whose, kept, rows = bout.predictions, bout.kept(folder), []
    of_model = {"data": whose.data, "model": whose.model, "group": whose.group}
    with threadpool_limits(limits=1):
        outcomes = kept.load(dict) or {}
        for size in sizes:
            for contestant in contestants:
                key = (size, contestant.name, contestant.version)
                if outcomes.get(key, {"failure": "unknown"}).get("failure"):  # a failed calibrator is tried again
                    outcomes[key] = bout.outcome(size, contestant)
                    kept.save(outcomes)
                if outcomes[key].get("takes_part", True):
                    run = dict(zip(("n", "calibrator", "version"), key, strict=True))
                    rows.append({**of_model, "package": contestant.package, **run, **outcomes[key]})
    return rows


def _measured(proba: Floats, codes: Codes, n_tail: int) -> dict[str, Any]:
    """Return the losses on all test samples, and the size ratio on the first `n_tail` of them."""
    labels = np.arange(proba.shape[1])
    profile = ConfidenceProfile.from_predictions(codes, proba, labels=labels)
    tail = ConfidenceProfile.from_predictions(codes[:n_tail], proba[:n_tail], labels=labels)
    given = proba[np.arange(len(codes)), codes]
    return {
        "brier": float(np.mean(np.square(proba).sum(axis=1) - 2 * given + 1)),
        "log_loss": float(-np.log(np.maximum(given, _EPS)).mean()),
        "smooth_ece": smooth_calibration_error(profile),
        "cw_error": 1 - cw_accuracy_score(profile),
        "aurc": aurc_loss(profile),
        "ecuas": ecuas_loss(profile),
        "n_tail": n_tail,
        "csr": calibrated_size_ratio(tail),
        "zscore": calibrated_size_ratio_zscore(tail),
        "overconfidence_risk": overconfidence_risk(tail),
    }
