"""Confidence-aware evaluation and selective classification for scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

from skconf._core.version import __version__

__all__ = [
    "ConfidenceProfile",
    "ConfidenceReport",
    "MetricAccumulator",
    "SelectiveClassifier",
    "TunedSelectiveClassifierCV",
    "TunedThreshold",
    "__version__",
    "accumulate",
    "calibration",
    "confidence_report",
    "confidence_report_by_class",
    "confidence_report_from_files",
    "confidence_scoring",
    "get_scorer",
    "get_scorer_names",
    "inference",
    "metrics",
    "predict_selective",
    "required_samples",
    "tree_similarity",
    "tune_threshold",
]

if TYPE_CHECKING:
    from skconf import calibration, inference, metrics
    from skconf.accumulation import MetricAccumulator, accumulate
    from skconf.profile import ConfidenceProfile, tree_similarity
    from skconf.report import (
        ConfidenceReport,
        confidence_report,
        confidence_report_by_class,
        confidence_report_from_files,
    )
    from skconf.scoring import confidence_scoring, get_scorer, get_scorer_names
    from skconf.selective import (
        SelectiveClassifier,
        TunedSelectiveClassifierCV,
        TunedThreshold,
        predict_selective,
        required_samples,
        tune_threshold,
    )
else:
    # Imported at first use: `skconf --help` need not wait the seconds that scikit-learn and pandas take.
    _NAMES = {
        "accumulation": ("MetricAccumulator", "accumulate"),
        "calibration": (),
        "inference": (),
        "metrics": (),
        "profile": ("ConfidenceProfile", "tree_similarity"),
        "report": (
            "ConfidenceReport",
            "confidence_report",
            "confidence_report_by_class",
            "confidence_report_from_files",
        ),
        "scoring": ("confidence_scoring", "get_scorer", "get_scorer_names"),
        "selective": (
            "SelectiveClassifier",
            "TunedSelectiveClassifierCV",
            "TunedThreshold",
            "predict_selective",
            "required_samples",
            "tune_threshold",
        ),
    }
    _HOMES = {name: module for module, names in _NAMES.items() for name in names}

    def __getattr__(name):
        if name in _NAMES:
            return import_module(f"skconf.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'skconf' has no attribute {name!r}")
        globals()[name] = getattr(import_module(f"skconf.{_HOMES[name]}"), name)
        return globals()[name]

    def __dir__():
        return sorted({*globals(), *__all__})
