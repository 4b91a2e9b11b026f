"""Choose the method of an interval by the number of errors, or of samples of a class, on which the value depends."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf.inference._sampling import FEWEST_UNITS, Sampling
from skconf.metrics._base.kinds import Ranked, Ratio
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once
from skconf.scoring._names import Statistic

#: From this many errors on, or this many samples of a class whose order counts, influence values give a valid standard
#: error. The second number is for the samples of a class in a mean over classes.
ENOUGH, ENOUGH_OF_A_CLASS = 100.0, 50.0
#: The samples of a class decide, and not the errors, if there are at most this many samples for each error.
_SAMPLES_TO_AN_ERROR = 3.0
#: Rounding errors of a number of errors are smaller.
_ROUNDING = 1e-9
#: Errors are in few groups if they are in fewer groups than this, and in at most this share of the groups.
_FEW_GROUPS, _FEW_OF_GROUPS = 10, 0.25
#: The Bayesian bootstrap draws a weight for each of up to this many answers. If there are more answers, it keeps all
#: answers of the rarer kind, and each kept answer of the other kind represents several. This is not done in groups.
MOST_ROWS = 10_000
#: Fewest samples of each kind that determine an order, and fewest of a class that determine its mean.
_FEWEST_RANKED, _FEWEST_OF_A_CLASS = 2, 5
#: With fewer errors than this, the intervals of calibration errors covered the truth in 83 to 99% of simulated sets.
ENOUGH_TO_RESAMPLE = 30.0
#: Take the most confident answers, as long as fewer errors than the first number are expected among them. A sample
#: often has none of these errors. A size ratio has an interval only if these answers are at most the second number as a
#: share of all answers.
_SEEN, UNSEEN_SHARE = 3.0, 0.05
#: If answers are drawn one by one, a size ratio has an interval only if no single error would add more than this.
_MOST_OF_AN_ERROR = 0.3


class Choice(NamedTuple):
    """The method of an interval, or the reason why no interval is valid.

    Attributes
    ----------
    method : str
        "exact", "binomial", "mover", "gamma", "delta", "bayesian" or "bootstrap"; "none" if no interval is valid.
    reason : str, default=""
        Why no interval is valid. It completes the sentence "NAME cannot be estimated: ...".
    share : Share, default=None
        The value as a share, if the method is "exact" or "binomial".
    """

    method: str
    reason: str = ""
    share: "Share | None" = None


class Share(NamedTuple):
    """A share of samples, such as the share of errors, and the effective number of samples."""

    value: float
    size: float

    @property
    def rarer(self) -> float:
        """Effective number of samples of the rarer kind."""
        return min(self.value, 1 - self.value) * self.size

    def told(self) -> str:
        """Say how many errors there are, or right answers if these are fewer, such as "28 errors"."""
        # With weights or grades, the number is not a count. It is rounded down, so that it is below a limit that it
        # misses.
        n, kind = int(self.rarer + _ROUNDING), "error" if self.value <= 1 / 2 else "right answer"
        effective = "" if abs(self.rarer - round(self.rarer)) < _ROUNDING else "effective "
        return f"{n} {effective}{kind}{'s' * (n != 1)}"


def choose(statistic: Statistic, profile: ConfidenceProfile, sampling: Sampling) -> Choice:
    """Return the valid method for a score of some predictions.

    If errors are few, or are in few groups, the interval is computed from draws. If strata have different mean weights,
    it is computed from draws within strata, or by MOVER if the value is a share of samples.
    """
    metric, profile = statistic.metric, statistic.on(profile)
    if sampling.grouped and sampling.equivalent.min() <= FEWEST_UNITS:
        return Choice("none", "one group has nearly all the samples, so the standard error cannot be estimated")
    if metric.rests_on == "tail":
        alone = sampling.independent and isinstance(metric, Ratio)
        reason = _decisive(metric, profile) if alone else _unseen(metric, profile)
        if reason:
            return Choice("none", reason)
        if alone:
            return Choice("gamma")
    if statistic.why_resampled:
        return Choice("bootstrap")
    if sampling.weighs_strata and profile.kind != "costs":
        mixed = isinstance(metric, Ratio) and sampling.equal_within and share_of_all(metric, profile)
        return Choice("mover" if mixed else "bayesian")
    if sampling.grouped:
        return _of_few_groups(statistic, profile, sampling)
    if not sampling.independent or profile.kind == "costs":
        return Choice("delta")
    if isinstance(metric, Ratio) and metric.share_interval and is_share(metric, profile):
        return choose_of_share(metric, *share_of(metric, profile))
    if metric.rests_on in ("samples", "tail"):
        return Choice("delta")
    return _of_few(metric, profile)


def _of_few_groups(statistic: Statistic, profile: ConfidenceProfile, sampling: Sampling) -> Choice:
    """Return the valid method for rows in groups.

    If the value depends on errors, draws are made if only few of the groups have errors, or if only few have right
    answers. A mean with two finite bounds needs no draws, because Wilson's interval allows for few errors.
    """
    metric = statistic.metric
    if sampling.unit is None or sampling.stratum is not None or len(profile) > MOST_ROWS:
        return Choice("delta")
    if profile.kind != "right or wrong" or not (metric.rests_on == "errors" or rests_on_order_of_answers(metric)):
        return Choice("delta")
    if isinstance(metric, Ratio) and np.isfinite(statistic.bounds).all():
        return Choice("delta")
    of_groups = sampling.totals(profile.loss)
    fewer = min(np.count_nonzero(of_groups), np.count_nonzero(of_groups < sampling.totals(np.ones(len(profile)))))
    if fewer >= _FEW_GROUPS or fewer > _FEW_OF_GROUPS * sampling.n_units:
        return Choice("delta")
    reason = _few_to_rank(profile) if rests_on_order_of_answers(metric) else ""
    return Choice("none", reason) if reason else Choice("bayesian")


def is_share(metric: Ratio, profile: ConfidenceProfile) -> bool:
    """Return whether a metric counts each answer as 1 or 0."""
    return profile.kind == "right or wrong" or not metric.of_losses


def share_of_all(metric: Ratio, profile: ConfidenceProfile) -> bool:
    """Return whether a metric is a share of all samples that it uses, each counted as 1 or 0."""
    return bool(metric.share_interval) and is_share(metric, profile) and bool(np.all(metric.ratio(profile)[1] == 1))


def choose_of_share(metric: Ratio, share: Share, equal: bool) -> Choice:
    """Return the valid method for a share of samples, given whether all have the same weight."""
    if share.size < FEWEST_UNITS:
        return Choice("none", "one row has all or nearly all the weight, so the standard error cannot be estimated")
    if equal:
        return Choice("exact" if metric.share_interval == "exact" else "delta", share=share)  # which is Wilson's here
    return Choice("delta" if share.rarer >= ENOUGH else "binomial", share=share)


def _of_few(metric: Any, profile: ConfidenceProfile) -> Choice:
    if rests_on_classes(metric, profile):
        sizes, deciding = size_of_classes(metric, profile)
        ordered = metric.rests_on == "order"
        fewest = _FEWEST_RANKED if ordered else _FEWEST_OF_A_CLASS
        if deciding < fewest:
            return Choice("none", _few_of_a_class(sizes, profile, fewest))
        if deciding < (ENOUGH if ordered else ENOUGH_OF_A_CLASS):
            return Choice("bayesian")
    share = errors_among(metric, profile)
    if share.size == 0 or share.rarer >= ENOUGH:  # without counted samples, only the bounds are known
        return Choice("delta")
    reason = _few_to_rank(profile) if rests_on_order_of_answers(metric) else ""
    return Choice("none", reason) if reason else Choice("bayesian")


def rests_on_classes(metric: Any, profile: ConfidenceProfile) -> bool:
    """Return whether the error of a metric depends on the samples of each class, or on their order."""
    return metric.rests_on in ("classes", "order") and metric.class_shares(profile) is not None


def rests_on_order_of_answers(metric: Any) -> bool:
    """Return whether the error of a metric depends on the order of right and wrong answers."""
    return metric.rests_on == "order" and isinstance(metric, Ranked)


def share_of(metric: Ratio, profile: ConfidenceProfile) -> tuple[Share, bool]:
    """Return a metric as a share, and whether all samples that it counts have the same weight."""
    above = total = squares = largest = 0.0
    least = np.inf
    for _, block in profile.blocks():
        counted, all_of = (np.broadcast_to(part, len(block)) for part in metric.ratio(block))
        weight = all_of.astype(np.float64) if block.sample_weight is None else all_of * block.sample_weight
        above += float(weight @ counted)
        total += float(weight.sum())
        squares += float(weight @ weight)
        largest = max(largest, float(weight.max()))
        least = min(least, float(weight[weight > 0].min(initial=np.inf)))
    if total == 0:
        return Share(np.nan, 0.0), False
    # The two sums are rounded apart: a share above 1 would have no error.
    return Share(min(above / total, 1.0), total * total / squares), largest == least


def errors_among(metric: Any, profile: ConfidenceProfile) -> Share:
    """Return the share of errors among the answers that a metric counts."""
    counted = metric.counted(profile)
    if counted is None:
        return _share_of_errors(profile)
    return _errors_of(profile, counted)


@computed_once
def _share_of_errors(profile: ConfidenceProfile) -> Share:
    return _errors_of(profile)


def _errors_of(profile: ConfidenceProfile, counted: NDArray[np.bool_] | None = None) -> Share:
    lost, weight = profile.loss, profile.sample_weight
    if counted is not None:
        lost, weight = lost[counted], None if weight is None else weight[counted]
    if weight is None:
        return Share(float(lost.mean()), len(lost)) if len(lost) else Share(0.0, 0.0)
    total = float(weight.sum())
    return Share(float(weight @ lost) / total, total**2 / float(weight @ weight)) if total else Share(0.0, 0.0)


def size_of_classes(metric: Any, profile: ConfidenceProfile) -> tuple[Floats, float]:
    """Return the effective number of samples of each class that counts, and of all these classes together.

    The value is a weighted mean over classes. The mean of each class is assumed to have a variance of 1/size. The
    second number is Satterthwaite's: a variance that is estimated from so many samples of a single class is known as
    precisely as the variance of the value. If one small class dominates, this number is about the size of the class; if
    there are many classes, it is large.
    """
    shares, (total, squares) = metric.class_shares(profile), _weight_of_classes(profile)
    sizes = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    if metric.rests_on == "order":  # the samples of other classes may be fewer
        rest, rest_squares = total.sum() - total, squares.sum() - squares
        others = np.divide(rest**2, rest_squares, out=np.zeros_like(total), where=rest_squares > 0)
        sizes = np.minimum(sizes, others)
    sizes = np.where(shares > 0, sizes, np.nan)
    present = sizes > 0
    if not present.any():
        return sizes, 0.0
    variances = shares[present] ** 2 / sizes[present]
    return sizes, float(variances.sum() ** 2 / (variances**2 / sizes[present]).sum())


@computed_once
def _weight_of_classes(profile: ConfidenceProfile) -> tuple[Floats, Floats]:
    """Return Σ w and Σ w² of each class."""
    true_class, weight, n_classes = (
        profile.require("true_class"),
        profile.sample_weight,
        len(profile.require("classes")),
    )
    total = np.bincount(true_class, weight, n_classes).astype(np.float64)
    return total, total if weight is None else np.bincount(true_class, weight**2, n_classes).astype(np.float64)


def few_classes(metric: Any, profile: ConfidenceProfile) -> NDArray[np.intp]:
    """Return the classes whose own number of samples limits the interval, rather than the number of errors."""
    if not rests_on_classes(metric, profile):
        return np.empty(0, dtype=np.intp)
    sizes, _ = size_of_classes(metric, profile)
    enough = ENOUGH if metric.rests_on == "order" else ENOUGH_OF_A_CLASS
    most = min(enough, _SAMPLES_TO_AN_ERROR * errors_among(metric, profile).rarer)
    return np.flatnonzero((sizes > 0) & (sizes <= most))


def _few_of_a_class(sizes: Floats, profile: ConfidenceProfile, fewest: int) -> str:
    classes, true_class = profile.require("classes"), profile.require("true_class")
    if np.isnan(sizes).all():  # no class counts, because one class has all rows
        code = int(_weight_of_classes(profile)[0].argmax())
    else:
        code = int(np.nanargmin(np.where(sizes > 0, sizes, np.nan) if (sizes > 0).any() else sizes))
    rows = _rows(true_class == code, profile)
    others = _rows(true_class != code, profile)
    if len(others) < len(rows):
        return (
            f"there are {_listed(others, 'row')} of other classes than {_label(classes[code])}, but at least {fewest} "
            "are needed"
        )
    return f"there are {_listed(rows, 'row')} of the class {_label(classes[code])}, but at least {fewest} are needed"


def _few_to_rank(profile: ConfidenceProfile) -> str:
    """Return why no order can be estimated, if only one answer is wrong or only one is right; "" otherwise.

    The text gives the row and the rank of this answer.
    """
    wrong = _rows(~profile.correct, profile)
    right = _rows(profile.correct, profile)
    rows, kind = (wrong, "wrong") if len(wrong) <= len(right) else (right, "right")
    if len(rows) >= _FEWEST_RANKED or not len(rows):
        return ""
    rank = 1 + int(np.count_nonzero(profile.confidence > profile.confidence[rows[0]]))
    return f"only one answer is {kind}; it is in row {rows[0]}, at rank {rank} of {len(profile)} by confidence"


def _rows(selected: NDArray[np.bool_], profile: ConfidenceProfile) -> NDArray[np.intp]:
    """Return the selected rows that have weight."""
    return np.flatnonzero(selected if profile.sample_weight is None else selected & (profile.sample_weight > 0))


def _listed(rows: NDArray[np.intp], what: str) -> str:
    if not len(rows):
        return f"no {what}s"
    return f"{len(rows)} {what}{'s' if len(rows) > 1 else ''} ({shorten(rows.tolist())})"


def _label(label: Any) -> str:
    return repr(label.item() if hasattr(label, "item") else label)


def largest_error(metric: Any, profile: ConfidenceProfile) -> tuple[int, float]:
    """Return the row that would add most to a size ratio if it were wrong, and how much it would add."""
    weight = 1.0 if profile.sample_weight is None else profile.sample_weight
    sizes = weight / (1 - metric.clipped(profile))
    row = int(sizes.argmax())
    return row, float(sizes[row] / (len(profile) if profile.sample_weight is None else profile.sample_weight.sum()))


def _decisive(metric: Any, profile: ConfidenceProfile) -> str:
    """Return why a size ratio of independent answers has no interval; "" if it has one."""
    row, most = largest_error(metric, profile)
    if most <= _MOST_OF_AN_ERROR:
        return ""
    return (
        f"one error with the confidence of row {row} would add {most:,.2g} to the value, but few data sets contain "
        f"such an error. {_capped(profile)}"
    )


def _unseen(metric: Any, profile: ConfidenceProfile) -> str:
    """Return why a value made of error sizes has no interval by influence values; "" if it has one."""
    unseen, share = unseen_share(metric, profile)
    if share <= UNSEEN_SHARE:
        return ""
    text = f"{100 * share:.0f}% of the value depends on the {len(unseen):,} most confident answers"
    return f"{text}, but fewer than 3 errors are expected among them. {_capped(profile)}"


def _capped(profile: ConfidenceProfile) -> str:
    return f"Use capped_size_ratio instead: it can be estimated, and is {get_metric('capped_size_ratio')(profile):.2f}"


def unseen_share(metric: Any, profile: ConfidenceProfile) -> tuple[NDArray[np.intp], float]:
    """Return the answers whose errors are hardly ever observed, and their expected share of a size ratio.

    If this share is small enough for an interval, the function may return no answers and a share of 0, to save time.

    Errors of the most confident answers are the rarest, and count most. If confidences are calibrated, each answer adds
    1/n to the expected ratio. This is also true of answers whose errors are hardly ever observed. If fewer than three
    errors are expected among the most confident answers, a sample often has none of them. Nothing in such a sample
    shows that they are missing.
    """
    doubt, weight = 1 - metric.clipped(profile), profile.sample_weight
    if weight is None:
        allowed = int(UNSEEN_SHARE * len(doubt))
        if doubt[np.argpartition(doubt, allowed)[: allowed + 1]].sum() >= _SEEN:
            return np.empty(0, dtype=np.intp), 0.0
    order = np.argsort(doubt, kind="stable")
    unseen = order[np.cumsum(doubt[order]) < _SEEN]
    share = len(unseen) / len(doubt) if weight is None else float(weight[unseen].sum() / weight.sum())
    return unseen, share
