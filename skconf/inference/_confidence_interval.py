"""``confidence_interval``: confidence intervals of metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, overload

import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.checks import check_confidence_level, check_option, takes_no_estimator
from skconf._core.docstrings import documented
from skconf._core.warn import warn_each
from skconf.inference._intervals import METHODS, Interval, intervals_by_rows
from skconf.inference._resampling import DRAWS, read_resampling
from skconf.profile import ConfidenceProfile, as_profile
from skconf.scoring._names import read_statistics
from skconf.scoring._scorers import MultiScorer


@overload
def confidence_interval(
    metric: MultiScorer | list[Any] | tuple[str, ...] | Mapping[Any, Any],
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: Any = None,
    stratify: Any = None,
    n_resamples: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> pd.DataFrame: ...


@overload
def confidence_interval(
    metric: str | Callable[..., Any] | tuple[Any, Mapping[str, Any]],
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: Any = None,
    stratify: Any = None,
    n_resamples: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> Interval: ...


@takes_no_estimator(position=1)
@documented(draws=DRAWS)
def confidence_interval(
    metric: Any,
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: Any = None,
    stratify: Any = None,
    n_resamples: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> Interval | pd.DataFrame:
    """Compute a confidence interval for the population value of a metric.

    By default, the method depends on the metric and on the number of errors. With at least 1,000 samples and 100
    errors, 95% intervals cover the true value in 93 to 97% of simulated data sets. With fewer errors, and for the size
    ratio, they cover it in 90 to 100%. If no method is valid, the ends of the interval are NaN, and a warning says why.
    The guide shows how to use intervals ("How certain is a number?") and how good they are ("Trials of intervals and
    comparisons").

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        The metric. All functions of skconf accept these forms:

        - a function of :mod:`skconf.metrics` or its name;
        - a scorer or its name, from :func:`~skconf.get_scorer` or scikit-learn; its values are scores, and higher is
          better;
        - a function of scikit-learn, or your own function. Its first parameter gets the true labels. Its second
          parameter gets predicted labels if it is named ``y_pred``, and probabilities if it is named ``y_proba``,
          ``y_prob`` or ``y_score``; other names are refused. With two classes, the probabilities are those of the
          second class, of shape (n_samples,), as in scikit-learn's scorers. For functions with other parameters, use
          `sklearn.metrics.make_scorer`;
        - any of these with parameters: a ``functools.partial``, a pair ``("cf1_score", {"average": "macro"})``, or a
          string ``"cf1_score(average='macro')"``. Tables use this string as the name.

        Several metrics are computed on the same resamples. Some metrics of scikit-learn are as fast as the metrics of
        skconf: accuracy, balanced accuracy, precision, recall, F-beta, Jaccard, Matthews correlation, log loss, Brier
        loss, ROC AUC (of two classes, or of each class against the rest) and average precision. Other functions are
        called once for each resample.
    {predictions}
    confidence_level : float, default=0.95
        Confidence level, in [0.5, 1).
    method : {"auto", "delta", "bootstrap", "bca"}, default="auto"
        "delta" computes the interval from the influence of each sample on the value, in linear time. It works for
        smooth functions of sums and for areas under curves. "bootstrap" uses resamples, and works for every metric that
        is a number. The interval is the smallest one that contains both value ± k·s and (value − bias) ± k·s. Here s is
        the standard deviation of the resampled values, and k is a quantile of the t distribution. "bca" uses quantiles
        of the resamples. The quantiles are corrected for bias and, if the metric has influence values, for
        acceleration. "auto" chooses a valid method from the table in the notes. The result names the method.
    groups : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        The cluster of each sample, such as its patient or its day. Samples of one cluster are drawn together. If there
        are several columns, each combination of values is a cluster. None uses the clusters of the profile, if it has
        any, such as the rows of a multilabel task.
    stratify : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        The stratum of each sample. Pass it if the number of samples of each stratum was fixed before sampling, for
        example the number of samples of each class. None uses the strata of the profile, unless there are clusters.
    n_resamples : int, default=1000
        Number of resamples for "bootstrap" and "bca". "bayesian" always uses 2,000.
    {draws}
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. The page of the metric says how they enter the value. The interval uses them as
        importances: a weight of 2 does not mean two samples, and the interval stays the same if all weights are
        doubled.
    **params
        Parameters of the metric; allowed only with a single metric.

    Returns
    -------
    Interval or DataFrame
        With one metric, an :class:`Interval` with the fields `value`, `low`, `high`, `standard_error`,
        `confidence_level` and `method`. With several metrics, a DataFrame with a row for each. An undefined value is
        NaN, and so are `low` and `high` if no method is valid.

    Raises
    ------
    ValueError
        If the metric is unknown, or if `confidence_level`, `method` or predictions are not valid. If there are fewer
        than two samples or clusters, or if a stratum has only one sample or cluster.
    TypeError
        If the value of a metric is not a single number. If ``method="delta"`` is set for a metric without influence
        values, or for a metric whose formula has kinks, such as a calibration error.

    See Also
    --------
    compare : Tests whether two models differ.
    by_group : Intervals for slices of the data.

    Notes
    -----
    In the table, "auto" uses the first row that fits. If right answers are rarer than errors, right answers are counted
    in place of errors. With weights, the number of errors is min(v, 1 − v) (Σ w)² / Σ w², with v the weighted error
    rate. For graded answers, v is the mean of 1 − z, with z the grade.

    ==============================================  ====================================================================
    What is estimated                               Method
    ==============================================  ====================================================================
    The size ratio without clusters and strata      "gamma"; "none" if a single error could add more than 0.3 to it
    The ratio with clusters or strata; its z-score  "delta", or "bayesian" if strata weigh unequally; "none" if fewer
                                                    than 3 errors are expected in the most confident 5% of the answers
    A metric without influence values               "bootstrap". For a calibration error with fewer than 30 errors, a
                                                    warning says that the interval may miss the truth
    A share of all rows, if strata weigh unequally  "mover"
    Anything else, if strata weigh unequally        "bayesian", within each stratum
    A metric with clusters, strata or costs         "delta"; but "bayesian" if errors are in fewer than ten clusters and
                                                    in at most a quarter of all clusters. Always "delta" in any of these
                                                    cases: strata; costs; graded answers; more than 10,000 samples; an
                                                    average over classes; a mean with two finite bounds; a metric that
                                                    does not count errors
    A metric that does not count errors             "delta"
    A share of answers with equal weights           "exact" for `coverage_score`, `selective_accuracy_score` and
                                                    `selective_risk_loss`; "delta" for `accuracy`
    A share of answers with unequal weights         "delta" from 100 errors on, "binomial" below
    An average over classes                         "none" below 5 effective samples, "bayesian" below 50
    An area under a curve, averaged over classes    "none" below 2 effective samples, "bayesian" below 100
    An area, if there is a single error             "none"
    Anything else                                   "delta" from 100 errors on, "bayesian" below
    ==============================================  ====================================================================

    The number of effective samples of an average over classes is about the size of the smallest class; if there are
    many classes of similar size, it is larger. "exact" is Clopper and Pearson's interval [4]_, and "binomial" is the
    same interval for (Σ w)² / Σ w² samples. For means of graded answers, the last row of the table applies.

    The standard error of "delta" is the root of the sum of squared influence values. The t distribution is used; its
    degrees of freedom are the number of samples minus the number of strata. With clusters, the influence of a cluster
    that has the share h of its stratum is divided by 1 − h, as in the jackknife. The standard error is then corrected
    for its bias. The bias and the degrees of freedom are computed from the sizes of the clusters and from the
    correlation within clusters (Bell and McCaffrey [8]_). This correlation is estimated from all pairs of samples in
    the same cluster (Karlin, Cameron and Williams [9]_). By chance, all errors may be in small clusters; this standard
    error is then too small. So a second standard error is computed from the sizes and the correlation, and the wider of
    the two intervals is returned; :func:`compare` uses only the first. If the standard error comes from resamples, the
    degrees of freedom are those of (Σ s)² / Σ s² clusters of equal size, with s the size of a cluster.

    If a metric has two finite bounds, the interval is Wilson's for a proportion with the same standard error. It stays
    within the bounds, and is not a single point even if all samples agree. So the interval of `accuracy` is Wilson's.
    For `roc_auc` in a binary task, the standard error is DeLong's, and the normal distribution is used. With clusters,
    strata or unequal weights, `accuracy` and `roc_auc` are treated like other metrics. If errors are few, these
    intervals are too narrow: intervals by "delta" with strata, and intervals of averages over classes with clusters.

    "bayesian" uses the quantiles of 2,000 draws. In each draw, the weight of every sample is multiplied by an
    exponential variable, as in the Bayesian bootstrap [5]_. A small data set may lack errors or right answers, so some
    are added; each has the largest weight in the data, times a Γ(½) variable. If there are fewer than 100 errors, one
    error is added: a random sample, changed to a wrong answer. If there are fewer than 100 right answers, one right
    answer is added in the same way. With clusters, an error and a right answer are always added. For
    `confidence_roc_auc_score`, two errors (or two right answers, if these are rarer) are added instead: one with a
    higher and one with a lower confidence than all other answers. For an average over classes, three answers are added
    for each rare class: a true positive, a false negative and a false positive of the class. A class is rare if its
    size is at most 50 (100 for an area under a curve), and at most three times the number of errors. The standard error
    is the standard deviation of the draws. The coverage was measured in simulations, not proved. With clusters, all
    samples of a cluster have the same exponential variable, and the weight of added answers is multiplied by the design
    effect 1 + ρ (Σ m² / Σ m − 1). Here m is the size of a cluster, and ρ the correlation of errors within clusters.

    In the table, "strata weigh unequally" means: the mean weight of a sample differs between strata, and there are no
    clusters or costs. Profiles of :meth:`skconf.ConfidenceProfile.at_prevalence` have such strata. "bayesian" draws
    within each stratum, and each stratum keeps its weight. Each draw adds an error and a right answer to every stratum.
    If a stratum has fewer than ten errors, its added error weighs less in half of the draws. If it has fewer than ten
    right answers, its added right answer weighs less in the other half. Each half gives an interval; the result is the
    smallest interval that contains both. "mover" combines Jeffreys' intervals of the strata [7]_. In simulations with
    prevalences of 0.3 to 20%, 95% intervals covered the true value in 94 to 98% of sets if at least one error was
    expected in the more frequent class. If less than one was expected, they covered it in 95 to 99%. "delta" covered
    the true value in 33 to 88%.

    "gamma" is Fay and Feuer's interval of a weighted count of rare events [6]_, with the variance of the data. For its
    upper end, half an error with the highest confidence is added; Fay and Feuer add a whole error. In each of 200
    simulated populations, the interval covered the size ratio in 93 to 99% of data sets. If a single error could add
    more than 0.3 to the ratio, an interval would be too wide to be useful. Use
    :func:`~skconf.metrics.capped_size_ratio` then: it has intervals for any number of samples.

    The calibration error of any finite data set is above 0, and the calibration error of a resample is even larger. So
    the interval of a calibration error (except with ``on="classes"``) is extended to 0, unless the data reject
    calibration. To test calibration, correctness is drawn from the confidences `n_resamples` times. Let p be the share
    of draws whose calibration error is at least as large as the observed one. Calibration is rejected if p is at most 1
    − `confidence_level`. For graded answers, and with clusters, each draw instead chooses a random half of the answers
    or clusters, and replaces their correctness z by 2c − z, its mirror image at the confidence c.

    References
    ----------
    .. [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 10, 14 and 22.
    .. [2] E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927.
    .. [3] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated
       receiver operating characteristic curves, Biometrics 44, 1988.
    .. [4] C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
       binomial, Biometrika 26, 1934.
    .. [5] D. B. Rubin, The Bayesian bootstrap, Annals of Statistics 9, 1981.
    .. [6] M. P. Fay and E. J. Feuer, Confidence intervals for directly standardized rates: a method based on the gamma
       distribution, Statistics in Medicine 16, 1997.
    .. [7] G. Y. Zou and A. Donner, Construction of confidence limits about effect measures: a general approach,
       Statistics in Medicine 27, 2008.
    .. [8] R. M. Bell and D. F. McCaffrey, Bias reduction in standard errors for linear regression with multi-stage
       samples, Survey Methodology 28, 2002.
    .. [9] S. Karlin, E. C. Cameron and P. T. Williams, Sibling and parent–offspring correlation estimation with
       variable family size, PNAS 78, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import confidence_interval
    >>> from skconf.metrics import cw_accuracy_score
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(500)
    >>> y_true = (rng.random(500) < y_proba).astype(int)
    >>> interval = confidence_interval(cw_accuracy_score, y_true, y_proba)
    >>> print(f"{interval.value:.3f} in [{interval.low:.3f}, {interval.high:.3f}], by {interval.method}")
    0.790 in [0.753, 0.823], by delta
    >>> confidence_interval("neg_ece", y_true, y_proba, random_state=0).method
    'bootstrap'
    """
    statistics, single = read_statistics(metric, params)
    check_confidence_level(confidence_level)
    check_option(method, "method", METHODS)
    resampling = read_resampling(n_resamples, random_state, n_jobs, progress)
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile(
        "confidence_interval()", y_true, y_proba, beside={"groups": groups, "stratify": stratify}, **given
    )
    evaluated = [statistic.evaluate(profile) for statistic in statistics.values()]
    results, notices = intervals_by_rows(
        list(statistics.values()),
        [value for value, _ in evaluated],
        profile,
        groups=groups,
        stratify=stratify,
        confidence_level=confidence_level,
        method=method,
        resampling=resampling,
    )
    warn_each([notice for _, several in evaluated for notice in several] + notices)
    if single:
        return results[0]
    return pd.DataFrame([asdict(interval) for interval in results], index=pd.Index(statistics, name="metric"))
