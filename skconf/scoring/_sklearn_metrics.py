"""scikit-learn's metrics, defined by our metric classes, so that they get intervals, comparisons and slices.

Each is one of our metrics with other weights. A confidence-weighted metric counts a prediction by its confidence; the
ordinary metric counts it once. The reject label of a selective classifier is one more class, as in scikit-learn.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
import sklearn.metrics
from numpy.typing import NDArray

from skconf._core.checks import check_option
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.areas import area, area_influence, area_of_ranking, by_score
from skconf.metrics._base.averages import FBetaOf, FScoreOf, JaccardOf, PrecisionOf, RecallOf
from skconf.metrics._base.kinds import Metric, Ratio, Term, divide
from skconf.metrics._base.one_vs_rest import RankedByClass
from skconf.metrics._base.registry import Info, Preset
from skconf.metrics._confidence_weighted.agreement import CWBalancedAccuracy, CWMatthewsCorrcoef
from skconf.metrics._confidence_weighted.classes import OutcomeMasses
from skconf.metrics._confidence_weighted.confusion import OfOutcomes, outcomes_of
from skconf.profile import ConfidenceProfile
from skconf.scoring._scorers import accepted_of

#: scikit-learn's metrics, by the names of their functions.
BY_FUNCTION_NAME: dict[str, type["Ordinary"]] = {}


class Ordinary(Metric):
    """A metric of scikit-learn.

    Class keywords
    --------------
    function : callable
        scikit-learn's function of this metric. If its name ends in "loss", lower is better.
    bounds : tuple of float
        Smallest and largest value.
    scorer : str
        scikit-learn's name of the scorer, if messages should suggest it to users who write a similar name.
    aliases : tuple of str
        Other names of the metric.
    """

    #: The function whose value it has.
    stands_for: ClassVar[Callable[..., Any]]

    def __init_subclass__(
        cls,
        *,
        function: Callable[..., Any] | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        scorer: str = "",
        aliases: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> None:
        if function is not None:
            name, scorers = function.__name__, {scorer: Preset()} if scorer else {}
            higher = not name.endswith("loss")
            cls.stands_for = function
            cls.info = Info(name, higher, bounds, float(higher), "scikit-learn", scorers, aliases)
            BY_FUNCTION_NAME[name] = cls
        super().__init_subclass__(**kwargs)

    @property
    def usual_label(self) -> Any:
        """The default positive class of the function. None if it has none."""
        default = inspect.signature(type(self).stands_for).parameters.get("pos_label")
        return None if default is None or getattr(self, "average", "binary") in _OF_ALL else default.default


#: Averages over all classes, for which the positive class does not matter.
_OF_ALL = ("macro", "micro", "weighted")


class Accuracy(Ordinary, Ratio, rests_on="errors", function=sklearn.metrics.accuracy_score):
    """The share of right predictions. Rejected predictions, and rows that abstain, are not right."""

    share_interval = "wilson"
    counts_abstained = True
    takes = "graded"
    of_losses = True

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        accepted = accepted_of(profile)
        return profile.correctness if accepted is None else profile.correctness * accepted, 1.0


class _CountedOnce(Ordinary, OfOutcomes):
    """A metric of predicted classes in which every prediction counts once. The reject label is a class, too."""

    def outcomes(self, profile: ConfidenceProfile, positive: int | None = None) -> tuple[Term, Term, Term]:
        predicted, n_classes = profile.require("predicted_class"), len(profile.require("classes"))
        accepted = accepted_of(profile)
        if accepted is not None:
            predicted, n_classes = np.where(accepted, predicted, n_classes), n_classes + 1
        return outcomes_of(profile.require("true_class"), predicted, n_classes, 1.0, positive)


class BalancedAccuracy(_CountedOnce, CWBalancedAccuracy, function=sklearn.metrics.balanced_accuracy_score):
    """The mean recall of the classes present."""

    undefined = "adjusted=True needs samples of at least two classes, but all samples are of one class"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adjusted:
            object.__setattr__(self, "info", replace(self.info, bounds=(-1.0, 1.0)))


class MatthewsCorrcoef(
    _CountedOnce,
    CWMatthewsCorrcoef,
    function=sklearn.metrics.matthews_corrcoef,
    bounds=(-1.0, 1.0),
    scorer="matthews_corrcoef",
    aliases=("mcc",),
):
    """The Matthews correlation coefficient of true and predicted classes."""


class _ClassAverage(_CountedOnce, OutcomeMasses):
    """A quotient for each class. Averages leave out classes that are neither present nor predicted."""

    @property
    def terms_name(self) -> str:
        """The name of the terms. A mark sets them apart from those of the confidence-weighted metric."""
        return f"counted once {super().terms_name}"

    def averaged(self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray((hit + false_alarm + missed).real > 0)


class Precision(_ClassAverage, PrecisionOf, function=sklearn.metrics.precision_score):
    """The share of the predictions of a class that are right."""


class Recall(_ClassAverage, RecallOf, function=sklearn.metrics.recall_score):
    """The share of the samples of a class that are found."""


class F1(_ClassAverage, FScoreOf, function=sklearn.metrics.f1_score):
    """The harmonic mean of precision and recall."""


class FBeta(_ClassAverage, FBetaOf, function=sklearn.metrics.fbeta_score):
    """The harmonic mean of precision and recall, in which recall counts β times as much."""


class Jaccard(_ClassAverage, JaccardOf, function=sklearn.metrics.jaccard_score):
    """Of the samples that are predicted as a class or belong to it, the share that does both."""


class LogLoss(
    Ordinary,
    Ratio,
    rests_on="errors",
    function=sklearn.metrics.log_loss,
    bounds=(0.0, np.inf),
    scorer="neg_log_loss",
    aliases=("nll", "cross_entropy"),
):
    """The mean of −log of the probability of the true class.

    Probabilities are first clipped to [ε, 1 − ε], where ε is the rounding error of their type.
    """

    def ratio(self, profile: ConfidenceProfile) -> tuple[Floats, float]:
        given = profile.proba[np.arange(len(profile)), profile.require("true_class")]
        eps = np.finfo(given.dtype).eps
        return -np.log(np.clip(given, eps, 1 - eps).astype(np.float64)), 1.0


class BrierLoss(
    Ordinary,
    Ratio,
    rests_on="errors",
    function=sklearn.metrics.brier_score_loss,
    bounds=(0.0, 2.0),
    scorer="neg_brier_score",
    aliases=("brier", "brier_score"),
):
    """The mean squared difference of the probabilities from the true class, halved in a binary task."""

    scale_by_half: bool | str = "auto"

    def __post_init__(self) -> None:
        check_option(self.scale_by_half, "scale_by_half", ("auto", True, False))

    @property
    def usual_label(self) -> None:
        """None, because both of two classes have the same value."""

    def ratio(self, profile: ConfidenceProfile) -> tuple[Floats, float]:
        distance = profile.proba.astype(np.float64)  # a copy, of a block
        distance[np.arange(len(profile)), profile.require("true_class")] -= 1
        halved = profile.n_classes == 2 if self.scale_by_half == "auto" else self.scale_by_half
        return np.einsum("ij,ij->i", distance, distance) * (0.5 if halved else 1.0), 1.0


class _RankedOnce(Ordinary, RankedByClass):
    """A metric of the order of probabilities in which every sample counts once."""

    weighted_by = "sample"
    lacking = "there are no samples of them, or no other samples"

    def __post_init__(self) -> None:
        check_option(self.average, "average", ("macro", "weighted"))

    def weight(self, profile: ConfidenceProfile) -> Floats:
        return np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight


class ROCAUC(_RankedOnce, function=sklearn.metrics.roc_auc_score, scorer="roc_auc", aliases=("auroc", "auc")):
    """The area under the ROC curve; with more than two classes, the mean area of each class against the rest."""

    undefined = "all samples are of one class"
    given_numbers = True

    multi_class: str = "raise"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.multi_class, "multi_class", ("raise", "ovr"))

    @property
    def usual_label(self) -> None:
        """None, because both of two classes have the same area."""

    def codes(self, n_classes: int, positive: int | None) -> Sequence[int]:
        if n_classes > 2 and self.multi_class == "raise":
            raise ValueError(
                f"roc_auc_score needs two classes, but there are {n_classes}. Use 'roc_auc_ovr', the mean area of each "
                "class against the rest, or 'roc_auc_ovo', the mean area of each pair of classes."
            )
        return super().codes(n_classes, positive)

    def of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
        return area(score, present, weight)

    def of_ranking(self, ranking: Ranking) -> tuple[Any, Any]:
        return area_of_ranking(ranking)

    def influence_on_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
        return area_influence(score, present, weight)


class AveragePrecision(
    _RankedOnce, function=sklearn.metrics.average_precision_score, scorer="average_precision", aliases=("auprc",)
):
    """Average precision of each class: the mean, over its samples, of the precision at their scores."""

    undefined = "no sample is of the positive class"

    @property
    def usual_label(self) -> Any:
        """The default positive class of scikit-learn's function: the label 1."""
        return 1

    def of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
        support = float(weight[present].sum())
        if support == 0:
            return np.nan, 0.0
        above, true, false = _counts_down(*by_score(score, present, weight)[1:])
        return float((above * divide(true, true + false, 0.0)).sum() / support), support

    def of_ranking(self, ranking: Ranking) -> tuple[Any, Any]:
        precision = divide(np.cumsum(ranking.errors, axis=-1), np.cumsum(ranking.weight, axis=-1), 0.0)
        support = ranking.total_errors
        return divide((ranking.errors * precision).sum(axis=-1), support, np.nan), support

    def least_of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> float:
        """Return the value if, at each score, all other samples came first, and then those of the class one by one."""
        above, true, false = _counts_down(*by_score(score, present, weight)[1:])
        # The integral of (T + t) / (T + F + t) over t from 0 to the weight at the score.
        lost = false * np.log1p(divide(above, true - above + false, 0.0))
        return float((above - lost).sum() / true[-1]) if true[-1] else np.nan

    def influence_on_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
        levels, above, below = by_score(score, present, weight)
        above, true, false = _counts_down(above, below)
        support, precision = true[-1], divide(true, true + false, 0.0)
        value = (above * precision).sum() / support
        squares = (true + false) ** 2
        # One more sample of the class lifts, and one of another lowers, the precision at its score and below.
        lift = divide(above * false, squares, 0.0)[::-1].cumsum()
        drop = divide(above * true, squares, 0.0)[::-1].cumsum()
        at = np.searchsorted(levels, score)
        effect = np.where(present, precision[::-1][at] - value + lift[at], -drop[at])
        return np.asarray(weight * effect / support)


def _counts_down(above: Floats, below: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the weight of positives at each score, from the highest down, and cumulative positives and negatives."""
    above, below = above[::-1], below[::-1]
    return above, above.cumsum(), below.cumsum()


def as_kind(function: Callable[..., Any], params: Mapping[str, Any]) -> Ordinary | None:
    """Return our metric for one of scikit-learn's functions; None if there is none with these parameters."""
    cls = BY_FUNCTION_NAME.get(getattr(function, "__name__", ""))
    if cls is None or function is not cls.stands_for:
        return None
    own = {field.name for field in fields(cls)}
    defaults = {name: given.default for name, given in inspect.signature(function).parameters.items()}
    asked = {name: value for name, value in params.items() if name in own or value is not defaults.get(name, value)}
    try:
        kind: Ordinary = cls(**asked)
    except (TypeError, ValueError):  # scikit-learn says what is wrong, if anything is
        return None
    return kind
