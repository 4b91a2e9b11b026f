"""The report on predictions in memory: metrics in rows, for one model or several, or classes in rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from skconf._core.checks import takes_no_estimator
from skconf._core.docstrings import documented
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.predictions import source_of
from skconf.report._report import ConfidenceReport


@takes_no_estimator()
@documented()
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
    errors: float | Sequence[float] | None = None,
    prices: Sequence[float] | None = None,
    prevalence: Mapping[Any, float] | None = None,
    by: Literal["class"] | None = None,
    zero_division: Any = "warn",
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
    {predicted}
    {labels}
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
        of all columns, worst first, and names those that are overconfident. A column of more than 12 different numbers,
        or 31 days, is cut into quarters of the rows, as "age 37 to 52". Of more than 50 texts each of the most frequent
        ones is a slice, and all others are one. Missing values are a slice. Pass codes that only look like numbers as
        texts. For metrics by group, see :func:`skconf.inference.by_group`.
    random_state : int, Generator or None, default=None
        Seed of the resamples that the intervals of some metrics need.
    errors : float or sequence of float, default=None
        Shares of errors that you allow among the answers, such as 0.03: the summary tells the threshold for the first,
        and the tables have all of them beside 1, 2, 5 and 10%. Of costs, mean costs.
    prices : pair of float, default=None
        What an error costs, and a case that is sent to a person, such as (10, 1): the report says where each model
        costs least, and how much the models differ there. None shows the page with example prices, which a reader may
        change.
    prevalence : mapping of label to float, default=None
        Share of each class where the predictions are used, such as ``{"fraud": 0.003}``; of two classes one is enough.
        All numbers are then at these shares, as by :meth:`skconf.ConfidenceProfile.at_prevalence`, the summary says how
        many of 100,000 such cases would be wrong, and a warning tells where the probabilities imply other shares.
    by : {"class"}, default=None
        Show a row for each class instead, of one model, as scikit-learn's ``classification_report`` does; the report is
        then a table alone.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        With ``by="class"``: value of 0/0. "warn" means 0 with a warning.

    Returns
    -------
    ConfidenceReport
        Its `frame` has the names of the metrics as index and the columns

        - ``value`` : the metric; for several models, a column for each, under its name;
        - ``low``, ``high`` : ends of its interval, with a `confidence_level`; for several models with the name before
          them, as in ``raw low``. NaN for a threshold and a risk, which are not estimates;
        - ``best`` : the best possible value, NaN if a value is neither good nor bad;
        - ``better`` : "higher", "lower", or "closer" to the best value;
        - ``range`` : interval of possible values;
        - ``best_model``, for several models only: a tuple of the models that are better than the baseline, or of the
          baseline if all others are worse, by paired differences that are significant at the 5% level after Holm's
          adjustment over the rows shown; else the text "no difference shown", or "not compared" if predictions are of
          different samples, or too many to resample (20,000);
        - ``verdict`` : the verdict of :func:`skconf.inference.assess_confidence`, in the first row about confidences
          that are too high or too low; for several models a dict with one for each. ``report.verdict`` has them for
          every choice of metrics.

        A row has the name of its function or scorer, with the parameters in brackets. With ``metrics=None``, metrics of
        classes are averaged over the classes, as in ``cf1_score(average='macro')``. Three rows are not metrics of
        skconf: ``accuracy_score`` is scikit-learn's, and counts rejected predictions as errors; ``mean_confidence`` and
        ``threshold`` are the values of that name.

        With ``by="class"``, it has the classes as index and the columns

        - ``cw_precision``, ``cw_recall``, ``cw_f1`` : of the predicted classes, weighted by confidence;
        - ``cprecision``, ``crecall``, ``cf1`` : of the probability given to the class, predicted or not;
        - ``ece`` : expected calibration error of that probability, lower is better;
        - ``support`` : number of samples of the class, or their weight.

        All but the last are in [0, 1]; for the first six, higher is better.

    Raises
    ------
    ValueError
        If predictions are invalid, as for every metric. If there is no such metric (the message has close matches), or
        it is not a number. If a model has the name of another column, or `confidence_level` is invalid. If `slices` has
        no column, or one of another length, or one with a different text in nearly every row. If `prevalence` has an
        unknown label, a share out of range or of a class without rows, or a sum other than 1, or true labels are not
        known. If ``by="class"`` is given with what it does not use, or predictions that hold no classes.
    TypeError
        If predictions are missing, or given together with a profile that holds them; or `slices` has no names.

    Warns
    -----
    UndefinedMetricWarning
        If a value is undefined and NaN.
    UserWarning
        If probabilities imply a share of a class that differs from its `prevalence` by more than a factor of two.

    See Also
    --------
    ConfidenceReport.from_estimator : A report on fitted classifiers.
    ConfidenceReport.from_files : A report on files.
    skconf.inference.compare : Whether two models differ by more than chance.
    skconf.ConfidenceProfile.from_estimator : The predictions of a fitted classifier, with its threshold.

    Notes
    -----
    The verdict says overconfident or underconfident, overall, at the top or in part, with counts and an interval, if
    that is significant; "no sign", with the gap that such a sample would have shown; or that the sample is too
    small. There is one verdict for each model, whichever row shows it: see
    :func:`skconf.inference.assess_confidence`.

    In each slice the number of errors is compared with its exact distribution if confidences are right, and p-values
    are adjusted by Holm's method for all slices of a model. So no more than one in twenty calibrated classifiers has a
    slice that is called overconfident. Unequal weights need 30 expected errors in a slice, whose gap is then taken to
    be normal. Rows must be independent, or in groups, such as labels of a multilabel task: groups with several answers
    in a slice, and graded answers, have a t test of the gap.

    Profiles of graded answers, of answers in groups and of costs answer the same questions. Intervals are then those of
    means over groups, or answers. Thresholds are guaranteed for groups of which one answer each is taken, and for
    graded answers that are drawn once as right or wrong; costs have no bound, and so neither guaranteed thresholds nor
    p-values of slices. Labels of a multilabel task stand worst first.

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
    metric                      value best  better  range
    accuracy_score             0.9301    1  higher  [0, 1]
    mean_confidence            0.9947               [0, 1]
    calibrated_size_ratio      15,906    1  closer  [0, ∞]
    calibrated_size_ratio_std     750               [0, ∞]
    overconfidence_risk        1.0000    0  lower   [0, 1]
    expected_calibration_error 0.0637    0  lower   [0, 1]
    confidence_brier_loss      0.0612    0  lower   [0, 1]
    confidence_log_loss        0.4074    0  lower   [0, ∞]
    cw_accuracy_score          0.9383    1  higher  [0, 1]
    confidence_gain            0.0201    1  higher  [−∞, 1]
    cf1_score(average='macro') 0.9302    1  higher  [0, 1]
    aurc_loss                  0.0052    0  lower   [0, 1]
    ecuas_loss                 0.7288    0  lower   [0, ∞]
    threshold                  0.9000               [0, ∞]
    coverage_score             0.9930    1  higher  [0, 1]
    selective_accuracy_score   0.9366    1  higher  [0, 1]
    cwsa_score                 0.8827    1  higher  [−1, 1]
    cwsa_plus_score            0.9301    1  higher  [0, 1]
    <BLANKLINE>
    accuracy_score counts rejected answers as wrong; the verdict is about the
      answers.
    Far overconfident: average confidence is 99.8%, but 93.7% of answers are right
      (95% interval 88.3–97.1).

    Two models side by side:

    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> discriminant = LinearDiscriminantAnalysis(solver="lsqr").fit(X_train, y_train)
    >>> report = confidence_report(
    ...     y_test,
    ...     {"bayes": model.predict_proba(X_test), "lda": discriminant.predict_proba(X_test)},
    ...     metrics=["accuracy_score", "calibrated_size_ratio", "aurc_loss"],
    ... )
    >>> report
    metric                 bayes    lda best  better  range
    accuracy_score        0.9371 0.9720    1  higher  [0, 1]
    calibrated_size_ratio 15,906 0.3953    1  closer  [0, ∞]
    aurc_loss             0.0052 0.0029    0  lower   [0, 1]
    <BLANKLINE>
    * better than bayes (at bayes: than all others) by paired differences, p <= 0.05
      after Holm's adjustment for 2 comparisons. No star: no difference is shown;
      not compared: calibrated_size_ratio (of bayes, 100% of it rests on answers so
      confident that their errors are hardly ever observed).
    bayes: Far overconfident: average confidence is 99.5%, but 93.7% of answers are
      right (95% interval 88.4–97.1). Worst from 0.9 up: 9 errors in 142 answers,
      where the confidences imply 0.3.
    lda: No sign of miscalibration: average confidence is 96.9%, and 97.2% of
      answers are right (95% interval 92.5–99.3). Overconfidence of 5.6 points would
      be found in four of five such samples; but from 0.9 up, up to 7.1% of answers
      may be wrong.
    >>> report.frame.at["aurc_loss", "best_model"]
    'no difference shown'

    A row for each class:

    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]
    >>> confidence_report(y_true, y_proba, by="class")
    class cw_precision cw_recall  cw_f1 cprecision crecall    cf1    ece support
    cat         0.5385    1.0000 0.7000     0.4375  0.7000 0.5385 0.3000       1
    dog         1.0000    0.5714 0.7273     0.7059  0.6000 0.6486 0.3250       2
    fox         1.0000    1.0000 1.0000     0.7143  0.5000 0.5882 0.1750       1
    """
    return ConfidenceReport(
        source_of(
            y_true,
            y_proba,
            y_pred=y_pred,
            labels=labels,
            pos_label=pos_label,
            sample_weight=sample_weight,
            metrics=metrics,
            threshold=threshold,
            confidence_level=confidence_level,
            baseline=baseline,
            slices=slices,
            random_state=random_state,
            errors=errors,
            prices=prices,
            prevalence=prevalence,
            by=by,
            zero_division=zero_division,
        )
    )
