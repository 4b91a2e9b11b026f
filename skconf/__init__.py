"""Confidence-aware evaluation and selective classification for scikit-learn.

Where to begin:

- Can the confidences be trusted? :func:`confidence_report` for predictions, :meth:`ConfidenceReport.from_files` for
  files; in a shell, ``skconf evaluate FILE``.
- When should the model abstain? :func:`tune_threshold` for predictions, :class:`TunedSelectiveClassifierCV` for a
  model; in a shell, ``skconf threshold FILE``.
- How can probabilities be calibrated? :class:`SelectiveClassifier`, with a calibrator of :mod:`skconf.calibration`.
- Which model is better, by more than chance? :func:`skconf.inference.compare`.
- How large is one metric? A function of :mod:`skconf.metrics`; in a search or a cross-validation, :func:`get_scorer`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from skconf._core.version import __version__

__all__ = [
    "ConfidenceProfile",
    "ConfidenceReport",
    "MetricAccumulator",
    "RiskMonitor",
    "SelectiveClassifier",
    "TunedSelectiveClassifierCV",
    "__version__",
    "accumulate",
    "accumulation",
    "calibration",
    "confidence_report",
    "confidence_scoring",
    "datasets",
    "experiments",
    "get_scorer",
    "get_scorer_names",
    "inference",
    "inspection",
    "metrics",
    "predict_selective",
    "profile",
    "read_log",
    "report",
    "required_samples",
    "scoring",
    "selective",
    "tune_threshold",
]

if TYPE_CHECKING:
    from skconf import (
        accumulation,
        calibration,
        datasets,
        experiments,
        inference,
        inspection,
        metrics,
        profile,
        report,
        scoring,
        selective,
    )
    from skconf.accumulation import MetricAccumulator, accumulate
    from skconf.profile import ConfidenceProfile
    from skconf.report import ConfidenceReport, confidence_report
    from skconf.scoring import confidence_scoring, get_scorer, get_scorer_names
    from skconf.selective import (
        RiskMonitor,
        SelectiveClassifier,
        TunedSelectiveClassifierCV,
        predict_selective,
        required_samples,
        tune_threshold,
    )
    from skconf.tables import read_log
else:
    # Imported at first use: `skconf --help` need not wait the seconds that scikit-learn and pandas take.
    _HOMES = {
        "ConfidenceProfile": "profile",
        "ConfidenceReport": "report",
        "MetricAccumulator": "accumulation",
        "SelectiveClassifier": "selective",
        "TunedSelectiveClassifierCV": "selective",
        "accumulate": "accumulation",
        "confidence_report": "report",
        "confidence_scoring": "scoring",
        "get_scorer": "scoring",
        "get_scorer_names": "scoring",
        "predict_selective": "selective",
        "read_log": "tables",
        "RiskMonitor": "selective",
        "required_samples": "selective",
        "tune_threshold": "selective",
    }
    _SUBPACKAGES = {*__all__, "cli", "tables"} - {*_HOMES, "__version__"}

    def __getattr__(name):
        if name in _SUBPACKAGES:
            return import_module(f"skconf.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'skconf' has no attribute {name!r}")
        globals()[name] = getattr(import_module(f"skconf.{_HOMES[name]}"), name)
        return globals()[name]

    def __dir__():
        return sorted({*globals(), *_SUBPACKAGES, *__all__})
