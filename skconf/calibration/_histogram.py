"""Histogram binning."""

import numpy as np
from numpy.typing import NDArray

from skconf._core.bins import STRATEGIES, equal_mass_bin
from skconf._core.checks import check_option, check_whole
from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Column, OneVsRestCalibrator
from skconf.calibration._graph import Tensor


class HistogramBinningCalibrator(OneVsRestCalibrator):
    """Histogram binning: a probability becomes the share of the class among the calibration samples in the same bin.

    A probability at the edge of two bins belongs to the lower bin, as in the expected calibration error. Probabilities
    in a bin without calibration data stay unchanged. Bins with a single outcome give exactly 0 or 1. New samples in
    such a bin may be wrong with a confidence of 1; the calibrated size ratio shows such errors. If there are more than
    two classes, each class is calibrated against the rest, and rows are scaled to sum to one. A class without samples
    in the calibration data keeps its probability, except for this scaling.

    Parameters
    ----------
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        "uniform" makes bins of equal width. "quantile" makes bins with about the same number of calibration samples,
        counted by their weights. Equal probabilities are always in the same bin, so if many are equal, there are fewer
        quantile bins.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.
    columns_ : dict of int to callable
        The fitted curve of each calibrated class; its key is the position of the class in ``classes_``. A curve maps a
        probability to a calibrated probability, before rows are scaled to sum to one. With two classes, there is one
        curve.

    See Also
    --------
    IsotonicCalibrator : Bins that are chosen from the data, with rising values.

    References
    ----------
    .. [1] B. Zadrozny and C. Elkan, Obtaining calibrated probability estimates from decision trees and naive Bayesian
       classifiers, ICML, 2001.

    Examples
    --------
    >>> from skconf.calibration import HistogramBinningCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = HistogramBinningCalibrator(n_bins=2).fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.65, 0.95])
    array([[1.  , 0.  ],
           [0.25, 0.75],
           [0.25, 0.75]])
    """

    def __init__(self, *, n_bins: int = 15, strategy: str = "uniform") -> None:
        self.n_bins = n_bins
        self.strategy = strategy

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        check_whole(self.n_bins, "n_bins")
        check_option(self.strategy, "strategy", STRATEGIES)
        edges = np.arange(1, self.n_bins) / self.n_bins
        if self.strategy == "quantile":
            edges = _quantile_edges(proba, sample_weight, self.n_bins)
        bins = np.searchsorted(edges, proba)
        weight, hits = (
            np.bincount(bins, weights, len(edges) + 1) for weights in (sample_weight, sample_weight * target)
        )
        return _Histogram(edges, np.divide(hits, weight, out=np.full(len(weight), np.nan), where=weight > 0))


class _Histogram:
    """The share of the class in each bin; in an empty bin, the probability itself."""

    def __init__(self, edges: Floats, shares: Floats) -> None:
        self.edges, self.shares = edges, shares

    def __call__(self, proba: Floats) -> Floats:
        share = self.shares[np.searchsorted(self.edges, proba)]
        return np.where(np.isnan(share), proba, share)

    def onnx(self, proba: Tensor) -> Tensor:
        share = onnx.passed(proba, self.edges).take_from(self.shares)
        return share.is_nan().if_else(proba, share)


def _quantile_edges(proba: Floats, sample_weight: Floats, n_bins: int) -> Floats:
    """Return the upper edges of all bins except the last. Each edge is the greatest probability in its bin."""
    values, level = np.unique(proba, return_inverse=True)
    bins = equal_mass_bin(np.bincount(level, sample_weight).astype(np.float64), n_bins)
    return values[:-1][np.diff(bins) > 0]
