"""The base of all metrics: kinds of metrics, the registry, averages over classes, weighting and random draws."""
