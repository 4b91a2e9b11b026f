"""The report: metrics in rows, for one model or several."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.estimators import takes_no_estimator
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice, warn_each
from skconf.inference._intervals import check_confidence_level
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile, as_profile
from skconf.report._evidence.comparison import NOT_COMPARED, NOT_SHOWN
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.rows import JUDGED, Row, is_chosen, rows_of
from skconf.report._evidence.slices import Slices, read_slices
from skconf.report._frame import BETWEEN, OF_THE_METRIC, ConfidenceReport, ends_of
from skconf.report._sections.all_metrics import interval_ends
from skconf.report._sections.words import words_of


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
    slices: Any = None,
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
        selective classifier that a profile came from; if some model has none, ``metrics=None`` leaves out metrics of a
        threshold.
    confidence_level : float, default=None
        Level of confidence intervals, between 0 and 1, as in :func:`skconf.inference.confidence_interval`. None leaves
        them out.
    baseline : model, default=None
        The model that the others are compared with, if there are several. None stands for the first.
    slices : DataFrame, or mapping of str to array-like of shape (n_samples,), default=None
        Columns by which to look where it fails, such as a region, a device, a day or an age: the page shows all slices
        of all columns, worst first, and names those that are too sure by more than chance. More than 12 numbers or 31
        days are cut into quarters of the rows, as "age 37 to 52"; of more than 50 texts the most frequent ones are
        slices, and all others together. Missing values are a slice. Pass codes that only look like numbers as texts.
        For metrics by group, see :func:`skconf.inference.by_group`.
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
        is not a number; a model has the name of another column; `confidence_level` is invalid; or `slices` has no
        column, or one of another length, or with nearly a text for each row.
    TypeError
        If predictions are missing, or given together with a profile that holds them; or `slices` has no names.

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

    In each slice the number of errors is compared with its exact distribution if confidences are right, and p-values
    are adjusted by Holm's method for all slices of a model: of calibrated classifiers, no more than one in twenty has a
    slice that is called too sure. Unequal weights need 30 announced errors in a slice, whose gap is then taken to be
    normal. Rows must be independent, or in groups, such as labels of a multilabel task: groups with several answers in
    a slice, and graded answers, have a t test of the gap.

    Profiles of graded answers, of answers in groups and of costs answer the same questions. Intervals are then those of
    means over groups, or answers. Thresholds are assured for groups of which one answer each is taken, and for graded
    answers that are drawn once as right or wrong; costs have no bound, and so neither assured thresholds nor p-values
    of slices. Labels of a multilabel task stand worst first.

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
      after Holm's adjustment for 2 comparisons. No star: no difference is shown; not
      compared: calibrated_size_ratio.
    bayes: Too sure: says 99.5 %, is right in 93.7 % [88.4, 97.1]; 9 wrong, .8
      announced.
    lda: No sign that it is too sure or too modest. The gap is −.3 points [−2.3, 3.9]; one of 3.8 would have
      been found in four of five such samples. At the top the sample is too small: a
      size ratio of 20.8 could be missed.
    >>> report.at["aurc_loss", "best_model"]
    'no difference shown'
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profiles = _profiles(y_true, y_proba, **given)
    several = isinstance(y_true, Mapping) or isinstance(y_proba, Mapping)
    if baseline is not None and not several:
        raise ValueError(f"baseline={baseline!r} is for several models, given as mappings. Leave it out.")
    return report_on(
        profiles,
        several=several,
        metrics=metrics,
        threshold=threshold,
        confidence_level=confidence_level,
        baseline=_baseline(baseline, profiles) if several else None,
        random_state=random_state,
        slices={} if slices is None else _slices(slices, profiles),
    )


def report_on(
    profiles: Mapping[Any, ConfidenceProfile],
    *,
    several: bool,
    metrics: Any = None,
    threshold: float | None = None,
    confidence_level: float | None = None,
    baseline: Any = None,
    random_state: Any = None,
    **about: Any,
) -> ConfidenceReport:
    """Return the report on predictions; `about` are further attributes of its evidence."""
    if threshold is not None:
        get_metric("coverage_score", threshold=threshold)  # raises if it is out of range
        profiles = {model: replace(profile, threshold=threshold) for model, profile in profiles.items()}
    if confidence_level is not None:
        check_confidence_level(confidence_level)
    rows = rows_of(metrics, has_threshold=all(profile.threshold is not None for profile in profiles.values()))
    rows, values = _evaluate(rows, profiles, keep_all=is_chosen(metrics))
    evidence = Evidence(
        rows=rows,
        values=dict(zip(profiles, map(list, zip(*values, strict=True)), strict=True)),
        profiles=profiles,
        chosen=is_chosen(metrics),
        several=several,
        baseline=next(iter(profiles)) if baseline is None else baseline,
        level=LEVEL if confidence_level is None else confidence_level,
        **about,
    )
    ends = {}
    if confidence_level is not None:
        for model, profile in profiles.items():
            ends[model], notices = interval_ends(
                rows, evidence.values[model], profile, confidence_level, random_state=random_state
            )
            warn_each(notices)
    return lay_out(evidence, ends)


def report_on_estimators(
    estimator: Any, X: Any, y: Any, sample_weight: Any, options: Mapping[str, Any]
) -> ConfidenceReport:
    """Return the report on fitted classifiers, as :meth:`ConfidenceReport.from_estimator` says."""
    if isinstance(estimator, Mapping):
        profiles = {}
        for name, model in estimator.items():
            try:
                profiles[name] = ConfidenceProfile.from_estimator(model, X, y, sample_weight=sample_weight)
            except (TypeError, ValueError) as error:
                error.add_note(f"The error is in the predictions of the model {name!r}.")
                raise
        return confidence_report(profiles, **options)
    profile = ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight)
    report = confidence_report(profile, **options)
    if report.evidence is not None:
        report.evidence = replace(report.evidence, name=type(estimator).__name__)
    return report


def lay_out(evidence: Evidence, ends: Mapping[Any, Floats]) -> ConfidenceReport:
    """Return a report on one model or several.

    Parameters
    ----------
    evidence : Evidence
        What it rests on.
    ends : mapping of model to ndarray of shape (n_rows, 2)
        Ends of intervals, if there are any.
    """
    rows, several = evidence.rows, evidence.several
    frame = pd.DataFrame(index=pd.Index([row.name for row in rows], name="metric"))
    for model, found in evidence.values.items():
        frame[model] = found
        if model in ends:
            frame[list(ends_of(model) if several else ("low", "high"))] = ends[model]
    frame["best"] = [row.best for row in rows]
    frame["better"] = [row.better for row in rows]
    frame["range"] = pd.arrays.IntervalArray.from_tuples([row.bounds for row in rows], closed="both")
    if several:
        frame["best_model"] = evidence.comparison.best
    frame["verdict"] = _verdicts(evidence)
    report = ConfidenceReport(frame)
    report.attrs["marks"] = evidence.comparison.note if several else ""
    alike = words_of(evidence.profiles.values()) is not None  # else the page has no words for all
    report.evidence = evidence if alike else None
    return report


def _verdicts(evidence: Evidence) -> list[str]:
    """Return the verdicts on all models in the first row about confidences that are too high or too low."""
    names = [row.name for row in evidence.rows]
    judged = next((name for name in JUDGED if name in names), None)
    if judged is None:
        return [""] * len(names)
    found = [
        f"{model}: {verdict}" if evidence.several else str(verdict) for model, verdict in evidence.assessments.items()
    ]
    return [BETWEEN.join(found) if name == judged else "" for name in names]


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


def _slices(given: Any, profiles: Mapping[Any, ConfidenceProfile]) -> dict[Any, dict[Any, Slices]]:
    """Return the slices of all models, whose rows they share."""
    counts = {model: len(profile) for model, profile in profiles.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"slices are of rows that all models share, but their numbers of rows are {counts}.")
    found = read_slices(given, next(iter(counts.values())))
    return dict.fromkeys(profiles, found)


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
