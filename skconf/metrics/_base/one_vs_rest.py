"""Metrics of the order of the probabilities of each class."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats, row_blocks
from skconf._core.ranking import Ranking
from skconf._core.warn import Notice
from skconf.metrics._base.averages import mean_of_defined
from skconf.metrics._base.kinds import Metric
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once

#: Columns of a probability matrix copied together: a row of them fills one line of the processor's cache.
_MOST_COLUMNS = 16


class RankedByClass(Metric, rests_on="order"):
    """A metric of the order of the probabilities of each class against the rest, averaged over classes.

    A subclass defines the weights of the samples, the value of one class, and the influence of each sample on this
    value. In a binary task, only the positive class is used.
    """

    why_resampled = ""
    #: The name of the weights. Metrics with the same name share the sorted probabilities of a class.
    weighted_by: ClassVar[str]
    #: Whether its standard error takes the numbers of positives and negatives as given, as DeLong's does.
    given_numbers: ClassVar[bool] = False
    #: Why a class is undefined; completes the sentence "NAME is an average without the classes ..., because".
    lacking: ClassVar[str] = (
        "a class has a value only if a sample of the class and a sample of another class have a weight above 0"
    )

    average: str | None = "macro"

    @abstractmethod
    def weight(self, profile: ConfidenceProfile) -> Floats:
        """Return the weight of each sample."""

    @abstractmethod
    def of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
        """Return the value of a class (NaN if it is undefined) and the weight of its samples.

        The score is the probability of the class, and `present` says whether a sample is of the class.
        """

    @abstractmethod
    def of_ranking(self, ranking: Ranking) -> tuple[Any, Any]:
        """Return the value of a class and the weight of its samples, as `of_class` does, for each draw of the weights.

        `ranking` holds the samples of the class in the place of errors.
        """

    @abstractmethod
    def influence_on_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
        """Return the first-order effect of each sample on the value of a class."""

    def least_of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> float:
        """Return a lower bound of the value before scores were rounded: scores that are equal now may have differed."""
        return self.of_class(score, present, weight)[0]

    def codes(self, n_classes: int, positive: int | None) -> Sequence[int]:
        """Return the positions of the classes that are used: all, or only the positive class of a binary task."""
        return range(n_classes) if n_classes != 2 or positive is None else [positive]

    def kinds_of_samples(self, profile: ConfidenceProfile) -> Codes | None:
        """Return which samples are positive, if the task is binary and `given_numbers` is True; else None."""
        codes = self.classes_read(profile)
        if not self.given_numbers or len(codes) > 1:
            return None
        return (profile.require("true_class") == codes[0]).astype(np.intp)

    def value(self, profile: ConfidenceProfile) -> NDArray[Any]:
        """Return the value, NaN where it is undefined."""
        return self.of_classes(*self._by_class(profile))

    def of_classes(self, values: Floats, support: Floats) -> NDArray[Any]:
        """Return the average of the values of the classes, on the last axis. A single class needs no average."""
        if values.shape[-1] == 1:
            return np.asarray(values[..., 0])
        if self.average is None:
            return values
        return mean_of_defined(values, support if self.average == "weighted" else np.ones_like(values))

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:
        """Return a notice if the value is undefined, or if some classes have no value."""
        return self.notices_of_classes(self._by_class(profile)[0], profile.require("classes"), value)

    def notices_of_classes(self, values: Floats, classes: NDArray[Any], value: Any) -> list[Notice]:
        """Return a notice if the value is undefined, or if some classes have no value."""
        absent = np.isnan(values)
        scalar_is_nan = absent.all() and self.average is not None  # this has a notice of its own
        if not absent.any() or scalar_is_nan or len(values) == 1:
            return self.undefined_notices(value)
        left_out = "NaN for" if self.average is None else "an average without"
        names = shorten(classes[absent].tolist())
        text = f"{self.info.name} is {left_out} the classes {names}, because {self.lacking}."
        return [Notice(text, UndefinedMetricWarning)]

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much the value of each class adds to the average."""
        values, support = self._by_class(profile)
        shares = np.zeros(len(profile.require("classes")))
        shares[list(self.classes_read(profile))] = ~np.isnan(values) * (support if self.average == "weighted" else 1.0)
        return shares

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value. Squared effects add up to the variance."""
        values, support = self._by_class(profile)
        if self.average is None and len(values) > 1:
            raise TypeError(f"{self.info.name} has no influence values with average=None. Choose an average.")
        true_class, weight = profile.require("true_class"), self.weight(profile)
        share = ~np.isnan(values) * (support if self.average == "weighted" else 1.0)
        share /= share.sum()
        codes = self.classes_read(profile)
        effect = np.zeros(len(profile))
        for position in np.flatnonzero(share).tolist():
            code = codes[position]
            of_class = self.influence_on_class(column_of(profile, code), true_class == code, weight)
            effect += share[position] * of_class
        if self.average == "weighted" and len(values) > 1:  # a sample adds to the support of its class
            gain = np.where(np.isnan(values), 0.0, values - self.of_classes(values, support)) / support[share > 0].sum()
            effect += weight * gain[true_class]
        return effect

    def classes_read(self, profile: ConfidenceProfile) -> Sequence[int]:
        """Return the positions of the classes of a profile that are used."""
        return self.codes(len(profile.require("classes")), profile.positive_class)

    def _by_class(self, profile: ConfidenceProfile) -> tuple[Floats, Floats]:
        return _values_by_class(profile, replace(self, average="macro"))


@computed_once
def _values_by_class(profile: ConfidenceProfile, metric: RankedByClass) -> tuple[Floats, Floats]:
    """Return the value of each class and the weight of its samples. They are computed once for all averages."""
    codes, weight, true_class = metric.classes_read(profile), metric.weight(profile), profile.require("true_class")
    values, support = np.empty(len(codes)), np.empty(len(codes))
    step = max(1, min(_MOST_COLUMNS, len(codes) // 16))
    for start in range(0, len(codes), step):
        chosen = codes[start : start + step]
        # Columns are far apart in memory: a few at a time are copied, each into one piece.
        for position, code, column in zip(range(start, len(codes)), chosen, _columns(profile, chosen), strict=False):
            values[position], support[position] = metric.of_class(column, true_class == code, weight)
    return values, support


def column_of(profile: ConfidenceProfile, code: int) -> NDArray[Any]:
    """Return the probabilities of one class."""
    given = profile.given_proba
    if given is not None and given.ndim == 1 and code == profile.positive_class:
        return given
    return np.ascontiguousarray(profile.proba[:, code])


def _columns(profile: ConfidenceProfile, codes: Sequence[int]) -> Sequence[NDArray[Any]]:
    """Return the probabilities of some neighbouring classes, each class contiguous in memory."""
    if len(codes) == 1:
        return [column_of(profile, codes[0])]
    out = np.empty((len(codes), len(profile)), dtype=profile.proba.dtype)
    for rows in row_blocks(len(profile), profile.proba.shape[1]):
        out[:, rows] = profile.proba[rows, codes[0] : codes[-1] + 1].T
    return list(out)
