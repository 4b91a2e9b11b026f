"""The ECUAS paper's classification experiments, from files of scores."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from scipy.special import entr
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from skconf._core.checks import check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.probabilities import SMALLEST, Floats
from skconf._core.progress import run_parallel
from skconf._core.warn import collected
from skconf.calibration import make_calibrator
from skconf.experiments._ecuas.files import Arrays, systems_of
from skconf.experiments._shared.printed import HALF_DIGIT, compare_with_paper, figures_of, printed_table
from skconf.metrics import get_metric
from skconf.profile import ConfidenceProfile

_SCORES = ("raw", "cal")
_ORDERS = (0, 1, 128)
_ECUAS = {f"n_ecuas_{n}": get_metric("ecuas_loss", n=n, normalize=True) for n in _ORDERS}
_PLAIN = {
    "ece10": get_metric("expected_calibration_error", n_bins=10),
    "auc_confidence": get_metric("confidence_roc_auc_score"),
    "aurc": get_metric("aurc_loss"),
}
_ACCURACY = get_metric("selective_accuracy_score", threshold=0.0)
_LOG_LOSS = get_metric("confidence_log_loss")
_BRIER = get_metric("confidence_brier_loss")

#: The precision of the paper's values in float32. Its AURC is integrated by trapezoids, with ties in the order of
#: rows.
_FLOAT32 = 1e-4
_TRAPEZOID = 2e-4
#: Quantities that depend on the order or the logarithm of confidences that float32 rounds to 1.
_READS_SATURATED = ("auc_confidence", "n_cross_entropy_confidence", "aurc", "n_ecuas_0")
_SATURATED_NOTE = "float32, which the paper used, rounds confidences of errors to 1"


def ecuas_experiment(
    folder: str | PathLike[str] | Mapping[str, Arrays],
    *,
    scores: Sequence[str] = _SCORES,
    n_repetitions: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Rerun the ECUAS paper's classification systems, and compare with its Table 3.

    Parameters
    ----------
    folder : path-like, or mapping of str to (scores, targets)
        Folder with NAME.scores.npy and NAME.targets.npy, or with NAME/scores.npy and NAME/targets.npy, like the files
        of the paper in the repository luferrer/expected_cost. Scores are logits or log-probabilities of shape
        (n_samples, n_classes). Targets are the true classes, as whole numbers from 0 to n_classes − 1. The answer is
        the most probable class. If the folder has no arrays, its tables of predictions are read, except
        `validation.csv`. These tables need the true label and a probability for each class, like the tables that
        `experiment csr --save-predictions` writes. Or pass a mapping with the arrays of each system.
    scores : sequence of {"raw", "cal"}, default=("raw", "cal")
        "raw" uses the probabilities as they are. "cal" uses calibrated probabilities: an affine map of the logarithms
        is fitted by cross-validation with five folds.
    n_repetitions : int, default=5
        Number of repetitions of the calibration, 2 or more. Each repetition has its own folds. The paper has one
        repetition.
    random_state : int, default=0
        Seed of the folds.
    n_jobs : int, default=None
        Processes; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 8)
        A row for each `system`, `scores` and `quantity`, with `ours`, `paper`, `standard_error`, `deviation` and `note`
        as in :func:`csr_synthetic_experiment`. With `scores` "raw", nothing is drawn at random, so the standard error
        is 0. The deviation is then 0 if ours and the printed value differ by at most 1e-4 (`aurc`: 2e-4), which float32
        can explain, and infinite if they differ by more. If the name of a quantity begins with `n_`, the value is
        divided by the value of a reference system. For `n_cross_entropy_confidence` and `n_brier_confidence`, the
        reference system only knows the accuracy. For all others, it only knows the class frequencies.
        `n_brier_confidence` is twice the ratio, as in the paper.

    Raises
    ------
    FileNotFoundError
        If there are no scores.
    ValueError
        If no system can be read, or if scores and targets of a mapping do not match.

    Warns
    -----
    UserWarning
        If a system cannot be read. It is left out.

    See Also
    --------
    ecuas_sampling_experiment : The same systems, with answers drawn at several temperatures.
    count_agreement : How many cells agree within sampling error.

    References
    ----------
    .. [1] L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled
       evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026, Section 4.1 and appendix B.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from skconf.experiments import ecuas_experiment
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "mine.scores.npy", np.log([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]))
    ...     np.save(Path(folder) / "mine.targets.npy", [0, 1, 1, 0])
    ...     cells = ecuas_experiment(folder, scores=["raw"])
    >>> cells.set_index("quantity")["ours"].loc[["n_error_rate", "n_ecuas_1"]]
    quantity
    n_error_rate    1.0
    n_ecuas_1       0.9
    Name: ours, dtype: float64
    """
    for given in scores:
        check_option(given, "scores", _SCORES)
    check_whole(n_repetitions, "n_repetitions", 2)
    systems = systems_of(folder)
    jobs = [
        (name, given, repetition)
        for name in systems
        for given in scores
        for repetition in range(n_repetitions if given == "cal" else 1)
    ]
    tasks = [
        delayed(_figures)(*systems[name], [random_state, repetition] if given == "cal" else None)
        for name, given, repetition in jobs
    ]
    values = run_parallel(tasks, "calibrating", n_jobs=n_jobs, quiet=not progress)
    table = pd.DataFrame(values, index=pd.MultiIndex.from_tuples(jobs, names=["system", "scores", "repetition"]))
    by_system = table.groupby(["system", "scores"], sort=False)
    cells = figures_of(by_system.mean().reset_index(), ["system", "scores"]).rename(columns={"paper": "ours"})
    cells["spread"] = figures_of(by_system.std().reset_index(), ["system", "scores"])["paper"].fillna(0.0)
    printed = figures_of(printed_table("ecuas_table3"), ["system", "scores"])
    raw = cells["scores"] == "raw"
    cells["resolution"] = np.where(raw, np.where(cells["quantity"] == "aurc", _TRAPEZOID, _FLOAT32), HALF_DIGIT)
    saturated = {name for name, system in systems.items() if _is_saturated(*system)}
    noted = raw & cells["system"].isin(saturated) & cells["quantity"].isin(_READS_SATURATED)
    cells["note"] = np.where(noted, _SATURATED_NOTE, "")
    return compare_with_paper(cells.merge(printed, how="left"), n_repetitions)


def ecuas_sampling_experiment(
    folder: str | PathLike[str] | Mapping[str, Arrays],
    *,
    temperatures: Sequence[float] = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0),
    n_repetitions: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Make answers worse while confidences remain calibrated: the ECUAS paper's appendix B.1.

    The answer is drawn from the calibrated probabilities at a temperature. Its confidence is its calibrated
    probability, without the temperature. Temperature 0 gives the most probable class. In the paper, a picture without
    numbers shows that the cost rises with the temperature.

    Parameters
    ----------
    folder : path-like, or mapping of str to (scores, targets)
        As for :func:`ecuas_experiment`.
    temperatures : sequence of float, default=(0, 0.5, 1, 2, 4, 8)
        Temperatures, 0 or greater.
    n_repetitions : int, default=5
        How often the answers are drawn. The results are means over these repetitions.
    random_state : int, default=0
        Seed of the folds and of the drawn answers.
    n_jobs : int, default=None
        Processes; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame of shape (n_systems * n_temperatures, 6)
        A row for each `system` and `temperature`: the means of `error_rate`, `n_ecuas_0`, `n_ecuas_1` and
        `n_ecuas_128`.

    Raises
    ------
    FileNotFoundError
        If there are no scores.
    ValueError
        If no system can be read, scores and targets of a mapping do not match, or a temperature is negative.

    Warns
    -----
    UserWarning
        If a system cannot be read. It is left out.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from skconf.experiments import ecuas_sampling_experiment
    >>> rng = np.random.default_rng(0)
    >>> targets = rng.integers(3, size=300)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "mine.scores.npy", 3 * np.eye(3)[targets] + rng.normal(size=(300, 3)))
    ...     np.save(Path(folder) / "mine.targets.npy", targets)
    ...     table = ecuas_sampling_experiment(folder, temperatures=[0, 4])
    >>> bool(table["n_ecuas_0"].is_monotonic_increasing)
    True
    """
    if min(temperatures) < 0:
        raise ValueError(f"temperatures must be 0 or greater, but one is {min(temperatures)}.")
    check_whole(n_repetitions, "n_repetitions")
    systems = systems_of(folder)
    tasks = [delayed(_sampled)(*system, temperatures, n_repetitions, random_state) for system in systems.values()]
    tables = run_parallel(tasks, "sampling answers", n_jobs=n_jobs, quiet=not progress)
    return pd.concat(dict(zip(systems, tables, strict=True)), names=["system", "temperature"]).reset_index()


def _profile(y: Codes, proba: Floats, **given: Any) -> ConfidenceProfile:
    return ConfidenceProfile.from_predictions(y, proba, labels=np.arange(proba.shape[1]), **given)


def _is_saturated(y: Codes, proba: Floats) -> bool:
    profile = _profile(y, proba)
    return bool((profile.confidence.astype(np.float32)[~profile.correct] == 1).any())


def _calibrated(y: Codes, proba: Floats, seed: Any) -> Floats:
    """Return probabilities calibrated in five folds, each by a calibrator fitted to the other four."""
    out, labels = np.empty_like(proba), np.arange(proba.shape[1])
    folds = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(seed))
    for train, test in folds.split(proba, y):
        out[test] = make_calibrator("affine").fit(proba[train], y[train], labels=labels).predict_proba(proba[test])
    return out


def _figures(y: Codes, proba: Floats, seed: Any) -> dict[str, float]:
    """Return the columns of Table 3. If a seed is given, calibrate first; the seed determines the folds."""
    if seed is not None:
        proba = _calibrated(y, proba, seed)
    profile = _profile(y, proba)
    labels = np.arange(proba.shape[1])
    frequency = np.bincount(y, minlength=len(labels)) / len(y)
    accuracy = _ACCURACY(profile)
    error = 1 - accuracy
    brier = float(np.mean((proba**2).sum(axis=1) - 2 * proba[np.arange(len(y)), y] + 1))
    return {
        "n_error_rate": error / (1 - frequency.max()),
        "n_cross_entropy_confidence": _LOG_LOSS(profile) / float(entr([accuracy, error]).sum()),
        # Twice the normalised Brier loss, as the paper prints it.
        "n_brier_confidence": 2 * _BRIER(profile) / (accuracy * error),
        "n_cross_entropy": log_loss(y, proba, labels=labels) / float(entr(frequency).sum()),
        "n_brier": brier / (1 - float((frequency**2).sum())),
        **{name: metric(profile) for name, metric in (_PLAIN | _ECUAS).items()},
    }


def _sampled(y: Codes, proba: Floats, temperatures: Sequence[float], n_repetitions: int, seed: int) -> pd.DataFrame:
    """Return mean costs of answers drawn at each temperature."""
    proba = _calibrated(y, proba, seed)
    rng = np.random.default_rng(seed)
    logarithm = np.log(np.maximum(proba, SMALLEST))
    rows = []
    for _ in range(n_repetitions):
        # With Gumbel noise G, the largest of log p + t G is a draw from softmax(log p / t): one noise serves all t.
        noise = rng.gumbel(size=proba.shape)
        for temperature in temperatures:
            profile = _profile(y, proba, y_pred=(logarithm + temperature * noise).argmax(axis=1))
            with collected():  # answers with less confidence than a guess are intended here
                costs = {name: metric(profile) for name, metric in _ECUAS.items()}
            rows.append({"temperature": temperature, "error_rate": 1 - _ACCURACY(profile)} | costs)
    return pd.DataFrame(rows).groupby("temperature", sort=False).mean()
