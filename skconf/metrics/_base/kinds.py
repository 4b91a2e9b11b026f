"""The three kinds of metrics, and their capabilities.

A metric is a small frozen object. It holds parameters and computes a value from a profile. Its kind defines its
capabilities:

- `Additive`: a function of a few weighted sums over samples. Its values, values by group, merged parts, contributions
  and influence values all follow from `terms` and `combine`.
- `Ranked`: uses the shared sort of the profile.
- `Whole`: needs all confidences at once; it has only a value.

Subclassing one of them with a `name` registers the metric and makes its public function.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf._core.warn import Notice, warn_each
from skconf.metrics._base.registry import Registered
from skconf.metrics._base.sums import BlockSums
from skconf.metrics._base.sums import Cells as Cells
from skconf.metrics._base.sums import Sums as Sums
from skconf.metrics._base.sums import Term as Term
from skconf.profile import KNOWN, ConfidenceProfile, Kind

#: A metric that takes one of these kinds of answers also takes the kinds before it.
_KINDS: tuple[Kind, ...] = ("right or wrong", "graded", "costs")


class Metric(Registered):
    """A metric. `metric(profile)` is its value, with a warning if it is undefined.

    `value`, and all that it calls, gives no warnings. `evaluate` returns the warnings with the value. The function that
    the user called gives them once.
    """

    #: When the value is NaN; completes the sentence "NAME is undefined, because ...".
    undefined: ClassVar[str] = "its denominator is zero"
    #: Why the error of the value must be found by resampling: there are no influence values, or a kink makes them
    #: unreliable. Empty if influence values are reliable.
    why_resampled: ClassVar[str] = "it is not a function of sums over samples"
    #: Why it cannot be computed from accumulated parts. If this is empty, accumulators try it with a few samples.
    why_not_merged: ClassVar[str] = ""
    #: Whether it uses the score by which selection ranks, and not the confidence, if the two differ.
    reads_score: ClassVar[bool] = False
    #: Whether it estimates a property of the source of the samples, so that an interval is meaningful.
    is_estimate: ClassVar[bool] = True
    #: The kinds of answers for which it is defined: right or wrong ones alone; also "graded" ones, whose correctness
    #: lies in [0, 1]; or both of these and answers of which only "costs" are known.
    takes: ClassVar[Kind] = "right or wrong"
    #: Whether rows that abstain count, like rejected rows. If not, only rows with an answer count.
    counts_abstained: ClassVar[bool] = False
    #: Whether it compares answers with independent draws. It then refuses answers in clusters.
    draws_answers: ClassVar[bool] = False
    #: Whether it is a mean over answers of the loss (or of 1 − loss): a share if answers are right or wrong, and a cost
    #: if only their costs are known.
    of_losses: ClassVar[bool] = False

    def rows_of(self, profile: ConfidenceProfile) -> ConfidenceProfile:
        """Return the rows that the metric uses. Rows that abstain have a score below every threshold."""
        return profile.everything if self.counts_abstained else profile

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value with these parameters."""
        return self.info.bounds

    @property
    def zero_if_calibrated(self) -> bool:
        """Whether the value is 0 for a calibrated population, but above 0 in samples from it.

        It is True only if the metric uses nothing but confidences and correctness.
        """
        return False

    def kinds_of_samples(self, profile: ConfidenceProfile) -> Codes | None:
        """Return the kind of each sample, if the standard error treats the number of each kind as fixed; else None.

        Examples are positives and negatives. Kinds are used only if samples are independent and have equal weights. The
        error then comes from the variances within the kinds, and the interval from the normal distribution.
        """
        return None

    def unit(self, profile: ConfidenceProfile) -> float:
        """Return the unit by which the value is divided. Values of models with different units cannot be compared."""
        return 1.0

    def counted(self, profile: ConfidenceProfile) -> NDArray[np.bool_] | None:
        """Return which answers the metric counts; None for all answers."""
        return None

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much the value of each class adds to the value of the metric; None if classes are pooled."""
        return None

    def __call__(self, profile: ConfidenceProfile) -> Any:
        """Return the value for a profile: a float, an array, a curve or a test."""
        value, notices = self.evaluate(profile)
        warn_each(notices)
        return value

    def evaluate(self, profile: ConfidenceProfile) -> tuple[Any, list[Notice]]:
        """Return the value for a profile as users get it, and warnings for them."""
        if len(profile) == 0:
            raise ValueError(f"{self.info.name} needs at least one sample, but the profile has none.")
        self.check_kind(profile)
        value = as_users_get_it(self.value(self.rows_of(profile)))
        return value, self.notices(profile, value)

    def check_kind(self, profile: ConfidenceProfile) -> None:
        """Raise if the metric is not defined for this kind of answers."""
        if self.draws_answers and profile.groups is not None:
            raise ValueError(
                f"{self.info.name} assumes independent answers, but these come in clusters, such as the labels of one "
                "row. Pass one answer of each cluster, or use confidence_interval, which resamples clusters."
            )
        if _KINDS.index(profile.kind) <= _KINDS.index(self.takes):
            return
        taken = "right or wrong, or graded" if self.takes == "graded" else self.takes
        raise ValueError(f"{self.info.name} needs answers that are {taken}, but {KNOWN[profile.kind]}.")

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:
        """Return warnings, given the value for a profile."""
        return [*self.undefined_notices(value), *self.notices_of_threshold(profile.threshold)]

    def notices_of_threshold(self, threshold: float | None) -> list[Notice]:
        """Return warnings, given the threshold of the predictions, or None if they have no threshold."""
        return []

    def undefined_notices(self, value: Any) -> list[Notice]:
        """Return a warning if the value is one number and NaN."""
        if not isinstance(value, float) or not np.isnan(value):
            return []
        text = f"{self.info.name} is undefined, because {self.undefined}. It is returned as NaN."
        return [Notice(text, UndefinedMetricWarning)]

    @abstractmethod
    def value(self, profile: ConfidenceProfile) -> Any:
        """Return the value, NaN where it is undefined."""

    def by_group(self, profile: ConfidenceProfile, groups: Codes, n_groups: int) -> NDArray[Any]:
        """Return the value in every group: an array with one entry, or one row, for each group."""
        ends = np.bincount(groups, minlength=n_groups).cumsum()
        members = np.split(np.argsort(groups, kind="stable"), ends[:-1])
        parts = {group: profile[rows] for group, rows in enumerate(members) if len(rows)}
        values = {
            group: np.asarray(self.value(part))
            for group, part in parts.items()
            if part.sample_weight is None or part.sample_weight.any()
        }
        out = np.full((n_groups, *next(iter(values.values())).shape), np.nan)
        out[list(values)] = list(values.values())
        return out

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value; raise if the metric has none."""
        self._refuse_influence()

    def contributions(self, profile: ConfidenceProfile) -> Floats:
        """Return the contribution of each sample to the value; raise if the metric has none."""
        self._refuse("per-sample contributions")

    def refuse_weights(self, profile: ConfidenceProfile) -> None:
        """Raise if the profile has sample weights."""
        if profile.sample_weight is not None:
            raise ValueError(
                f"{self.info.name} takes no sample_weight, because its reference distribution assumes equal weights. "
                "Leave the weights out, or draw a sample with the weights as probabilities."
            )

    def _refuse_influence(self) -> NoReturn:
        raise TypeError(f"{self.info.name} has no influence values, because {self.why_resampled}.")

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(f"{self.info.name} has no {what}, because it is not a function of sums over samples.")


class Additive(Metric):
    """A function of a few weighted sums of per-sample terms.

    A subclass defines `terms` and `combine`; everything else follows. `combine` has an argument for each term: an array
    of the sums of this term. Its axes are groups, cells and columns, as far as there are any. `combine` is
    differentiated by a complex step, so its functions must accept complex numbers (use `magnitude` instead of abs).
    """

    why_resampled = ""

    @property
    def terms_name(self) -> str:
        """A name that metrics with the same terms share. Empty if no other metric has these terms."""
        return ""

    @abstractmethod
    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        """Return the terms of these samples, before they are multiplied by weights."""

    @abstractmethod
    def combine(self, *sums: Any, **_: Any) -> Any:  # so that a subclass may name the sums that it has
        """Return the value from the sums, NaN where it is undefined."""

    def gradient(self, *sums: NDArray[Any]) -> Sums:
        """Return the derivative of the value by each sum, exact up to rounding."""
        return tuple(_complex_step(self, sums, position) for position in range(len(sums)))

    def sums(self, profile: ConfidenceProfile, groups: Codes | None = None, n_groups: int = 1) -> Sums:
        """Return the weighted sums. The sums of disjoint parts of the data add up to the sums of all data.

        Parameters
        ----------
        profile : ConfidenceProfile
            The samples.
        groups : ndarray of shape (n_samples,), default=None
            The group of each sample, as a number from 0. If it is given, the sums have a leading axis over the groups.
        n_groups : int, default=1
            Number of groups.

        Returns
        -------
        tuple of ndarray
        """
        if self.computed_by() is not self:
            raise TypeError(
                f"{self!r} does not compute a value itself. Create it with get_metric, which returns an object that "
                "does."
            )
        total: Sums = ()
        for rows, block in self.rows_of(profile).blocks():
            members = None if groups is None else groups[rows]
            found = BlockSums(block, members, n_groups)
            part = tuple(map(found.of, self.terms(block)))
            total = merge(total, part) if total else part
        return total

    def value(self, profile: ConfidenceProfile) -> Any:
        """Return the value, NaN where it is undefined."""
        return self.of_sums(*self.sums(profile))

    def evaluate(self, profile: ConfidenceProfile) -> tuple[Any, list[Notice]]:
        """Return the value for a profile as users get it, and warnings for them."""
        if len(profile) == 0:
            return super().evaluate(profile)
        self.check_kind(profile)
        sums = self.sums(profile)
        value = as_users_get_it(self.of_sums(*sums))
        return value, [*self.notices(profile, value), *self.notices_of_sums(*sums)]

    def evaluate_sums(self, *sums: NDArray[Any]) -> tuple[Any, list[Notice]]:
        """Return the value as users get it, and warnings, from the sums over all samples."""
        value = as_users_get_it(self.of_sums(*sums))
        return value, [*self.undefined_notices(value), *self.notices_of_sums(*sums)]

    def notices_of_sums(self, *sums: NDArray[Any]) -> list[Notice]:
        """Return warnings that follow from the sums over all samples, except for an undefined value."""
        return []

    def of_sums(self, *sums: NDArray[Any]) -> Any:
        """Return the value from the sums over all samples, NaN where it is undefined."""
        return self.combine(*sums)

    def by_group(self, profile: ConfidenceProfile, groups: Codes, n_groups: int) -> NDArray[Any]:
        """Return the value in every group, in one pass over the samples."""
        return np.asarray(self.combine(*self.sums(profile, groups, n_groups)))

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value. Squared effects add up to the variance."""
        slopes = self.gradient(*self.sums(profile))
        out = np.empty(len(profile))
        for rows, block in profile.blocks():
            parts = zip(self.terms(block), slopes, strict=True)
            out[rows] = sum(term.pull_back(np.asarray(slope), block.sample_weight, len(block)) for term, slope in parts)
        return out

    def contributions(self, profile: ConfidenceProfile) -> Floats:
        """Return the influence of each sample. The value itself is a sum over samples only in a `Ratio`."""
        return self.influence(profile)


class Ratio(Additive):
    """A quotient of two weighted sums, Σ w a / Σ w b."""

    #: The value of 0/0.
    empty: ClassVar[float] = np.nan
    #: Its interval if it is a share of samples with equal weights. "exact" is Clopper and Pearson's interval. It holds
    #: for every share, as it must for a limit of a risk. "wilson" is the usual, narrower interval, which holds on
    #: average over shares. Empty if the metric is not a share.
    share_interval: ClassVar[Literal["exact", "wilson", ""]] = ""

    @abstractmethod
    def ratio(self, profile: ConfidenceProfile) -> tuple[ArrayLike, ArrayLike]:
        """Return a and b for every sample."""

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        above, below = self.ratio(profile)
        return Term(above), Term(below)

    def combine(self, above: NDArray[Any], below: NDArray[Any]) -> Any:
        return divide(above, below, self.empty)

    def gradient(self, *sums: NDArray[Any]) -> Sums:
        above, below = sums
        return divide(1.0, below, 0.0), divide(-above, below * below, 0.0)

    def contributions(self, profile: ConfidenceProfile) -> Floats:
        """Return w a / Σ w b for every sample. These shares add up to the value."""
        _, below = self.sums(profile)
        out = np.empty(len(profile))
        for rows, block in profile.blocks():
            share = self.terms(block)[0]
            out[rows] = share.pull_back(divide(1.0, below, self.empty), block.sample_weight, len(block))
        return out


class Ranked(Metric):
    """A metric of the order of the scores, which uses the shared sort of the profile.

    A subclass that defines `slopes` has influence values. Such a subclass must set `why_resampled` to an empty text.
    """

    why_resampled = "its slopes are not known"
    reads_score = True
    #: Whether the value depends on the scores themselves. If only their order matters, right answers with no error
    #: between them may be taken as tied.
    reads_levels: ClassVar[bool] = False

    @property
    def own_losses(self) -> bool:
        """Whether the metric uses losses of its own, and not those of the profile."""
        return False

    @abstractmethod
    def of_ranking(self, ranking: Ranking) -> Any:
        """Return the value, NaN where it is undefined."""

    def value(self, profile: ConfidenceProfile) -> Any:
        """Return the value, NaN where it is undefined."""
        return self.of_ranking(self.ranking_of(profile))

    def ranking_of(self, profile: ConfidenceProfile) -> Ranking:
        """Return the ranking of a profile; raise if the metric cannot use it."""
        return profile.ranking if self.reads_score else profile.confidence_ranking

    def losses_of(self, profile: ConfidenceProfile) -> NDArray[Any]:
        """Return the loss of each answer in the ranking."""
        return profile.loss

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        """Return the derivatives of the value by the weight of right and of wrong predictions at each score."""
        self._refuse_influence()

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value. Squared effects add up to the variance."""
        ranking = self.ranking_of(profile)
        right, wrong = self.slopes(ranking)
        score = profile.score if self.reads_score else profile.confidence
        order = np.argsort(-score)  # looking values up in order is five times as fast
        at = np.empty(len(score), dtype=np.intp)
        # A sample of weight zero may have a score of its own, below all others.
        at[order] = np.minimum(np.searchsorted(-ranking.score, -score[order]), len(ranking.score) - 1)
        lost = self.losses_of(profile)
        gained, paid = right[at], wrong[at]
        effect = np.where(lost, paid, gained) if lost.dtype == np.bool_ else (1 - lost) * gained + lost * paid
        return effect if profile.sample_weight is None else profile.sample_weight * effect


class Whole(Metric):
    """A metric that needs all confidences at once. It has only a value."""


class Substitute(Metric):
    """What computes the metric `asked`, if its parameters need another kind of metric.

    Facts such as the name and the bounds are those of `asked`.
    """

    asked: Any

    def __post_init__(self) -> None:
        for fact in ("info", "rests_on", "takes", "draws_answers", "is_estimate"):
            object.__setattr__(self, fact, getattr(self.asked, fact))

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the metric that it computes."""
        low, high = self.asked.bounds
        return low, high

    @property
    def zero_if_calibrated(self) -> bool:
        """The same as for the metric that it computes."""
        return bool(self.asked.zero_if_calibrated)

    def __repr__(self) -> str:
        return repr(self.asked)


def as_users_get_it(value: Any) -> Any:
    """Return a number as a float; arrays, curves and tests unchanged."""
    return value if isinstance(value, tuple) or np.ndim(value) else float(value)


def merge(first: Sums, second: Sums) -> Sums:
    """Merge the sums of two parts of the data into the sums of both."""
    return tuple(a + b for a, b in zip(first, second, strict=True))


def divide(above: ArrayLike, below: ArrayLike, empty: float) -> NDArray[Any]:
    """Return a quotient; `empty` where the divisor is zero."""
    above, below = np.asarray(above), np.asarray(below)
    zero = below == 0
    return np.where(zero, empty, above / np.where(zero, 1.0, below))


def magnitude(values: NDArray[Any]) -> NDArray[Any]:
    """Return the absolute value. A complex number with a negative real part is negated, as a complex step needs it."""
    return values * np.where(values.real < 0, -1.0, 1.0)


def _complex_step(metric: Additive, sums: Sums, position: int) -> NDArray[Any]:
    """Return the derivative of the value by one of the sums, Im f(x + ih) / h, without cancellation."""
    at, tiny = np.asarray(sums[position], dtype=np.float64), 1e-100
    shifted = at + 1j * tiny * np.eye(max(at.size, 1)).reshape(-1, *at.shape)
    batch = [np.broadcast_to(part, (at.size, *np.shape(part))) for part in sums]
    batch[position] = shifted
    return (np.asarray(metric.combine(*batch)).imag / tiny).reshape(at.shape)
