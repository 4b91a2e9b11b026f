"""The class MetricAccumulator: scores of predictions that come in parts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_confidence_level, check_option, check_whole
from skconf._core.docstrings import documented
from skconf._core.labels import check_labels
from skconf._core.messages import shorten
from skconf._core.warn import warn
from skconf.accumulation._plan import FEWEST_LEVELS, Plan
from skconf.accumulation._state import State
from skconf.inference._intervals import Interval
from skconf.profile import ConfidenceProfile, as_profile
from skconf.profile._profile import weigh_part
from skconf.scoring._names import read_statistics


class MetricAccumulator:
    """Scores of predictions that come in parts: batches of a file, partitions of a cluster, one day after another.

    An accumulator does not grow with the number of samples. Accumulators can be merged in any order and pickled, so any
    map-reduce engine can use them. The scores are the same as if all samples were in memory, within these limits:

    - Most metrics are functions of sums. Sums have twice the usual number of digits, so the order of the parts does not
      matter.
    - Metrics that depend on the order of the confidences (areas under risk-coverage and ROC curves) are exact up to
      `max_levels` distinct confidences. If there are more, confidences are rounded to a grid that does not depend on
      the data, and :meth:`error_bounds` returns a bound on the error of the score.
    - Metrics that depend on the values of the confidences (`neg_smooth_ece`, `neg_ecce`, `neg_calibration_distance`,
      `metric_coverage_auc_to_zero`, and errors over bins of equal mass) are also exact up to `max_levels` distinct
      confidences. If there are more, an error is raised.

    Parameters
    ----------
    names : callable, str, scorer, pair (name, parameters), or list or mapping of them
        Metrics, named as in :func:`skconf.inference.confidence_interval`. The key of a result is the name of the
        metric, with the given parameters. If `names` is a mapping, its keys are used instead.
    labels : array-like of shape (n_classes,), default=None
        Labels of the columns of probabilities. None uses the labels of the first part, which must then have all labels.
    pos_label : label, default=None
        Positive class. None means the second label in a binary task. A task with more classes then has no positive
        class.
    intervals : bool, default=True
        Keep the sums that :meth:`confidence_interval` needs. With False, parts are added about twice as fast.
    max_levels : int, default=65_536
        Largest number of distinct confidences that are kept without rounding. If there are more, they are rounded to a
        grid with at most this number of steps. For `cw_roc_auc` with more than two classes, this number is divided
        among the classes, with at least 1,024 for each.

    Attributes
    ----------
    n_samples : int
        Number of samples added.
    labels : ndarray of shape (n_classes,) or None
        Labels of the columns of probabilities. None until they are known from the argument `labels` or from a part.
        Parts that have only correctness have no labels.
    pos_label : label or None
        The argument `pos_label`; None if it was not given.

    Raises
    ------
    ValueError
        If there is no such metric. If a metric cannot be accumulated, for instance because it takes no sample weights,
        or needs all predictions at once.
    TypeError
        If an entry does not name a metric, or if the value of a metric is not a single number.

    See Also
    --------
    confidence_scoring : The same scores for scikit-learn's cross-validation and searches.
    skconf.inference.confidence_interval : Confidence intervals for samples in memory.

    Notes
    -----
    If there are too many distinct confidences, each confidence c is rounded. If c is below 1/2, the leading binary
    digits of c are kept. If c is above 1/2, the leading binary digits of 1 − c are kept, so confidences near 1 are
    separated as finely as confidences near 0. The rounded confidences form a grid with at most `max_levels` steps in
    [0, 1]. With 65,536 steps, the first nonzero digit and the nine digits after it are kept. The confidences 0, 1/2 and
    1 may be frequent, so no other confidence is rounded to them. Confidences that are rounded to the same number count
    as tied. Two orders of tied predictions give bounds: the exact score lies between the score with all right
    predictions first and the score with all wrong predictions first.

    Adding a small part takes about a millisecond. For parts of at least 10,000 samples, this overhead is negligible.

    Examples
    --------
    >>> from skconf import MetricAccumulator
    >>> total = MetricAccumulator(["cw_accuracy", "neg_aurc"], labels=["no", "yes"])
    >>> total.update(["no", "yes"], [0.1, 0.9]).update(["no"], [0.6])
    MetricAccumulator(['cw_accuracy', 'neg_aurc'], n_samples=3)
    >>> another = MetricAccumulator(["cw_accuracy", "neg_aurc"], labels=["no", "yes"])
    >>> scores = total.merge(another.update(["yes"], [0.8])).result()
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'cw_accuracy': 0.8125, 'neg_aurc': -0.0625}
    """

    def __init__(
        self,
        names: Any,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        intervals: bool = True,
        max_levels: int = 1 << 16,
    ) -> None:
        statistics, _ = read_statistics(names, {}, "names")
        check_option(intervals, "intervals", (False, True))
        check_whole(max_levels, "max_levels", FEWEST_LEVELS)
        classes = None if labels is None else check_labels(labels)
        if pos_label is not None and classes is not None and pos_label not in classes.tolist():
            raise ValueError(f"pos_label={pos_label!r} is not among the labels {shorten(classes.tolist())}.")
        #: Copies share it.
        self._plan = Plan(statistics, intervals=intervals, max_levels=max_levels, labels=classes, pos_label=pos_label)
        self._state: State | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples added."""
        return 0 if self._state is None else self._state.n_samples

    @property
    def labels(self) -> NDArray[Any] | None:
        """Labels of the columns of probabilities."""
        return self._plan.labels if self._state is None else self._state.task.classes

    @property
    def pos_label(self) -> Any:
        """The argument `pos_label`; None if it was not given."""
        return self._plan.pos_label

    @documented()
    def update(
        self,
        y_true: ArrayLike | ConfidenceProfile,
        y_proba: ArrayLike | None = None,
        *,
        y_pred: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or ConfidenceProfile
            True labels, or a profile. A profile also holds predictions and weights, so leave out the other parameters.
            For a generative system, make the profile by
            :meth:`ConfidenceProfile.from_correctness <skconf.ConfidenceProfile.from_correctness>`.
        y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities, with a column for each class in the order of `labels`. Or a table whose columns are named by
            the labels, as LABEL or proba_LABEL. In a binary task, you can pass a single column, the probability of
            `pos_label`.
        {predicted}
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. None if all weights are one.

        Returns
        -------
        self
            The accumulator; unchanged if there are no samples.

        Raises
        ------
        ValueError
            If predictions are not valid. If their labels, positive class or threshold differ from those of earlier
            parts. If a metric needs something that the predictions lack. If there are more distinct confidences than a
            metric can handle. Nothing is then added.
        """
        profile = self._read(y_true, y_proba, y_pred, sample_weight)
        if profile is not None:
            part = self._plan.read(profile, onto=self._state)
            self._state = self._plan.merged(self._state, part.states()[None])
        return self

    def merge(self, other: Self) -> Self:
        """Add all samples of another accumulator.

        Parameters
        ----------
        other : MetricAccumulator
            An accumulator that was made with the same arguments. Functions such as `phi` are compared by name. The
            other accumulator is not changed.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If `other` is not an accumulator.
        ValueError
            If the two accumulators differ in their metrics, in their options or in the labels of their predictions.
            Nothing is then added.
        """
        if not isinstance(other, MetricAccumulator):
            raise TypeError(f"merge needs another MetricAccumulator, but got {other!r}.")
        if self._written() != other._written():
            raise ValueError(
                f"merge needs accumulators made with the same arguments, but these are {self!r} with "
                f"{self._written():.500} and {other!r} with {other._written():.500}."
            )
        if other._state is not None:
            self._state = self._plan.merged(self._state, other._state)
        return self

    def result(self) -> dict[str, float]:
        """Return the scores.

        Returns
        -------
        dict of str to float
            Scores by name. An undefined metric is NaN, with a warning. Another warning names scores that are not exact.

        Raises
        ------
        ValueError
            If there are no samples yet.
        """
        state = self._filled()
        bounds = {name: bound for name, bound in self._plan.error_bounds(state).items() if bound > 0}
        if bounds:
            warn(
                "There are too many distinct confidences to keep, so these scores may have errors of up to "
                + ", ".join(f"{bound:.1e} ({name})" for name, bound in bounds.items())
                + ". error_bounds() returns these bounds. Pass a larger max_levels to make them smaller.",
            )
        return self._plan.values(state)

    def error_bounds(self) -> dict[str, float]:
        """Return, for each score, a bound on the error that comes from rounding the confidences.

        Returns
        -------
        dict of str to float
            The bound on the absolute error, by the name of the score. It is 0 if the score is exact up to rounding
            errors of about 1e-15.

        Raises
        ------
        ValueError
            If there are no samples yet.
        """
        return self._plan.error_bounds(self._filled())

    def confidence_interval(
        self, confidence_level: float = 0.95, *, n_resamples: int = 1000, random_state: Any = 0
    ) -> pd.DataFrame:
        """Return, for each score, a confidence interval of its value on unlimited new samples from the same source.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Confidence level, in [0.5, 1).
        n_resamples : int, default=1000
            How often the accumulated sums are drawn from a normal distribution, for metrics whose method is "normal",
            such as `neg_ece`.
        random_state : int, Generator or None, default=0
            Seed of these draws.

        Returns
        -------
        DataFrame
            A row for each score, with columns `value`, `low`, `high`, `standard_error`, `confidence_level`, `method`
            and `error_bound`. If a score has no interval, `low`, `high` and `standard_error` are NaN, and a warning
            says why. The methods are the same as in :func:`skconf.inference.confidence_interval`, with these
            differences:

            - "exact", "binomial" and "delta" give the same intervals as for samples in memory, except that the interval
              of an area is wider at both ends, by `error_bound`.
            - "normal" replaces "bootstrap": instead of resampling, the sums are drawn from a normal distribution. If a
              bin has few samples, the interval of `neg_mce` is often wider than with "bootstrap".
            - "delta" replaces "bayesian" from 30 to 100 errors, because "bayesian" needs the samples. 95% intervals
              then covered the truth in 85 to 97% of simulated sets. Below 30 errors, metrics that need "bayesian" have
              no interval.
            - The calibrated size ratio, and metrics that depend on the values of the confidences, such as
              `neg_smooth_ece`, never have an interval.

        Raises
        ------
        ValueError
            If there are fewer than two samples, or if samples come in clusters. If `confidence_level` is invalid. If
            the accumulator was made with ``intervals=False``.

        Examples
        --------
        >>> import numpy as np
        >>> from skconf import MetricAccumulator
        >>> rng = np.random.default_rng(0)
        >>> total = MetricAccumulator(["cw_accuracy", "neg_aurc"], labels=[0, 1])
        >>> for _ in range(10):
        ...     y_proba = rng.random(100)
        ...     y_true = (rng.random(100) < y_proba).astype(int)
        ...     _ = total.update(y_true, y_proba)
        >>> total.confidence_interval()[["value", "low", "high"]].round(3)
                     value    low   high
        metric
        cw_accuracy  0.763  0.736  0.788
        neg_aurc    -0.139 -0.164 -0.117
        """
        check_confidence_level(confidence_level)
        check_whole(n_resamples, "n_resamples", 2)
        if not self._plan.intervals:
            raise ValueError("This accumulator was made without intervals. Make it with intervals=True.")
        state = self._filled()
        if state.task.in_groups:
            raise ValueError(
                "These answers come in clusters and depend on each other, but sums over answers do not show the "
                "clusters. Use skconf.inference.confidence_interval with the predictions in memory."
            )
        if state.n_units < 2:
            raise ValueError(
                f"The error of a score cannot be estimated from {state.n_units} samples with positive weight. "
                "At least two are needed."
            )
        rows = {}
        for name, score in self._plan.scores.items():
            value = self._plan.value(name, state)
            interval = Interval(value, np.nan, np.nan, np.nan, confidence_level, "")
            if not np.isnan(value):
                rng = np.random.default_rng(random_state)
                reason = "its error cannot be estimated, because the samples differ too little or not at all"
                try:
                    interval = score.interval(state, value, confidence_level, n_resamples, rng)
                except (ValueError, ArithmeticError) as error:
                    reason = str(error)
                if np.isnan(interval.low):
                    warn(f"{name} has no interval: {reason}.", UndefinedMetricWarning)
            rows[name] = {**asdict(interval), "error_bound": score.error_bound(state)}
        return pd.DataFrame(rows.values(), index=pd.Index(rows, name="metric"))

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return the state as arrays of numbers and strings, which all file formats for arrays can store.

        Returns
        -------
        dict of str to ndarray
            Copies of the arrays. No array holds objects, so ``numpy.savez`` and ``numpy.load`` need no pickle.

        Raises
        ------
        TypeError
            If labels are neither numbers nor strings.

        See Also
        --------
        load_state_dict : Restores the state.
        """
        arrays = {"of": np.array(self._written()), **({} if self._state is None else self._state.to_arrays())}
        if any(array.dtype.hasobject for array in arrays.values()):
            raise TypeError(
                f"The labels {shorten(arrays['classes'].tolist())} are neither numbers nor strings, so they cannot be "
                "stored in arrays without objects. Convert them to strings, or pickle the accumulator."
            )
        return {**arrays, "digest": np.array(_digest(arrays))}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Replace the state with a state that :meth:`state_dict` returned.

        Parameters
        ----------
        state : mapping of str to ndarray
            The state of an accumulator that was made with the same arguments.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the state is that of an accumulator with other arguments, or if an array is missing or has been changed.
        TypeError
            If `state` is not a mapping.

        Examples
        --------
        >>> import io
        >>> import numpy as np
        >>> from skconf import MetricAccumulator
        >>> file = io.BytesIO()
        >>> np.savez(file, **MetricAccumulator("cwsa").update([0, 1], [0.2, 0.9]).state_dict())
        >>> _ = file.seek(0)
        >>> MetricAccumulator("cwsa").load_state_dict(np.load(file)).result()
        {'cwsa': 0.7...}
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be what state_dict() returned, a mapping of arrays, but is {state!r:.100}.")
        arrays = {name: np.array(array) for name, array in state.items()}
        digest = arrays.pop("digest", None)
        if str(arrays.get("of")) != self._written():
            raise ValueError(
                f"state belongs to an accumulator of {arrays.get('of')!s:.500}, not of {self._written():.500}."
            )
        if str(digest) != _digest(arrays):
            raise ValueError("state is not what state_dict() returned: an array is missing, or has been changed.")
        self._state = self._plan.merged(None, State.from_arrays(arrays)) if "counts" in arrays else None
        return self

    def __repr__(self) -> str:
        text = f"MetricAccumulator({shorten(list(self._plan.statistics))}, n_samples={self.n_samples}"
        if self._state is not None:
            rounded = [name for name, score in self._plan.scores.items() if not score.is_exact(self._state)]
            text += f", rounded confidences for {shorten(rounded)}" if rounded else ""
        return text + ")"

    def _written(self) -> str:
        """Describe in words what must be equal if states are merged."""
        plan = self._plan
        statistics = [f"{key!r}: {statistic.identity}" for key, statistic in plan.statistics.items()]
        return f"{', '.join(sorted(statistics))}, intervals={plan.intervals}, max_levels={plan.max_levels}"

    def _read(self, y_true: Any, y_proba: Any, y_pred: Any, sample_weight: Any) -> ConfidenceProfile | None:
        """Return the predictions of a part, or None for an empty part."""
        if isinstance(y_true, ConfidenceProfile):
            given = {"y_pred": y_pred, "sample_weight": sample_weight}
            return as_profile("update()", y_true, y_proba, **given) if len(y_true) else None
        if all(_is_empty(part) for part in (y_true, y_proba)):
            return None
        known = {"labels": self.labels, "pos_label": self.pos_label}
        return weigh_part(as_profile("update()", y_true, y_proba, y_pred=y_pred, **known), sample_weight)

    def _filled(self) -> State:
        if self._state is None:
            raise ValueError("There are no samples yet. Call update or merge first.")
        return self._state


def holding(empty: MetricAccumulator, state: State) -> MetricAccumulator:
    """Return a copy of an accumulator, with another state."""
    filled = object.__new__(type(empty))  # quicker than a copy: there may be many groups
    vars(filled).update(vars(empty), _state=state)
    return filled


def _is_empty(part: Any) -> bool:
    shape = getattr(part, "shape", None)  # a sparse matrix has no length
    if shape is None:
        return hasattr(part, "__len__") and len(part) == 0
    return len(shape) > 0 and shape[0] == 0


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash, in hexadecimal digits, that changes with any change in these arrays."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()
