"""Metrics of classes: a value for each class and averages, and matrices with a value for each pair of classes."""

from abc import abstractmethod
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_number, check_option
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.kinds import Additive, Sums, Term, divide
from skconf.profile import ConfidenceProfile

AVERAGES = ("binary", "macro", "micro", "weighted", None)

_PARAMETERS = """\
average : {"binary", "macro", "micro", "weighted"} or None, default="binary"
    "binary" returns the value of the class `pos_label`. In a binary task, this is the second class by default; with
    more classes, `pos_label` must be given. "macro" returns the mean over classes, "weighted" the mean weighted by the
    number of samples of each class, and "micro" the quotient of the sums over classes. None returns an array with the
    value of each class.
zero_division : {"warn", 0, 1, nan}, default="warn"
    Value of 0/0. "warn" gives 0 with a warning. With nan, averages leave out classes whose value is 0/0."""


class ClassAverage(Additive, rests_on="classes"):
    """A quotient of hits, false alarms and misses for each class, and the averages over classes.

    A metric inherits from two subclasses of this class. One defines the method `masses`: it sums the hits, false alarms
    and misses of each class, from predicted classes or from probabilities. The other defines the method `quotient`. In
    the docstring, {averages} stands for the parameters below.

    Parameters
    ----------
    average : {"binary", "macro", "micro", "weighted", None}
        "binary" is the value of the positive class, "macro" the mean over classes, "weighted" the mean weighted by
        support, and "micro" the quotient of the sums over classes. None gives an array with a value for each class.
    zero_division : {"warn", 0, 1, nan}
        The value that replaces 0/0. "warn" gives 0 with a warning. With nan, averages leave out classes whose value is
        0/0.
    """

    shared_text = MappingProxyType({"{averages}": _PARAMETERS})
    #: The classes whose quotient is 0/0; completes the sentence "NAME is 0/0 for ...".
    empty_class: ClassVar[str] = "a class that is neither predicted nor present"
    #: What a value is with average=None.
    result_by_class: ClassVar[Any] = Floats

    average: str | None = "binary"
    zero_division: str | float = "warn"

    def __post_init__(self) -> None:
        check_option(self.average, "average", AVERAGES)
        is_nan = isinstance(self.zero_division, float) and np.isnan(self.zero_division)
        if not is_nan and self.zero_division not in ("warn", 0, 1):
            raise ValueError(f"zero_division must be 'warn', 0, 1 or nan, but is {self.zero_division!r}.")

    @abstractmethod
    def masses(self, profile: ConfidenceProfile, positive: int | None) -> tuple[Term, Term, Term]:
        """Return the hits, false alarms and misses of each class, which `combine` takes.

        Classes are on the last axis; if `positive` is given, it is last.
        """

    @abstractmethod
    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numerator and denominator of each class."""

    @property
    def terms_name(self) -> str:
        """The name of the masses. Metrics with the same name have the same sums."""
        axis = self.average if self.average in ("binary", "micro") else "classes"
        return f"{type(self).masses.__qualname__} {axis}"

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        positive = profile.require("positive_class") if self.average == "binary" else None
        return self.masses(profile, positive)

    def combine(self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]) -> Any:
        """Return the value from the hits, false alarms and misses of every class."""
        above, below = self._parts(hit, false_alarm, missed)
        quotient = divide(above, below, 0.0 if self.zero_division == "warn" else float(self.zero_division))
        if self.average == "macro":
            return mean_of_defined(quotient, self.averaged(hit, false_alarm, missed))
        if self.average == "weighted":
            return mean_of_defined(quotient, hit + missed)
        return quotient

    def averaged(self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each class in the macro average: 1."""
        return np.ones(hit.shape)

    def notices_of_sums(self, *sums: NDArray[Any]) -> list[Notice]:
        """Return a notice if a quotient is 0/0."""
        _, below = self._parts(*sums)
        empty = below == 0
        if self.average not in ("binary", "micro"):
            empty = empty & (self.averaged(*sums) > 0)
        if self.zero_division != "warn" or not np.any(empty):
            return []
        text = f"{self.info.name} is 0/0 for {self.empty_class}, so it is set to 0."
        return [Notice(f"{text} Pass zero_division to get another value.", UndefinedMetricWarning)]

    def _parts(self, *sums: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numerator and denominator of every class, of all classes together, or of the positive class."""
        above, below = self.quotient(*sums)
        if self.average == "micro":
            return above.sum(axis=-1), below.sum(axis=-1)
        if self.average == "binary":
            return above[..., -1], below[..., -1]
        return above, below

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value, which must be one number."""
        if self.average is None:
            self._refuse_arrays()
        return super().influence(profile)

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much the value of each class adds to the average; None unless `average` is "binary" or "macro"."""
        classes = np.arange(len(profile.require("classes")))
        if self.average == "binary":
            return (classes == profile.require("positive_class")).astype(np.float64)
        return np.ones(len(classes)) if self.average == "macro" else None

    def _refuse_arrays(self) -> None:
        raise TypeError(
            f"{self.info.name} has no per-sample contributions with average=None, because it has a value for each "
            "class. Choose an average."
        )


class PrecisionOf(ClassAverage):
    """Precision of a class: the share of its predictions that is right."""

    empty_class = "a class that is never predicted"

    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        return hit, hit + false_alarm


class RecallOf(ClassAverage):
    """Recall of a class: the share of its samples that is found."""

    empty_class = "a class that is not present"

    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        return hit, hit + missed


class FScoreOf(ClassAverage):
    """The harmonic mean of precision and recall. `FBetaOf` gives recall another weight."""

    def recall_share(self) -> float:
        """Return the weight of recall in the harmonic mean."""
        return 0.5

    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        share = self.recall_share()
        return hit, hit + share * missed + (1 - share) * false_alarm


class FBetaOf(FScoreOf):
    """The harmonic mean of precision and recall, in which recall counts β times as much."""

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.beta, "beta", 0.0)

    def recall_share(self) -> float:
        return 1 - 1 / (1 + float(self.beta) * float(self.beta))  # in this form β may be infinite


class JaccardOf(ClassAverage):
    """Of the samples that are predicted as a class or belong to it, the share that does both."""

    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        return hit, hit + false_alarm + missed


class MatrixOfSums(Additive):
    """A matrix of sums. It can be computed by group and merged from parts, but samples have no contributions."""

    result: ClassVar[Any] = Floats

    def sums(self, profile: ConfidenceProfile, groups: Codes | None = None, n_groups: int = 1) -> Sums:
        """Return the sums for the weights that the user gave, because the profile has scaled them."""
        return tuple(profile.weight_scale * part for part in super().sums(profile, groups, n_groups))

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Raise, because the value is a matrix and not a number."""
        raise TypeError(f"{self.info.name} has no per-sample contributions, because it is a matrix and not a number.")


class ConfusionMatrix(MatrixOfSums):
    """A matrix with true classes in rows and predicted classes in columns."""

    normalize: str | None = None

    def __post_init__(self) -> None:
        check_option(self.normalize, "normalize", (None, "true", "pred", "all"))

    @abstractmethod
    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        """Return the term whose sums are the entries of the matrix."""

    def combine(self, mass: NDArray[Any]) -> Any:
        if self.normalize is None:
            return mass
        summed = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}[self.normalize]
        return divide(mass, mass.sum(axis=summed, keepdims=True), 0.0)


def mean_of_defined(values: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Return the weighted mean over the last axis, leaving out NaNs; the plain mean if all weights are zero."""
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0.0)
    none = (weights == 0).all(axis=-1, keepdims=True)
    weights = np.where(none & defined, 1.0, weights)
    return divide((np.where(defined, values, 0.0) * weights).sum(axis=-1), weights.sum(axis=-1), np.nan)


def others(masses: NDArray[Any]) -> NDArray[Any]:
    """Return, for every class, the sum over the other classes, without a subtraction that could lose digits."""
    nothing = np.zeros_like(masses[..., :1])
    before = np.concatenate([nothing, masses[..., :-1].cumsum(axis=-1)], axis=-1)
    after = np.concatenate([nothing, masses[..., :0:-1].cumsum(axis=-1)], axis=-1)[..., ::-1]
    return before + after
