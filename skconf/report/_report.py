"""The reports: metrics in rows, for one model or several, and classes in rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.estimators import takes_no_estimator
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice, warn_each
from skconf.inference._intervals import check_confidence_level, intervals
from skconf.inference._sampling import Sampling
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile, as_profile
from skconf.report._frame import BETWEEN, OF_THE_METRIC, ConfidenceReport, ends_of
from skconf.report._marks import NOT_COMPARED, NOT_SHOWN, Marks, mark_best
from skconf.report._rows import Row, rows_of
from skconf.report._verdicts import verdicts_on

_BY_CLASS = ("cw_precision", "cw_recall", "cw_f1", "cprecision", "crecall", "cf1")


@takes_no_estimator()
def confidence_report(
    y_true: ArrayLike | ConfidenceProfile | Mapping[Any, ConfidenceProfile],
    y_proba: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    metrics: Iterable[Any] | str | None = None,
    threshold: float | None = None,
    confidence_level: float | None = None,
    baseline: Any = None,
    random_state: Any = None,
) -> ConfidenceReport:
    """Evaluate a classifier's confidences: a row for each metric, and a verdict on the confidences.

    All metrics share one validation and one sort. Several models are shown side by side, with a star if a paired
    difference shows one to be better than a baseline.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfidenceProfile, or mapping of str to ConfidenceProfile
        True labels; or a profile, which holds all predictions; or one for each model.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,), or mapping of str to such
        Probabilities in the order of `labels`; in a binary task a single column is the probability of `pos_label`.
        For several models, as in ``{"raw": ..., "isotonic": ...}``.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted labels, of every model, if they are not the first maximum of the probabilities.
    labels : array-like of shape (n_classes,), default=None
        Labels of the columns. None stands for the sorted labels of `y_true`, if there are as many.
    pos_label : label, default=None
        Positive class of a binary task. None stands for the second label.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; each metric documents how it uses them.
    metrics : list or mapping of callable, str, scorer or pair (name, parameters); "all" or None, default=None
        Metrics, named as in :func:`skconf.inference.confidence_interval`: a function or its name; or a scorer or its
        name, of skconf or of scikit-learn, which gives scores, so that greater is better. None stands for the fast ones
        that most users need, "all" for every one that is a number. Both leave out metrics that these predictions do
        not allow, such as a metric of all classes if only correctness is known.
    threshold : float, default=None
        Lowest score at which a prediction is accepted, in [0, 1]; infinity accepts nothing. None stands for that of the
        selective classifier that a profile came from; if there is none, ``metrics=None`` leaves out metrics of a
        threshold.
    confidence_level : float, default=None
        Level of confidence intervals, between 0 and 1, as in :func:`skconf.inference.confidence_interval`. None leaves
        them out.
    baseline : model, default=None
        The model that the others are compared with, if there are several. None stands for the first.
    random_state : int, Generator or None, default=None
        Seed of the resamples that the intervals of some metrics need.

    Returns
    -------
    ConfidenceReport
        A DataFrame with the names of the metrics as index and the columns

        - ``value`` : the metric; for several models, a column for each, under its name;
        - ``low``, ``high`` : ends of its interval, with a `confidence_level`; for several models with the name before
          them, as in ``raw low``. NaN for a threshold and a risk, which are not estimates;
        - ``best`` : the best possible value, NaN if a value is neither good nor bad;
        - ``better`` : "higher", "lower", or "closer" to the best value;
        - ``range`` : interval of possible values;
        - ``best_model``, for several models only: the models that are better than the baseline, with " | " between
          them, or the baseline if all others are worse, by paired differences that are significant at the 5 % level
          after Holm's adjustment over the rows shown; else "no difference shown", or "not compared" if predictions are
          of different samples, or too many to resample (20,000);
        - ``verdict`` : the verdict of :func:`skconf.inference.assess_confidence`, in the first row about confidences
          that are too high or too low; for several models one for each, with " | " between them.

        A row has the name of its function or scorer, with the parameters in brackets. With ``metrics=None``, metrics of
        classes are averaged over the classes, as in ``cf1_score(average='macro')``. Three rows are not metrics of
        skconf: ``accuracy_score`` is scikit-learn's, and counts rejected predictions as errors; ``mean_confidence`` and
        ``threshold`` are the values of that name.

    Raises
    ------
    ValueError
        If predictions are invalid, as for every metric; there is no such metric (the message has close matches), or it
        is not a number; a model has the name of another column; or `confidence_level` is invalid.
    TypeError
        If predictions are missing, or given together with a profile that holds them.

    Warns
    -----
    UndefinedMetricWarning
        If a value is undefined and NaN.

    See Also
    --------
    confidence_report_by_class : A row for each class.
    skconf.inference.compare : Whether two models differ by more than chance.
    skconf.ConfidenceProfile.from_estimator : The predictions of a fitted classifier, with its threshold.

    Notes
    -----
    The verdict says "too sure" or "too modest", overall, at the top or in part, with counts and an interval, if that is
    significant; "no sign", with the gap that such a sample would have shown; or that the sample is too small. There is
    one verdict for each model, whichever row shows it: see :func:`skconf.inference.assess_confidence`.

    Models are compared as by :func:`skconf.inference.compare`, by their distance from the best value. Without a star,
    do not rely on a smaller loss: with other samples it may well be larger.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Section 2.1 and Table 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skconf import ConfidenceProfile, SelectiveClassifier
    >>> from skconf import confidence_report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> model = SelectiveClassifier(GaussianNB(), threshold=0.9).fit(X_train, y_train)
    >>> raw = ConfidenceProfile.from_estimator(model, X_test, y_test)
    >>> confidence_report(raw)
    metric                           value best  better  range
    accuracy_score                  0.9301    1  higher  [0, 1]
    mean_confidence                 0.9947               [0, 1]
    calibrated_size_ratio      15,906.0059    1  closer  [0, ∞]
    calibrated_size_ratio_std     750.4536               [0, ∞]
    overconfidence_risk             1.0000    0  lower   [0, 1]
    expected_calibration_error      0.0637    0  lower   [0, 1]
    confidence_brier_loss           0.0612    0  lower   [0, 1]
    confidence_log_loss             0.4074    0  lower   [0, ∞]
    cw_accuracy_score               0.9383    1  higher  [0, 1]
    confidence_gain                 0.0201    1  higher  [−∞, 1]
    cf1_score(average='macro')      0.9302    1  higher  [0, 1]
    aurc_loss                       0.0052    0  lower   [0, 1]
    ecuas_loss                      0.7288    0  lower   [0, ∞]
    threshold                       0.9000               [0, ∞]
    coverage_score                  0.9930    1  higher  [0, 1]
    selective_accuracy_score        0.9366    1  higher  [0, 1]
    cwsa_score                      0.8827    1  higher  [−1, 1]
    cwsa_plus_score                 0.9301    1  higher  [0, 1]
    <BLANKLINE>
    Too sure: says 99.5 %, is right in 93.7 % [88.4, 97.1]; 9 wrong, .8 announced.

    Two models side by side:

    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> discriminant = LinearDiscriminantAnalysis(solver="lsqr").fit(X_train, y_train)
    >>> report = confidence_report(
    ...     y_test,
    ...     {"bayes": model.predict_proba(X_test), "lda": discriminant.predict_proba(X_test)},
    ...     metrics=["accuracy_score", "calibrated_size_ratio", "aurc_loss"],
    ... )
    >>> report
    metric                      bayes    lda best  better  range
    accuracy_score             0.9371 0.9720    1  higher  [0, 1]
    calibrated_size_ratio 15,906.0059 0.3953    1  closer  [0, ∞]
    aurc_loss                  0.0052 0.0029    0  lower   [0, 1]
    <BLANKLINE>
    * better than bayes (at bayes: than all others) by paired differences, p <= 0.05
      after Holm's adjustment for 3 comparisons. No star: no difference is shown.
    bayes: Too sure: says 99.5 %, is right in 93.7 % [88.4, 97.1]; 9 wrong, .8
      announced.
    lda: No sign of either. The gap is −.3 points [−2.3, 3.9]; one of 3.8 would have
      been found in four of five such samples. At the top the sample is too small: a
      size ratio of 20.8 could be missed.
    >>> report.at["aurc_loss", "best_model"]
    'no difference shown'
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profiles = _profiles(y_true, y_proba, **given)
    if threshold is not None:
        get_metric("coverage_score", threshold=threshold)  # raises if it is out of range
        profiles = {model: replace(profile, threshold=threshold) for model, profile in profiles.items()}
    if confidence_level is not None:
        check_confidence_level(confidence_level)
    rows = rows_of(metrics, has_threshold=any(profile.threshold is not None for profile in profiles.values()))
    rows, values = _evaluate(rows, profiles, keep_all=metrics is not None and not isinstance(metrics, str))
    by_model = dict(zip(profiles, map(list, zip(*values, strict=True)), strict=True))
    ends = {}
    if confidence_level is not None:
        ends = {
            model: _intervals(rows, by_model[model], profile, confidence_level, random_state)
            for model, profile in profiles.items()
        }
    verdicts = verdicts_on([row.name for row in rows], profiles.values())
    marks = None
    if isinstance(y_true, Mapping) or isinstance(y_proba, Mapping):
        marks = mark_best(rows, profiles, _baseline(baseline, profiles))
    elif baseline is not None:
        raise ValueError(f"baseline={baseline!r} is for several models, given as mappings. Leave it out.")
    return lay_out(rows, by_model, verdicts, ends, marks)


def lay_out(
    rows: Sequence[Row],
    values: Mapping[Any, Sequence[float]],
    verdicts: Sequence[Sequence[str]],
    ends: Mapping[Any, Floats],
    marks: Marks | None,
) -> ConfidenceReport:
    """Return a report on one model or several.

    Parameters
    ----------
    rows : sequence of Row
        The rows of the report.
    values : mapping of model to sequence of float
        The values of each model, by row.
    verdicts : sequence of sequence of str
        The verdict on each model in each row; "" if there is none.
    ends : mapping of model to ndarray of shape (n_rows, 2)
        Ends of intervals, if there are any.
    marks : Marks or None
        The best model by row, for several models; None for a single one.
    """
    frame = pd.DataFrame(index=pd.Index([row.name for row in rows], name="metric"))
    for model, found in values.items():
        frame[model] = found
        if model in ends:
            frame[list(("low", "high") if marks is None else ends_of(model))] = ends[model]
    frame["best"] = [row.best for row in rows]
    frame["better"] = [row.better for row in rows]
    frame["range"] = pd.arrays.IntervalArray.from_tuples([row.bounds for row in rows], closed="both")
    if marks is not None:
        frame["best_model"] = marks.best
        models = list(map(str, values))
        verdicts = [[f"{model}: {each}" for model, each in zip(models, row, strict=True) if each] for row in verdicts]
    frame["verdict"] = [BETWEEN.join(row) for row in verdicts]
    report = ConfidenceReport(frame)
    report.attrs["marks"] = "" if marks is None else marks.note
    return report


@takes_no_estimator()
def confidence_report_by_class(
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: Any = "warn",
) -> ConfidenceReport:
    """Report the confidence in each class, as scikit-learn's ``classification_report`` does counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfidenceProfile
        True labels; or a profile, which holds all predictions.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities in the order of `labels`; in a binary task a single column is the probability of `pos_label`.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted labels, if they are not the first maximum of the probabilities.
    labels : array-like of shape (n_classes,), default=None
        Labels of the columns. None stands for the sorted labels of `y_true`, if there are as many.
    pos_label : label, default=None
        The class of a single column of probabilities. None stands for the second label.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights: a sample of weight 2 counts as two.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value of 0/0. "warn" means 0 with a warning.

    Returns
    -------
    ConfidenceReport
        A DataFrame with the classes as index and the columns

        - ``cw_precision``, ``cw_recall``, ``cw_f1`` : of the predicted classes, weighted by confidence;
        - ``cprecision``, ``crecall``, ``cf1`` : of the probability given to the class, predicted or not;
        - ``ece`` : expected calibration error of that probability, lower is better;
        - ``support`` : number of samples of the class, or their weight.

        All but the last are in [0, 1]; for the first six, higher is better.

    Raises
    ------
    ValueError
        If the predictions are invalid, as for every metric, or a profile has no classes.
    TypeError
        If predictions are missing, or given together with a profile that holds them.

    See Also
    --------
    confidence_report : A row for each metric.

    Examples
    --------
    >>> from skconf import confidence_report_by_class
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]
    >>> confidence_report_by_class(y_true, y_proba)
    class cw_precision cw_recall  cw_f1 cprecision crecall    cf1    ece support
    cat         0.5385    1.0000 0.7000     0.4375  0.7000 0.5385 0.3000       1
    dog         1.0000    0.5714 0.7273     0.7059  0.6000 0.6486 0.3250       2
    fox         1.0000    1.0000 1.0000     0.7143  0.5000 0.5882 0.1750       1
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("A report", y_true, y_proba, **given)
    frame = pd.DataFrame(index=pd.Index(profile.require("classes"), name="class"))
    for stem in _BY_CLASS:
        frame[stem] = get_metric(f"{stem}_score", average=None, zero_division=zero_division)(profile)
    frame["ece"] = [_one_against_the_rest(profile, position) for position in range(len(frame))]
    frame["support"] = np.bincount(profile.require("true_class"), profile.given_weight, len(frame))
    return ConfidenceReport(frame)


def _one_against_the_rest(profile: ConfidenceProfile, position: int) -> float:
    """Return the calibration error of the probability of one class."""
    # The check of the input tolerates rounding errors above 1 or below 0.
    sure = np.clip(profile.proba[:, position].astype(np.float64), 0.0, 1.0)
    present = profile.require("true_class") == position
    found = ConfidenceProfile.from_correctness(present, sure, sample_weight=profile.sample_weight)
    return float(get_metric("expected_calibration_error")(found))


def _profiles(y_true: Any, y_proba: Any, **given: Any) -> dict[Any, ConfidenceProfile]:
    """Return the predictions of every model; those of a single one under the name of its column."""
    if isinstance(y_true, Mapping):
        predictions = {model: (held, y_proba) for model, held in y_true.items()}
    elif isinstance(y_proba, Mapping):
        predictions = {model: (y_true, proba) for model, proba in y_proba.items()}
    else:
        return {"value": as_profile("A report", y_true, y_proba, **given)}
    if not predictions:
        raise ValueError("There is no model to report on: the mapping is empty.")
    check_names(predictions)
    profiles = {}
    for model, (truth, proba) in predictions.items():
        try:
            profiles[model] = as_profile("A report", truth, proba, **given)
        except (TypeError, ValueError) as error:
            error.add_note(f"The error is in the predictions of the model {model!r}.")
            raise
    return profiles


def _baseline(given: Any, profiles: Mapping[Any, ConfidenceProfile]) -> Any:
    """Return the model that the others are compared with."""
    if given is None:
        return next(iter(profiles))
    if given not in profiles:
        raise ValueError(f"baseline={given!r} is not among the models {list(profiles)}.")
    return given


def check_names(models: Iterable[Any]) -> None:
    """Raise if a model has the name of another column of the report."""
    models = list(models)
    taken = {*OF_THE_METRIC, NOT_SHOWN, NOT_COMPARED, *(end for model in models for end in ends_of(model))}
    for model in models:
        if model in taken:
            raise ValueError(f"A model is named {model!r}, like another column of the report. Rename it.")


def _evaluate(
    rows: list[Row], profiles: Mapping[Any, ConfidenceProfile], keep_all: bool
) -> tuple[list[Row], list[list[float]]]:
    """Return the rows that some model allows, or all, and their values by model; NaN for a model that does not."""
    kept, values = [], []
    for row in rows:
        found: list[float] = []
        reasons: list[str] = []
        notices: list[Notice] = []
        for profile in profiles.values():
            try:
                value, said = row.evaluate(profile)
                found.append(value)
                notices += said
            except ValueError as error:
                found.append(np.nan)
                reasons.append(str(error))
        if keep_all or len(reasons) < len(profiles):
            texts = (f"{row.name} is undefined here and is NaN: {reason}" for reason in reasons)
            warn_each([*notices, *(Notice(text, UndefinedMetricWarning) for text in texts)])
            kept.append(row)
            values.append(found)
    return kept, values


def _intervals(
    rows: Sequence[Row], values: Sequence[float], profile: ConfidenceProfile, confidence_level: float, random_state: Any
) -> Floats:
    """Return the ends of the interval of every row, NaN if there is none."""
    ends = np.full((len(rows), 2), np.nan)
    kept = [k for k, row in enumerate(rows) if row.metric.is_estimate and not np.isnan(values[k])]
    found, notices = intervals(
        [rows[k] for k in kept],
        [values[k] for k in kept],
        profile,
        Sampling(len(profile), sample_weight=profile.sample_weight),
        confidence_level=confidence_level,
        method="auto",
        resampling={"n_resamples": 1000, "random_state": random_state},
    )
    warn_each(notices)
    ends[kept] = [(interval.low, interval.high) for interval in found]
    return ends
