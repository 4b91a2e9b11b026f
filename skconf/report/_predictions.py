"""The report on predictions in memory: a row for each metric, for one or several models, or a row for each class."""

from __future__ import annotations

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
    groups: ArrayLike | None = None,
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
    """Evaluate the confidences of a classifier: a table of metrics, and a verdict in words.

    The predictions are validated and sorted once for all metrics. Several models are shown side by side. A star marks a
    model that is significantly better than the baseline in a paired comparison.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfidenceProfile, or mapping of str to ConfidenceProfile
        True labels, a profile, or a mapping with a profile for each model. A profile holds labels, predictions and
        weights, so leave out the parameters for these.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,), or mapping of str to array-like
        Probabilities, with a column for each class in the order of `labels`. Or a table whose columns are named by the
        labels, as LABEL or proba_LABEL. In a binary task, you can pass a single column, the probability of `pos_label`.
        Pass a mapping for several models, such as ``{"raw": ..., "isotonic": ...}``.
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. Each metric documents how it uses them.
    groups : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Pass it if samples of one cluster depend on each other:
        intervals and guarantees then allow for this. For slices such as a region, pass `slices`.
    metrics : list or mapping of callable, str, scorer or pair (name, parameters); "all" or None, default=None
        Metrics, as in :func:`skconf.inference.confidence_interval`: a function or scorer of skconf or of scikit-learn,
        or its name. For scorers, higher is better. None means the fast metrics that most users need. "all" means every
        metric that is a number. Both leave out metrics that these predictions do not allow, such as metrics of class
        probabilities if only correctness is known.
    threshold : float, default=None
        Lowest score at which a prediction is accepted, in [0, 1]. Infinity accepts nothing. None means the threshold of
        each profile, if it has one. If a model has no threshold, ``metrics=None`` leaves out the metrics that need a
        threshold.
    confidence_level : float, default=None
        Level of the confidence intervals, in [0.5, 1), as in :func:`skconf.inference.confidence_interval`. None
        gives no intervals.
    baseline : model, default=None
        The model that the others are compared with, if there are several models. None means the first.
    slices : DataFrame, mapping or array-like of shape (n_samples,), default=None
        Columns that divide the rows into slices, such as region, device, day or age. The page lists all slices of all
        columns, worst first, and names the overconfident ones. A column with more than 12 different numbers, or more
        than 31 days, is divided into four slices of about equal size, such as "age 37 to 52". If a column has more than
        50 different strings, each of the most frequent strings is a slice, and all other strings are one slice. Missing
        values are a slice. If codes look like numbers, pass them as strings. For metrics by group, see
        :func:`skconf.inference.by_group`.
    random_state : int, Generator or None, default=None
        Seed for the intervals of metrics that need resampling.
    errors : float or sequence of float, default=None
        Error rates that you allow among the accepted answers, such as 0.03. The summary gives the threshold for the
        first of these rates. The tables list all of them, and the usual rates, such as 1, 2, 5 and 10%. If answers have
        costs, pass mean costs instead.
    prices : pair of float, default=None
        The cost of an error, and the cost of a case that is sent to a person, such as (10, 1). The report gives the
        threshold at which each model costs least, and the differences between the models' least costs. None shows
        example prices on the page, which a reader can change.
    prevalence : mapping of label to float, default=None
        Share of each class where the predictions are used, such as ``{"fraud": 0.003}``. With two classes, one share is
        enough. All numbers of the report are then for these shares, as with
        :meth:`skconf.ConfidenceProfile.at_prevalence`. The summary says how many of 100,000 cases would be wrong. You
        get a warning if the probabilities imply a share of a class that differs from its `prevalence` by more than a
        factor of two.
    by : {"class"}, default=None
        "class" shows a row for each class, as scikit-learn's ``classification_report`` does. This needs a single model,
        and the report is then only a table.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        With ``by="class"``: the value that replaces 0/0. "warn" means 0 with a warning.

    Returns
    -------
    ConfidenceReport
        Its `frame` has the names of the metrics as index, and the following columns.

        - ``value`` : the value of the metric. With several models, each model has a column with its own name instead.
        - ``low``, ``high`` : ends of the interval, if you pass a `confidence_level`. With several models, the name of
          the model comes first, as in ``raw low``. The ends are NaN for the threshold and for the overconfidence risk,
          because these values do not estimate a property of the model.
        - ``best`` : the best possible value. NaN for a metric that has no best value, such as the mean confidence.
        - ``better`` : "higher", "lower", or "closer" to the best value.
        - ``range`` : interval of possible values.
        - ``best_model``, only for several models: a tuple of the models that are better than the baseline. If all
          others are worse, a tuple of the baseline alone. Otherwise, the value is "no difference shown". A model counts
          as better or worse if its paired difference from the baseline is significant at the 5% level, after Holm's
          adjustment for all comparisons of the table. If the models cannot be compared in a metric, the value is "not
          compared". Examples: the models have different samples, or the metric needs resampling and there are more than
          20,000 samples. For a metric that has no best value, the value is "".
        - ``verdict`` : the verdict of :func:`skconf.inference.assess_confidence`. It stands in the row
          ``mean_confidence``. If there is no such row, it stands in the row of another metric that shows whether
          confidences are too high or too low. With several models, it is a dict with a verdict for each.
          ``report.verdict`` has the verdict on each model, whatever the `metrics` are.

        The name of a row is the name of its function or scorer, with the parameters in brackets. With ``metrics=None``,
        metrics of classes are averaged over the classes, as in ``cf1_score(average='macro')``. Three rows are not
        metrics of skconf: ``accuracy_score`` is scikit-learn's, and counts rejected predictions as errors;
        ``mean_confidence`` is the mean of the confidences; ``threshold`` is the threshold that was used.

        With ``by="class"``, the `frame` has the classes as index, and the following columns.

        - ``cw_precision``, ``cw_recall``, ``cw_f1`` : computed from the predicted classes, weighted by confidence.
        - ``cprecision``, ``crecall``, ``cf1`` : use the probability of the class, even if another class is predicted.
        - ``ece`` : expected calibration error of the probability of the class. Lower is better.
        - ``support`` : number of samples of the class, or the sum of their weights.

        All columns except ``support`` are in [0, 1]. For the first six columns, higher is better.

    Raises
    ------
    ValueError
        If predictions are not valid for a metric. If a metric does not exist. If a model has the name of another column
        of the table, or `confidence_level` is invalid. If `slices` has no column, a column of another length, or a
        column with a different string in nearly every row. If `prevalence` has an unknown label, a share out of range,
        or a share for a class without rows; if its shares do not sum to 1; or if there are no true labels. If
        ``by="class"`` is passed with a parameter that it does not use, or with predictions that hold no classes.
    TypeError
        If predictions are missing, or passed together with a profile that holds them. If the value of a metric is not a
        single number. If the columns of `slices` have no names.

    Warns
    -----
    UndefinedMetricWarning
        If a value is undefined and NaN.
    UserWarning
        If the probabilities imply a share of a class that differs from its `prevalence` by more than a factor of two.

    See Also
    --------
    ConfidenceReport.from_estimator : A report on fitted classifiers.
    ConfidenceReport.from_files : A report on files.
    skconf.inference.compare : Whether two models differ by more than chance.
    skconf.ConfidenceProfile.from_estimator : The predictions of a fitted classifier, with its threshold.

    Notes
    -----
    Each model has a single verdict, in one of four forms (see :func:`skconf.inference.assess_confidence`):

    - "Overconfident" or "underconfident": a gap between average confidence and accuracy is significant, for all answers
      or for a range of confidences. The verdict gives counts or an interval.
    - "Close to calibrated": the data exclude every gap that is more than negligible.
    - "No sign": no gap is significant. The verdict gives the smallest gap that would be found in four of five data sets
      like this one.
    - "Too few to say": there are so few samples that even a large gap could be missed.

    For each slice, the number of errors is compared with the exact distribution that calibrated confidences imply.
    P-values are adjusted by Holm's method for all slices of a model. So at most one in twenty calibrated classifiers
    has a slice that is called overconfident. If weights differ, the test assumes a normally distributed gap, and
    leaves out slices in which fewer than 30 errors, or fewer than 30 right answers, are expected. Rows must be
    independent, or in clusters: in a multilabel task, the labels of a sample are a cluster. If answers are graded, or a
    slice has several answers of a cluster, the gap is tested by a t test.

    The report has the same sections for graded answers, for answers in clusters and for costs. In these cases,
    intervals assume that the units are independent: the clusters if there are any, else the answers. Guarantees need
    independent answers that are right or wrong. So they use one random answer of each cluster. They draw each graded
    answer once at random as right or wrong: it counts as right with a probability equal to its grade. Costs have no
    bound, so there are neither guaranteed thresholds nor p-values of slices. In a multilabel task, the page lists the
    labels, worst first.

    Models are compared as in :func:`skconf.inference.compare`, by their distance from the best value. A star marks a
    model that is significantly better. Without a star, do not rely on a smaller loss: on other samples, the same model
    may have the larger loss.

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
    confidence_gain            0.0201    1  higher  [−1, 1]
    cf1_score(average='macro') 0.9302    1  higher  [0, 1]
    aurc_loss                  0.0052    0  lower   [0, 1]
    ecuas_loss                 0.7288    0  lower   [0, ∞]
    threshold                  0.9000               [0, ∞]
    coverage_score             0.9930    1  higher  [0, 1]
    selective_accuracy_score   0.9366    1  higher  [0, 1]
    cwsa_score                 0.8827    1  higher  [−1, 1]
    cwsa_plus_score            0.9301    1  higher  [0, 1]
    <BLANKLINE>
    accuracy_score counts rejected answers as wrong. The verdict is only about the
      accepted answers.
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
    * better than bayes. A star at bayes: better than all others. Paired
      differences, p <= 0.05 after Holm's adjustment for 2 comparisons. No star: not
      shown to be better. Not compared: calibrated_size_ratio (for bayes, 100% of
      the value depends on answers so confident that their errors are hardly ever
      observed).
    bayes: Far overconfident: average confidence is 99.5%, but 93.7% of answers are
      right (95% interval 88.4–97.1). Worst at a confidence of 0.9 or more: 9 errors in
      142 answers, where the confidences imply 0.3 errors.
    lda: No sign of miscalibration: average confidence is 96.9%, and 97.2% of
      answers are right (95% interval 92.5–99.3). If there were overconfidence of 5.6
      points, it would be found in four of five data sets like this one. At a
      confidence of 0.9 or more, as many as 7.1% of answers may be wrong.
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
            groups=groups,
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
