"""Metrics of predictions that come in parts: files, partitions of a cluster, days."""

from skconf.accumulation._accumulate import accumulate
from skconf.accumulation._accumulator import MetricAccumulator

__all__ = ["MetricAccumulator", "accumulate"]
