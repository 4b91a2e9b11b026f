"""The classes that define the metrics, by name, from public names alone."""

from skconf import metrics

_NO_METRICS = ("confidence_weighted", "get_metric")
DEFINITIONS = {name: type(metrics.get_metric(name)) for name in metrics.__all__ if name not in _NO_METRICS}
