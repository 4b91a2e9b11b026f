"""Metrics of confidence: every public metric function, and the objects behind them."""

from skconf.metrics._base.registry import get_metric
from skconf.metrics._base.weighting import confidence_weighted
from skconf.metrics._calibration.adaptive import t_cal_test
from skconf.metrics._calibration.by_tests import tce_error
from skconf.metrics._calibration.distance import calibration_distance_error, cumulative_calibration_error
from skconf.metrics._calibration.entropy import ecd_test, entropic_calibration_difference
from skconf.metrics._calibration.errors import expected_calibration_error, maximum_calibration_error
from skconf.metrics._calibration.overall import confidence_gap, spiegelhalter_test
from skconf.metrics._calibration.smooth import smooth_calibration_error
from skconf.metrics._confidence_weighted.accuracy import confidence_gain, cw_accuracy_score
from skconf.metrics._confidence_weighted.agreement import (
    cw_balanced_accuracy_score,
    cw_cohen_kappa_score,
    cw_matthews_corrcoef,
)
from skconf.metrics._confidence_weighted.classes import (
    cw_f1_score,
    cw_fbeta_score,
    cw_jaccard_score,
    cw_precision_score,
    cw_recall_score,
    cw_specificity_score,
)
from skconf.metrics._confidence_weighted.confusion import cw_confusion_matrix, cw_multilabel_confusion_matrix
from skconf.metrics._confidence_weighted.roc import cw_roc_auc_score, cw_roc_curve
from skconf.metrics._cwsa.curve import cwsa_curve, metric_coverage_auc
from skconf.metrics._cwsa.score import cwsa_plus_score, cwsa_score
from skconf.metrics._ecuas.loss import ecuas_loss, reject_cost_loss
from skconf.metrics._probabilistic import (
    cf1_score,
    cfbeta_score,
    cprecision_score,
    crecall_score,
    probabilistic_confusion_matrix,
)
from skconf.metrics._proper import brier_decomposition, confidence_brier_loss, confidence_log_loss
from skconf.metrics._risk_coverage.auc import confidence_roc_auc_score
from skconf.metrics._risk_coverage.curve import augrc_loss, aurc_loss, excess_aurc_loss, risk_coverage_curve
from skconf.metrics._risk_coverage.thresholded import coverage_score, selective_accuracy_score, selective_risk_loss
from skconf.metrics._size_ratio import (
    calibrated_size_ratio,
    calibrated_size_ratio_std,
    calibrated_size_ratio_zscore,
    overconfidence_risk,
)

__all__ = [
    "augrc_loss",
    "aurc_loss",
    "brier_decomposition",
    "calibrated_size_ratio",
    "calibrated_size_ratio_std",
    "calibrated_size_ratio_zscore",
    "calibration_distance_error",
    "cf1_score",
    "cfbeta_score",
    "confidence_brier_loss",
    "confidence_gain",
    "confidence_gap",
    "confidence_log_loss",
    "confidence_roc_auc_score",
    "confidence_weighted",
    "coverage_score",
    "cprecision_score",
    "crecall_score",
    "cumulative_calibration_error",
    "cw_accuracy_score",
    "cw_balanced_accuracy_score",
    "cw_cohen_kappa_score",
    "cw_confusion_matrix",
    "cw_f1_score",
    "cw_fbeta_score",
    "cw_jaccard_score",
    "cw_matthews_corrcoef",
    "cw_multilabel_confusion_matrix",
    "cw_precision_score",
    "cw_recall_score",
    "cw_roc_auc_score",
    "cw_roc_curve",
    "cw_specificity_score",
    "cwsa_curve",
    "cwsa_plus_score",
    "cwsa_score",
    "ecd_test",
    "ecuas_loss",
    "entropic_calibration_difference",
    "excess_aurc_loss",
    "expected_calibration_error",
    "get_metric",
    "maximum_calibration_error",
    "metric_coverage_auc",
    "overconfidence_risk",
    "probabilistic_confusion_matrix",
    "reject_cost_loss",
    "risk_coverage_curve",
    "selective_accuracy_score",
    "selective_risk_loss",
    "smooth_calibration_error",
    "spiegelhalter_test",
    "t_cal_test",
    "tce_error",
]


def __dir__() -> list[str]:
    """List the public names, without modules."""
    return __all__
