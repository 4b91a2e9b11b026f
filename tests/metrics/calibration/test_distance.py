"""Distances from calibration: isotonic, and cumulative."""

from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import isotonic, pairs


def calibration_distance_error(y, proba, predicted, w):
    points = pairs(y, proba, predicted, w)
    fit = isotonic(points)
    return sum(w * abs(c - fit[c]) for c, _, w in points) / sum(w for _, _, w in points)


def cumulative_calibration_error(y, proba, predicted, w, statistic="mad"):
    points = pairs(y, proba, predicted, w)
    total = sum(w for _, _, w in points)
    distinct = sorted({c for c, _, _ in points})
    sums = [0.0] + [sum(w * (z - c) for c, z, w in points if c <= value) / total for value in distinct]
    return max(map(abs, sums)) if statistic == "mad" else max(sums) - min(sums)


CASES = [
    Case("calibration_distance_error", {}, calibration_distance_error),
    Case("cumulative_calibration_error", {}, cumulative_calibration_error),
    Case("cumulative_calibration_error", {"statistic": "range"}, cumulative_calibration_error),
]
TestProperties = properties_of(CASES)
