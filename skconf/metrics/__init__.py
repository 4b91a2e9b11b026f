"""Metrics of confidence: every public metric function, and the objects behind them.

The functions are made from the definitions in this package's private modules, one module for each family. A module
or a definition that is added there appears here by itself.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING

from skconf.metrics._registry import get_metric, metric_classes
from skconf.metrics._weighting import confidence_weighted

if TYPE_CHECKING:  # for tools that read the source and do not run it
    from skconf.metrics._brier import *  # noqa: F403
    from skconf.metrics._calibrated_size import *  # noqa: F403
    from skconf.metrics._calibration_adaptive import *  # noqa: F403
    from skconf.metrics._calibration_distance import *  # noqa: F403
    from skconf.metrics._calibration_entropy import *  # noqa: F403
    from skconf.metrics._calibration_error import *  # noqa: F403
    from skconf.metrics._calibration_tests import *  # noqa: F403
    from skconf.metrics._confidence_weighted import *  # noqa: F403
    from skconf.metrics._confidence_weighted_agreement import *  # noqa: F403
    from skconf.metrics._confidence_weighted_classes import *  # noqa: F403
    from skconf.metrics._confidence_weighted_roc import *  # noqa: F403
    from skconf.metrics._confusion import *  # noqa: F403
    from skconf.metrics._cwsa import *  # noqa: F403
    from skconf.metrics._cwsa_curve import *  # noqa: F403
    from skconf.metrics._ecuas import *  # noqa: F403
    from skconf.metrics._probabilistic import *  # noqa: F403
    from skconf.metrics._risk_coverage import *  # noqa: F403
    from skconf.metrics._risk_coverage_curve import *  # noqa: F403
    from skconf.metrics._smooth_calibration import *  # noqa: F403

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):  # noqa: F405
    importlib.import_module(_module.name)
globals().update({_name: _cls.function for _name, _cls in metric_classes().items()})

__all__ = ["confidence_weighted", "get_metric", *sorted(metric_classes())]
