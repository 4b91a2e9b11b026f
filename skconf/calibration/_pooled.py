"""Find calibrators by their names, and average several calibrators in a pool."""

import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_number, check_option
from skconf._core.labels import Codes
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import AmongPresentCalibrator, mixed, rows_to_one, to_graph
from skconf.calibration._bayesian import BayesianCalibrator
from skconf.calibration._beta import BetaCalibrator
from skconf.calibration._graph import Tensor
from skconf.calibration._histogram import HistogramBinningCalibrator
from skconf.calibration._isotonic import SMOOTHING, IsotonicCalibrator
from skconf.calibration._matrix import MatrixCalibrator
from skconf.calibration._platt import PlattCalibrator
from skconf.calibration._pool import (
    default_members,
    fitted,
    learned_weights,
    lowered,
    out_of_fold,
    pool,
    predicted,
    scales_absent,
    tail_width,
)
from skconf.calibration._softmax import AffineCalibrator, TemperatureCalibrator
from skconf.calibration._spline import QuadraticCalibrator, SplineCalibrator
from skconf.calibration._venn_abers import VennAbersCalibrator


class PooledCalibrator(AmongPresentCalibrator):
    """A pool of calibrators: the weighted mean of their probabilities and of the raw probabilities.

    No calibrator is always the best one: with few samples the raw probabilities are best, with many samples a flexible
    curve is. The weights minimise the log loss on folds on which the members were not fitted. The members are then
    fitted on all samples. The log loss of the weighted mean is at most the weighted mean of the members' log losses.
    The mean of calibrated members tends to be underconfident.

    Near 1, however, the pool can be overconfident. Two steps prevent this. First, confidences near 1 are lowered if the
    calibrated size ratio shows that the pool was overconfident on the folds. If the distance d of a confidence to 1 is
    below κ, the distance becomes (d + κ)/2. Here κ is the smallest number that makes the size ratio on the folds low
    enough (see `tail_zscore`). Second, every row of probabilities is mixed with the uniform distribution, which counts
    as `smoothing` samples. Neither step changes the order of the confidences.

    If a class has no samples in the calibration data, a warning names it. The other classes are calibrated among
    themselves and share the remaining probability. The probability of the missing class comes only from the members
    that need no samples of it: the raw probabilities, and temperature scaling without shifts. It is the weighted mean
    of the probabilities that these members give to the missing class. If you pass `members`, the missing class instead
    keeps its raw probability, except for the mixing with the uniform distribution. If all calibration samples are of
    one class, all classes keep their raw probabilities, except for this mixing.

    Parameters
    ----------
    members : list of str, calibrators or None, default=None
        Each entry is the name of a calibrator, a calibrator (it is cloned), or None, which stands for the raw
        probabilities. If `members` itself is None, the pool has the raw probabilities and smoothed temperature scaling.
        With two classes, the pool also has "spline", "smoothed_isotonic", "bayesian", "quadratic", and Platt scaling of
        the log-odds with a penalty for slopes other than 1. With K > 2 classes, the pool also has temperature scaling
        with two more terms, log² p and log(1 − p), once without and once with a shift for each class. If there are n
        samples and K² ≤ 4 n, it also has matrix scaling with a sixteenth of the default ridge. If in addition K ≤ 31,
        it has this matrix scaling a second time, applied to the output of smoothed isotonic regression.
    weights : {"learned", "uniform"}, default="learned"
        Weights of the members: learned from the folds, or all equal.
    smoothing : float, default=0.75
        Weight of the uniform distribution that is mixed into every row, as a number of samples, in [0, ∞). Let n be the
        sum of the sample weights, K the number of classes, and s the smoothing. Every probability p becomes (n p +
        s/K)/(n + s). With s = 0.75 and two classes, one error among n new samples raises their size ratio by at most
        about 2.7, even at the highest confidence.
    tail_zscore : float or None, default=0.5
        How far above 1 the size ratio of the out-of-fold probabilities may be, in standard deviations. If the ratio is
        higher, confidences near 1 are lowered. A smaller value is safer, but makes the probabilities less accurate.
        With None, no confidence is lowered.

    Attributes
    ----------
    members_ : list of calibrators and None
        The members, fitted on all samples. None stands for the raw probabilities.
    weights_ : ndarray of shape (n_members,)
        Weights of the members, with sum 1.
    tail_ : float
        The width κ of the tail, in [0, 0.5]. It is 0 if no confidence is lowered.
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    See Also
    --------
    BayesianCalibrator, SplineCalibrator, MatrixCalibrator : Single members, which are faster.

    Notes
    -----
    Samples are sorted by probability and dealt to at least five folds, so that all folds have similar probabilities.
    The folds are not stratified by class, and the order of rows has no effect. To predict a fold, members are fitted on
    other folds: on 4,000 samples, or on 100 K² if this is more. If these samples would include fewer than 50 of the
    rarest class, members are fitted on all other folds. One fold after the other is predicted, until there are
    predictions of 2,000 samples. So with 10,000 samples and two classes of similar size, each member is fitted on 4,000
    samples, predicts 2,000, and is then fitted on all samples. The weights of the members maximise the log likelihood
    of these predictions plus the logarithm of a Dirichlet prior, which counts as 8 samples. If you name the members,
    the prior is the same for all. For the default members, the prior favours members with few parameters if there are
    few samples. In both cases, the prior is smaller for members whose likelihood on the folds is far below the best
    likelihood. Weights of samples are repetition counts.

    If no sample can be held out, there are no such predictions, and the Dirichlet prior alone sets the weights of the
    members.

    References
    ----------
    .. [1] M. J. van der Laan, E. C. Polley and A. E. Hubbard, Super learner, Statistical Applications in Genetics and
       Molecular Biology 6, 2007.
    .. [2] R. Ranjan and T. Gneiting, Combining probability forecasts, Journal of the Royal Statistical Society B 72,
       2010.

    Examples
    --------
    >>> from skconf.calibration import PooledCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = PooledCalibrator().fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.65, 0.95]).round(2)
    array([[0.89, 0.11],
           [0.37, 0.63],
           [0.12, 0.88]])
    """

    def __init__(
        self,
        members: Any = None,
        *,
        weights: str = "learned",
        smoothing: float = 0.75,
        tail_zscore: float | None = 0.5,
    ) -> None:
        self.members = members
        self.weights = weights
        self.smoothing = smoothing
        self.tail_zscore = tail_zscore

    _reads_sizes = True
    _absent = "cannot calibrate the probabilities of {}"
    _alone = "leaves the probabilities of {} unchanged, apart from mixing in the uniform distribution"

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        check_option(self.weights, "weights", ("learned", "uniform"))
        check_number(self.smoothing, "smoothing", 0.0, open_high=True)
        if self.tail_zscore is not None:
            check_number(self.tail_zscore, "tail_zscore")
        self._named()
        self._everywhere: list[Any] = []
        self._uniform = self.smoothing / (float(sample_weight.sum()) + self.smoothing)
        super()._fit(proba, codes, sample_weight, classes)
        if self.members is None and 0 < len(self._fitted) < len(classes):
            some = [scales_absent(member) for member in self.members_]
            asked = [member for member, scales in zip(self.members_, some, strict=True) if scales]
            self._everywhere = fitted(asked, _rows(proba), codes, sample_weight)
            self._shares = self.weights_[some] / self.weights_[some].sum()

    def _named(self) -> list[Any] | None:
        """Return the given members, with names replaced by calibrators."""
        if self.members is None:
            return None
        if not isinstance(self.members, list | tuple) or not self.members:
            raise ValueError(f"members must be a list of at least one calibrator, but is {self.members!r}.")
        return [None if member is None else make_calibrator(member) for member in self.members]

    def _fit_present(self, proba: Floats, codes: Codes, sample_weight: Floats) -> None:
        given = self._named()
        if given is None:
            members, prior = default_members(proba.shape[1], float(sample_weight.sum()))
        else:
            members, prior = given, np.full(len(given), 1 / len(given))
        self.members_ = fitted(members, proba, codes, sample_weight)
        learned = self.weights == "learned"
        self.weights_, self.tail_ = prior if learned else np.full(len(members), 1 / len(members)), 0.0
        if not learned and self.tail_zscore is None:
            return
        held, true, weight = out_of_fold(members, proba, codes, sample_weight)
        if not len(true):
            return
        if learned:
            self.weights_ = learned_weights(prior, held, true, weight)
        if self.tail_zscore is not None:
            pooled = pool(held, self.weights_)
            unsure = 1 - pooled.max(axis=1)
            self.tail_ = tail_width(unsure, pooled.argmax(axis=1) != true, weight, float(self.tail_zscore))

    def _calibrate_present(self, proba: Floats) -> Floats:
        pooled = pool(predicted(self.members_, proba), self.weights_)
        return lowered(pooled, self.tail_) if self.tail_ else pooled

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        if self._everywhere:
            out = pool(predicted(self._everywhere, _rows(proba)), self._shares)
            share = out[:, self._fitted].sum(axis=1, keepdims=True)
            out[:, self._fitted] = self._calibrate_present(self._present(proba)[0]) * share
        else:
            out = super()._calibrate(proba)
        return mixed(out, self._uniform)

    def _present_to_onnx(self, proba: Tensor) -> Tensor:
        n_classes = len(self._fitted)
        pooled = _pooled(self.members_, self.weights_, proba, n_classes)
        if not self.tail_:
            return pooled
        surest = pooled.is_first_largest(n_classes)
        others = surest.if_else(0.0, pooled)
        unsure = others.sum()
        target = (unsure < self.tail_).if_else((unsure + self.tail_) / 2.0, unsure)
        none = unsure.equals(0.0)
        shared = none.if_else(1.0 / (n_classes - 1), others / none.if_else(1.0, unsure))
        return surest.if_else(1.0 - target, shared * target)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        n_classes = len(self.classes_)
        if not self._everywhere:
            out = super()._to_onnx(proba)
        else:
            out = _pooled(self._everywhere, self._shares, onnx.rows_to_one(proba.at_least(0.0), n_classes), n_classes)
            held = onnx.rows_to_one(proba.at_least(0.0).columns(self._fitted), len(self._fitted))
            share = out.columns(self._fitted).sum()
            out = out.replaced(self._fitted, self._present_to_onnx(held) * share, n_classes)
        return onnx.mixed(out, self._uniform, n_classes)


def _pooled(members: list[Any], weights: Floats, proba: Tensor, n_classes: int) -> Tensor:
    """Write the weighted mean of the members' probabilities into a graph."""
    parts = [
        float(weight) * (proba if member is None else to_graph(member, proba))
        for member, weight in zip(members, weights, strict=True)
    ]
    return onnx.rows_to_one(reduce(operator.add, parts), n_classes)


def _rows(proba: NDArray[Any]) -> Floats:
    """Return probabilities whose rows sum to one."""
    return rows_to_one(np.maximum(proba, 0.0, dtype=np.float64))


CALIBRATORS: dict[str, Callable[[], Any]] = {
    "platt": PlattCalibrator,
    "isotonic": IsotonicCalibrator,
    "smoothed_isotonic": partial(IsotonicCalibrator, smoothing=SMOOTHING),
    "temperature": TemperatureCalibrator,
    "smoothed_temperature": partial(TemperatureCalibrator, smoothing=1.0),
    "affine": AffineCalibrator,
    "matrix": MatrixCalibrator,
    "quadratic": QuadraticCalibrator,
    "beta": BetaCalibrator,
    "spline": SplineCalibrator,
    "bayesian": BayesianCalibrator,
    "venn_abers": VennAbersCalibrator,
    "pooled": PooledCalibrator,
    "histogram": HistogramBinningCalibrator,
}


#: Names of calibrators in other libraries.
_ELSEWHERE = {"sigmoid": "platt", "logistic": "platt", "binning": "histogram"}


def hint(name: str) -> str:
    """Return a sentence with the name that may be meant, or ""."""
    if name.lower() in _ELSEWHERE:
        remedy = f"Use {_ELSEWHERE[name.lower()]!r}, the name of {name!r} in skconf."
        if name.lower() != "sigmoid":
            return remedy
        return (
            f"{remedy} 'platt' applies a sigmoid to the logit. If a classifier, such as XGBoost, has no "
            "decision_function, scikit-learn (1.9 and before) applies the sigmoid to the probability, as "
            "PlattCalibrator(on='proba') does."
        )
    return suggest(name, CALIBRATORS).strip()


def make_calibrator(calibration: Any) -> Any:
    """Return a new calibrator for a name; return a given calibrator unchanged.

    Parameters
    ----------
    calibration : str or calibrator
        A name from ``CALIBRATORS``, or an object with ``fit(proba, y, sample_weight)`` and ``predict_proba(proba)``.

    Returns
    -------
    calibrator
        Not fitted yet, if it was made from a name.

    Raises
    ------
    ValueError
        If there is no calibrator with this name. The message lists all names.

    Examples
    --------
    >>> from skconf.calibration import CALIBRATORS, make_calibrator
    >>> print(", ".join(CALIBRATORS))
    platt, isotonic, smoothed_isotonic, temperature, smoothed_temperature, affine, matrix, quadratic, beta, spline,
    bayesian, venn_abers, pooled, histogram
    >>> make_calibrator("smoothed_isotonic")
    IsotonicCalibrator(smoothing=2.0)
    """
    if not isinstance(calibration, str):
        return calibration
    if calibration not in CALIBRATORS:
        raise ValueError(
            f"There is no calibrator {calibration!r}. Choose one of {', '.join(map(repr, CALIBRATORS))}."
            f" {hint(calibration)}".rstrip()
        )
    return CALIBRATORS[calibration]()
