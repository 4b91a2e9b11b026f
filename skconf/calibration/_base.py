"""The base of all calibrators. It checks input, finds classes and makes rows sum to one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skconf._core.columns import in_order_of
from skconf._core.inputs import BELOW_ONE, check_order, check_weight, refuse_scaled, scaled_weight
from skconf._core.labels import Codes, LabelColumn, check_labels
from skconf._core.messages import counted, shorten
from skconf._core.probabilities import Floats, as_probabilities, both_columns, check_probabilities, row_blocks
from skconf._core.warn import warn
from skconf.calibration import _graph as onnx
from skconf.calibration._graph import Tensor


class Column(Protocol):
    """A function from the probability of a class to its calibrated probability."""

    def __call__(self, proba: Floats, /) -> Floats:
        """Return calibrated probabilities."""

    def onnx(self, proba: Tensor, /) -> Tensor:
        """Write the function into a graph of ONNX, for one column."""


#: The smallest distance to 1 that a float64 always represents.
EPS = float(np.finfo(np.float64).eps)
#: At this distance to 1, a float64 has lost most of its digits.
_NEXT_TO_ONE = 1e-12
#: How far the sum of a row may be from 1 because of rounding in float32.
_ROUNDING = 1e-6
#: Number of columns that are read in one pass through memory, because they share cache lines.
_COLUMNS_TOGETHER = 16


class Calibrator(BaseEstimator):  # type: ignore[misc]
    """Base class that checks probabilities and labels, and then calls ``_fit`` and ``_calibrate`` of the subclass."""

    @property
    def _reads_sizes(self) -> bool | None:
        """Whether the sizes of weights matter, and not only their ratios. None if a wrapped calibrator decides this."""
        return False

    def _checked_weight(self, sample_weight: ArrayLike | None, n_samples: int) -> Floats | None:
        if self._reads_sizes is None:
            return check_weight(sample_weight, n_samples)
        weight, scale = scaled_weight(sample_weight, n_samples)
        if weight is not None and self._reads_sizes:
            check_repetitions(type(self).__name__, weight, scale)
        return weight

    @abstractmethod
    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        """Learn from probabilities of shape (n_samples, n_classes) and the columns of the true classes."""

    @abstractmethod
    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        """Return the calibrated probabilities in a new array."""

    def fit(
        self,
        proba: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Fit the calibrator.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities of samples on which the classifier was not trained. With two classes, you can pass a single
            column, the probability of the second class. The columns of a table are found by name if they are named
            LABEL or proba_LABEL. If answers have no classes, such as the answers of a generative system, pass the
            confidence in each answer.
        y : array-like of shape (n_samples,)
            True labels. If answers have no classes, pass whether each answer is right (True or False).
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. A weight of 3 counts as three rows.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns. None uses the sorted labels of `y`, if there are as many labels as columns. If `y`
            says whether answers are right, pass ``labels=[False, True]``. Without `labels`, ``fit`` raises an error if
            all answers are right, or if all are wrong.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If lengths differ, or a label is unknown. If `labels` is needed but not given. If a parameter is out of
            range.

        Warns
        -----
        UserWarning
            If a label does not occur in `y`, or if `y` has only one label. The documentation of each calibrator says
            what happens then.
        """
        check_order(proba=proba, y=y, sample_weight=sample_weight)
        read, truth = _read(proba), LabelColumn(y, "y")
        if len(truth) != len(read):
            raise ValueError(f"y has {len(truth)} rows, but proba has {len(read)}.")
        classes = truth.sorted_distinct() if labels is None else check_labels(labels)
        if len(classes) != _n_columns(read):
            raise ValueError(
                f"proba has {_n_columns(read)} columns for {counted(len(classes), 'label')} "
                f"({shorten(classes.tolist())}). "
                "Pass labels=[...], in the order of the columns."
            )
        columns = _columns(read, classes, proba)
        codes = truth.positions_in(classes)
        weight = self._checked_weight(sample_weight, len(columns))
        if weight is None:
            weight = np.ones(len(columns))
        elif (held := weight > 0).sum() < len(weight):  # a row of weight zero is no row
            columns, codes, weight = columns[held], codes[held], weight[held]
        self.classes_ = classes
        self._fit(columns, codes, weight, classes)
        return self

    def predict_proba(self, proba: ArrayLike) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities. The columns are in the order of ``classes_``, or are found by name as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Calibrated probabilities. Rows sum to one; a row of zeros becomes uniform.
        """
        check_is_fitted(self)
        return self._calibrate(self._checked_columns(proba))

    def _to_onnx(self, proba: Tensor) -> Tensor:  # noqa: ARG002
        """Write ``_calibrate`` into a graph of ONNX."""
        raise _no_graph(self)

    def _checked_columns(self, proba: ArrayLike) -> NDArray[Any]:
        """Return probabilities to calibrate, with a column for each class."""
        read = _read(proba)
        if _n_columns(read) != len(self.classes_):
            raise ValueError(
                f"proba has {_n_columns(read)} columns, but the calibrator was fitted on {len(self.classes_)}."
            )
        return _columns(read, self.classes_, proba)

    #: What a calibrator does with a class that is missing from the calibration data.
    _absent = "leaves the probabilities of {} unchanged"
    #: What it does if there is only one class in the calibration data.
    _alone = _absent

    def _find_present(self, codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which classes can be learned; none if only one is present. Name the other classes in a warning."""
        present = np.bincount(codes, weights=sample_weight, minlength=len(classes)) > 0
        if present.sum() < 2:
            present[:] = False  # a single class cannot be separated from anything
        if not present.all():
            fate = self._absent if present.any() else self._alone
            warn(
                f"{type(self).__name__} {fate.format(shorten(classes[~present].tolist()))}, because the calibration "
                "data have no sample of these classes, or contain only one class.",
            )
        return present


def fit_checked(calibrator: Any, proba: Floats, codes: Codes, sample_weight: Floats) -> Any:
    """Fit a calibrator to arrays that are known to be valid; its labels are the numbers of the columns."""
    classes = np.arange(proba.shape[1])
    if type(calibrator).fit is not Calibrator.fit:
        return calibrator.fit(proba, codes, sample_weight, labels=classes)
    calibrator.classes_ = classes
    calibrator._fit(proba, codes, sample_weight, classes)  # noqa: SLF001
    return calibrator


def to_graph(calibrator: Any, proba: Tensor) -> Tensor:
    """Write a fitted calibrator of this package into a graph, and return the calibrated probabilities of all classes.

    Raise if this calibrator cannot be converted to ONNX.
    """
    if not isinstance(calibrator, Calibrator):
        raise _no_graph(calibrator)
    check_is_fitted(calibrator)
    return calibrator._to_onnx(proba)  # noqa: SLF001


def _no_graph(calibrator: Any) -> ValueError:
    return ValueError(
        f"{type(calibrator).__name__} cannot be converted to ONNX. Use a calibrator of skconf, by its name."
    )


class OneVsRestCalibrator(Calibrator):
    """A calibrator of one column at a time. Each row is then scaled to sum to one."""

    @abstractmethod
    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        """Return the calibrated probability of a class as a function of its probability."""

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        present = self._find_present(codes, sample_weight, classes)
        fitted = {_finer(proba, codes, sample_weight)} if len(classes) == 2 else set(range(len(classes)))
        self.columns_ = {
            k: self._fit_column(column, codes == k, sample_weight)
            for first, batch in _batches(proba)
            for k, column in enumerate(batch, first)
            if present[k] and k in fitted
        }

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        if len(self.classes_) == 2 and self.columns_:
            ((k, column),) = self.columns_.items()
            return both_columns(column(proba[:, k].astype(np.float64)), k)
        out = np.empty(proba.shape)
        for first, batch in _batches(proba):
            for k, column in enumerate(batch, first):
                column[:] = self.columns_[k](column) if k in self.columns_ else np.maximum(column, 0.0)
            _copy_in_blocks(out[:, first : first + len(batch)], batch.T)
        return rows_to_one(out)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        columns = [proba.columns([k]) for k in range(len(self.classes_))]
        if len(columns) == 2 and self.columns_:
            ((k, curve),) = self.columns_.items()
            known = curve.onnx(columns[k])
            return known.beside(1.0 - known) if k == 0 else (1.0 - known).beside(known)
        curves = [self.columns_.get(k) for k in range(len(columns))]
        out = [
            column.at_least(0.0) if curve is None else curve.onnx(column)
            for curve, column in zip(curves, columns, strict=True)
        ]
        return onnx.rows_to_one(out[0].beside(*out[1:]), len(out))


class AmongPresentCalibrator(Calibrator):
    """A calibrator of whole rows that leaves the probability of an absent class unchanged.

    The other classes are calibrated among themselves, and share the remaining probability.
    """

    @abstractmethod
    def _fit_present(self, proba: Floats, codes: Codes, sample_weight: Floats) -> None:
        """Learn from rows that sum to one. All their classes have samples."""

    @abstractmethod
    def _calibrate_present(self, proba: Floats) -> Floats:
        """Return calibrated rows of these classes in a new array."""

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        present = self._find_present(codes, sample_weight, classes)
        self._fitted = np.flatnonzero(present)
        if present.any():
            self._fit_present(self._present(proba)[0], np.cumsum(present)[codes] - 1, sample_weight)

    def _present(self, proba: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return the probabilities of the fitted classes, scaled to sum to one, and their sums before scaling."""
        held = np.maximum(proba if len(self._fitted) == proba.shape[1] else proba[:, self._fitted], 0.0, dtype=float)
        total = held.sum(axis=1, keepdims=True)
        off = np.abs(total[:, 0] - 1) > _ROUNDING  # else a division would round equal probabilities differently
        if off.any():
            held[off] = rows_to_one(held[off])
        return held, total

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        if len(self._fitted) == proba.shape[1]:
            return self._calibrate_present(self._present(proba)[0])
        out = np.maximum(proba, 0.0, dtype=np.float64)
        if len(self._fitted):
            held, total = self._present(proba)
            out[:, self._fitted] = self._calibrate_present(held) * total
        return rows_to_one(out)

    @abstractmethod
    def _present_to_onnx(self, proba: Tensor) -> Tensor:
        """Write ``_calibrate_present`` into a graph."""

    def _to_onnx(self, proba: Tensor) -> Tensor:
        n_classes, n_fitted = len(self.classes_), len(self._fitted)
        out = proba.at_least(0.0)
        if not n_fitted:
            return onnx.rows_to_one(out, n_classes)
        held = out if n_fitted == n_classes else out.columns(self._fitted)
        total = held.sum()
        off = (total - 1.0).abs() > _ROUNDING
        calibrated = self._present_to_onnx(off.if_else(onnx.rows_to_one(held, n_fitted), held))
        if n_fitted == n_classes:
            return calibrated
        return onnx.rows_to_one(out.replaced(self._fitted, calibrated * total, n_classes), n_classes)


def _finer(proba: NDArray[Any], codes: Codes, sample_weight: Floats) -> int:
    """Return which of two columns to calibrate. The other column follows from it.

    Floats distinguish values close to 0, but not values close to 1. For example, naive Bayes gives 1e-30 and 1e-20, and
    the complements of both are 1. So different rows become equal where a column is next to 1. The column is chosen in
    which these rows mix the classes less, by Gini's impurity; if both mix them equally, it is the second column.
    """

    def mixed(column: int) -> float:
        near = proba[:, column] > 1 - _NEXT_TO_ONE
        other = proba[near, 1 - column]
        if not len(other) or other.min() == other.max():
            return 0.0  # the other column tells no more
        right, wrong = (float(sample_weight[near & rows].sum()) for rows in (codes == column, codes != column))
        return right * wrong / ((right + wrong) or 1.0)

    return 0 if mixed(0) < mixed(1) else 1


def _batches(proba: NDArray[Any]) -> Iterator[tuple[int, Floats]]:
    """Yield arrays of a few contiguous float64 columns, with the number of the first column."""
    for first in range(0, proba.shape[1], _COLUMNS_TOGETHER):
        some = proba[:, first : first + _COLUMNS_TOGETHER]
        batch = np.empty(some.shape[::-1])
        _copy_in_blocks(batch.T, some)
        yield first, batch


def _copy_in_blocks(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy rows in blocks that fit into the cache while they are transposed."""
    for rows in row_blocks(*source.shape):
        target[rows] = source[rows]


def check_repetitions(caller: str, weight: Floats, scale: float) -> None:
    """Raise or warn if weights, as `scaled_weight` returns them, can hardly be repetition counts."""
    refuse_scaled(caller, scale)
    if weight.max() < 1:
        warn(f"{caller} {BELOW_ONE.format(weight.sum())}")


def zero_stand_in(proba: NDArray[Any]) -> float:
    """Return the value that replaces a probability of zero in a logarithm.

    If the calibration data contain zeros, the value is half their smallest positive probability, because forests and
    nearest neighbours give zeros where a few more votes would give 1%. With a value of 1e-8, the log loss after
    temperature or Platt scaling was up to 40% higher on scikit-learn's data sets. If the data contain no zeros, the
    value is at most 1e-8. The value is never below the float64 epsilon, although naive Bayes may give probabilities far
    below that.
    """
    blocks = [proba[rows] for rows in row_blocks(len(proba), proba[0].size)]
    smallest = min(float(block.min()) for block in blocks)
    if smallest > 0:
        return float(np.clip(smallest / 2, EPS, 1e-8))
    smallest = min(float(np.min(block, initial=1.0, where=block > 0)) for block in blocks)
    return float(np.clip(smallest / 2, EPS, 0.25))


def mixed(proba: Floats, uniform: float) -> Floats:
    """Mix a share `uniform` of the uniform distribution into rows, in place."""
    if uniform:
        proba *= 1 - uniform
        proba += uniform / proba.shape[1]
    return proba


def rows_to_one(proba: Floats) -> Floats:
    """Scale rows in place to sum to one. A row of zeros becomes uniform."""
    total = proba.sum(axis=1, keepdims=True)
    empty = total[:, 0] == 0
    proba[empty], total[empty] = 1.0, proba.shape[1]
    proba /= total
    return proba


def _read(given: ArrayLike) -> NDArray[Any]:
    proba = as_probabilities(given, "proba")
    check_probabilities(proba, "proba")
    return proba


def _n_columns(proba: NDArray[Any]) -> int:
    return 2 if proba.ndim == 1 else int(proba.shape[1])


def _columns(proba: NDArray[Any], classes: NDArray[Any], given: Any) -> NDArray[Any]:
    """Return probabilities with a column for each class, in the order of the classes."""
    proba = in_order_of(classes, proba, given, "proba", positive=1)
    return both_columns(proba, 1) if proba.ndim == 1 else proba
